// What an operation of the cell took of each counter: its growth over the measured phases of all runs, per operation and per second; per
// statement where operations were not counted.

import { data, runById } from '../data';
import { h } from '../dom';
import { digits } from '../format';
import { block } from './block';
import type { Cell, Run } from '../types';

export function costs(cell: Cell): HTMLElement | null {
  const what = cell.metrics.ops_per_s ? 'operation' : 'statement';
  const rate = (cell.metrics.ops_per_s ?? cell.metrics.qps)?.value ?? 0;
  const runs = cell.runs.map((id) => runById.get(id)).filter((r): r is Run => r?.ending === 'done');
  const names = [...new Set(runs.flatMap((r) => Object.keys(r.counters)))].sort();
  if (names.length === 0 || rate <= 0) return null;
  const row = (name: string): HTMLElement => {
    const grown = runs.flatMap((r) => (r.counters[name] ? [r.counters[name]] : []));
    const [growth, seconds] = grown.reduce(([g, s], [delta, time]) => [g + delta, s + time], [0, 0]);
    const each = growth / Math.max(seconds, 1e-9);
    const meaning = data.counters.find((c) => c.name === name)?.meaning;
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('code', { title: meaning || undefined }, name)),
      h('td', { class: 'num' }, digits(each / rate)),
      h('td', { class: 'num' }, digits(each)),
    );
  };
  const head = ['counter', `per ${what}`, 'per second'].map((t, i) => h('th', { scope: 'col', class: i > 0 ? 'num' : '' }, t));
  return block(
    `Counters per ${what}`,
    h('p', { class: 'caption' }, `Growth over the measured phases of ${runs.length === 1 ? 'the run' : `${runs.length} runs`}, in the unit of the counter (CPU time in nanoseconds).`),
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, names.map(row)))),
  );
}
