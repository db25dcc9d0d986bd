// The matrix of all cells against a reference, as a table: it is read by screen readers, walked with arrow keys, found by
// the browser's search and printed, which a drawing is not. Colour is the ratio, on a scale centred on 1; hatching and a
// struck number say that a check failed.

import { cells, groups, keyOf, present, twin, varied, words, x } from '../axes';
import { AT_LEAST, isLowerBound } from '../bound';
import { report } from '../data';
import { h } from '../dom';
import { cited, direction, isOpen, metricTitle, ratio, show, spread, STATUS, tight } from '../format';
import { get, set } from '../state';
import type { Axis, Cell, Estimate, Value } from '../types';

/** The colour is full at this factor at least, so that noise does not look like a result. */
const FULL_AT_LEAST = 1.25;
/** With more columns than this there is no room for the value beside the ratio. */
const ROOMY = 6;
/** How much of the full colour a cell may take, so that its text stays readable. */
const MOST_COLOUR = 62;

export const narrow = matchMedia('(max-width: 760px)');

/** `refused`: a failed check on either side forbids the comparison. */
export interface Relative {
  value: number;
  low: number | null;
  high: number | null;
  refused: boolean;
}

const whole = report.comparisons.filter((c) => c.phase === undefined);
const compared = new Map(whole.map((c) => [`${c.metric}\u0000${c.base}\u0000${c.candidate}`, c.ratio]));

/** A cell against its twin at the reference: the judge's ratio with its interval where there is one, else the plain quotient. */
export function relative(cell: Cell, metric: string, axis: string, reference: Value): Relative | undefined {
  const base = twin(cell, axis, reference);
  const [ours, theirs] = [cell.metrics[metric], base?.metrics[metric]];
  if (!base || !ours || !theirs || theirs.value === 0) return undefined;
  const refused = base.status === 'fail' || cell.status === 'fail';
  if (base === cell) return { value: 1, low: null, high: null, refused };
  const judged = compared.get(`${metric}\u0000${base.id}\u0000${cell.id}`);
  return { value: judged?.value ?? ours.value / theirs.value, low: judged?.low ?? null, high: judged?.high ?? null, refused };
}

export function reference(): { axis: Axis | undefined; value: Value | undefined } {
  const axis = varied.find((a) => a.key === get('axis'));
  return { axis, value: axis?.values.find((v) => show(v) === get('ref')) };
}

export function heatmap(): HTMLElement {
  const metric = get('metric');
  const { axis, value } = reference();
  const down = [...varied.filter((a) => a !== x && a !== axis), ...(axis && axis !== x ? [axis] : [])];
  const ratios = new Map(cells.map((c) => [c, axis && value !== undefined ? relative(c, metric, axis.key, value) : undefined]));
  const logs = [...ratios.values()].map((r) => (r && r.value > 0 ? Math.abs(Math.log(r.value)) : 0));
  const full = Math.max(Math.log(FULL_AT_LEAST), Math.min(Math.log(4), ...[Math.max(0, ...logs)]));
  // Cells to which x does not apply have a column of their own.
  const beside = cells.some((c) => c.axes[x?.key ?? ''] === undefined) ? [undefined] : [];
  const columns: (Value | undefined)[] = x ? [...present(x), ...beside] : [undefined];
  // A narrow screen has room for one column of names: the others become headings between the rows.
  const aside = narrow.matches ? Math.max(0, down.length - 1) : 0;
  const body = rows(down, aside, columns, (cell) =>
    entry(cell, metric, ratios.get(cell), full, axis?.key === undefined ? undefined : cell.axes[axis.key] === value),
  );
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      down.slice(aside).map((a) => h('th', { scope: 'col', rowspan: 2 }, a.key)),
      h('th', { scope: 'colgroup', colspan: columns.length, class: 'across' }, x?.key ?? metricTitle(metric)),
    ),
    h(
      'tr',
      {},
      columns.map((v) => h('th', { scope: 'col', class: 'num' }, x ? show(v) : '')),
    ),
  );
  const table = h('table', { class: columns.length > ROOMY ? 'matrix dense' : 'matrix', onkeydown: walk }, head, h('tbody', {}, body));
  table.querySelector<HTMLButtonElement>('button')?.setAttribute('tabindex', '0');
  return h('div', {}, h('div', { class: 'scroll' }, table), scale(metric, full, axis, value));
}

/** Outer axes span their rows, so that a value is written once. */
function rows(down: Axis[], aside: number, columns: (Value | undefined)[], draw: (cell: Cell) => HTMLElement): HTMLElement[] {
  const all = groups(cells, down);
  return all.flatMap((group, i) => {
    const heads = down.map((a, depth) => {
      if (depth < aside) return null;
      const outer = down.slice(0, depth + 1);
      const key = keyOf(group.first, outer);
      if (i > 0 && keyOf(all[i - 1]?.first ?? group.first, outer) === key) return null;
      const span = all.filter((g) => keyOf(g.first, outer) === key).length;
      return h('th', { scope: 'row', rowspan: span, class: depth === 0 ? 'outer' : '' }, show(group.first.axes[a.key]));
    });
    const starts = i === 0 || keyOf(all[i - 1]?.first ?? group.first, down.slice(0, 1)) !== keyOf(group.first, down.slice(0, 1));
    const entries = columns.map((v) => {
      const cell = group.cells.find((c) => x === undefined || c.axes[x.key] === v);
      return cell ? draw(cell) : h('td', { class: 'void' });
    });
    const row = h('tr', { class: starts && aside === 0 ? 'starts' : '' }, heads, entries);
    const outer = down.slice(0, aside);
    if (aside === 0 || (i > 0 && keyOf(all[i - 1]?.first ?? group.first, outer) === keyOf(group.first, outer))) return [row];
    return [
      h('tr', {}, h('th', { scope: 'rowgroup', class: 'outer', colspan: columns.length + down.length - aside }, words(group.first, outer))),
      row,
    ];
  });
}

function entry(cell: Cell, metric: string, r: Relative | undefined, full: number, isReference: boolean | undefined): HTMLElement {
  const e: Estimate | undefined = cell.metrics[metric];
  const open = {
    type: 'button',
    tabindex: -1,
    'data-cell': cell.id,
    onclick: () => set({ cell: cell.id }),
    title: spoken(cell, metric, e, r),
  };
  // For who hears it: after what is seen, the whole.
  const aside = h('span', { class: 'heard' }, ` ${open.title}`);
  if (!e) {
    const word = (cell.no_number ?? 'no number').split(':')[0] ?? '';
    return h('td', { class: 'none' }, h('button', open, h('span', { class: 'ratio' }, cell.no_number ? word : '–'), aside));
  }
  const log = r && r.value > 0 ? Math.log(r.value) : 0;
  const good = direction(metric) === -1 ? -log : log;
  const amount = r?.refused ? 0 : Math.min(1, Math.abs(log) / full) * MOST_COLOUR;
  const mark = cell.status === 'warn' ? '!' : cell.status === 'not_evaluable' ? '?' : '';
  const value = `${direction(metric) === 1 && isLowerBound(cell) ? AT_LEAST : ''}${tight(e.value, e.unit)}`;
  const big = r ? ratio(r.value) : isReference === undefined ? value : '–';
  const beside = r || isReference !== undefined ? value : spread(e);
  return h(
    'td',
    {
      class: `${cell.status} ${isReference ? 'reference' : ''} ${r?.refused ? 'refused' : ''} ${good >= 0 ? 'up' : 'down'}`,
      style: `--amount:${amount.toFixed(1)}%`,
    },
    h(
      'button',
      open,
      h('span', { class: 'ratio' }, big),
      h('span', { class: 'value' }, beside),
      mark ? h('span', { class: 'flag', 'aria-hidden': 'true' }, mark) : null,
      aside,
    ),
  );
}

function spoken(cell: Cell, metric: string, e: Estimate | undefined, r: Relative | undefined): string {
  const number = e ? `${metricTitle(metric)} ${cited(e)}` : (cell.no_number ?? 'no number');
  const against = r
    ? `, ${ratio(r.value)} × ${get('ref')}${r.low !== null && r.high !== null ? ` (${ratio(r.low)} – ${ratio(r.high)})` : ''}`
    : '';
  const failed = cell.verdicts.filter((v) => v.verdict === cell.status && isOpen(v.verdict)).map((v) => v.check);
  return `${cell.id}: ${words(cell)}: ${number}${against}; ${STATUS[cell.status]}${failed.length > 0 ? `: ${failed.join(', ')}` : ''}`;
}

function scale(metric: string, full: number, axis: Axis | undefined, value: Value | undefined): HTMLElement {
  const names = direction(metric) === 0 ? ['lower', 'higher'] : ['worse', 'better'];
  const [low, high] =
    direction(metric) === -1 ? [ratio(Math.exp(full)), ratio(Math.exp(-full))] : [ratio(Math.exp(-full)), ratio(Math.exp(full))];
  const how =
    axis && value !== undefined
      ? `Ratio to ${axis.key} ${show(value)}, all else equal; beside it the value itself.`
      : 'No axis to compare on: values as they are.';
  return h(
    'div',
    { class: 'caption scale' },
    h(
      'span',
      { class: 'ramp', 'aria-hidden': 'true' },
      h('span', {}, `${names[0] ?? ''} ${low}`),
      h('i', {}),
      h('span', {}, `${high} ${names[1] ?? ''}`),
    ),
    h('span', {}, `${metricTitle(metric)}: ${how} n = ${report.experiment.repetitions} repetitions.`),
    h(
      'span',
      { class: 'keys' },
      h('span', { class: 'swatch fail' }),
      'a check failed',
      h('span', { class: 'swatch none' }),
      'no number',
      h('b', {}, '!'),
      'warning',
      h('b', {}, '?'),
      'a check could not be evaluated',
      h('b', {}, AT_LEAST),
      'a lower bound: the client was in the way',
    ),
  );
}

/** Arrow keys walk the table; one cell at a time can be reached by Tab. */
function walk(event: KeyboardEvent): void {
  const step: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const move = step[event.key];
  const from = event.target as HTMLElement;
  const table = from.closest('table');
  if (!move || !table) return;
  const grid = [...table.querySelectorAll('tbody tr:has(td)')].map((row) => [...row.querySelectorAll('td')]);
  const row = grid.findIndex((cellsOf) => cellsOf.some((td) => td.contains(from)));
  const column = grid[row]?.findIndex((td) => td.contains(from)) ?? 0;
  const next = grid[row + move[0]]?.[column + move[1]]?.querySelector('button');
  if (!next) return;
  event.preventDefault();
  from.setAttribute('tabindex', '-1');
  next.setAttribute('tabindex', '0');
  next.focus();
}
