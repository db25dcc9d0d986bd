// The session as it went, in lanes over one clock: rate, users, latency, CPUs by who used them, events. Lanes instead of
// second y axes; one cursor through all of them; drag or scroll to zoom. A value holds for an interval and is drawn as
// long as the interval lasted; between runs there is nothing, and nothing is drawn.

import { words } from '../axes';
import { cellById, data, type Lane, type Run } from '../data';
import { escaped, h } from '../dom';
import { clock, digits, duration, micros, short } from '../format';
import { set } from '../state';
import { axisStyle, chart, coloured, tooltipStyle, type Option } from './chart';
import type { Palette } from '../theme';

type Pair = [number, number | null];
const start = Math.min(...data.runs.map((r) => r.started), ...data.events.map((e) => e.unix_ms));
const end = Math.max(...data.runs.map((r) => r.ended), ...data.events.map((e) => e.unix_ms));

/** A column as steps: each interval from its beginning to its end, then a gap unless the next begins at once. */
function steps(pick: (lane: Lane, i: number) => number | null): Pair[] {
  return data.runs.flatMap((run) => {
    const lane = data.timeline[run.id];
    if (!lane || lane.from.length === 0) return [];
    const zero = run.started - start;
    const points = lane.from.flatMap((from, i): Pair[] => { const v = pick(lane, i); return [[zero + from, v], [zero + (lane.to[i] ?? from), v]]; });
    return [...points, [zero + (lane.to.at(-1) ?? 0), null] as Pair];
  });
}

const users = (): Pair[] => data.runs.flatMap((run) => run.phases.flatMap(([, , from, to, n]): Pair[] => [[run.started - start + from, n], [run.started - start + to, n], [run.started - start + to, null]]));
const sum = (...parts: (number | null | undefined)[]): number | null => (parts.some((p) => p === null || p === undefined) ? null : parts.reduce<number>((a, p) => a + (p ?? 0), 0));

interface LaneDrawing { title: string; height: number; axis: Option; series: (c: Palette) => Option[] }

function lanes(): LaneDrawing[] {
  const line = (points: Pair[], colour: string, more: Option = {}): Option => ({ type: 'line', data: points, showSymbol: false, connectNulls: false, silent: true, lineStyle: { width: 1.3, color: colour }, itemStyle: { color: colour }, emphasis: { disabled: true }, ...more });
  const area = (points: Pair[], colour: string): Option => line(points, colour, { lineStyle: { width: 0 }, areaStyle: { color: colour, opacity: 1, origin: 0 } });
  return [
    { title: 'rate, statements/s; thin: slowest interval', height: 110, axis: { min: 0, axisLabel: { formatter: short } }, series: (c) => [line(steps((l, i) => l.slowest[i] ?? null), c.faint, { lineStyle: { width: 0.8, color: c.faint } }), line(steps((l, i) => l.qps[i] ?? null), coloured(c, 0), { lineStyle: { width: 2.2, color: coloured(c, 0) } })] },
    { title: 'users', height: 56, axis: { type: 'log', logBase: 2, min: 1, splitNumber: 2, axisLabel: { formatter: String } }, series: (c) => [line(users(), c.ink, { lineStyle: { width: 1.6, color: c.ink } })] },
    { title: 'latency, p50 and p99 (lighter)', height: 96, axis: { type: 'log', splitNumber: 2, axisLabel: { formatter: micros } }, series: (c) => [line(steps((l, i) => l.p99_us[i] ?? null), coloured(c, 4)), line(steps((l, i) => l.p50_us[i] ?? null), coloured(c, 3))] },
    { title: 'CPUs busy: server, assay, others', height: 86, axis: { min: 0, axisLabel: { formatter: (v: number) => String(v) } }, series: (c) => [area(steps((l, i) => sum(l.server[i], l.client[i], l.other[i])), c.faint), area(steps((l, i) => sum(l.server[i], l.client[i])), coloured(c, 1)), area(steps((l, i) => l.server[i] ?? null), coloured(c, 0))] },
    { title: 'events', height: 40, axis: { min: 0, max: 2, show: false }, series: (c) => [events(c)] },
  ];
}

const isTrouble = (kind: string): boolean => /failed|died|interrupted|disturbance/.test(kind);

function events(c: Palette): Option {
  const shown = data.events.filter((e) => e.kind !== 'run_started' && e.kind !== 'run_done');
  return { type: 'scatter', symbolSize: 9, cursor: 'pointer', data: shown.map((e) => ({ value: [e.unix_ms - start, 1], text: `${clock(e.unix_ms)} ${e.text}`, cell: data.runs.find((r) => r.id === e.run)?.cell, symbol: isTrouble(e.kind) ? 'triangle' : e.kind.startsWith('run') ? 'diamond' : 'circle', itemStyle: { color: isTrouble(e.kind) ? c.bad : c.soft, opacity: 0.85 } })), tooltip: { trigger: 'item' } };
}

export function timeline(): HTMLElement {
  if (data.runs.length === 0) return h('p', {}, 'No run was carried out.');
  const all = lanes();
  const [gap, top] = [30, 22];
  const tops = all.map((_, i) => top + all.slice(0, i).reduce((sum, l) => sum + l.height + gap, 0));
  const height = (tops.at(-1) ?? 0) + 40 + 76;
  const cpus = data.report.host.cpus.length;
  const drawn = chart(`Timeline of ${data.runs.length} runs over ${duration(end - start)}: rate, users, latency, CPU use of server, assay and others, events`, height, (c) => ({
    title: undefined,
    axisPointer: { link: [{ xAxisIndex: 'all' }], lineStyle: { color: c.soft } },
    tooltip: { ...tooltipStyle(c), trigger: 'axis', formatter: (items: unknown) => tip(items) },
    grid: all.map((l, i) => ({ left: 62, right: 16, top: tops[i], height: l.height })),
    xAxis: all.map((_, i) => ({ ...axisStyle(c), gridIndex: i, type: 'value', min: 0, max: end - start, splitLine: { show: false }, axisLabel: { show: i === all.length - 1, color: c.soft, fontSize: 11, formatter: (v: number) => duration(v) }, axisPointer: { label: { show: false } } })),
    yAxis: all.map((l, i) => ({ ...axisStyle(c), type: 'value', gridIndex: i, splitNumber: 3, name: l.title, nameLocation: 'end', nameGap: 7, nameTextStyle: { color: c.soft, fontSize: 11, align: 'left', padding: [0, 0, 0, -52] }, ...(l.title.startsWith('CPU') ? { max: cpus } : {}), ...l.axis, axisLabel: { color: c.soft, fontSize: 10, hideOverlap: true, ...(l.axis.axisLabel as object | undefined) }, axisPointer: { show: false } })),
    dataZoom: [{ type: 'inside', xAxisIndex: all.map((_, i) => i), filterMode: 'none', zoomOnMouseWheel: 'ctrl' }, { type: 'slider', xAxisIndex: all.map((_, i) => i), filterMode: 'none', bottom: 8, height: 20, borderColor: c.line, fillerColor: 'rgb(128 128 128 / .18)', textStyle: { color: c.soft, fontSize: 10 }, labelFormatter: (v: number) => duration(v), brushSelect: false, showDataShadow: false }],
    series: all.flatMap((l, i) => l.series(c).map((s) => ({ ...s, xAxisIndex: i, yAxisIndex: i }))),
  }));
  drawn.on((cell) => set({ cell }));
  openRunsOn(drawn.element, () => drawn.instance());
  return h('div', {}, drawn.element, h('p', { class: 'caption' }, `Begins ${clock(start)}. ${data.runs.length} runs in the order in which they were carried out. Click on a run for its cell; drag the bar below, or hold Ctrl and scroll, to zoom.`));
}

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
  const list = Array.isArray(items) ? (items as { axisValue?: number; value?: number[] }[]) : [items as { value?: number[]; data?: { text?: string } }];
  const single = (items as { data?: { text?: string } }).data?.text;
  if (single) return `<div class="tip">${escaped(single)}</div>`;
  const ms = Number((list[0] as { axisValue?: number }).axisValue ?? list[0]?.value?.[0] ?? 0);
  const run = runAt(ms);
  if (!run) return `<div class="tip">${duration(ms)}: between runs</div>`;
  const lane = data.timeline[run.id];
  const i = lane ? lane.from.findIndex((from, k) => ms - (run.started - start) >= from - 1 && ms - (run.started - start) <= (lane.to[k] ?? 0) + 1) : -1;
  const cell = cellById.get(run.cell);
  const value = (title: string, v: number | null | undefined, text: (v: number) => string): string => (v === null || v === undefined ? '' : `<tr><td>${title}</td><td class="num"><b>${text(v)}</b></td></tr>`);
  const rows = lane && i >= 0 ? [value('rate', lane.qps[i], (v) => `${digits(v)}/s`), value('p50', lane.p50_us[i], micros), value('p99', lane.p99_us[i], micros), value('server', lane.server[i], (v) => `${digits(v)} CPUs`), value('assay', lane.client[i], (v) => `${digits(v)} CPUs`), value('others', lane.other[i], (v) => `${digits(v)} CPUs`)] : [];
  return `<div class="tip"><b>${escaped(run.id)}</b> ${cell ? escaped(words(cell)) : ''}<div class="soft">${duration(ms)} · ${escaped(run.ending)} ${escaped(run.reason)}</div><table>${rows.join('')}</table></div>`;
}
