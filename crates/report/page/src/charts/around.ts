// A run as it went, in lanes on one clock that begins with its measurement: rate, the slow end of latency, and the counter that says
// most of the server. Several cells lie over each other, so that what a disturbance did to one is seen beside what it did to the
// other; the phase in which something was done to the server is tinted. The whole session is in `timeline.ts`.

import { groups, words, type Group } from '../axes';
import { data, runById } from '../data';
import { escaped, h } from '../dom';
import { digits, duration, micros, quantity, ratio, show, tick } from '../format';
import { set } from '../state';
import type { Palette } from '../theme';
import { axisStyle, chart, coloured, tooltipStyle, type Option } from './chart';
import { round } from './scaling';
import { counterTitle, firstCounter, values } from './timeline';
import type { Grid, Row } from './told';
import type { Axis, Cell, Estimate, Lane, PhaseJudgement, Run } from '../types';
import { isStruck } from '../verdicts';

export interface Line {
  name: string;
  /** Its place among the values of its axis, which keeps its colour everywhere on the page. */
  at: number;
  runs: Run[];
}

interface Drawn {
  title: string;
  height: number;
  isLog: boolean;
  text: (v: number) => string;
  of: (lane: Lane) => (number | null)[];
}

/** Runs drawn of one line: more of them hide each other. */
const RUNS = 5;
const [GAP, TOP, FOOT] = [28, 24, 34];
/** Names of phases stand so far above the first lane, over its title. */
const NAMES = 22;

const done = (cell: Cell): Run[] => cell.runs.map((id) => runById.get(id)).filter((r) => r?.ending === 'done' && data.timeline[r.id] !== undefined) as Run[];
/** Where the measurement began, in milliseconds of the run. */
const origin = (run: Run): number => run.phases.find(([, kind]) => kind === 'measure')?.[2] ?? 0;

/** One of its phases is a disturbance, beside others that are not. */
export const isDisturbed = (cell: Cell): boolean => (cell.phases ?? []).some((p) => p.disturb) && done(cell).length > 0;

/** The lines of these cells, one for each value of the axis. */
export function linesOf(cells: Cell[], axis: Axis | undefined): Line[] {
  const of = (cell: Cell): Line => ({
    name: axis ? show(cell.axes[axis.key]) : words(cell),
    at: Math.max(0, axis?.values.findIndex((v) => v === cell.axes[axis.key]) ?? 0),
    runs: done(cell),
  });
  return cells.map(of).filter((l) => l.runs.length > 0);
}

/** A line for each repetition of one cell. */
export const repetitionsOf = (cell: Cell): Line[] => done(cell).map((run, at) => ({ name: run.id, at, runs: [run] }));

export const placesOf = (cells: Cell[], axis: Axis | undefined, varied: Axis[]): Group[] =>
  groups(
    cells,
    varied.filter((a) => a !== axis),
  );

function lanesOf(lines: Line[], tall: number): Drawn[] {
  const all = lines.flatMap((l) => l.runs).flatMap((r) => data.timeline[r.id] ?? []);
  const moves = (of: Drawn['of']): boolean => all.some((lane) => new Set(of(lane).filter((v) => v !== null)).size > 1);
  const counter = firstCounter?.is_first ? firstCounter : undefined;
  const lanes: Drawn[] = [
    { title: 'statements/s', height: tall, isLog: false, text: (v) => tick(v), of: (l) => l.qps },
    { title: 'latency p99', height: Math.round(tall * 0.62), isLog: true, text: micros, of: (l) => l.p99_us },
    ...(counter ? [{ title: counterTitle(counter), height: Math.round(tall * 0.62), isLog: false, text: (v: number) => tick(v), of: (l: Lane) => values(l, counter) }] : []),
  ];
  return lanes.filter((lane, i) => i === 0 || moves(lane.of));
}

function points(run: Run, lane: Drawn): [number, number | null][] {
  const series = data.timeline[run.id];
  const zero = origin(run);
  if (!series) return [];
  const value = lane.of(series);
  // A value holds for an interval, and is drawn as long as it lasted.
  return series.from.flatMap((from, i): [number, number | null][] => {
    const [begin, end] = [Math.max(0, from - zero), (series.to[i] ?? from) - zero];
    const v = value[i] ?? null;
    const shown = lane.isLog && v !== null && v <= 0 ? null : v;
    return end <= 0 ? [] : [[begin, shown], [end, shown]];
  });
}

interface Stretch {
  name: string;
  from: number;
  to: number;
  disturb: string | null;
}

/** The phases of the first of these runs: all go by the same plan. */
function stretches(lines: Line[]): Stretch[] {
  const run = lines.flatMap((l) => l.runs).find((r) => r.phases.some(([, , , , , disturb]) => disturb)) ?? lines[0]?.runs[0];
  if (!run) return [];
  const zero = origin(run);
  return run.phases.filter(([, kind]) => kind === 'measure').map(([name, , from, to, , disturb]) => ({ name, from: from - zero, to: to - zero, disturb }));
}

/** The tint behind every lane, the lines between phases, and above the first lane their names. */
function background(list: Stretch[], names: boolean, c: Palette): Option {
  const renderItem = (item: { coordSys: { x: number; y: number; width: number; height: number } }, api: { coord(p: number[]): number[] }): object => {
    const { x, y, width, height } = item.coordSys;
    const across = (ms: number): number => Math.min(x + width, Math.max(x, api.coord([ms, 0])[0] ?? x));
    const children = list.flatMap((s, i) => {
      const [from, to] = [across(s.from), across(s.to)];
      const tint = s.disturb ? [{ type: 'rect', shape: { x: from, y, width: to - from, height }, style: { fill: c.bad, opacity: 0.09 } }] : [];
      const edge = i === 0 ? [] : [{ type: 'line', shape: { x1: from, y1: y, x2: from, y2: y + height }, style: { stroke: c.faint, lineWidth: 1 } }];
      const text = `${s.name}${s.disturb ? `: ${s.disturb.replaceAll('_', ' ')}` : ''}`;
      const style = { text, x: from + 4, y: y - NAMES, fill: s.disturb ? c.bad : c.soft, fontSize: 11, width: to - from - 6, overflow: 'truncate', verticalAlign: 'bottom' };
      const label = names && list.length > 1 && to - from > 24 ? [{ type: 'text', style }] : [];
      return [...tint, ...edge, ...label];
    });
    return { type: 'group', children, silent: true };
  };
  return { type: 'custom', silent: true, z: 0, tooltip: { show: false }, data: [[0, 0]], renderItem };
}

function axis(lane: Drawn, all: number[], c: Palette): Option {
  const base = { ...axisStyle(c), name: lane.title, nameLocation: 'end', nameGap: 6, splitNumber: 3 };
  const label = { color: c.soft, fontSize: 10, hideOverlap: true, formatter: lane.text };
  const named = { nameTextStyle: { color: c.ink, fontSize: 11, align: 'left', padding: [0, 0, 0, -46] } };
  if (!lane.isLog) return { ...base, ...named, type: 'value', ...round(0, Math.max(0, ...all)), axisLabel: label };
  const decade = (v: number, whole: (n: number) => number): number => 10 ** whole(Math.log10(Math.max(v, 1e-3)));
  return { ...base, ...named, type: 'log', min: decade(Math.min(...all, 1e9), Math.floor), max: decade(Math.max(...all, 1), Math.ceil), axisLabel: label };
}

/** Lanes over each other; `tall` is the height of the first. */
export function lanes(title: string, lines: Line[], tall: number): HTMLElement {
  const all = lanesOf(lines, tall);
  const list = stretches(lines);
  const end = Math.max(1, ...list.map((s) => s.to));
  const tops = all.map((_, i) => (list.length > 1 ? TOP + NAMES : TOP) + all.slice(0, i).reduce((sum, l) => sum + l.height + GAP, 0));
  const height = (tops.at(-1) ?? 0) + (all.at(-1)?.height ?? 0) + FOOT;
  const shown = lines.map((l) => ({ ...l, runs: l.runs.slice(0, RUNS) }));
  const told = { title, label: label(title, lines, list), names: names(lines), grid: () => grid(shown, all) };
  const drawn = chart(told, height, (c) => ({
    axisPointer: { link: [{ xAxisIndex: 'all' }], lineStyle: { color: c.soft } },
    tooltip: { ...tooltipStyle(c), trigger: 'axis', formatter: (items: unknown) => tip(shown, all, list, items) },
    grid: all.map((l, i) => ({ left: 54, right: 12, top: tops[i], height: l.height })),
    xAxis: all.map((_, i) => ({
      ...axisStyle(c),
      gridIndex: i,
      type: 'value',
      min: 0,
      max: end,
      splitLine: { show: false },
      axisLabel: { show: i === all.length - 1, color: c.soft, fontSize: 11, hideOverlap: true, formatter: (v: number) => duration(v) },
      axisPointer: { label: { show: false } },
    })),
    yAxis: all.map((lane, i) => ({
      ...axis(
        lane,
        shown.flatMap((l) => l.runs.flatMap((r) => points(r, lane).flatMap(([, v]) => (v === null ? [] : [v])))),
        c,
      ),
      gridIndex: i,
      axisPointer: { show: false },
    })),
    series: all.flatMap((lane, i) => [
      { ...background(list, i === 0, c), xAxisIndex: i, yAxisIndex: i },
      ...shown.flatMap((line) =>
        line.runs.map((run) => ({
          type: 'line',
          xAxisIndex: i,
          yAxisIndex: i,
          data: points(run, lane),
          symbol: 'none',
          connectNulls: false,
          lineStyle: { color: coloured(c, line.at), width: 1.6, opacity: line.runs.length > 1 ? 0.7 : 1 },
          emphasis: { disabled: true },
        })),
      ),
    ]),
  }));
  return drawn.element;
}

/** By the place of their colours. */
function names(lines: Line[]): string[] {
  const found: string[] = [];
  for (const line of lines) found[line.at] = line.name;
  return Array.from(found, (name) => name ?? '');
}

function label(title: string, lines: Line[], list: Stretch[]): string {
  const deed = list.filter((s) => s.disturb).map((s) => `${s.disturb ?? ''} from ${duration(s.from)} to ${duration(s.to)}`);
  return `${title}: statements per second and latency over time${deed.length > 0 ? `; ${deed.join(', ')}` : ''}; lines: ${lines.map((l) => l.name).join(', ')}`;
}

function grid(lines: Line[], all: Drawn[]): Grid {
  const row = (run: Run, i: number): Row => {
    const lane = data.timeline[run.id];
    const at = (lane?.from[i] ?? 0) - origin(run);
    const field = (d: Drawn): string => {
      const v = lane ? d.of(lane)[i] : null;
      return v === null || v === undefined ? '' : digits(v);
    };
    return { fields: [run.id, digits(at / 1000), ...all.map(field)], cell: run.cell };
  };
  const rows = lines.flatMap((l) => l.runs).flatMap((run) => (data.timeline[run.id]?.from ?? []).map((_, i) => row(run, i)));
  return { heads: ['run', 'second', ...all.map((d) => (d.isLog ? `${d.title}, µs` : d.title))], rows };
}

function tip(lines: Line[], all: Drawn[], list: Stretch[], items: unknown): string {
  const first = (Array.isArray(items) ? items[0] : items) as { axisValue?: number } | undefined;
  const at = Number(first?.axisValue ?? 0);
  const phase = list.find((s) => at >= s.from && at <= s.to);
  const rows = lines.flatMap((line) =>
    line.runs.map((run) => {
      const lane = data.timeline[run.id];
      const i = lane ? lane.from.findIndex((from, k) => at + origin(run) >= from - 1 && at + origin(run) <= (lane.to[k] ?? 0) + 1) : -1;
      const field = (d: Drawn): string => {
        const v = lane && i >= 0 ? d.of(lane)[i] : null;
        return `<td class="num"><b>${v === null || v === undefined ? '–' : escaped(d.text(v))}</b></td>`;
      };
      return `<tr><td style="color:var(--series-${(line.at % 6) + 1})">●</td><td>${escaped(line.runs.length > 1 ? run.id : line.name)}</td>${all.map(field).join('')}</tr>`;
    }),
  );
  const head = `<tr><td></td><td></td>${all.map((d) => `<td class="num soft">${escaped(d.title)}</td>`).join('')}</tr>`;
  return `<div class="tip"><b>${duration(at)}</b>${phase ? ` ${escaped(phase.name)}` : ''}<table>${head}${rows.join('')}</table></div>`;
}

/** A ratio with its interval; struck where a check failed. */
function told(e: Estimate | undefined, struck: boolean): HTMLElement | string {
  if (!e) return '';
  const between = e.low !== null && e.high !== null ? ` (${ratio(e.low)} – ${ratio(e.high)})` : '';
  return struck ? h('s', {}, `${ratio(e.value)} ×`) : h('b', {}, `${ratio(e.value)} ×${between}`);
}

/** The operation whose mean time changed most in a phase. */
function slowest(phase: PhaseJudgement): [string, Estimate] | undefined {
  const means = Object.entries(phase.against?.ratios ?? {}).filter(([path]) => /^operations\.[^.]+\.latency_us_mean$/.test(path));
  const [path, e] = means.sort(([, a], [, b]) => b.value - a.value)[0] ?? [];
  return path && e ? [path.split('.')[1] ?? '', e] : undefined;
}

/** What became of each phase against the one before it, a line per cell, in words and with what changed most. */
export function effects(cells: Cell[], axis: Axis | undefined): HTMLElement | null {
  const item = (cell: Cell): HTMLElement[] => {
    const against = (cell.phases ?? []).filter((p) => p.against?.ratios.qps);
    if (against.length === 0) return [];
    const at = Math.max(0, axis?.values.findIndex((v) => v === cell.axes[axis.key]) ?? 0);
    const parts = against.flatMap((p, i) => {
      const struck = isStruck(cell, p);
      const worst = p.disturb && Object.keys(p.operations).length > 1 ? slowest(p) : undefined;
      const rate = p.metrics.qps ? ` (${quantity(p.metrics.qps.value, p.metrics.qps.unit)})` : '';
      const of = i === 0 ? ` ${p.against?.phase ?? ''}` : '';
      return [i > 0 ? '; ' : '', `${p.name} `, told(p.against?.ratios.qps, struck), `${of}${rate}`, worst ? [', ', h('code', {}, worst[0]), ' takes ', told(worst[1], struck)] : ''];
    });
    const name = axis ? show(cell.axes[axis.key]) : words(cell);
    return [h('li', {}, h('button', { type: 'button', class: 'link', style: `color:var(--series-${(at % 6) + 1})`, onclick: () => set({ cell: cell.id }) }, name), ': ', parts)];
  };
  const items = cells.flatMap(item);
  return items.length > 0 ? h('ul', { class: 'effects' }, items) : null;
}
