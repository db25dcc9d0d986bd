// Best to best: of each curve its highest point, the longest bar first, and within the bar whose CPU time it was. A maximum is biased upward
// by the noise of its levels, and the caption says so; a point that failed a check is no best.

import { cells, groups, varied, words, x } from '../axes';
import { AT_LEAST, clientShare, isLowerBound } from '../bound';
import { h } from '../dom';
import { cited, quantity, show } from '../format';
import { set } from '../state';
import type { Cell } from '../types';

const METRIC = 'qps';

interface Best {
  name: string;
  cell: Cell;
  levels: number;
  struck: number;
  value: number;
}

function all(): Best[] {
  const others = varied.filter((a) => a !== x);
  const best = groups(cells, others).flatMap((group): Best[] => {
    const sound = group.cells.filter((c) => c.status !== 'fail' && c.metrics[METRIC]);
    const value = (c: Cell): number => c.metrics[METRIC]?.value ?? 0;
    const top = sound.reduce<Cell | undefined>((most, c) => (most && value(most) >= value(c) ? most : c), undefined);
    return top ? [{ name: words(top, others), cell: top, levels: group.cells.length, struck: group.cells.length - sound.length, value: value(top) }] : [];
  });
  return best.sort((a, b) => b.value - a.value);
}

export const hasBest = (): boolean => x?.key === 'users' && all().length > 1;

export function best(): HTMLElement {
  const rows = all();
  const most = Math.max(...rows.map((r) => r.value));
  const row = ({ name, cell, levels, struck, value }: Best): HTMLElement => {
    const e = cell.metrics[METRIC];
    const share = clientShare(cell);
    const client = share === undefined ? null : h('span', { class: 'client', style: `width:${(share * 100).toFixed(1)}%` });
    const bar = h('span', { class: 'bar', style: `width:${((value / most) * 100).toFixed(1)}%` }, client);
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link', onclick: () => set({ cell: cell.id }) }, name)),
      h('td', { class: 'bars', 'aria-hidden': 'true' }, bar),
      h('td', { class: 'num', title: e ? cited(e) : '' }, `${isLowerBound(cell) ? AT_LEAST : ''}${quantity(value, e?.unit ?? '')}`),
      h('td', { class: 'num soft' }, `${show(cell.axes[x?.key ?? ''])}, best of ${levels}${struck > 0 ? `, ${struck} struck` : ''}`),
      h('td', { class: 'num soft' }, share === undefined ? '–' : `${(share * 100).toFixed(0)} %`),
    );
  };
  const head = ['curve', '', 'statements', x?.key ?? '', 'client’s share of the CPU'].map((t, n) => (t ? h('th', { scope: 'col', class: n > 1 ? 'num' : '' }, t) : h('td', { class: 'bars' })));
  return h('div', { class: 'scroll' }, h('table', { class: 'best' }, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows.map(row))));
}
