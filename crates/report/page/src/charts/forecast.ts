// What arithmetic expects of a finding beside what was measured, over the seconds of a cell's runs: the measurement as a line, the
// expectation dashed, and tinted the phase in which something was done to the server. That they grow alike is the argument. Pages are
// not entries, so each curve has its own axis in its own colour; both begin at the same zero, at the scale that the judge found.

import { varied, words } from '../axes';
import { cellById, report } from '../data';
import { escaped, h } from '../dom';
import { digits, plural, tick } from '../format';
import type { Palette } from '../theme';
import { axisStyle, chart, type Option, tooltipStyle } from './chart';
import type { Grid, Row } from './told';
import type { Forecast, ForecastPoint } from '../types';

const HEIGHT = 270;

/** Those that no finding has beside it. */
const alone = (): Forecast[] => {
  const all = report.forecasts ?? [];
  return all.filter((f, i) => !report.findings.some((g) => g.name === f.finding) || all.findIndex((g) => g.finding === f.finding) !== i);
};

export const hasForecasts = (): boolean => alone().length > 0;

export function forecasts(): HTMLElement {
  return h('div', { class: 'multiples wide' }, alone().map(figure));
}

const middle = (p: ForecastPoint): number => p.at_s + p.for_s / 2;
const last = (points: ForecastPoint[]): number => points.reduce((most, p) => Math.max(most, p.at_s + p.for_s), 0);

/** The phases in which something was done to the server. */
function bands(c: Palette, forecast: Forecast): Option[] {
  return forecast.phases.flatMap(({ disturb, points }) => {
    const begin = points[0]?.at_s;
    if (!disturb || begin === undefined) return [];
    const renderItem = (item: { coordSys: { y: number; height: number } }, api: { coord(p: number[]): number[] }): object => {
      const [from = 0, to = 0] = [begin, last(points)].map((x) => api.coord([x, 0])[0] ?? 0);
      const { y, height } = item.coordSys;
      return { type: 'rect', shape: { x: from, y, width: to - from, height }, style: { fill: c.bad, opacity: 0.09 } };
    };
    return [{ type: 'custom', silent: true, z: 0, tooltip: { show: false }, data: [[begin, 0]], renderItem }];
  });
}

function line(axis: number, colour: string | undefined, type: 'solid' | 'dashed', data: [number, number | null][]): Option {
  const styles = { lineStyle: { color: colour, width: 1.8, type }, itemStyle: { color: colour } };
  return { type: 'line', yAxisIndex: axis, data, symbol: 'none', connectNulls: false, ...styles };
}

/** An axis for what is measured and one for what is expected; without a scale each is as high as its curve. */
function axes(c: Palette, { expected, measured, per_expected: scale = 0 }: Forecast, points: ForecastPoint[]): Option[] {
  const all = scale > 0 ? points.flatMap((p) => [p.measured, (p.expected ?? 0) * scale]) : [0];
  const [min, max] = [Math.min(0, ...all), 1.05 * Math.max(...all)];
  const axis = (name: string, colour: string | undefined, unit: number, others: Option): Option => ({
    ...axisStyle(c),
    type: 'value',
    ...(max > 0 ? { min: min / unit, max: max / unit } : {}),
    name,
    nameLocation: 'middle',
    nameGap: 40,
    nameTextStyle: { color: colour, fontSize: 11 },
    axisLabel: { color: colour, fontSize: 11, formatter: (v: number) => tick(v), showMinLabel: min === 0, showMaxLabel: false },
    ...others,
  });
  return [
    axis(measured, c.lanes[0], 1, {}),
    axis(expected, c.ink, scale || 1, { position: 'right', nameRotate: 90, splitLine: { show: false } }),
  ];
}

/** How the scales of the two axes are to each other. */
function ratio(scale: number | undefined): string {
  if (!scale) return '';
  const told = scale < 1 ? `${digits(1 / scale)} expected for each one measured` : `${digits(scale)} measured for each one expected`;
  return ` The axes are scaled to the mean of the tinted phase, ${told}: compare shapes, not heights.`;
}

export function figure(forecast: Forecast): HTMLElement {
  const points = forecast.phases.flatMap((p) => p.points);
  const cell = cellById.get(forecast.cell);
  const place = (cell && words(cell, varied)) || forecast.cell;
  const title = `${place}: ${forecast.measured}, beside ${forecast.expected}`;
  const row = (phase: string, p: ForecastPoint): Row => ({ fields: [digits(p.at_s), phase, digits(p.measured), p.expected === null ? '' : digits(p.expected)] });
  const grid = (): Grid => ({
    heads: ['second', 'phase', forecast.measured, forecast.expected],
    rows: forecast.phases.flatMap(({ name, points: of }) => of.map((p) => row(name, p))),
  });
  const drawn = chart({ title, label: title, grid }, HEIGHT, (c) => ({
    grid: { left: 62, right: 62, top: 12, bottom: 40 },
    tooltip: { ...tooltipStyle(c), trigger: 'axis', formatter: (items: unknown) => tip(forecast, items) },
    xAxis: {
      ...axisStyle(c),
      type: 'value',
      min: 0,
      max: last(points),
      name: 'seconds since the measurement began',
      nameLocation: 'middle',
      nameGap: 24,
      splitLine: { show: false },
    },
    yAxis: axes(c, forecast, points),
    series: [
      ...bands(c, forecast),
      line(
        0,
        c.lanes[0],
        'solid',
        points.map((p) => [middle(p), p.measured]),
      ),
      line(
        1,
        c.ink,
        'dashed',
        points.map((p) => [middle(p), p.expected]),
      ),
    ],
  }));
  const curves = `Line, left: ${forecast.measured}; dashed, right: ${forecast.expected}. Mean of ${plural(forecast.runs, 'run')}.`;
  return h('figure', {}, h('figcaption', {}, place), drawn.element, h('p', { class: 'caption' }, curves + ratio(forecast.per_expected)));
}

function tip(forecast: Forecast, items: unknown): string {
  const at = Number((items as { axisValue?: number }[])[0]?.axisValue ?? 0);
  for (const { name, disturb, points } of forecast.phases) {
    const point = points.find((p) => at >= p.at_s && at <= p.at_s + p.for_s);
    if (!point) continue;
    const row = (what: string, v: number | null): string =>
      v === null ? '' : `<tr><td>${escaped(what)}</td><td class="num"><b>${digits(v)}</b></td></tr>`;
    const where = `${escaped(name)}${disturb ? ` (${escaped(disturb)})` : ''}, ${tick(point.at_s)} s`;
    return `<div class="tip">${where}<table>${row(forecast.measured, point.measured)}${row(forecast.expected, point.expected)}</table></div>`;
  }
  return '';
}
