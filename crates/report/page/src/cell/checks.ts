// What the cell's numbers had to pass, the worst first, and what went wrong in its runs.

import { evidence, MARK } from '../badge';
import { h } from '../dom';
import { isOpen, quantity, STATUS, WORST_FIRST } from '../format';
import { block } from './block';
import type { Cell, Status } from '../types';

export function checks(cell: Cell): HTMLElement | null {
  if (cell.verdicts.length === 0) return null;
  const sorted = [...cell.verdicts].sort((a, b) => WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict));
  const item = (v: Cell['verdicts'][number]): HTMLElement =>
    h(
      'li',
      { class: v.verdict },
      h('span', { class: `badge ${v.verdict}`, title: STATUS[v.verdict] }, h('span', { class: 'mark' }, MARK[v.verdict])),
      h(
        'div',
        {},
        h(
          'p',
          {},
          h('code', {}, v.check),
          ' ',
          v.sentence,
          v.limit ? h('span', { class: 'soft' }, ` ${v.measured || 'not measured'}, limit ${v.limit}.`) : null,
        ),
        v.advice ? h('p', { class: 'advice' }, v.advice) : null,
        v.evidence.length > 0
          ? h(
              'p',
              { class: 'seen' },
              v.evidence.map((e) => evidence(e)),
            )
          : null,
      ),
    );
  const list = (of: typeof sorted): HTMLElement => h('ul', { class: 'checks' }, of.map(item));
  const open = sorted.filter((v) => isOpen(v.verdict));
  const folded = (status: Status, what: string): HTMLElement | null => {
    const of = sorted.filter((v) => v.verdict === status);
    return of.length > 0 ? h('details', {}, h('summary', {}, `${of.length} ${what}`), list(of)) : null;
  };
  return block(
    'Checks',
    open.length > 0 ? list(open) : null,
    folded('pass', 'passed'),
    folded('not_applicable', 'not applicable here'),
  );
}

/** What went wrong and how often. */
export function errors(cell: Cell): HTMLElement | null {
  const e = cell.errors;
  if (!e) return null;
  const row = (what: string, ...cells: (string | number | undefined)[]): HTMLElement =>
    h('tr', {}, h('th', { scope: 'row' }, what), ...cells.map((c) => h('td', { class: 'num' }, c === undefined ? '' : String(c))));
  const sessions = [
    e.reconnects ? row('sessions that broke and were opened again', e.reconnects) : null,
    e.renewed ? row('sessions opened anew as asked', e.renewed) : null,
    e.connect_us_p50 === undefined ? null : row('opening a session, p50', quantity(e.connect_us_p50, 'µs')),
    e.connect_us_p99 === undefined ? null : row('opening a session, p99', quantity(e.connect_us_p99, 'µs')),
  ].filter((r) => r !== null);
  // A server's message names its error itself.
  const told = (n: { number: number; error: string; message?: string | null }): string =>
    n.message?.startsWith(`error ${n.number} `) ? n.message : [n.error, n.message].filter(Boolean).join(': ');
  const counted = e.by_number.map((n) => row(told(n), n.retried, n.failed));
  const head = h('thead', {}, h('tr', {}, ['error', 'tried again', 'failed'].map((c) => h('th', { scope: 'col' }, c))));
  return block(
    'Errors and retries',
    counted.length > 0 ? h('div', { class: 'scroll' }, h('table', {}, head, h('tbody', {}, counted))) : null,
    sessions.length > 0 ? h('div', { class: 'scroll' }, h('table', {}, h('tbody', {}, sessions))) : null,
  );
}
