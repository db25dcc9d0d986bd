// Every repetition as a dot, as its distance from the mean of its cell: what "no change" looks like on this machine, and
// whether the first block differs from the last. Nothing is averaged here; a lone dot has nothing to differ from.

import { groups, varied, words, x } from '../axes';
import { report, runById } from '../data';
import { escaped, h } from '../dom';
import { digits, metricTitle, show } from '../format';
import { get, set } from '../state';
import { narrow } from './heatmap';
import { axisStyle, chart, coloured, legend, tooltipStyle } from './chart';
import { symbolOf } from './marks';
import type { Grid, Row } from './told';
import type { Cell } from '../types';

/** Where names do not fit beside the dots they stand above them. */
const ROW = { wide: 19, slim: 34 };

/** The chosen metric when its repetitions are known, else the first that has them. */
export function repeated(): string | undefined {
  const known = [...new Set(report.cells.flatMap((c) => Object.keys(c.repetitions)))];
  return known.includes(get('metric')) ? get('metric') : known[0];
}

interface Dot {
  value: [number, number];
  cell: string;
  text: string;
  block: number;
}

function dots(cell: Cell, metric: string, y: number): Dot[] {
  const values = cell.repetitions[metric] ?? [];
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  if (values.length < 2 || mean === 0) return [];
  const done = cell.runs.filter((id) => runById.get(id)?.ending === 'done');
  return values.map((v, i) => {
    const run = runById.get(done[i] ?? '');
    const off = (v / mean - 1) * 100;
    return {
      value: [off, y],
      cell: cell.id,
      block: run?.repetition ?? i + 1,
      text: `${run?.id ?? cell.id} · ${words(cell)}: ${digits(v, 4)}, ${off >= 0 ? '+' : ''}${off.toFixed(1)} % of the cell's mean`,
    };
  });
}

/** A row per cell, a column per repetition. */
function grid(metric: string): Grid {
  const most = Math.max(0, ...report.cells.map((c) => c.repetitions[metric]?.length ?? 0));
  const heads = ['cell', ...Array.from({ length: most }, (_, i) => `repetition ${i + 1}`)];
  const row = (c: Cell): Row => ({
    fields: [`${c.id} ${words(c)}`, ...heads.slice(1).map((_, i) => digits(c.repetitions[metric]?.[i] ?? NaN, 4))],
    cell: c.id,
    struck: c.status === 'fail',
  });
  return { heads, rows: report.cells.map(row) };
}

export function replicates(): HTMLElement {
  const metric = repeated();
  if (!metric || report.experiment.repetitions < 2)
    return h('p', {}, 'Each cell was run once: its spread is not known, and no claim may rest on it.');
  const down = varied.filter((a) => a !== x);
  const label = (c: Cell): string =>
    `${c.repeats ? 'A/A ' : ''}${
      down
        .map((a) => c.axes[a.key])
        .filter((v) => v !== undefined)
        .map(show)
        .join(' · ') || c.workload
    }`;
  const rows = [
    ...groups(
      report.cells.filter((c) => !c.repeats),
      down,
    ),
    ...groups(
      report.cells.filter((c) => c.repeats),
      down,
    ),
  ];
  const slim = narrow.matches;
  const height = slim ? ROW.slim : ROW.wide;
  // The share of a row that its dots take, and where it begins.
  const [room, from] = slim ? [0.5, -0.05] : [1, -0.5];
  const levels = Math.max(1, x?.values.length ?? 1);
  const all = rows.flatMap((row, r) =>
    row.cells.flatMap((cell) =>
      dots(cell, metric, r + (((x ? x.values.findIndex((v) => v === cell.axes[x?.key ?? '']) : 0) + 0.5) / levels) * room + from),
    ),
  );
  const blocks = [...new Set(all.map((d) => d.block))].sort((a, b) => a - b);
  const gutter = 20 + 6.1 * Math.max(...rows.map((row) => label(row.first).length));
  const reach = Math.max(1, ...all.map((d) => Math.abs(d.value[0])));
  const told = {
    title: `${metricTitle(metric)} of each repetition`,
    label: `Repetitions as distance from their cell's mean: at most ${digits(reach)} %`,
    names: blocks.map((b) => `repetition ${b}`),
    grid: () => grid(metric),
  };
  const drawn = chart(told, rows.length * height + 66, (c) => ({
    grid: { left: slim ? 12 : gutter, right: 16, top: 8, bottom: 44 },
    tooltip: {
      ...tooltipStyle(c),
      trigger: 'item',
      formatter: (item: unknown) => `<div class="tip">${escaped((item as { data?: Dot }).data?.text ?? '')}</div>`,
    },
    xAxis: {
      ...axisStyle(c),
      type: 'value',
      min: -nice(reach),
      max: nice(reach),
      name: `${metricTitle(metric)}, % from the mean of the cell`,
      nameLocation: 'middle',
      nameGap: 26,
      axisLabel: { color: c.soft, fontSize: 11, formatter: (v: number) => `${v > 0 ? '+' : ''}${Math.round(v * 100) / 100} %` },
    },
    yAxis: {
      ...axisStyle(c),
      type: 'value',
      inverse: true,
      min: -0.5,
      max: rows.length - 0.5,
      interval: 1,
      axisLine: { show: false },
      splitLine: { show: false },
      axisLabel: { show: false },
    },
    series: [
      ...blocks.map((block, i) => ({
        type: 'scatter',
        name: `repetition ${block}`,
        data: all.filter((d) => d.block === block),
        symbolSize: 6,
        symbol: symbolOf(i),
        itemStyle: { color: coloured(c, i), opacity: 0.8 },
        cursor: 'pointer',
      })),
      {
        type: 'custom',
        silent: true,
        data: rows.map((_, r) => [0, r]),
        clip: false,
        z: 0,
        renderItem: (item: { dataIndex: number; coordSys: { x: number; width: number } }, api: { coord(p: number[]): number[] }) =>
          stripe(item, api.coord([0, item.dataIndex])[1] ?? 0, label(rows[item.dataIndex]?.first ?? (report.cells[0] as Cell)), slim, c),
      },
    ],
  }));
  drawn.on((cell) => set({ cell }));
  return h(
    'div',
    {},
    legend(blocks.map((b) => `repetition ${b}`)),
    drawn.element,
    h(
      'p',
      { class: 'caption' },
      `${down.length > 0 ? `A row per combination of ${down.map((a) => a.key).join(', ')}. ` : ''}${x ? `Within a row ${x.key} grows downwards. ` : ''}n = ${report.experiment.repetitions} per cell. Click on a dot for its cell.`,
    ),
  );
}

function stripe(
  item: { dataIndex: number; coordSys: { x: number; width: number } },
  y: number,
  text: string,
  slim: boolean,
  c: { soft: string; line: string },
): object {
  const height = slim ? ROW.slim : ROW.wide;
  const { x: left, width } = item.coordSys;
  const box = {
    type: 'rect',
    shape: { x: left, y: y - height / 2, width, height },
    style: { fill: item.dataIndex % 2 === 0 ? c.line : 'transparent', opacity: 0.3 },
  };
  const place = slim ? { x: left + 4, y: y - height / 2 + 9, align: 'left' } : { x: left - 8, y, align: 'right' };
  const name = { type: 'text', style: { text, ...place, verticalAlign: 'middle', fill: c.soft, fontSize: 11 } };
  return { type: 'group', children: [box, name] };
}

const nice = (reach: number): number => Math.ceil(reach * 1.05);
