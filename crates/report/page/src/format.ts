// Numbers as a reader wants them: three significant digits, a unit always, thousands apart by a thin space.

import type { Estimate, Status, Value } from './types';

const THIN = '\u202f';

export function digits(x: number, significant = 3): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(x)));
  const step = 10 ** (magnitude - significant + 1);
  const near = Math.round(x / step) * step;
  const text = near.toFixed(Math.max(0, Math.min(9, significant - 1 - Math.floor(Math.log10(Math.abs(near))))));
  const [whole = '', fraction] = text.split('.');
  return whole.replace(/\B(?=(\d{3})+$)/g, THIN) + (fraction ? `.${fraction}` : '');
}

/** `12.3k`: for crowded tables, where digits stand below each other. */
function short(x: number): string {
  const size = Math.abs(x);
  if (size >= 1e6) return `${digits(x / 1e6)}M`;
  return size >= 1e4 ? `${digits(x / 1e3)}k` : digits(x);
}

/** `10k`: for the ticks of an axis, which are round. */
export function tick(x: number, unit = ''): string {
  if (TIMES.has(unit) || unit === 'bytes' || unit === 'share') return quantity(x, unit);
  const size = Math.abs(x);
  if (size >= 1e6) return `${trim(digits(x / 1e6))}M`;
  return size >= 1e3 ? `${trim(digits(x / 1e3))}k` : trim(digits(x));
}

const trim = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

export function micros(us: number): string {
  if (us >= 1e6) return `${trim(digits(us / 1e6))} s`;
  if (us >= 1e3) return `${trim(digits(us / 1e3))} ms`;
  return `${trim(digits(us))} µs`;
}

export function bytes(n: number): string {
  const unit = n >= 2 ** 30 ? 3 : n >= 2 ** 20 ? 2 : n >= 2 ** 10 ? 1 : 0;
  return `${trim(digits(n / 1024 ** unit))} ${['B', 'KiB', 'MiB', 'GiB'][unit] ?? ''}`;
}

export function duration(ms: number): string {
  const s = ms / 1000;
  if (s < 120) return `${trim(digits(s))} s`;
  return s < 7200 ? `${trim(digits(s / 60))} min` : `${trim(digits(s / 3600))} h`;
}

const TIMES = new Set(['us', 'µs', 'microseconds']);
const SIZES = new Set(['bytes', 'B', 'share']);
const BARE = new Set(['', '1', 'count', 'ratio']);

/** A value with its unit. */
export function quantity(value: number, unit: string): string {
  if (TIMES.has(unit)) return micros(value);
  if (unit === 'bytes' || unit === 'B') return bytes(value);
  if (unit === 'share') return `${trim(digits(value * 100))} %`;
  return BARE.has(unit) ? trim(digits(value)) : `${trim(digits(value))} ${unit}`;
}

/** The same where a column is narrow. */
export function tight(value: number, unit: string): string {
  return TIMES.has(unit) || unit === 'bytes' || unit === 'B' || unit === 'share' ? quantity(value, unit) : short(value);
}

/** The unit once, unless it changes with the size. */
export function interval(e: Estimate): string {
  if (e.low === null || e.high === null) return 'no interval';
  const low = TIMES.has(e.unit) || SIZES.has(e.unit) ? quantity(e.low, e.unit) : trim(digits(e.low));
  return `${low} – ${quantity(e.high, e.unit)}`;
}

/** Half the interval, relative to the value. */
export function spread(e: Estimate): string {
  if (e.low === null || e.high === null || e.value === 0) return '';
  const half = (Math.abs(e.high - e.low) / 2 / Math.abs(e.value)) * 100;
  return half > 100 ? '± over 100 %' : `± ${half.toFixed(half < 10 ? 1 : 0)} %`;
}

/** `12 300/s (12 100/s – 12 500/s, 95 % interval, n = 3)`. */
export function cited(e: Estimate): string {
  return `${quantity(e.value, e.unit)} (${e.low === null ? 'no interval' : `${interval(e)}, 95 % interval`}, n = ${e.n})`;
}

export function ratio(r: number): string {
  return r >= 9.995 ? digits(r) : r.toFixed(2);
}

export function show(value: Value | undefined): string {
  if (value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number' && value >= 2 ** 20 && value % 2 ** 20 === 0 ? bytes(value) : String(value);
}

export const STATUS: Record<Status, string> = {
  not_applicable: 'not applicable',
  pass: 'pass',
  not_evaluable: 'not evaluable',
  warn: 'warn',
  fail: 'fail',
};
/** As the judge orders them, worst first. */
export const WORST_FIRST: Status[] = ['fail', 'warn', 'not_evaluable', 'pass', 'not_applicable'];
/** Those that say something of a number. */
export const JUDGED: Status[] = WORST_FIRST.filter((s) => s !== 'not_applicable');
/** Neither passed nor out of place: a reader has to look at it. */
export const isOpen = (s: Status): boolean => s !== 'pass' && s !== 'not_applicable';

/** `groups.readers.qps`: of which group, and what. */
function partOf(metric: string): [string, string] {
  const path = /^groups\.([^.]+)\.(.+)$/.exec(metric);
  return [path?.[1] ?? '', path?.[2] ?? metric];
}

export function metricTitle(path: string): string {
  const [group, name] = partOf(path);
  if (group) return `${group}: ${metricTitle(name)}`;
  const known: Record<string, string> = { qps: 'QPS', tps: 'TPS', ops_per_s: 'operations', nopm: 'NOPM', knee_rate: 'highest rate', peak_users: 'users at the peak' };
  const percentile = /^latency_us_p([\d.]+)$/.exec(name);
  return known[name] ?? (percentile ? `latency p${percentile[1] ?? ''}` : name.replace(/_us_/, ' ').replaceAll('_', ' '));
}

/** Whether more of it is better (1), worse (-1), or neither. */
export function direction(metric: string): -1 | 0 | 1 {
  const name = partOf(metric)[1];
  if (/^(qps|tps|nopm|knee_rate|.*_per_s)$/.test(name)) return 1;
  return /latency|cpu|error|switches|wait|_per_op$/.test(name) ? -1 : 0;
}

export function clock(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 19).replace('T', ' ') + ' UTC';
}

export const plural = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;
