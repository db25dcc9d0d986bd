// The numbers of a cell in full. Each metric opens what it was made from: how, and in every run how much its counters grew
// over which time, beside the file in which that is written. A number that failed a check is struck here as everywhere.

import { evidence } from '../badge';
import { report, runById, type Metrics } from '../data';
import { h } from '../dom';
import { cited, digits, interval, metricTitle, quantity } from '../format';
import { metricNames } from '../state';
import { block } from './block';
import type { Cell } from '../types';

export function table(title: string, metrics: Metrics, cell?: Cell): HTMLElement | null {
  const names = Object.keys(metrics);
  if (names.length === 0) return null;
  const ordered = [...metricNames.filter((m) => names.includes(m)), ...names.filter((m) => !metricNames.includes(m))];
  const struck = cell?.status === 'fail' ? 'num struck' : 'num';
  const row = (name: string): (HTMLElement | null)[] => {
    const e = metrics[name];
    if (!e) return [];
    const made = cell ? madeOf(cell, name) : null;
    const under = made ? h('tr', { class: 'made', hidden: true }, h('td', { colspan: 4 }, made)) : null;
    const title = h('span', {}, metricTitle(name), h('code', {}, name));
    const open = (): void => {
      if (!under) return;
      under.hidden = !under.hidden;
      button.setAttribute('aria-expanded', String(!under.hidden));
    };
    const button = h('button', { type: 'button', class: 'link', 'aria-expanded': 'false', title: 'what it was made from', onclick: open }, quantity(e.value, e.unit));
    return [
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, title),
        h('td', { class: struck }, made ? button : quantity(e.value, e.unit)),
        h('td', { class: 'num soft' }, interval(e)),
        h('td', { class: 'num' }, e.n),
      ),
      under,
    ];
  };
  const head = ['metric', 'value', '95 % interval', 'n'].map((t, i) => h('th', { scope: 'col', class: i > 0 ? 'num' : '' }, t));
  return block(title, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, ordered.flatMap(row)))));
}

/** How a metric came about in each run; nothing for one that no list explains. */
function madeOf(cell: Cell, metric: string): HTMLElement | null {
  const made = report.made_of?.[metric];
  if (made) return h('div', {}, h('p', {}, `${metricTitle(metric)}: ${made.how}.`), counters(cell, made.counters));
  if (!metric.startsWith('latency_')) return null;
  return h('div', {}, h('p', {}, 'From the histograms of operations in the measured phases, all repetitions merged.'), counters(cell, []));
}

/** What these counters grew by in each run, beside the file that has them. */
export function counters(cell: Cell, names: string[]): HTMLElement {
  const done = cell.runs.filter((id) => runById.get(id)?.ending === 'done');
  const grown = (id: string, name: string): string => {
    const [delta, seconds] = runById.get(id)?.counters[name] ?? [];
    return delta === undefined || seconds === undefined ? 'not measured' : `+${digits(delta, 4)} in ${digits(seconds)} s`;
  };
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      {},
      names.length > 0 ? h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'written in'), names.map((n) => h('th', { scope: 'col', class: 'num' }, h('code', {}, n))))) : null,
      h(
        'tbody',
        {},
        done.map((id) => h('tr', {}, h('th', { scope: 'row' }, evidence(`runs/${id}/run.json`)), names.map((n) => h('td', { class: 'num' }, grown(id, n))))),
      ),
    ),
  );
}

export function parts(title: string, named: Record<string, Metrics>): HTMLElement | null {
  const names = Object.keys(named);
  if (names.length === 0) return null;
  const columns = [...new Set(names.flatMap((n) => Object.keys(named[n] ?? {})))];
  const entry = (part: string, metric: string): HTMLElement => {
    const e = named[part]?.[metric];
    return h('td', { class: 'num', title: e ? cited(e) : '' }, e ? quantity(e.value, e.unit) : '–');
  };
  return block(
    title,
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, title.split(' ')[0]),
            columns.map((c) => h('th', { scope: 'col', class: 'num' }, metricTitle(c))),
          ),
        ),
        h(
          'tbody',
          {},
          names.map((n) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, n),
              columns.map((c) => entry(n, c)),
            ),
          ),
        ),
      ),
    ),
  );
}
