// What a search tried and what it found, a chart per search: every run as a dot at its level, the limit as a line, the answer
// with its interval as a band. Runs over the limit are hollow; one that was ended early has a tail upwards, because its value
// is only that of its beginning. Below it the steps, each with its reason.

import { words } from '../axes';
import { badge } from '../badge';
import { cellById, report } from '../data';
import { escaped, h } from '../dom';
import { digits, plural, quantity, tick } from '../format';
import { set } from '../state';
import { axisStyle, chart, tooltipStyle, type Option } from './chart';
import { curveOf, law, lawSentences } from './law';
import type { Palette } from '../theme';
import type { Grid, Row } from './told';
import type { SearchJudgement, TrialJudgement } from '../types';

interface Kind {
  x: string;
  y: string;
  unit: string;
  limit?: number;
  level: (level: number) => string;
}

function kind(s: SearchJudgement): Kind {
  const goal = s.search.goal;
  if (goal === 'users') return { x: 'users', y: 'operations per second', unit: 'operations/s', level: (n) => plural(n, 'user') };
  const { percent, limit } = goal.rate.keep;
  return { x: 'rate', y: `latency p${percent}`, unit: 'µs', limit: limit / 1000, level: (n) => `${digits(n)}/s` };
}

const MARKS = 'Hollow: the limit was broken. Arrow: so certainly that the run was ended early; the value is that of its beginning.';

/** On the first screen without the steps. */
export function searches(isLead = false): HTMLElement {
  const all = report.searches ?? [];
  const shown = isLead ? all.slice(0, LEADING) : all;
  const many = shown.length > 1;
  return h('div', { class: isLead && many ? 'multiples wide' : '' }, shown.map((s) => one(s, isLead && !many ? TALL : HEIGHT, isLead)));
}

const [LEADING, TALL] = [2, 340];

const HEIGHT = 260;

function grid(s: SearchJudgement, k: Kind): Grid {
  const row = (t: TrialJudgement): Row => ({ fields: [t.run, k.level(t.level), shown(t, k), outcome(t, k)], cell: s.cell });
  return { heads: ['run', k.x, k.y, 'limit'], rows: s.trials.map(row) };
}

function one(s: SearchJudgement, height: number, isLead: boolean): HTMLElement {
  const k = kind(s);
  const cell = cellById.get(s.cell);
  const title = `${cell ? words(cell) : s.cell}: ${k.y} over ${k.x}`;
  const drawn = chart({ title, label: label(s, k), grid: () => grid(s, k) }, height, (c) => option(s, k, c));
  drawn.on((id) => set({ cell: id }));
  return h(
    'figure',
    { class: 'search' },
    h('figcaption', {}, badge(s.status), ' ', cell ? words(cell) : s.cell),
    isLead ? null : h('p', {}, s.sentence),
    drawn.element,
    k.limit === undefined ? null : h('p', { class: 'caption' }, MARKS),
    inUsers(s) ? lawSentences([curveOf([s.cell])]) : null,
    isLead ? null : steps(s, k),
  );
}

function label(s: SearchJudgement, k: Kind): string {
  const found = s.answer ? `found ${k.level(s.answer.value)}, ${span(s, k)}` : 'found nothing in its range';
  const limit = k.limit === undefined ? '' : `, limit ${quantity(k.limit, k.unit)}`;
  return `Search over ${k.x}: ${k.y} of ${plural(s.trials.length, 'run')}${limit}; ${found}`;
}

const inUsers = (s: SearchJudgement): boolean => s.search.goal === 'users';
const span = (s: SearchJudgement, k: Kind): string => `${k.level(s.answer?.low ?? 0)} to ${k.level(s.answer?.high ?? 0)}`;

function option(s: SearchJudgement, k: Kind, c: Palette): Option {
  const values = s.trials.map((t) => t.value).filter((v) => v !== null);
  const inMicros = k.limit !== undefined;
  return {
    grid: { left: 58, right: 18, top: 24, bottom: 36 },
    tooltip: { ...tooltipStyle(c), trigger: 'item', formatter: (item: unknown) => tip(s, k, (item as { dataIndex: number }).dataIndex) },
    xAxis: {
      ...axisStyle(c),
      type: 'log',
      min: s.search.from,
      max: s.search.to,
      logBase: inMicros ? 10 : 2,
      name: inMicros ? 'operations arriving per second' : 'users',
      nameLocation: 'middle',
      nameGap: 22,
      splitLine: { show: false },
      axisLabel: { color: c.soft, fontSize: 11, hideOverlap: true, formatter: (v: number) => tick(v) },
    },
    yAxis: {
      ...axisStyle(c),
      ...(inMicros ? { type: 'log', ...decades([...values, k.limit ?? 1]) } : { type: 'value', min: 0 }),
      name: k.y,
      nameTextStyle: { color: c.soft, fontSize: 11, align: 'left', padding: [0, 0, -4, -40] },
      axisLabel: { color: c.soft, fontSize: 11, formatter: (v: number) => tick(v, inMicros ? k.unit : '') },
    },
    series: [...(s.answer ? [band(s, c)] : []), ...(inMicros ? [] : [means(s, c), ...law(curveOf([s.cell]), c.series[1] ?? c.ink)]), dots(s, k, c)],
  };
}

/** Ends of a logarithmic axis at a third of a decade beyond the values. */
function decades(values: number[]): Option {
  const reach = 10 ** (1 / 3);
  return { min: Math.min(...values) / reach, max: Math.max(...values) * reach };
}

/** The answer: its interval as a band over the whole height, its value as a line. */
function band(s: SearchJudgement, c: Palette): Option {
  const [value = 0, low = 0, high = 0] = [s.answer?.value, s.answer?.low ?? s.search.from, s.answer?.high ?? s.search.to];
  return {
    type: 'custom',
    silent: true,
    clip: true,
    z: 0,
    tooltip: { show: false },
    data: [[value, low, high]],
    encode: { x: 0 },
    renderItem: (p: { coordSys: { y: number; height: number } }, api: { value(i: number): number; coord(p: number[]): number[] }) => {
      const at = (i: number): number => api.coord([api.value(i), 1])[0] ?? 0;
      const { y, height } = p.coordSys;
      const width = Math.max(2, at(2) - at(1));
      const line = { x1: at(0), y1: y, x2: at(0), y2: y + height };
      return {
        type: 'group',
        children: [
          { type: 'rect', shape: { x: at(1), y, width, height }, style: { fill: c.series[0], opacity: 0.14 } },
          { type: 'line', shape: line, style: { stroke: c.series[0], lineWidth: 1.5 } },
        ],
      };
    },
  };
}

/** The curve through the means of the levels. */
function means(s: SearchJudgement, c: Palette): Option {
  const levels = [...new Set(s.trials.map((t) => t.level))].sort((a, b) => a - b);
  const mean = (level: number): number => {
    const all = s.trials.filter((t) => t.level === level && t.value !== null).map((t) => t.value ?? 0);
    return all.reduce((a, b) => a + b, 0) / Math.max(1, all.length);
  };
  return {
    type: 'line',
    silent: true,
    symbol: 'none',
    z: 1,
    lineStyle: { color: c.series[0], width: 1.2, opacity: 0.6 },
    data: levels.map((l) => [l, mean(l)]),
  };
}

function dots(s: SearchJudgement, k: Kind, c: Palette): Option {
  const data = s.trials.map((t) => ({
    value: [t.level, t.value],
    cell: s.cell,
    symbol: t.cut ? 'arrow' : 'circle',
    symbolSize: t.cut ? 11 : 8,
    itemStyle: t.over ? { color: c.paper, borderColor: c.bad, borderWidth: 1.6 } : { color: c.series[0], opacity: 0.8 },
  }));
  const limit = { yAxis: k.limit, lineStyle: { color: c.bad, type: 'dashed', width: 1.2 } };
  const name = { formatter: `limit ${quantity(k.limit ?? 0, k.unit)}`, position: 'insideStartTop', color: c.soft, fontSize: 11 };
  return {
    type: 'scatter',
    data,
    z: 3,
    ...(k.limit === undefined ? {} : { markLine: { silent: true, symbol: 'none', data: [limit], label: name } }),
  };
}

function outcome(t: TrialJudgement, k: Kind): string {
  if (k.limit === undefined) return '';
  return t.cut ? 'over, ended early' : t.over ? 'over' : 'held';
}

const shown = (t: TrialJudgement, k: Kind): string => (t.value === null ? '–' : quantity(t.value, k.unit));

function tip(s: SearchJudgement, k: Kind, i: number): string {
  const t = s.trials[i];
  if (!t) return '';
  const facts = [k.level(t.level), `${k.y} ${shown(t, k)}`, outcome(t, k)].filter((f) => f !== '').join(' · ');
  return `<div class="tip"><b>${escaped(t.run)}</b><br>${escaped(facts)}<br><span class="soft">${escaped(t.cut ?? t.why)}</span></div>`;
}

function steps(s: SearchJudgement, k: Kind): HTMLElement {
  const head = ['run', k.x, k.y, ...(k.limit === undefined ? [] : ['limit']), 'why this level'];
  const row = (t: TrialJudgement): HTMLElement =>
    h(
      'tr',
      {},
      h('td', {}, t.run),
      h('td', { class: 'num' }, k.level(t.level)),
      h('td', { class: 'num' }, shown(t, k)),
      k.limit === undefined ? null : h('td', {}, outcome(t, k)),
      h('td', { class: 'soft' }, t.why),
    );
  return h(
    'details',
    {},
    h('summary', {}, `${plural(s.trials.length, 'step')}, each with its reason`),
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        { class: 'steps' },
        h('thead', {}, h('tr', {}, head.map((t) => h('th', {}, t)))),
        h('tbody', {}, s.trials.map(row)),
      ),
    ),
  );
}
