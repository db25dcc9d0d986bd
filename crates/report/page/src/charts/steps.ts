// The steps of a study over its iterations: for each step the rate of every variant relative to the first, where the tables no longer
// fit the cache as a tinted background, and how large they are beside the cache. Drawn where cells have iterations.

import { groups, named, varied, words } from '../axes';
import { report } from '../data';
import { escaped, h } from '../dom';
import { digits, quantity, show, tick } from '../format';
import type { Palette } from '../theme';
import { axisStyle, chart, coloured, legend, type Option, tooltipStyle } from './chart';
import { symbolOf } from './marks';
import type { Grid } from './told';
import type { Axis, Cell, PhaseJudgement } from '../types';

const HEIGHT = 150;

const iterated = (): Cell[] => report.cells.filter((c) => c.repeats === undefined && (c.phases ?? []).some((p) => (p.iteration ?? 1) > 1));

export const hasSteps = (): boolean => iterated().length > 0;

interface Line {
  name: string;
  /** Its place among the variants, which keeps its colour on every chart. */
  at: number;
  cell: Cell;
}

const value = (phase: PhaseJudgement | undefined, metric: string): number | undefined => phase?.metrics[metric]?.value;
const phaseOf = (cell: Cell, step: string, iteration: number): PhaseJudgement | undefined =>
  (cell.phases ?? []).find((p) => p.step === step && p.iteration === iteration);

export function steps(): HTMLElement {
  const cells = iterated();
  const axis = varied[0];
  const others = varied.filter((a) => a !== axis);
  const names = axis ? axis.values.map((v) => named(axis, v)) : [''];
  const places = groups(cells, others).map((place, n) => {
    const lines = place.cells.map((cell) => ({ name: show(cell.axes[axis?.key ?? '']), at: lineAt(axis, cell), cell }));
    const figures = stepsOf(place.first).map((step) => figure(step, lines));
    return h(
      'details',
      { open: n === 0 },
      h('summary', {}, words(place.first, others) || report.experiment.name),
      h('div', { class: 'multiples' }, figures, sizes(lines)),
      regimes(lines),
    );
  });
  return h('div', { class: 'steps' }, legend(names), places);
}

/** Charts that a screen holds. */
const LEADING = 4;
const TALL = 168;

/** The steps in which the variants lie furthest apart, or that changed most where there is one only. */
export function leadingSteps(): HTMLElement {
  const axis = varied[0];
  const others = varied.filter((a) => a !== axis);
  const [place] = groups(iterated(), others);
  const lines = (place?.cells ?? []).map((cell) => ({ name: show(cell.axes[axis?.key ?? '']), at: lineAt(axis, cell), cell }));
  const all = place ? stepsOf(place.first) : [];
  const chosen = new Set([...all].sort((a, b) => apart(lines, b) - apart(lines, a)).slice(0, LEADING));
  const names = axis ? axis.values.map((v) => named(axis, v)) : [''];
  const of = lines.length > 1 ? `QPS relative to ${names[0] ?? ''}, over the iterations` : 'QPS over the iterations';
  const more = all.length > LEADING ? ` The ${LEADING} of ${all.length} steps that differ most.` : '';
  return h(
    'div',
    {},
    legend(names),
    h('div', { class: all.length > 1 ? 'multiples hero' : '' }, all.filter((step) => chosen.has(step)).map((step) => figure(step, lines, all.length > 1 ? TALL : 2 * TALL))),
    h('p', { class: 'caption' }, `${of}${others.length > 0 && place ? `; ${words(place.first, others)}` : ''}.${more} Tinted: not all of it came from memory. Hollow: a check failed.`),
  );
}

/** The largest ratio between two points of a step. */
function apart(lines: Line[], step: string): number {
  const rates = lines.map((l) => iterations(lines).flatMap((i) => value(phaseOf(l.cell, step, i), 'qps') ?? []));
  const base = rates[0] ?? [];
  const ratios = lines.length > 1 ? rates.slice(1).flatMap((of) => of.map((v, i) => v / (base[i] ?? v))) : base.map((v) => v / (base[0] ?? v));
  return Math.max(0, ...ratios.filter((r) => r > 0).map((r) => Math.abs(Math.log(r))));
}

const lineAt = (axis: Axis | undefined, cell: Cell): number => Math.max(0, axis?.values.findIndex((v) => v === cell.axes[axis.key]) ?? 0);

function stepsOf(cell: Cell): string[] {
  return [...new Set((cell.phases ?? []).filter((p) => (p.metrics.qps?.value ?? 0) > 0).map((p) => p.step))].filter((step) =>
    (cell.phases ?? []).some((p) => p.step === step && (p.iteration ?? 1) > 1),
  );
}

const iterations = (lines: Line[]): number[] =>
  [...new Set(lines.flatMap((l) => (l.cell.phases ?? []).map((p) => p.iteration ?? 1)))].sort((a, b) => a - b);

/** Iterations in which one of these no longer finds its pages in memory, as bands behind the lines. */
function bands(c: Palette, lines: Line[], step: string): Option[] {
  const left = iterations(lines).filter((i) => lines.some((l) => (value(phaseOf(l.cell, step, i), 'left_cache') ?? 0) > 0));
  const band = (i: number): Option => ({
    type: 'custom',
    silent: true,
    z: 0,
    tooltip: { show: false },
    data: [[i, 0]],
    renderItem: (params: { coordSys: { y: number; height: number } }, api: { coord(p: number[]): number[] }) => {
      const [from = 0, to = 0] = [i - 0.5, i + 0.5].map((x) => api.coord([x, 0])[0] ?? 0);
      const { y, height } = params.coordSys;
      return { type: 'rect', shape: { x: from, y, width: to - from, height }, style: { fill: c.bad, opacity: 0.09 } };
    },
  });
  return left.map(band);
}

function axes(c: Palette, lines: Line[], unit: string): Option {
  const all = iterations(lines);
  return {
    grid: { left: 52, right: 10, top: 10, bottom: 24 },
    tooltip: { ...tooltipStyle(c), trigger: 'item', formatter: (item: unknown) => tip(item) },
    xAxis: {
      ...axisStyle(c),
      type: 'value',
      min: (all[0] ?? 1) - 0.5,
      max: (all.at(-1) ?? 1) + 0.5,
      axisLabel: { color: c.soft, fontSize: 11, hideOverlap: true, customValues: all },
      splitLine: { show: false },
    },
    yAxis: {
      ...axisStyle(c),
      type: 'value',
      min: 0,
      axisLabel: { color: c.soft, fontSize: 11, formatter: (y: number) => (unit === 'bytes' ? quantity(y, unit) : tick(y)) },
    },
  };
}

const tip = (item: unknown): string => `<div class="tip">${escaped((item as { data?: { text?: string } }).data?.text ?? '')}</div>`;

interface Point {
  value: [number, number];
  text: string;
  struck: boolean;
}

function series(c: Palette, line: Line, data: Point[]): Option {
  const colour = coloured(c, line.at);
  return {
    type: 'line',
    name: line.name,
    data: data.map((d) => ({ ...d, cell: line.cell.id, ...(d.struck ? { symbol: 'emptyCircle', itemStyle: { color: c.bad, opacity: 0.8 } } : {}) })),
    symbol: symbolOf(line.at),
    symbolSize: 6,
    lineStyle: { color: colour, width: 1.6 },
    itemStyle: { color: colour },
  };
}

/** A row per iteration, a column per variant: the rates themselves. */
function grid(lines: Line[], step: string): Grid {
  const rate = (line: Line, i: number): string => {
    const own = value(phaseOf(line.cell, step, i), 'qps');
    return own === undefined ? '' : `${digits(own)}${(phaseOf(line.cell, step, i)?.struck ?? []).length > 0 ? ' ✗' : ''}`;
  };
  return { heads: ['iteration', ...lines.map((l) => `${l.name}, QPS`)], rows: iterations(lines).map((i) => ({ fields: [String(i), ...lines.map((l) => rate(l, i))] })) };
}

/** One step: the rate of each variant, relative to the first where that was measured. */
function figure(step: string, lines: Line[], height = HEIGHT): HTMLElement {
  // A line alone has nothing to be relative to but itself.
  const base = lines.length > 1 ? lines.find((l) => l.at === 0) : undefined;
  const points = (line: Line): Point[] =>
    iterations(lines).flatMap((i) => {
      const [own, of] = [value(phaseOf(line.cell, step, i), 'qps'), base ? value(phaseOf(base.cell, step, i), 'qps') : 1];
      if (own === undefined || !of) return [];
      const left = (value(phaseOf(line.cell, step, i), 'left_cache') ?? 0) > 0 ? ', not all from memory' : '';
      const told = base ? `${digits(own / of)} × ${base.name} (${quantity(own, 'qps')})` : quantity(own, 'qps');
      const checks = [line, ...(base && base !== line ? [base] : [])].flatMap((l) => phaseOf(l.cell, step, i)?.struck ?? []);
      const struck = checks.length > 0 ? `; struck: ${[...new Set(checks)].join(', ')}` : '';
      return [{ value: [i, own / of], text: `${step}, iteration ${i}, ${line.name}: ${told}${left}${struck}`, struck: checks.length > 0 }];
    });
  const title = `${step}: rate over iterations${base ? `, relative to ${base.name}` : ''}`;
  const told = { title, label: title, names: lines.map((l) => l.name), grid: () => grid(lines, step) };
  const drawn = chart(told, height, (c) => ({
    ...axes(c, lines, ''),
    series: [...bands(c, lines, step), ...lines.map((l) => series(c, l, points(l)))],
  }));
  return h('figure', {}, h('figcaption', {}, step), drawn.element);
}

/** The phase of an iteration in which most rows are current; the last of them, or of all where nobody counted rows. */
function fullest(cell: Cell, iteration: number): PhaseJudgement | undefined {
  const phases = (cell.phases ?? []).filter((p) => p.iteration === iteration);
  const most = Math.max(...phases.map((p) => value(p, 'current_rows') ?? 0));
  return phases.filter((p) => (value(p, 'current_rows') ?? 0) === most).at(-1);
}

const cacheOf = (lines: Line[]): number | undefined =>
  lines.map((l) => value(fullest(l.cell, iterations(lines)[0] ?? 1), 'cache_bytes')).find((bytes) => bytes !== undefined);

/** How large the tables are in each iteration, the history in them apart, and the cache as a line. */
function sizes(lines: Line[]): HTMLElement | null {
  const points = (line: Line, metric: string, what: string): Point[] =>
    iterations(lines).flatMap((i) => {
      const bytes = value(fullest(line.cell, i), metric);
      return bytes === undefined ? [] : [{ value: [i, bytes], text: `${what} in iteration ${i}, ${line.name}: ${quantity(bytes, 'bytes')}`, struck: false }];
    });
  const cache = cacheOf(lines);
  if (cache === undefined) return null;
  const kept = lines.filter((l) => iterations(lines).some((i) => (value(fullest(l.cell, i), 'history_bytes') ?? 0) > 0));
  const dotted = (line: Option): Option => ({ ...line, symbolSize: 4, lineStyle: { ...(line.lineStyle as Option), type: 'dotted' } });
  const tables = lines.map((l) => points(l, 'data_bytes', 'Tables'));
  const most = Math.max(cache, ...tables.flat().map((p) => p.value[1]));
  // Whole powers of two, as sizes are told.
  const step = 2 ** Math.ceil(Math.log2(most / 4));
  const scale = (c: Palette): Option => ({ ...(axes(c, lines, 'bytes').yAxis as Option), interval: step, max: Math.ceil(most / step) * step });
  const size = (line: Line, i: number): string => {
    const bytes = value(fullest(line.cell, i), 'data_bytes');
    return bytes === undefined ? '' : quantity(bytes, 'bytes');
  };
  const told = {
    title: 'Size of the tables over iterations',
    label: `Size of the tables over iterations, beside a cache of ${quantity(cache, 'bytes')}`,
    names: lines.map((l) => l.name),
    grid: (): Grid => ({ heads: ['iteration', ...lines.map((l) => l.name)], rows: iterations(lines).map((i) => ({ fields: [String(i), ...lines.map((l) => size(l, i))] })) }),
  };
  const drawn = chart(told, HEIGHT, (c) => ({
    ...axes(c, lines, 'bytes'),
    yAxis: scale(c),
    series: [
      ...lines.map((l, n) => series(c, l, tables[n] ?? [])),
      ...kept.map((l) => dotted(series(c, l, points(l, 'history_bytes', 'History')))),
      {
        type: 'line',
        silent: true,
        symbol: 'none',
        data: iterations(lines).flatMap((i) => [
          [i - 0.5, cache],
          [i + 0.5, cache],
        ]),
        lineStyle: { color: c.bad, type: 'dashed', width: 1.2 },
      },
    ],
  }));
  const dots = kept.length > 0 ? '; dotted: the history in them' : '';
  return h('figure', {}, h('figcaption', {}, `size of the tables${dots}; dashed: the cache, ${quantity(cache, 'bytes')}`), drawn.element);
}

/** The same as a table: what is current, what is history, their share of the cache, and the pages that were read. */
function regimes(lines: Line[]): HTMLElement | null {
  if (cacheOf(lines) === undefined) return null;
  const all = iterations(lines);
  const told = (line: Line, i: number): (HTMLElement | string)[] => {
    const phase = fullest(line.cell, i);
    const [data, history, cache] = ['data_bytes', 'history_bytes', 'cache_bytes'].map((metric) => value(phase, metric));
    if (data === undefined || cache === undefined) return ['–'];
    const phases = (line.cell.phases ?? []).filter((p) => p.iteration === i);
    const reads = Math.max(...phases.map((p) => value(p, 'page_reads_per_statement') ?? 0));
    const left = phases.some((p) => (value(p, 'left_cache') ?? 0) > 0);
    const parts = history === undefined ? quantity(data, 'bytes') : `${quantity(data - history, 'bytes')} + ${quantity(history, 'bytes')}`;
    const share = `${quantity(data / cache, 'share')} of the cache`;
    const read = reads > 0 ? `, up to ${digits(reads)} pages read per statement` : '';
    return [parts, h('br'), h('span', { class: 'soft' }, left ? h('mark', {}, share) : share, read)];
  };
  return h(
    'details',
    { class: 'sizes' },
    h('summary', {}, 'current rows + history, by iteration'),
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'variant'), all.map((i) => h('th', { scope: 'col' }, `iteration ${i}`)))),
        h('tbody', {}, lines.map((line) => h('tr', {}, h('th', { scope: 'row' }, line.name), all.map((i) => h('td', {}, told(line, i)))))),
      ),
    ),
  );
}
