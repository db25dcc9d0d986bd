// Where the server waited while its instruments were on: one table per cell that had an explain run, the longest first.

import { words } from './axes';
import { report } from './data';
import { h } from './dom';
import { digits } from './format';
import type { Cell, Wait } from './types';

export const explained = (): Cell[] => report.cells.filter((c) => c.explain !== undefined);

export function waits(): HTMLElement {
  return h('div', { class: 'provenance' }, explained().map(cell));
}

function cell(c: Cell): HTMLElement {
  return h(
    'details',
    {},
    h('summary', {}, `${c.id} `, h('span', { class: 'soft' }, words(c))),
    table('wait', c.explain?.waits ?? []),
    table('stage', c.explain?.stages ?? []),
    ...(c.explain?.executed ?? []).map((e) => h('div', {}, h('p', {}, `${e.statement}, carried out once`), h('pre', {}, e.plan))),
  );
}

function table(noun: string, rows: Wait[]): HTMLElement | null {
  if (rows.length === 0) return null;
  const row = (w: Wait): HTMLElement =>
    h('tr', {}, h('td', {}, w.event), ...[w.time / 1e6, w.count, w.time / w.count / 1e3].map((n) => h('td', { class: 'num' }, digits(n))));
  return h('div', { class: 'scroll' }, h(
    'table',
    { class: 'waits' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, noun), ...['ms', 'times', 'µs each'].map((t) => h('th', { scope: 'col', class: 'num' }, t)))),
    h('tbody', {}, rows.map(row)),
  ));
}
