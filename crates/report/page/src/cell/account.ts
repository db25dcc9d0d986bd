// Where the time of an operation went, as one bar and a line per term; each term opens the counters that it was computed from.
// What no term covers is a part of the bar, too: it says how much the others are worth.

import { h } from '../dom';
import { micros } from '../format';
import { block } from './block';
import { counters } from './numbers';
import type { Cell } from '../types';

const REST = 'in no term';
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

export function account(cell: Cell): HTMLElement | null {
  const a = cell.account;
  if (!a) return null;
  const terms = [...a.terms.filter((t) => t.us > 0), ...(a.rest_us > 0 ? [{ name: REST, us: a.rest_us, from: [] as string[] }] : [])];
  const all = terms.reduce((sum, t) => sum + t.us, 0);
  const colour = (name: string, i: number): string => (name === REST ? 'var(--faint)' : `var(--series-${(i % 6) + 1})`);
  const bar = h(
    'div',
    { class: 'account', role: 'img', 'aria-label': a.sentence },
    terms.map((t, i) => h('span', { style: `flex:${(t.us / all).toFixed(4)};background:${colour(t.name, i)}`, title: `${t.name}: ${micros(t.us)}` })),
  );
  const row = (t: (typeof terms)[number], i: number): HTMLElement => {
    const line = [
      h('span', { class: 'key', style: `background:${colour(t.name, i)}` }),
      h('span', { class: 'term' }, t.name),
      h('b', {}, micros(t.us)),
      h('span', { class: 'soft' }, percent(t.us / a.operation_us)),
    ];
    return t.from.length > 0
      ? h('details', { class: 'line' }, h('summary', {}, line), counters(cell, t.from.filter((name) => name !== 'explain')))
      : h('div', { class: 'line' }, line);
  };
  return block('Where the time of an operation went', h('p', {}, a.sentence), bar, h('div', { class: 'terms' }, terms.map(row)));
}
