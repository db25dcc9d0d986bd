// A lab at work: how far it is, what the run under way does, what is about to fail, and the runs that are over, fed once a second by
// whoever served the page. The report below is of the runs that were over when it was drawn; when the lab has stopped, the page becomes the
// report and asks for nothing any more.

import { badge } from './badge';
import { data } from './data';
import { h } from './dom';
import { digits, plural } from './format';
import { prose } from './prose';
import type { LiveLane, Moment, RunResult } from './types';

/** Results told at once; the report has all of them. */
const RESULTS = 12;
const WIDTH = 240;
const HEIGHT = 44;

function clock(seconds: number): string {
  const s = Math.round(seconds);
  const two = (n: number): string => String(n).padStart(2, '0');
  return s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
}

function svg(tag: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A line from zero on; where nothing was read there is a gap. */
function drawing(lane: LiveLane, label: string): SVGElement {
  const most = Math.max(...lane.values.map((v) => v ?? 0), Number.MIN_VALUE);
  const x = (i: number): number => (lane.values.length < 2 ? WIDTH : (i / (lane.values.length - 1)) * WIDTH);
  const y = (v: number): number => HEIGHT - 1 - (v / most) * (HEIGHT - 3);
  let path = '';
  let isGap = true;
  lane.values.forEach((v, i) => {
    // A lone value is a point: a line to itself with round ends.
    if (v !== null) path += isGap ? `M${x(i).toFixed(1)} ${y(v).toFixed(1)}h0` : `L${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    isGap = v === null;
  });
  const drawn = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label, preserveAspectRatio: 'none' });
  drawn.append(svg('path', { d: path }));
  return drawn;
}

function lane(lane: LiveLane): HTMLElement {
  const last = [...lane.values].reverse().find((v) => v !== null);
  const told = last === undefined || last === null ? '–' : `${digits(last)} ${lane.unit}`;
  const seconds = plural(lane.values.length, 'second');
  return h('figure', { class: 'lane' }, h('figcaption', {}, h('span', {}, lane.name), h('b', {}, told)), drawing(lane, `${lane.name}, the last ${seconds}: ${told} now`));
}

function result(run: RunResult): HTMLElement {
  const value = (v: number | null, unit: string): string => (v === null ? '' : `${digits(v)} ${unit}`);
  return h(
    'tr',
    { class: run.is_done ? '' : 'failed' },
    h('th', { scope: 'row' }, run.run),
    h('td', {}, run.name, run.is_done ? null : h('span', { class: 'soft' }, ` ${run.ending}`)),
    h('td', { class: 'num' }, value(run.qps, '/s')),
    h('td', { class: 'num' }, value(run.p99_us, 'µs')),
  );
}

function results(all: RunResult[]): HTMLElement | null {
  if (all.length === 0) return null;
  const heads = ['run', 'cell', 'statements', 'p99'].map((head, i) => h('th', { scope: 'col', class: i > 1 ? 'num' : '' }, head));
  const more = all.length > RESULTS ? `The latest ${RESULTS} of ${all.length}. ` : '';
  return h(
    'div',
    { class: 'results' },
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, heads)), h('tbody', {}, all.slice(0, RESULTS).map(result)))),
    h('p', { class: 'caption' }, `${more}As they came, before any check of the whole: the report says which of them count.`),
  );
}

function ahead(moment: Moment): HTMLElement | null {
  if (moment.ahead.length === 0) return null;
  const item = (a: Moment['ahead'][number]): HTMLElement =>
    h('li', {}, h('p', {}, badge('fail', 'about to fail'), ' ', h('b', {}, a.check), ' ', prose(a.sentence)), h('p', { class: 'advice' }, prose(a.advice)));
  return h('ul', { class: 'ahead' }, moment.ahead.map(item));
}

function now(moment: Moment): HTMLElement {
  const { run } = moment;
  if (!run) return h('p', { class: 'now' }, moment.what);
  const of = run.of_s === null ? '' : ` of ${clock(run.of_s)}`;
  return h('p', { class: 'now' }, h('b', {}, run.id), ` ${run.name}, phase ${run.phase}: ${clock(run.at_s)}${of}`);
}

function drawn(moment: Moment): HTMLElement[] {
  const { done, total } = moment;
  const most = moment.is_at_most ? 'at most ' : '';
  const left = moment.left_s === null ? '' : ` · ${moment.is_at_most ? 'at most ' : 'about '}${clock(moment.left_s)} left`;
  const fresh = done - data.runs.length;
  const again = h('button', { type: 'button', class: 'more', onclick: () => location.reload() }, `Draw the report with ${plural(fresh, 'more run')}`);
  return [
    h('p', { class: 'progress' }, h('progress', { max: total, value: done, 'aria-label': 'Runs that are over' }), ` ${done} of ${most}${plural(total, 'run')}${left}`),
    now(moment),
    ahead(moment),
    h('div', { class: 'lanes' }, moment.lanes.map(lane)),
    results(moment.results),
    fresh > 0 ? again : null,
  ].filter((e) => e !== null);
}

/** The panel of a lab at work; none of a report. */
export function live(): HTMLElement | null {
  if (!data.live) return null;
  const heard = h('p', { class: 'caption', role: 'status' });
  const place = h('div', {}, ...drawn(data.live));
  const source = new EventSource('events');
  source.onmessage = (event) => {
    const moment = JSON.parse(event.data as string) as Moment;
    // The report with the last run in it, which is what lies in the record.
    if (moment.is_over) {
      source.close();
      location.reload();
      return;
    }
    heard.textContent = '';
    place.replaceChildren(...drawn(moment));
  };
  source.onerror = () => {
    heard.textContent = `The lab does not answer since ${new Date().toLocaleTimeString()}. If it has stopped, its report lies in its record.`;
  };
  return h('section', { id: 'live', 'aria-labelledby': 'live-title' }, h('h2', { id: 'live-title' }, 'At work'), place, heard);
}
