// The session as it went, in lanes over one clock: rate, users, latency, counters that the reader chooses, CPUs by who
// used them, events. Lanes instead of second y axes; one cursor through all of them; drag or scroll to zoom. A value
// holds for an interval and is drawn as long as the interval lasted; between runs there is nothing, and nothing is drawn.

import { present, words } from '../axes';
import { cellById, data } from '../data';
import { escaped, h } from '../dom';
import { clock, digits, duration, micros, show, tick } from '../format';
import { get, set } from '../state';
import { axisStyle, chart, coloured, legend, tooltipStyle, type Option } from './chart';
import { lineAxis, round } from './scaling';
import type { Palette } from '../theme';
import type { Grid, Row } from './told';
import type { Counter, Lane, Run } from '../types';

const start = Math.min(...data.runs.map((r) => r.started), ...data.events.map((e) => e.unix_ms));
const end = Math.max(...data.runs.map((r) => r.ended), ...data.events.map((e) => e.unix_ms));

/** A value and for how long it held, in milliseconds since the start. */
interface Span {
  from: number;
  to: number;
  value: number;
}
type Pick = (lane: Lane, i: number) => number | null | undefined;

function spans(pick: Pick, of: (run: Run) => boolean = () => true): Span[] {
  return data.runs.filter(of).flatMap((run) => {
    const lane = data.timeline[run.id];
    const zero = run.started - start;
    return (lane?.from ?? []).flatMap((from, i): Span[] => {
      const value = lane ? pick(lane, i) : null;
      return value === null || value === undefined ? [] : [{ from: zero + from, to: zero + (lane?.to[i] ?? from), value }];
    });
  });
}

const users = (): Span[] =>
  data.runs.flatMap((run) =>
    run.phases.map(([, , from, to, value]) => ({ from: run.started - start + from, to: run.started - start + to, value })),
  );
/** Phases in which something was done to the server, and the boundaries between phases. */
const disturbed = (value: number): Span[] =>
  data.runs.flatMap((run) =>
    run.phases.flatMap(([, , from, to, , disturb]) =>
      disturb ? [{ from: run.started - start + from, to: run.started - start + to, value }] : [],
    ),
  );
const boundaries = (value: number): Span[] =>
  data.runs.flatMap((run) =>
    run.phases.slice(1).map(([, , from]) => ({ from: run.started - start + from, to: run.started - start + from, value })),
  );
/** What may be laid beside rate and latency, those with names of our own first. */
const others: Counter[] = [...data.counters].sort((a, b) => Number(a.meaning === '') - Number(b.meaning === '') || a.name.localeCompare(b.name));
const byName = new Map(others.map((counter) => [counter.name, counter]));
/** What the reader chose; before that, what its row puts first, else the first of all. */
export const firstCounter: Counter | undefined = others.find((counter) => counter.is_first) ?? others[0];
const NONE = 'none';
function chosen(): Counter[] {
  const said = get('series');
  if (said === '') return firstCounter ? [firstCounter] : [];
  return said.split(',').flatMap((name) => byName.get(name) ?? []);
}
const choose = (counters: Counter[]): void => set({ series: counters.map((c) => c.name).join(',') || NONE });
/** Names of our own as words, a server's as it spells them. */
export const counterTitle = ({ name, unit, meaning }: Counter): string =>
  `${meaning ? name.replace(/^db\./, '').replaceAll('_', ' ') : name}${unit ? `, ${unit}` : ''}`;

/** Digits of base 64, as Rust writes them. */
const LEVELS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_';
/** The values of a counter in one run, moment by moment, as far as they were read. */
export function values(lane: Lane, counter: Counter): (number | null)[] {
  const [, least, most, levels] = lane.more?.find(([place]) => data.counters[place] === counter) ?? [0, 0, 0, ''];
  const value = (pair: string): number | null => {
    const level = LEVELS.indexOf(pair[0] ?? '') * 64 + LEVELS.indexOf(pair[1] ?? '');
    return level < 0 ? null : least + ((most - least) * level) / 4095;
  };
  return (levels.match(/../g) ?? []).map(value);
}
const sum = (...parts: (number | null | undefined)[]): number | null =>
  parts.some((p) => p === null || p === undefined) ? null : parts.reduce<number>((a, p) => a + (p ?? 0), 0);
const most = (list: Span[]): number => list.reduce((m, s) => Math.max(m, s.value), 0);
const least = (list: Span[]): number => list.reduce((m, s) => Math.min(m, s.value), Infinity);

/** All spans of a series as one path: however short a run is on the screen, it keeps a pixel. */
function drawn(list: Span[], colour: string | undefined, shape: 'bars' | 'dashes', opacity = 1): Option {
  const path = (coord: (p: number[]) => number[], floor: number): string =>
    list
      .map(({ from, to, value }) => {
        const [x0 = 0, y = 0] = coord([from, value]);
        const width = Math.max(1, (coord([to, value])[0] ?? x0) - x0).toFixed(1);
        const height = shape === 'bars' ? (floor - y).toFixed(1) : '2';
        return `M${x0.toFixed(1)} ${(shape === 'bars' ? y : y - 1).toFixed(1)}h${width}v${height}h-${width}z`;
      })
      .join('');
  const renderItem = (item: { coordSys: { y: number; height: number } }, api: { coord(p: number[]): number[] }): object => ({
    type: 'path',
    silent: true,
    shape: { pathData: path((p) => api.coord(p), item.coordSys.y + item.coordSys.height) },
    style: { fill: colour, opacity },
  });
  return { type: 'custom', clip: true, silent: true, tooltip: { show: false }, data: [[0, 0]], renderItem };
}

/** What the cursor finds in every lane: the middle of each interval. */
function cursor(floor: number): Option {
  return {
    type: 'line',
    data: spans((l, i) => l.qps[i]).map((s) => [(s.from + s.to) / 2, floor]),
    symbol: 'none',
    lineStyle: { opacity: 0 },
    emphasis: { disabled: true },
  };
}

/** In `title`, `{0|p50}` is written in the first colour of the lanes. */
interface LaneDrawing {
  title: string;
  height: number;
  axis: Option & { min: number };
  series: (c: Palette) => Option[];
}

const thinned = Object.values(data.timeline).some((l) => l.qps.some((v, i) => v !== l.slowest[i]));

/** A series per value of the compared axis, in the colours that it has everywhere on the page. */
function rates(c: Palette): Option[] {
  const axis = lineAxis();
  const values = axis ? present(axis) : [undefined];
  const slowest = drawn(
    spans((l, i) => l.slowest[i]),
    c.ink,
    'dashes',
    0.7,
  );
  const bars = values.flatMap((v, i) => {
    const list = spans(
      (l, k) => l.qps[k],
      (run) => !axis || cellById.get(run.cell)?.axes[axis.key] === v,
    );
    return [drawn(list, coloured(c, i), 'bars', 0.25), drawn(list, coloured(c, i), 'dashes')];
  });
  return thinned ? [...bars, slowest] : bars;
}

function lanes(): LaneDrawing[] {
  const [p50, p99] = [spans((l, i) => l.p50_us[i]), spans((l, i) => l.p99_us[i])];
  const busiest = Math.max(2, most(users()));
  const decade = (x: number, round: (n: number) => number): number => 10 ** round(Math.log10(Number.isFinite(x) && x > 0 ? x : 1));
  return [
    {
      title: `statements/s${thinned ? '; black: the slowest interval where several were merged' : ''}`,
      height: 120,
      axis: { ...round(0, most(spans((l, i) => l.qps[i]))), min: 0, axisLabel: { formatter: (v: number) => tick(v) } },
      series: rates,
    },
    {
      title: 'users',
      height: 52,
      axis: { type: 'log', logBase: 2, min: 0.7, max: busiest * 1.4, axisLabel: { formatter: String, customValues: [1, busiest] } },
      series: (c) => [drawn(users(), c.ink, 'dashes')],
    },
    {
      title: 'latency {0|p50} {1|p99}',
      height: 96,
      axis: { type: 'log', min: decade(least(p50), Math.floor), max: decade(most(p99), Math.ceil), axisLabel: { formatter: micros } },
      series: (c) => [drawn(p99, c.lanes[1], 'dashes'), drawn(p50, c.lanes[0], 'dashes')],
    },
    ...chosen().map(counterLane),
    {
      title: 'CPUs busy {0|server} {1|assay} {2|others}',
      height: 86,
      axis: { min: 0, max: data.report.host.cpus.length, axisLabel: { formatter: String } },
      series: (c) => [
        drawn(
          spans((l, i) => sum(l.server[i], l.client[i], l.other[i])),
          c.lanes[2],
          'bars',
        ),
        drawn(
          spans((l, i) => sum(l.server[i], l.client[i])),
          c.lanes[1],
          'bars',
        ),
        drawn(
          spans((l, i) => l.server[i]),
          c.lanes[0],
          'bars',
        ),
      ],
    },
    {
      title: 'events',
      height: 26,
      axis: { min: 0, max: 2, axisLabel: { show: false }, splitLine: { show: false }, axisLine: { show: false } },
      series: (c) => [events(c)],
    },
  ];
}

function counterLane(counter: Counter): LaneDrawing {
  const read = new Map(Object.values(data.timeline).map((lane) => [lane, values(lane, counter)]));
  const list = spans((l, i) => read.get(l)?.[i]);
  return {
    title: counterTitle(counter),
    height: 86,
    axis: { ...round(0, most(list)), min: 0, axisLabel: { formatter: (v: number) => tick(v) } },
    series: (c) => [drawn(list, c.lanes[1], 'bars', 0.2), drawn(list, c.lanes[1], 'dashes')],
  };
}

/** Behind each lane: what was done to the server, and where phases meet. */
function shading(lane: LaneDrawing, c: Palette): Option[] {
  const top = (lane.axis as { max?: number }).max ?? 1;
  const list = boundaries(top);
  // A line for each of thousands would hide what it divides.
  const lines = list.length > 400 ? [] : [drawn(list, c.ink, 'bars', 0.25)];
  return [drawn(disturbed(top), c.bad, 'bars', 0.09), ...lines];
}

const isTrouble = (kind: string): boolean => /failed|died|interrupted|disturbance/.test(kind);

function events(c: Palette): Option {
  const shown = data.events.filter((e) => e.kind !== 'run_started' && e.kind !== 'run_done');
  return {
    type: 'scatter',
    symbolSize: 9,
    cursor: 'pointer',
    data: shown.map((e) => ({
      value: [e.unix_ms - start, 1],
      text: `${clock(e.unix_ms)} ${e.text}`,
      cell: data.runs.find((r) => r.id === e.run)?.cell,
      symbol: isTrouble(e.kind) ? 'triangle' : e.kind.startsWith('run') ? 'diamond' : 'circle',
      itemStyle: { color: isTrouble(e.kind) ? c.bad : c.soft, opacity: 0.85 },
    })),
    tooltip: { trigger: 'item' },
  };
}

export function timeline(): HTMLElement {
  if (data.runs.length === 0) return h('p', {}, 'No run was carried out.');
  const all = lanes();
  const [gap, top] = [30, 22];
  const tops = all.map((_, i) => top + all.slice(0, i).reduce((sum, l) => sum + l.height + gap, 0));
  const height = (tops.at(-1) ?? 0) + 26 + 76;
  const told = {
    title: 'Timeline',
    label: `Timeline of ${data.runs.length} runs over ${duration(end - start)}: rate, users, latency, CPU use of server, assay and others, events`,
    grid,
  };
  const view = chart(
    told,
    height,
    (c) => ({
      axisPointer: { link: [{ xAxisIndex: 'all' }], lineStyle: { color: c.soft } },
      tooltip: { ...tooltipStyle(c), trigger: 'axis', formatter: (items: unknown) => tip(items) },
      grid: all.map((l, i) => ({ left: 62, right: 16, top: tops[i], height: l.height })),
      xAxis: all.map((_, i) => ({
        ...axisStyle(c),
        gridIndex: i,
        type: 'value',
        min: 0,
        max: end - start,
        splitLine: { show: false },
        axisLabel: { show: i === all.length - 1, color: c.soft, fontSize: 11, formatter: (v: number) => duration(v) },
        axisPointer: { label: { show: false } },
      })),
      yAxis: all.map((l, i) => ({
        ...axisStyle(c),
        type: 'value',
        gridIndex: i,
        splitNumber: 3,
        name: l.title,
        nameLocation: 'end',
        nameGap: 7,
        nameTextStyle: {
          color: c.soft,
          fontSize: 11,
          align: 'left',
          padding: [0, 0, 0, -52],
          rich: Object.fromEntries(c.lanes.map((colour, n) => [String(n), { color: colour, fontWeight: 600, fontSize: 11 }])),
        },
        ...l.axis,
        axisLabel: { color: c.soft, fontSize: 10, hideOverlap: true, ...(l.axis.axisLabel as object | undefined) },
        axisPointer: { show: false },
      })),
      dataZoom: [
        { type: 'inside', xAxisIndex: all.map((_, i) => i), filterMode: 'none', zoomOnMouseWheel: 'ctrl' },
        {
          type: 'slider',
          xAxisIndex: all.map((_, i) => i),
          filterMode: 'none',
          bottom: 8,
          height: 20,
          borderColor: c.line,
          fillerColor: 'rgb(128 128 128 / .18)',
          textStyle: { color: c.soft, fontSize: 10 },
          labelFormatter: (v: number) => duration(v),
          brushSelect: false,
          showDataShadow: false,
        },
      ],
      series: all.flatMap((l, i) => [...shading(l, c), ...l.series(c), cursor(l.axis.min)].map((s) => ({ ...s, xAxisIndex: i, yAxisIndex: i }))),
    }),
  );
  view.on((cell) => set({ cell }));
  openRunsOn(view.mount, () => view.instance());
  const axis = lineAxis();
  return h(
    'div',
    {},
    axis ? legend(present(axis).map(show)) : null,
    chooser(),
    view.element,
    deeds(),
    h(
      'p',
      { class: 'caption' },
      `Begins ${clock(start)}. ${data.runs.length} runs in the order in which they were carried out. Click on a run for its cell; drag the bar below, or hold Ctrl and scroll, to zoom.`,
    ),
  );
}

/** A row per run: when it was, and what it was on the whole. */
function grid(): Grid {
  const middle = (list: (number | null)[] | undefined): string => {
    const known = (list ?? []).filter((v) => v !== null).sort((a, b) => a - b);
    return known.length === 0 ? '' : digits(known[known.length >> 1] ?? 0);
  };
  const row = (run: Run): Row => {
    const lane = data.timeline[run.id];
    return { fields: [run.id, clock(run.started), duration(run.ended - run.started), ...[lane?.qps, lane?.p50_us, lane?.p99_us].map(middle), run.ending], cell: run.cell };
  };
  return { heads: ['run', 'started', 'took', 'statements/s, median', 'p50 µs, median', 'p99 µs, median', 'ending'], rows: data.runs.map(row) };
}

/** Lanes beside rate and latency: a button for each that takes it away, and a field that finds one more by its name. */
function chooser(): HTMLElement | null {
  if (others.length === 0) return null;
  const now = chosen();
  const away = (counter: Counter): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        title: counter.meaning,
        'aria-label': `Take the lane ${counterTitle(counter)} away`,
        onclick: () => choose(now.filter((c) => c !== counter)),
      },
      `${counterTitle(counter)} ×`,
    );
  const add = (): void => {
    const added = byName.get(field.value);
    if (!added || now.includes(added)) return;
    choose([...now, added]);
    document.querySelector<HTMLElement>('#timeline .lanes input')?.focus();
  };
  const field: HTMLInputElement = h('input', {
    type: 'search',
    list: 'timeline-counters',
    placeholder: `one of ${others.length} counters`,
    'aria-label': 'Add a lane: name of a counter',
    // A name picked from the list comes as one replacement; one that is typed ends with Enter.
    oninput: (event: InputEvent) => event.inputType?.startsWith('insert') && event.inputType !== 'insertReplacementText' ? undefined : add(),
    onchange: () => add(),
  });
  const options = others.map((c) => h('option', { value: c.name }, c.meaning));
  return h(
    'div',
    { class: 'controls lanes', role: 'group', 'aria-label': 'Lanes beside rate and latency' },
    h('span', { class: 'soft' }, 'beside rate and latency: '),
    now.map(away),
    field,
    h('datalist', { id: 'timeline-counters' }, options),
  );
}

/** What was done to the server, in the words of who did it. */
function deeds(): HTMLElement | null {
  const told = data.runs.flatMap((run) => run.phases.flatMap(([name, , , , , disturb, deed]) => (disturb && deed ? [{ run: run.id, name, disturb, deed }] : [])));
  if (told.length === 0) return null;
  const item = (d: (typeof told)[number]): HTMLElement => h('li', {}, h('code', {}, d.disturb), ` in ${d.run}, ${d.name}: ${d.deed}`);
  return h('details', {}, h('summary', {}, `Shaded: ${told.length} phases in which something was done to the server on purpose`), h('ul', {}, told.map(item)));
}

const cpus = (v: number): string => `${tick(v)} CPUs`;
const runAt = (ms: number): Run | undefined => data.runs.find((r) => ms >= r.started - start && ms <= r.ended - start);

function openRunsOn(element: HTMLElement, instance: () => ReturnType<ReturnType<typeof chart>['instance']>): void {
  element.addEventListener('click', (event) => {
    const box = element.getBoundingClientRect();
    const y = event.clientY - box.top;
    if (y > box.height - 76) return;
    const ms = instance().convertFromPixel({ xAxisIndex: 0 }, event.clientX - box.left) as unknown as number;
    const run = runAt(ms);
    if (run) set({ cell: run.cell });
  });
}

function tip(items: unknown): string {
  const list = Array.isArray(items)
    ? (items as { axisValue?: number; value?: number[] }[])
    : [items as { value?: number[]; data?: { text?: string } }];
  const single = (items as { data?: { text?: string } }).data?.text;
  if (single) return `<div class="tip">${escaped(single)}</div>`;
  const ms = Number((list[0] as { axisValue?: number }).axisValue ?? list[0]?.value?.[0] ?? 0);
  const run = runAt(ms);
  if (!run) return `<div class="tip">${duration(ms)}: between runs</div>`;
  const lane = data.timeline[run.id];
  const i = lane
    ? lane.from.findIndex((from, k) => ms - (run.started - start) >= from - 1 && ms - (run.started - start) <= (lane.to[k] ?? 0) + 1)
    : -1;
  const cell = cellById.get(run.cell);
  const within = ms - (run.started - start);
  const phase = run.phases.find(([, , from, to]) => within >= from && within <= to);
  const where = phase ? ` · ${phase[0]}${phase[5] ? ` (${phase[5]})` : ''}` : '';
  const value = (title: string, v: number | null | undefined, text: (v: number) => string): string =>
    v === null || v === undefined ? '' : `<tr><td>${title}</td><td class="num"><b>${text(v)}</b></td></tr>`;
  const rows =
    lane && i >= 0
      ? [
          value('rate', lane.qps[i], (v) => `${digits(v)}/s`),
          value('p50', lane.p50_us[i], micros),
          value('p99', lane.p99_us[i], micros),
          ...chosen().map((counter) => value(escaped(counterTitle(counter)), values(lane, counter)[i], digits)),
          value('server', lane.server[i], cpus),
          value('assay', lane.client[i], cpus),
          value('others', lane.other[i], cpus),
        ]
      : [];
  return `<div class="tip"><b>${escaped(run.id)}</b> ${cell ? escaped(words(cell)) : ''}<div class="soft">${duration(ms)}${escaped(where)} · ${escaped(run.ending)} ${escaped(run.reason)}</div><table>${rows.join('')}</table></div>`;
}
