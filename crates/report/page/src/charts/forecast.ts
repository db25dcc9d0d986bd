// What arithmetic expects of a finding beside what was measured, over the seconds of a cell's runs: the measurement as a line, the
// expectation dashed, and tinted the phase in which something was done to the server. That they grow alike is the argument.

import { varied, words } from '../axes';
import { cellById, report, type Forecast, type ForecastPoint } from '../data';
import { escaped, h } from '../dom';
import { digits, plural, tick } from '../format';
import type { Palette } from '../theme';
import { axisStyle, chart, type Option, tooltipStyle } from './chart';

const HEIGHT = 230;

export const hasForecasts = (): boolean => (report.forecasts ?? []).length > 0;

export function forecasts(): HTMLElement {
  return h('div', { class: 'multiples wide' }, (report.forecasts ?? []).map(figure));
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

function line(colour: string | undefined, type: 'solid' | 'dashed', data: [number, number | null][]): Option {
  return { type: 'line', data, symbol: 'none', connectNulls: false, lineStyle: { color: colour, width: 1.8, type }, itemStyle: { color: colour } };
}

function figure(forecast: Forecast): HTMLElement {
  const points = forecast.phases.flatMap((p) => p.points);
  const cell = cellById.get(forecast.cell);
  const place = (cell && words(cell, varied)) || forecast.cell;
  const drawn = chart(`${place}: ${forecast.measured}, beside ${forecast.expected}`, HEIGHT, (c) => ({
    grid: { left: 56, right: 14, top: 12, bottom: 40 },
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
    yAxis: { ...axisStyle(c), type: 'value', axisLabel: { color: c.soft, fontSize: 11, formatter: (v: number) => tick(v) } },
    series: [
      ...bands(c, forecast),
      line(
        c.lanes[0],
        'solid',
        points.map((p) => [middle(p), p.measured]),
      ),
      line(
        c.ink,
        'dashed',
        points.map((p) => [middle(p), p.expected]),
      ),
    ],
  }));
  const told = `Line: ${forecast.measured}; dashed: ${forecast.expected}. Mean of ${plural(forecast.runs, 'run')}.`;
  return h('figure', {}, h('figcaption', {}, place), drawn.element, h('p', { class: 'caption' }, told));
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
