// The whole distribution of latency, by percentile on a scale that gives each further nine the same room. Histograms of
// all repetitions are merged. Where fewer than ten operations lie beyond a percentile the curve is dashed: that part is
// a handful of slow operations, not a property of the server.

import { cells, words } from '../axes';
import { data, type Cell } from '../data';
import { escaped } from '../dom';
import { digits, micros } from '../format';
import { axisStyle, chart, coloured, tooltipStyle, type Chart } from './chart';

/** As the judge's check of percentiles asks for. */
const TAIL = 10;

interface Curve {
  name: string;
  n: number;
  points: [number, number][];
  cell: string;
}

function curves(cell: Cell, name: string): Curve[] {
  const operations = Object.entries(data.latency.cells[cell.id] ?? {});
  return operations.map(([operation, { n, micros: values }]) => {
    const inside = values.slice(0, -1).map((v, k): [number, number] => [10 ** (k / data.latency.steps), v]);
    const end: [number, number][] = values.length > 0 ? [[Math.max(n, 1), values.at(-1) ?? 0]] : [];
    return { name: operations.length > 1 ? `${name} · ${operation}` : name, n, points: [...inside, ...end], cell: cell.id };
  });
}

export function hasLatency(cell: Cell): boolean {
  return data.latency.cells[cell.id] !== undefined;
}

const name = (tail: number): string => (tail <= 1 ? 'min' : `p${Number((100 - Number((100 / tail).toPrecision(2))).toPrecision(12))}`);

/** One line per cell and operation; `names` as the legend has them. */
export function latency(drawn: Cell[], names: string[], height: number): Chart {
  const lines = drawn.map((cell, i) => curves(cell, names[i] ?? cell.id).map((curve) => ({ ...curve, i }))).flat();
  const label = `Latency by percentile: ${lines.map((l) => `${l.name}, n = ${l.n}: ${[2, 100, 1000].map((t) => `${name(t)} ${at(l, t)}`).join(', ')}`).join('; ')}`;
  return chart(label, height, (c) => ({
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

export function sizes(drawn: Cell[]): string {
  const counts = drawn.flatMap((c) => Object.values(data.latency.cells[c.id] ?? {}).map((o) => o.n));
  if (counts.length === 0) return '';
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `n = ${least === most ? digits(least) : `${digits(least)} – ${digits(most)}`} operations per line`;
}

export const drawable = (): Cell[] => cells.filter(hasLatency);
export const titled = (cell: Cell): string => words(cell);
