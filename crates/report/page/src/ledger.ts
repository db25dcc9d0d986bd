// Every check on every cell: what was claimed, what was measured, where the limit is, what to do, where it can be seen.
// Filtered by status, by check and by words; long lists are shown in part until asked for.

import { words } from './axes';
import { badge, evidence } from './badge';
import { report } from './data';
import { h, select } from './dom';
import { STATUS, WORST_FIRST } from './format';
import { get, link, set } from './state';
import { verdicts } from './verdicts';
import type { Status } from './types';

const AT_FIRST = 25;

export function ledger(): HTMLElement {
  const shown = get('status').split(',');
  const check = get('check');
  const all = verdicts.filter((v) => shown.includes(v.verdict.verdict) && (check === '' || v.verdict.check === check));
  all.sort(
    (a, b) =>
      WORST_FIRST.indexOf(a.verdict.verdict) - WORST_FIRST.indexOf(b.verdict.verdict) || a.verdict.check.localeCompare(b.verdict.check),
  );
  const rows = all.map((v, i) => () => row(v, v.verdict.check !== all[i - 1]?.verdict.check || v.verdict.verdict !== all[i - 1]?.verdict.verdict));
  const body = h('tbody', {}, rows.slice(0, AT_FIRST).map((draw) => draw()));
  const more =
    all.length > AT_FIRST
      ? h(
          'button',
          {
            type: 'button',
            class: 'more',
            onclick: () => {
              body.replaceChildren(...rows.map((draw) => draw()));
              more?.remove();
            },
          },
          `Show all ${all.length}`,
        )
      : null;
  const table = h(
    'table',
    { class: 'ledger' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['status', 'check', 'cell', 'what was found', 'measured', 'limit'].map((t) => h('th', { scope: 'col' }, t)),
      ),
    ),
    body,
  );
  return h('div', {}, filters(shown, check), all.length > 0 ? table : h('p', { class: 'empty' }, 'No check matches this filter.'), more);
}

function filters(shown: string[], check: string): HTMLElement {
  const number = (s: Status): number =>
    verdicts.filter((v) => v.verdict.verdict === s && (check === '' || v.verdict.check === check)).length;
  const chip = (s: Status): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        class: `chip ${s}`,
        'aria-pressed': String(shown.includes(s)),
        onclick: () =>
          set({ status: (shown.includes(s) ? shown.filter((o) => o !== s) : [...shown, s]).filter((o) => o !== '').join(',') || 'none' }),
      },
      badge(s),
      h('b', {}, number(s)),
    );
  const names = [...new Set(verdicts.map((v) => v.verdict.check))].sort();
  return h(
    'div',
    { class: 'controls' },
    h('div', { class: 'chips', role: 'group', 'aria-label': 'Statuses shown' }, WORST_FIRST.map(chip)),
    select('check', [{ value: '', label: 'all checks' }, ...names.map((n) => ({ value: n, label: n }))], check, (v) => set({ check: v })),
  );
}

/** What to do is the same for every cell: the first row of a check says it. */
function row({ verdict: v, cell }: (typeof verdicts)[number], first: boolean): HTMLElement {
  return h(
    'tr',
    { class: v.verdict },
    h('td', { 'data-title': 'status' }, badge(v.verdict, STATUS[v.verdict])),
    h('td', { 'data-title': 'check' }, h('code', {}, v.check.split('_').flatMap((word, i) => (i === 0 ? [word] : ['_', h('wbr'), word])))),
    h(
      'td',
      { 'data-title': 'cell' },
      cell ? h('a', { href: link({ cell: cell.id, at: '' }) }, cell.id) : 'all',
      cell ? h('span', { class: 'where' }, words(cell)) : null,
    ),
    h(
      'td',
      { 'data-title': 'what was found' },
      told(v.sentence),
      v.quarantined ? h('span', { class: 'where' }, 'A new check: told, and no number is struck for it.') : null,
      first && v.advice ? h('span', { class: 'advice' }, v.advice) : null,
      v.evidence.length > 0
        ? h(
            'span',
            { class: 'seen' },
            v.evidence.map((e) => evidence(e)),
          )
        : null,
    ),
    h('td', { 'data-title': 'measured', class: 'num' }, v.measured || (v.verdict === 'not_applicable' ? '' : 'not measured')),
    h('td', { 'data-title': 'limit', class: 'num' }, v.limit),
  );
}

/** Long sentences are shown in part, so that a table of many stays a table; a click tells all. */
const LONG = 140;

function told(sentence: string): HTMLElement {
  if (sentence.length <= LONG) return h('p', {}, sentence);
  const text = h('p', { class: 'clamped' }, sentence);
  const more = h(
    'button',
    {
      type: 'button',
      class: 'link',
      'aria-expanded': 'false',
      onclick: () => {
        const open = text.classList.toggle('clamped');
        more.textContent = open ? 'more' : 'less';
        more.setAttribute('aria-expanded', String(!open));
      },
    },
    'more',
  );
  return h('div', {}, text, more);
}

export const hasChecks = (): boolean => report.cells.length > 0;
