// Scaling curves as small multiples: a chart per combination of all axes but two, the x axis (users, log2) and the
// compared one, which makes the lines. Whiskers are the 95 % intervals; a point that failed a check is hollow and
// crossed and its line dashed away from it by absence of fill, so that it is seen and not believed.

import { cells, groups, inOrder, named, present, varied, words, x, xNumeric, type Group } from '../axes';
import { AT_LEAST, isLowerBound } from '../bound';
import { data } from '../data';
import { escaped, h } from '../dom';
import { metricTitle, quantity, ratio, show, spread, tick } from '../format';
import { get, set } from '../state';
import { axisStyle, chart, coloured, CROSSED, legend, tooltipStyle, type Chart, type Option } from './chart';
import { symbolOf } from './marks';
import { reference, relative } from './heatmap';
import { curveOf, law, lawSentences } from './law';
import { strip } from './strip';
import type { Grid, Row } from './told';
import type { Palette } from '../theme';
import type { Axis, Cell, Value } from '../types';
import { choiceOf } from '../ways';

interface Point {
  x: number;
  y: number;
  low: number | null;
  high: number | null;
  cell: Cell;
}
interface Line {
  name: string;
  points: Point[];
}
interface Facet {
  title: string;
  row: string;
  lines: Line[];
  missing: Cell[];
}

/** The axis that makes the lines: the compared one, unless that is x itself. */
export function lineAxis(): Axis | undefined {
  const { axis } = reference();
  return axis && axis !== x ? axis : (varied.filter((a) => a !== x && a.key !== 'workload').at(-1) ?? varied.find((a) => a !== x));
}

export function facetAxes(): Axis[] {
  return varied.filter((a) => a !== x && a !== lineAxis());
}

export const lineNames = (): string[] => {
  const axis = lineAxis();
  return axis ? present(axis).map((v) => named(axis, v)) : [metricTitle(get('metric'))];
};

function point(cell: Cell, asRatio: boolean): Point | undefined {
  const e = cell.metrics[get('metric')];
  const at = x ? cell.axes[x.key] : 0;
  if (!e || at === undefined) return undefined;
  const position = xNumeric ? Number(at) : (x?.values.indexOf(at) ?? 0);
  const { axis, value } = reference();
  if (!asRatio || !axis || value === undefined) return { x: position, y: e.value, low: e.low, high: e.high, cell };
  const r = relative(cell, get('metric'), axis.key, value);
  return r ? { x: position, y: r.value, low: r.low, high: r.high, cell } : undefined;
}

function facet(group: Group, asRatio: boolean): Facet {
  const axis = lineAxis();
  const values: (Value | undefined)[] = axis ? present(axis) : [undefined];
  const order = x ? inOrder(group.cells, [x]) : group.cells;
  const lines = values.map((v) => ({
    name: show(v),
    points: order
      .filter((c) => !axis || c.axes[axis.key] === v)
      .map((c) => point(c, asRatio))
      .filter((p) => p !== undefined),
  }));
  const on = facetAxes();
  return {
    title: words(group.first, on),
    row: on[0] ? show(group.first.axes[on[0].key]) : '',
    lines,
    missing: order.filter((c) => c.no_number !== null),
  };
}

export function scaling(): HTMLElement {
  const asRatio = get('as') === 'relative';
  const drawable = (f: Facet): boolean => f.missing.length > 0 || f.lines.some((l) => l.points.length > 0);
  const facets = groups(cells, facetAxes())
    .map((g) => facet(g, asRatio))
    .filter(drawable);
  const top = (list: Facet[]): number =>
    Math.max(
      0,
      ...list
        .flatMap((f) => f.lines)
        .flatMap((l) => l.points)
        .map((p) => p.high ?? p.y),
    );
  const highest = (list: Facet[]): number => Math.max(0, ...list.flatMap((f) => f.lines.flatMap((l) => l.points.map((p) => p.y))));
  const ceiling = (list: Facet[]): number => Math.min(top(list), HEADROOM * highest(list));
  const bottom = (list: Facet[]): number =>
    Math.min(
      1,
      ...list
        .flatMap((f) => f.lines)
        .flatMap((l) => l.points)
        .map((p) => p.low ?? p.y),
    );
  const figures = facets.map((f) => {
    const shared = get('y') === 'all' ? facets : get('y') === 'row' ? facets.filter((g) => g.row === f.row) : [f];
    const drawn = curve(f, asRatio, asRatio ? [bottom(shared), Math.max(1, ceiling(shared))] : [0, ceiling(shared)]);
    drawn.on((cell) => set({ cell }));
    return h(
      'figure',
      {},
      h('figcaption', {}, f.title),
      drawn.element,
      strip(f.lines.map((l) => ({ name: l.name, cells: l.points.map((p) => p.cell) }))),
      lawSentences(f.lines.map((l) => lawOf(l, asRatio))),
      f.missing.length > 0
        ? h(
            'p',
            { class: 'missing' },
            missing(f.missing),
          )
        : null,
    );
  });
  return h('div', {}, legend(lineNames()), h('div', { class: 'multiples' }, figures), wayCaption());
}

/** Charts beside the answer: a row of the widest screen. */
const HEROES = 4;

/** How far the lines of a chart lie apart at most, as a ratio: what a reader of a comparison looks for. */
function apart(f: Facet): number {
  const at = new Map<number, number[]>();
  for (const p of f.lines.flatMap((l) => l.points)) at.set(p.x, [...(at.get(p.x) ?? []), p.y]);
  return Math.max(1, ...[...at.values()].map((ys) => Math.max(...ys) / Math.max(Math.min(...ys), 1e-9)));
}

/** The facets whose lines lie furthest apart, in the order of the others. */
function heroes(): Facet[] {
  const all = groups(cells, facetAxes())
    .map((g) => facet(g, false))
    .filter((f) => f.lines.some((l) => l.points.length > 1));
  const chosen = new Set([...all].sort((a, b) => apart(b) - apart(a)).slice(0, HEROES));
  return all.filter((f) => chosen.has(f));
}

export const hasHero = (): boolean => varied.length > 0 && xNumeric && heroes().length > 0;

/** The curves on which a cell lies, with a ring around it and the others that are meant. */
export function curvesOf(cell: Cell, meant: Cell[]): HTMLElement | null {
  const found = xNumeric ? groups(cells, facetAxes()).find((g) => g.cells.includes(cell)) : undefined;
  const f = found && facet(found, false);
  if (!f || !f.lines.some((l) => l.points.length > 1)) return null;
  const points = f.lines.flatMap((l) => l.points);
  const drawn = curve(f, false, [0, Math.max(...points.map((p) => Math.min(p.high ?? p.y, HEADROOM * p.y)))], HEIGHT, meant);
  drawn.on((id) => set({ cell: id }));
  return h('figure', {}, legend(lineNames()), h('figcaption', {}, `${titleOf(f)}; ringed: what it rests on`), drawn.element);
}

/** The chart that shows the answer: the curves, where few are enough, else those that differ most. */
export function hero(): HTMLElement {
  const chosen = heroes();
  const figures = chosen.map((f) => {
    const points = f.lines.flatMap((l) => l.points);
    const height = chosen.length > 1 ? HEIGHT : TALL;
    const drawn = curve(f, false, [0, Math.max(...points.map((p) => Math.min(p.high ?? p.y, HEADROOM * p.y)))], height);
    drawn.on((cell) => set({ cell }));
    return h('figure', {}, varied.length > 1 ? h('figcaption', {}, f.title) : null, drawn.element);
  });
  return h('div', {}, legend(lineNames()), h('div', { class: chosen.length > 1 ? 'multiples hero' : '' }, figures), h('p', { class: 'caption' }, `${metricTitle(get('metric'))} over ${x?.key ?? ''}; ${WHISKERS}.`), wayCaption());
}

/** Cells without a number, one line per series and reason. */
function missing(cells: Cell[]): HTMLElement[] {
  const axis = lineAxis();
  const reason = (c: Cell): string => (c.no_number ?? '').split(':')[0] ?? '';
  const lines = new Map<string, Cell[]>();
  for (const c of cells) {
    const key = [axis ? show(c.axes[axis.key]) : '', reason(c)].filter((t) => t !== '').join(': ');
    lines.set(key, [...(lines.get(key) ?? []), c]);
  }
  return [...lines].map(([text, [first]]) =>
    h(
      'button',
      { type: 'button', class: 'link', title: first?.no_number ?? '', onclick: () => set({ cell: first?.id ?? '' }) },
      text,
    ),
  );
}

/** An interval far wider than the values says "too noisy" at the edge of the chart, and must not flatten what is drawn. */
const HEADROOM = 1.35;

const [HEIGHT, TALL] = [208, 360];

const WHISKERS = 'whiskers: 95 % intervals; crossed: a check failed, the number does not count';

const titleOf = (f: Facet): string => `${f.title}: ${metricTitle(get('metric'))} over ${x?.key ?? ''}`;

/** A row per point: where it is, its value, its interval, how many repetitions. */
function grid(f: Facet, asRatio: boolean, text: (p: Point) => string): Grid {
  const position = (p: Point): string => (xNumeric ? String(p.x) : show(x?.values[p.x]));
  const unit = f.lines.flatMap((l) => l.points)[0]?.cell.metrics[get('metric')]?.unit ?? '';
  const bound = (v: number | null): string => (v === null ? '' : asRatio ? ratio(v) : quantity(v, unit));
  const row = (line: Line, p: Point): Row => ({
    fields: [line.name, position(p), `${isLowerBound(p.cell) ? AT_LEAST : ''}${text(p)}`, bound(p.low), bound(p.high), String(p.cell.metrics[get('metric')]?.n ?? 0)],
    cell: p.cell.id,
    struck: p.cell.status === 'fail',
  });
  return {
    heads: [lineAxis()?.key ?? 'line', x?.key ?? '', metricTitle(get('metric')), 'low', 'high', 'n'],
    rows: f.lines.flatMap((l) => l.points.map((p) => row(l, p))),
  };
}

/** Laws are of statements per second over users. */
function lawOf(line: Line, asRatio: boolean): ReturnType<typeof curveOf> {
  const fits = !asRatio && get('metric') === 'qps' && x?.key === 'users';
  return fits ? curveOf(line.points.map((p) => p.cell.id)) : undefined;
}

function curve(f: Facet, asRatio: boolean, [from, to]: [number, number], height = HEIGHT, meant: Cell[] = []): Chart {
  const unit = f.lines.flatMap((l) => l.points)[0]?.cell.metrics[get('metric')]?.unit ?? '';
  const text = (p: Point): string => (asRatio ? `${ratio(p.y)} ×` : quantity(p.y, unit));
  const label = `${f.title}: ${metricTitle(get('metric'))} over ${x?.key ?? ''}; ${f.lines.map((l) => `${l.name}: ${l.points.map(text).join(', ')}`).join('; ')}`;
  const told = { title: titleOf(f), label, names: lineNames(), grid: () => grid(f, asRatio, text) };
  return chart(told, height, (c) => ({
    grid: { left: 46, right: 14, top: 12, bottom: 34 },
    tooltip: {
      ...tooltipStyle(c),
      trigger: 'axis',
      axisPointer: { type: 'line', lineStyle: { color: c.faint } },
      formatter: (items: unknown) => tip(f, items, text, asRatio),
    },
    xAxis: { ...axisStyle(c), ...xScale(c), name: x?.key ?? '', nameLocation: 'middle', nameGap: 19, splitLine: { show: false } },
    yAxis: {
      ...axisStyle(c),
      type: 'value',
      ...round(from, to),
      axisLabel: { color: c.soft, fontSize: 11, formatter: (v: number) => (asRatio ? trimmed(v) : tick(v, unit)) },
    },
    series: [
      ...f.lines.flatMap((line, i) => [
        ...series(line, i, c, asRatio && lineAxis() === reference().axis && line.name === get('ref')),
        ...law(lawOf(line, asRatio), coloured(c, i)),
      ]),
      ...wayMark(c),
      ...rings(f, meant, c),
    ],
  }));
}

/** A ring around each point of these cells. */
function rings(f: Facet, meant: Cell[], c: Palette): Option[] {
  const points = f.lines.flatMap((l) => l.points).filter((p) => meant.includes(p.cell));
  if (points.length === 0) return [];
  const itemStyle = { color: 'transparent', borderColor: c.ink, borderWidth: 1.5 };
  return [{ type: 'scatter', data: points.map((p) => [p.x, p.y]), symbol: 'circle', symbolSize: RING, itemStyle, silent: true, clip: false, z: 3, tooltip: { show: false } }];
}

/** Wide enough to leave the point's own symbol free. */
const RING = 17;

/** Between which users the load changed its way of waiting for answers: the mean of the two on a log scale. */
function changesOfWay(): number[] {
  if (x?.key !== 'users' || !xNumeric) return [];
  const users = x.values.map(Number);
  return (data.canary?.choice?.steps ?? []).flatMap(({ up_to: most }) => {
    if (most === undefined) return [];
    const [below, above] = [users.filter((u) => u <= most), users.filter((u) => u > most)];
    return below.length > 0 && above.length > 0 ? [Math.sqrt(Math.max(...below) * Math.min(...above))] : [];
  });
}

/** Words for it, below the charts. */
function wayCaption(): HTMLElement | null {
  const choice = data.canary?.choice;
  if (changesOfWay().length === 0 || !choice) return null;
  return h('p', { class: 'caption' }, `Dotted: where users wait for their answers in another way, by what reached most: ${choiceOf(choice)}.`);
}

function wayMark(c: Palette): Option[] {
  const changes = changesOfWay();
  if (changes.length === 0) return [];
  return [
    {
      type: 'custom',
      data: changes.map((at) => [at, 0]),
      silent: true,
      z: 0,
      tooltip: { show: false },
      renderItem: (params: { coordSys: { y: number; height: number } }, api: { value(i: number): number; coord(p: number[]): number[] }) => {
        const [px = 0] = api.coord([api.value(0), 0]);
        const { y, height } = params.coordSys;
        return { type: 'line', shape: { x1: px, y1: y, x2: px, y2: y + height }, style: { stroke: c.faint, lineWidth: 1.2, lineDash: [2, 3] } };
      },
    },
  ];
}

/** What the names below a chart share, in pixels of the narrowest one. */
const NAMES_WIDTH = 168;

const trimmed = (v: number): string => String(Math.round(v * 100) / 100);

/** Ends and steps of an axis that are round and leave every whisker inside. */
export function round(from: number, to: number): Option {
  const rough = Math.max(to - from, 1e-9) / 3.5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const interval = ([1, 2, 2.5, 5, 10].find((m) => m * power >= rough) ?? 10) * power;
  return { min: Math.floor((from + interval * 1e-6) / interval) * interval, max: Math.ceil((to * 1.01) / interval) * interval, interval };
}

function xScale(c: Palette): Option {
  if (!x) return { type: 'category', data: [''] };
  if (!xNumeric) {
    // Every name is seen, shortened to its place; the tip has it whole.
    const width = NAMES_WIDTH / x.values.length;
    return { type: 'category', data: x.values.map(show), axisLabel: { color: c.soft, fontSize: 11, interval: 0, width, overflow: 'truncate' } };
  }
  const numbers = x.values.map(Number);
  const logarithmic = Math.min(...numbers) > 0 && numbers.length > 1;
  const ends = {
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    axisLabel: { color: c.soft, fontSize: 11, hideOverlap: true, customValues: numbers, formatter: show },
  };
  return logarithmic ? { type: 'log', logBase: 2, ...ends } : { type: 'value', ...ends };
}

function series(line: Line, i: number, c: Palette, isBase: boolean): Option[] {
  const colour = coloured(c, i);
  const data = line.points.map((p) => {
    const failed = p.cell.status === 'fail';
    return {
      value: [p.x, p.y, p.low ?? p.y, p.high ?? p.y],
      cell: p.cell.id,
      symbol: failed ? CROSSED : symbolOf(i),
      symbolSize: failed ? 12 : 7,
      itemStyle: failed ? { color: 'transparent', borderColor: colour, borderWidth: 1.5 } : { color: colour },
      label: { show: !failed && isLowerBound(p.cell), formatter: AT_LEAST.trim(), position: p === line.points[0] ? 'right' : 'left', distance: 4, color: colour, fontSize: 11 },
    };
  });
  const whisker = {
    type: 'custom',
    data,
    silent: true,
    clip: true,
    z: 1,
    tooltip: { show: false },
    renderItem: (_: unknown, api: { value(i: number): number; coord(p: number[]): number[] }) => {
      const [px = 0, low = 0] = api.coord([api.value(0), api.value(2)]);
      const high = api.coord([api.value(0), api.value(3)])[1] ?? 0;
      const line = (x1: number, y1: number, x2: number, y2: number): object => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: { stroke: colour, lineWidth: 1.2, opacity: 0.75 },
      });
      return { type: 'group', children: [line(px, low, px, high), line(px - 3, low, px + 3, low), line(px - 3, high, px + 3, high)] };
    },
  };
  return [
    whisker,
    {
      type: 'line',
      name: line.name,
      data,
      clip: false,
      z: 2,
      showAllSymbol: true,
      lineStyle: { color: colour, width: isBase ? 1 : 1.8, type: isBase ? 'dashed' : 'solid' },
      emphasis: { disabled: true },
    },
  ];
}

function tip(f: Facet, items: unknown, text: (p: Point) => string, asRatio: boolean): string {
  const at = (items as { value?: number[]; axisValue?: string }[])[0]?.value?.[0];
  const rows = f.lines.flatMap((line, i) =>
    line.points
      .filter((p) => p.x === at)
      .map((p) => {
        const e = p.cell.metrics[get('metric')];
        const extra = asRatio ? (p.low !== null && p.high !== null ? `${ratio(p.low)} – ${ratio(p.high)}` : '') : e ? spread(e) : '';
        const failed = p.cell.verdicts
          .filter((v) => v.verdict === 'fail')
          .map((v) => v.check)
          .join(', ');
        return `<tr><td style="color:var(--series-${(i % 6) + 1})">●</td><td>${escaped(line.name)}</td><td class="num"><b>${escaped(text(p))}</b></td><td class="num soft">${escaped(extra)}</td><td class="soft">n = ${e?.n ?? 0}${failed ? ` · failed ${escaped(failed)}` : ''}${isLowerBound(p.cell) ? ' · a lower bound' : ''}</td></tr>`;
      }),
  );
  const position = xNumeric ? String(at) : show(x?.values[at ?? 0]);
  return `<div class="tip"><b>${escaped(x?.key ?? '')} ${escaped(position)}</b><table>${rows.join('')}</table></div>`;
}
