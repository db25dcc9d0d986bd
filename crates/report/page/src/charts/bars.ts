// Numbers as bars, where no curve is to be drawn: each cell against the reference of its place, phases against the one that they follow
// from, or the numbers themselves where nothing is compared. A bar begins at zero, the reference is a line through all of them, and
// a whisker is the 95 % interval. A number that failed a check is a hollow bar.

import { groups, present, varied, words } from '../axes';
import { AT_LEAST, isLowerBound } from '../bound';
import { escaped } from '../dom';
import { cited, metricTitle, quantity, ratio, show, tick } from '../format';
import { get, set } from '../state';
import type { Palette } from '../theme';
import { axisStyle, chart, coloured, tooltipStyle, type Option } from './chart';
import { reference, relative } from './heatmap';
import { round } from './scaling';
import type { Grid } from './told';
import { data, report } from '../data';
import { isStruck } from '../verdicts';
import type { Cell, Comparison, Estimate } from '../types';

interface Bar {
  /** Written once, above the bars that share it. */
  place: string;
  name: string;
  value: number;
  low: number | null;
  high: number | null;
  /** The value in words. */
  text: string;
  absolute: string;
  /** Of its colour. */
  at: number;
  struck: boolean;
  cell: string;
  tip: string;
}

interface Bars {
  title: string;
  /** What the reference is called; nothing where nothing is compared. */
  against: string;
  unit: string;
  bars: Bar[];
  left: number;
  /** Each bar is a phase against the same phase elsewhere. */
  tests?: boolean;
}

/** Bars that a screen holds beside its sentences. */
const MOST = 14;
const [ROW, HEAD, THICK] = [33, 24, 11];
/** The reference runs through all bars, and below the words that it would strike through. */
const [THROUGH, ABOVE] = [1, 2];

const tipOf = (cell: Cell, e: Estimate): string => `${cell.id} ${words(cell)}: ${cited(e)}`;

/** Cells against the reference: the places where they lie furthest apart, in the order of the experiment. */
function compared(): Bars | undefined {
  const { axis, value } = reference();
  const metric = get('metric');
  if (!axis || value === undefined) return undefined;
  const others = varied.filter((a) => a !== axis);
  const places = groups(
    report.cells.filter((c) => c.repeats === undefined),
    others,
  ).map((place) => {
    const bars = present(axis).flatMap((v, at): Bar[] => {
      const cell = place.cells.find((c) => c.axes[axis.key] === v);
      const [e, r] = [cell?.metrics[metric], cell && relative(cell, metric, axis.key, value)];
      if (!cell || !e || !r) return [];
      const between = r.low !== null && r.high !== null && !r.refused ? ` (${ratio(r.low)} – ${ratio(r.high)})` : '';
      const absolute = `${isLowerBound(cell) ? AT_LEAST : ''}${quantity(e.value, e.unit)}`;
      const text = v === value ? absolute : `${ratio(r.value)} ×${between}`;
      const struck = v === value ? cell.status === 'fail' : r.refused;
      return [{ place: others.length > 0 ? words(place.first, others) : '', name: show(v), ...r, text, absolute, at, struck, cell: cell.id, tip: tipOf(cell, e) }];
    });
    return { bars, apart: Math.max(0, ...bars.map((b) => Math.abs(Math.log(Math.max(b.value, 1e-9))))) };
  });
  const useful = places.filter((p) => p.bars.length > 1);
  if (useful.length === 0) return undefined;
  const fits = Math.max(1, Math.floor(MOST / Math.max(...useful.map((p) => p.bars.length))));
  const chosen = new Set([...useful].sort((a, b) => b.apart - a.apart).slice(0, fits));
  const shown = useful.filter((p) => chosen.has(p));
  return { title: `${metricTitle(metric)} ÷ ${show(value)}`, against: show(value), unit: '', bars: shown.flatMap((p) => p.bars), left: useful.length - shown.length };
}

/** Phases of cells against the same phases of the reference, where each is a test of its own: what all tests and those of each group come to,
 * then what was decided before what was not, and the largest differences before the others, in the groups in which studies publish them. */
function tested(): Bars | undefined {
  const { axis, value } = reference();
  if (!axis || value === undefined || report.cells.some((c) => (c.phases ?? []).some((p) => p.disturb !== undefined || p.iteration !== undefined))) return undefined;
  const cellOf = (id: string): Cell | undefined => report.cells.find((c) => c.id === id);
  const isAgainst = (c: Comparison): boolean => c.metric === 'qps' && c.axis === axis.key && cellOf(c.base)?.axes[axis.key] === value;
  const against = report.comparisons.filter((c) => isAgainst(c) && c.phase !== undefined);
  const medians = (report.overall ?? []).filter(isAgainst);
  const isSure = (c: Comparison): boolean => c.outcome === 'better' || c.outcome === 'worse';
  const apart = (c: Comparison): number => (isSure(c) ? 1e3 : 0) + Math.abs(Math.log(Math.max(c.ratio.value, 1e-9)));
  const chosen = [...against].sort((a, b) => apart(b) - apart(a)).slice(0, Math.max(2, MOST - medians.length));
  if (chosen.length < 2) return undefined;
  const groups = data.tables.find((t) => t.name === 'qps')?.groups ?? [];
  const groupOf = (phase: string): number => groups.findIndex((g) => g.rows.some(([name]) => name?.text === phase || name?.text.startsWith(`${phase},`)));
  const inOrder = chosen.sort((a, b) => groupOf(a.phase ?? '') - groupOf(b.phase ?? '') || against.indexOf(a) - against.indexOf(b));
  const several = present(axis).length > 2 || varied.length > 1;
  const bar = (c: Comparison, cell: Cell, told: Pick<Bar, 'place' | 'name' | 'absolute' | 'tip'>): Bar => {
    const { value: v, low, high } = c.ratio;
    const between = low !== null && high !== null && c.outcome !== 'refused' ? ` (${ratio(low)} – ${ratio(high)})` : '';
    const text = `${ratio(v)} ×${between}${c.outcome === 'undecided' ? ' ?' : c.outcome === 'equivalent' ? ' =' : ''}`;
    const at = Math.max(0, present(axis).indexOf(cell.axes[axis.key] ?? value));
    const name = several ? `${told.name}, ${words(cell)}` : told.name;
    return { ...told, name, value: v, low, high, text, at, struck: c.outcome === 'refused', cell: cell.id };
  };
  const bars = medians.flatMap((o): Bar[] => {
    const cell = cellOf(o.candidate);
    const absolute = o.tests === o.of ? `${o.of} tests` : `${o.tests} of ${o.of} tests`;
    return cell ? [bar(o, cell, { place: 'median of tests', name: o.group ?? 'all', absolute, tip: o.sentence })] : [];
  });
  for (const c of inOrder) {
    const [cell, phase] = [cellOf(c.candidate), c.phase ?? ''];
    const e = cell?.phases?.find((p) => p.name === phase)?.metrics.qps;
    if (!cell || !e) continue;
    bars.push(bar(c, cell, { place: groups[groupOf(phase)]?.name ?? '', name: phase, absolute: quantity(e.value, e.unit), tip: tipOf(cell, e) }));
  }
  return { title: `QPS ÷ ${show(value)}`, against: show(value), unit: '', bars, left: against.length - chosen.length, tests: true };
}

/** Phases of the cells that have several, each as it is, with its ratio to the phase that it is held against. */
function phased(): Bars | undefined {
  const cells = report.cells.filter((c) => (c.phases ?? []).some((p) => p.against));
  const bars = cells.flatMap((cell) =>
    (cell.phases ?? []).flatMap((p): Bar[] => {
      const e = p.metrics.qps;
      if (!e) return [];
      const r = p.against?.ratios.qps;
      const struck = isStruck(cell, p);
      const text = `${quantity(e.value, e.unit)}${r ? `, ${ratio(r.value)} × ${p.against?.phase ?? ''}` : ''}`;
      return [{ place: cells.length > 1 ? words(cell) : '', name: p.name, value: e.value, low: e.low, high: e.high, text, absolute: text, at: 0, struck, cell: cell.id, tip: tipOf(cell, e) }];
    }),
  );
  const shown = bars.slice(0, MOST);
  return bars.length < 2 ? undefined : { title: 'QPS of each phase', against: '', unit: bars[0] ? 'statements/s' : '', bars: shown, left: bars.length - shown.length };
}

/** The numbers of each cell. */
function measured(): Bars | undefined {
  const metric = get('metric');
  const cells = report.cells.filter((c) => c.metrics[metric]);
  const bars = cells.flatMap((cell): Bar[] => {
    const e = cell.metrics[metric];
    if (!e) return [];
    const text = `${isLowerBound(cell) ? AT_LEAST : ''}${quantity(e.value, e.unit)}`;
    return [{ place: '', name: words(cell), value: e.value, low: e.low, high: e.high, text, absolute: text, at: 0, struck: cell.status === 'fail', cell: cell.id, tip: tipOf(cell, e) }];
  });
  const unit = cells[0]?.metrics[metric]?.unit ?? '';
  return bars.length < 2 ? undefined : { title: metricTitle(metric), against: '', unit, bars: bars.slice(0, MOST), left: Math.max(0, bars.length - MOST) };
}

export const barsOf = (): Bars | undefined => tested() ?? compared() ?? phased() ?? measured();

function grid(b: Bars): Grid {
  const bound = (v: number | null): string => (v === null ? '' : b.against ? ratio(v) : quantity(v, b.unit));
  const name = (bar: Bar): string => [bar.place, bar.name].filter((t) => t !== '').join(' · ');
  return {
    heads: ['cell', metricTitle(get('metric')), ...(b.against ? [`÷ ${b.against}`] : []), 'low', 'high'],
    rows: b.bars.map((bar) => ({
      fields: [name(bar), bar.absolute, ...(b.against ? [ratio(bar.value)] : []), bound(bar.low), bound(bar.high)],
      cell: bar.cell,
      struck: bar.struck,
    })),
  };
}

/** Where each bar and each heading lies, in pixels from the top. */
function laid(bars: Bar[]): { tops: number[]; heads: { y: number; text: string }[]; height: number } {
  let y = 0;
  const heads: { y: number; text: string }[] = [];
  const tops = bars.map((bar, i) => {
    if (bar.place !== '' && bar.place !== bars[i - 1]?.place) {
      heads.push({ y: y + (i > 0 ? 8 : 0), text: bar.place });
      y += HEAD + (i > 0 ? 8 : 0);
    }
    y += ROW;
    return y - ROW;
  });
  return { tops, heads, height: y };
}

interface Space {
  coordSys: { x: number; y: number; width: number; height: number };
  dataIndex: number;
}
interface Api {
  coord(p: number[]): number[];
}

function one(b: Bars, tops: number[], c: Palette): (item: Space, api: Api) => object {
  return (item, api) => {
    const bar = b.bars[item.dataIndex];
    const top = tops[item.dataIndex] ?? 0;
    if (!bar) return { type: 'group', children: [] };
    const { x, y, width } = item.coordSys;
    const right = (v: number): number => Math.min(x + width, api.coord([v, 0])[0] ?? x);
    const colour = coloured(c, bar.at);
    const words = { y: y + top + 8, verticalAlign: 'middle', fontSize: 12, stroke: c.paper, lineWidth: 3 };
    const fill = bar.struck ? { fill: 'transparent', stroke: colour, lineDash: [3, 2], lineWidth: 1.2 } : { fill: colour, opacity: 0.85 };
    const middle = y + top + 16 + THICK / 2;
    const line = (x1: number, y1: number, x2: number, y2: number): object => ({ type: 'line', z2: ABOVE, shape: { x1, y1, x2, y2 }, style: { stroke: c.ink, lineWidth: 1.2, opacity: 0.75 } });
    const [low, high] = [right(bar.low ?? bar.value), right(bar.high ?? bar.value)];
    const whisker = bar.low === null || bar.high === null || bar.struck ? [] : [line(low, middle, high, middle), line(low, middle - 3, low, middle + 3), line(high, middle - 3, high, middle + 3)];
    return {
      type: 'group',
      children: [
        { type: 'text', z2: ABOVE, style: { ...words, x, text: bar.name, align: 'left', fill: c.ink, width: width * 0.55, overflow: 'truncate' } },
        { type: 'text', z2: ABOVE, style: { ...words, x: x + width, text: bar.struck ? `${bar.text}, struck ✕` : bar.text, align: 'right', fill: bar.struck ? c.soft : c.ink } },
        { type: 'rect', shape: { x, y: y + top + 16, width: Math.max(1, right(bar.value) - x), height: THICK }, style: fill },
        ...whisker,
      ],
    };
  };
}

function headings(b: Bars, heads: { y: number; text: string }[], c: Palette): Option {
  const renderItem = ({ coordSys: { x, y, width, height } }: Space, api: Api): object => {
    const text = heads.map((head) => ({ type: 'text', style: { text: head.text, x, y: y + head.y + 12, verticalAlign: 'middle', fill: c.ink, fontSize: 12, fontWeight: 600, width, overflow: 'truncate' } }));
    const at = api.coord([1, 0])[0] ?? x;
    const line = { type: 'line', z2: THROUGH, shape: { x1: at, y1: y, x2: at, y2: y + height }, style: { stroke: c.soft, lineWidth: 1, lineDash: [4, 3] } };
    return { type: 'group', silent: true, children: [...text, ...(b.against ? [line] : [])] };
  };
  return { type: 'custom', silent: true, z: 2, tooltip: { show: false }, data: [[0, 0]], renderItem };
}

export function bars(b: Bars): HTMLElement {
  const { tops, heads, height } = laid(b.bars);
  const most = Math.max(b.against ? 1 : 0, ...b.bars.map((bar) => Math.min(bar.high ?? bar.value, bar.value * 1.35)));
  const label = `${b.title}; ${b.bars.map((bar) => `${[bar.place, bar.name].filter((t) => t !== '').join(', ')}: ${bar.text}${bar.struck ? ', struck' : ''}`).join('; ')}`;
  const drawn = chart({ title: b.title, label, grid: () => grid(b) }, height + 44, (c) => ({
    grid: { left: 4, right: 8, top: 4, bottom: 36 },
    tooltip: { ...tooltipStyle(c), trigger: 'item', formatter: (item: unknown) => `<div class="tip">${escaped((item as { data?: { text?: string } }).data?.text ?? '')}</div>` },
    xAxis: {
      ...axisStyle(c),
      type: 'value',
      ...round(0, most),
      name: b.title,
      nameLocation: 'middle',
      nameGap: 22,
      axisLabel: { color: c.soft, fontSize: 11, hideOverlap: true, formatter: (v: number) => (b.against ? String(Math.round(v * 100) / 100) : tick(v, b.unit)) },
    },
    yAxis: { type: 'value', min: 0, max: height, inverse: true, show: false },
    series: [
      { type: 'custom', cursor: 'pointer', data: b.bars.map((bar, i) => ({ value: [bar.value, tops[i]], cell: bar.cell, text: bar.tip })), renderItem: one(b, tops, c), z: 2 },
      headings(b, heads, c),
    ],
  }));
  drawn.on((cell) => set({ cell }));
  return drawn.element;
}
