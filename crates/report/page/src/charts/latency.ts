// The whole distribution of latency, by percentile on a scale that gives each further nine the same room. Histograms of
// all repetitions are merged. Where fewer than ten operations lie beyond a percentile the curve is dashed: that part is
// a handful of slow operations, not a property of the server.

import { cells, words } from '../axes';
import { data } from '../data';
import { escaped } from '../dom';
import { micros, quantity } from '../format';
import { axisStyle, chart, coloured, tooltipStyle, type Chart } from './chart';
import type { Grid } from './told';
import type { Cell } from '../types';

/** As the judge's check of percentiles asks for. */
const TAIL = 10;
/** Lines that can be told apart by their colours. */
export const COLOURS = 6;

interface Curve {
  name: string;
  n: number;
  points: [number, number][];
  cell: string;
}

/** What can be drawn of these cells, the commonest first. */
export function operations(drawn: Cell[]): string[] {
  const counts = new Map<string, number>();
  for (const cell of drawn)
    for (const [operation, { n }] of Object.entries(data.latency.cells[cell.id] ?? {})) counts.set(operation, (counts.get(operation) ?? 0) + n);
  return [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
}

function curves(cell: Cell, name: string, only?: string): Curve[] {
  const chosen = only === undefined ? operations([cell]).slice(0, COLOURS) : [only];
  return chosen.flatMap((operation) => {
    const found = data.latency.cells[cell.id]?.[operation];
    if (!found) return [];
    const { n, micros: values } = found;
    const inside = values.slice(0, -1).map((v, k): [number, number] => [10 ** (k / data.latency.steps), v]);
    const end: [number, number][] = values.length > 0 ? [[Math.max(n, 1), values.at(-1) ?? 0]] : [];
    return [{ name: chosen.length > 1 ? `${name} · ${operation}` : name, n, points: [...inside, ...end], cell: cell.id }];
  });
}

export function hasLatency(cell: Cell): boolean {
  return data.latency.cells[cell.id] !== undefined;
}

const name = (tail: number): string => (tail <= 1 ? 'min' : `p${Number((100 - Number((100 / tail).toPrecision(2))).toPrecision(12))}`);

/** One line per cell and operation, or per cell of one operation; `names` as the legend has them. Operations of a lone cell differ in colour. */
export function latency(drawn: Cell[], names: string[], height: number, only?: string): Chart {
  const lines = drawn
    .map((cell, i) => curves(cell, names[i] ?? cell.id, only).map((curve, k) => ({ ...curve, i: drawn.length > 1 ? i : k })))
    .flat();
  const label = `Latency by percentile: ${lines.map((l) => `${l.name}, n = ${l.n}: ${[2, 100, 1000].map((t) => `${name(t)} ${at(l, t)}`).join(', ')}`).join('; ')}`;
  const told = { title: `Latency by percentile${only ? `, ${only}` : ''}`, label, names: lines.map((l) => l.name), grid: () => grid(lines) };
  return chart(told, height, (c) => ({
    grid: { left: 60, right: 20, top: 14, bottom: 40 },
    tooltip: {
      ...tooltipStyle(c),
      trigger: 'axis',
      axisPointer: { type: 'line', lineStyle: { color: c.faint } },
      formatter: (items: unknown) => tip(lines, items),
    },
    xAxis: {
      ...axisStyle(c),
      type: 'log',
      logBase: 10,
      min: 1,
      max: Math.max(10, ...lines.map((l) => l.n)),
      name: 'percentile of operations',
      nameLocation: 'middle',
      nameGap: 24,
      splitLine: { show: true, lineStyle: { color: c.line, width: 0.6 } },
      axisLabel: {
        color: c.soft,
        fontSize: 11,
        hideOverlap: true,
        formatter: name,
        customValues: [2, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7].filter((t) => t <= Math.max(10, ...lines.map((l) => l.n))),
      },
    },
    yAxis: { ...axisStyle(c), type: 'log', axisLabel: { color: c.soft, fontSize: 11, formatter: micros } },
    series: lines.flatMap((line) => {
      const colour = coloured(c, line.i);
      const last = line.n / TAIL;
      const sure = line.points.filter(([t]) => t <= last);
      const rest = [...sure.slice(-1), ...line.points.filter(([t]) => t > last)];
      const base = { type: 'line', showSymbol: false, emphasis: { disabled: true }, triggerLineEvent: false };
      return [
        { ...base, name: line.name, data: sure, lineStyle: { color: colour, width: 1.8 }, itemStyle: { color: colour } },
        {
          ...base,
          name: line.name,
          data: rest,
          lineStyle: { color: colour, width: 1.2, type: [3, 3], opacity: 0.8 },
          itemStyle: { color: colour },
          symbol: 'circle',
        },
      ];
    }),
  }));
}

/** A row per line; a percentile that too few operations lie beyond is left out. */
function grid(lines: Curve[]): Grid {
  const tails = [2, 4, 10, 20, 100, 1000, 1e4].filter((tail) => lines.some((l) => tail <= l.n / TAIL));
  const value = (l: Curve, tail: number): string => (tail <= l.n / TAIL ? at(l, tail) : '');
  return {
    heads: ['line', ...tails.map(name), 'max', 'n'],
    rows: lines.map((l) => ({ fields: [l.name, ...tails.map((tail) => value(l, tail)), micros(l.points.at(-1)?.[1] ?? 0), String(l.n)], cell: l.cell })),
  };
}

function at(line: Curve, tail: number): string {
  const found = line.points.filter(([t]) => t <= tail * 1.001).at(-1);
  return found && tail <= line.n ? micros(found[1]) : '–';
}

function tip(lines: (Curve & { i: number })[], items: unknown): string {
  const tail = (items as { value?: number[] }[])[0]?.value?.[0] ?? 1;
  const rows = lines.map(
    (l) =>
      `<tr><td style="color:var(--series-${(l.i % 6) + 1})">●</td><td>${escaped(l.name)}</td><td class="num"><b>${at(l, tail)}</b></td><td class="soft">${tail > l.n / TAIL ? `fewer than ${TAIL} operations beyond` : ''}</td></tr>`,
  );
  return `<div class="tip"><b>${name(tail)}</b><table>${rows.join('')}</table></div>`;
}

export function sizes(drawn: Cell[], only?: string): string {
  const shown = drawn.flatMap((c) => Object.entries(data.latency.cells[c.id] ?? {}));
  const counts = shown.filter(([operation]) => only === undefined || operation === only).map(([, o]) => o.n);
  if (counts.length === 0) return '';
  const [least, most] = [Math.min(...counts), Math.max(...counts)].map((n) => quantity(n, 'count'));
  return `n = ${least === most ? least : `${least} – ${most}`} operations per line`;
}

export const drawable = (): Cell[] => cells.filter(hasLatency);
export const titled = (cell: Cell): string => words(cell);
