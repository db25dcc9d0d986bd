// What the reader has chosen, kept in the URL's fragment, so that a link leads to the same view. Listeners are told
// after each change; nobody else holds state.

import { interest, present, varied, x } from './axes';
import { report } from './data';
import { show } from './format';

const HEADLINES = ['knee_rate', 'qps', 'ops_per_s', 'tps', 'nopm'];

const metrics = [...new Set(report.cells.flatMap((c) => Object.keys(c.metrics)))];
export const metricNames: string[] = [...HEADLINES.filter((m) => metrics.includes(m)), ...metrics.filter((m) => !HEADLINES.includes(m))];

const lines = varied.filter((a) => a !== x && a.key !== 'workload' && present(a).length > 1);
const asked = interest.find((a) => report.comparisons.some((c) => c.axis === a.key));
const comparedBy = (asked !== x ? asked : undefined) ?? lines.at(-1) ?? varied.find((a) => a !== x) ?? x;

const DEFAULTS: Record<string, string> = {
  metric: metricNames[0] ?? '',
  axis: comparedBy?.key ?? '',
  ref: comparedBy ? show(present(comparedBy)[0]) : '',
  cell: '',
  at: '',
  open: '',
  y: 'row',
  as: 'absolute',
  status: 'fail,warn,not_evaluable',
  check: '',
  series: '',
  profile: '',
  time: '',
  against: '',
  find: '',
  theme: '',
};

type Listener = (changed: Set<string>) => void;
const listeners: Listener[] = [];
let current = parse();

function parse(): Record<string, string> {
  const written = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return { ...DEFAULTS, ...Object.fromEntries(Object.entries(written).filter(([k]) => k in DEFAULTS)) };
}

export function get(key: string): string {
  return current[key] ?? '';
}

export function listen(listener: Listener): void {
  listeners.push(listener);
}

function apply(next: Record<string, string>): void {
  const changed = new Set(Object.keys(next).filter((k) => next[k] !== current[k]));
  current = next;
  if (changed.size > 0) for (const listener of listeners) listener(changed);
}

/** The fragment that would lead to the present view with these changes. */
export function link(changes: Record<string, string>): string {
  const kept = Object.entries({ ...current, ...changes }).filter(([k, v]) => v !== DEFAULTS[k]);
  return `#${new URLSearchParams(kept).toString().replaceAll('%2C', ',')}`;
}

export function set(changes: Record<string, string>): void {
  // Opening a cell is a step that "back" undoes; turning a knob is not.
  history[changes.cell ? 'pushState' : 'replaceState'](null, '', link(changes));
  apply({ ...current, ...changes });
}

addEventListener('popstate', () => apply(parse()));
addEventListener('hashchange', () => apply(parse()));
