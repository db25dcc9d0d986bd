// Under a curve, what limits each of its points, as a strip of bands: where the colour changes another phase of contention begins. The words
// are the judge's; the largest term of the account says where the time went.

import { inOrder, x } from '../axes';
import { h } from '../dom';
import { show } from '../format';
import { set } from '../state';
import type { Cell } from '../types';

const KINDS = ['client-bound', 'io-bound', 'cpu-bound', 'lock/serial-bound', 'latency-bound', 'unknown'];

function largest(cell: Cell): string {
  const terms = [...(cell.account?.terms ?? [])].sort((a, b) => b.us - a.us);
  const [first] = terms;
  return first && cell.account ? `; most of its time is ${first.name}, ${((first.us / cell.account.operation_us) * 100).toFixed(0)} %` : '';
}

/** One row of bands for each line; nothing where nobody said what limits it. */
export function strip(lines: { name: string; cells: Cell[] }[]): HTMLElement | null {
  const told = lines.filter((line) => line.cells.some((c) => c.bound));
  if (!x || told.length === 0) return null;
  const axis = x;
  const band = (cell: Cell): HTMLElement => {
    const kind = KINDS.indexOf(cell.bound?.label ?? 'unknown');
    const text = `${axis.key} ${show(cell.axes[axis.key])}: ${cell.bound?.label ?? 'unknown'}${largest(cell)}. ${cell.bound?.sentence ?? ''}`;
    return h('button', { type: 'button', class: `band kind-${Math.max(0, kind)}`, title: text, 'aria-label': text, onclick: () => set({ cell: cell.id }) }, short(cell));
  };
  const row = (line: { name: string; cells: Cell[] }): HTMLElement =>
    h('div', { class: 'bands' }, h('span', { class: 'soft' }, line.name), h('span', {}, inOrder(line.cells, [axis]).map(band)));
  return h('div', { class: 'strip', 'aria-label': 'What limits each point' }, told.map(row));
}

const short = (cell: Cell): string => (cell.bound?.label ?? 'unknown').replace('-bound', '').replace('unknown', '?');
