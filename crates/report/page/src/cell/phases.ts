// The phases of a cell side by side, each against the first that did the same and was left alone, with its groups below.

import { h } from '../dom';
import { cited, metricTitle, quantity, ratio } from '../format';
import { block } from './block';
import type { Cell, Estimate, Part, PhaseJudgement } from '../types';

/** What a table of phases shows; the table of metrics has the rest. */
const PHASE_COLUMNS = ['qps', 'ops_per_s', 'latency_us_p50', 'latency_us_p99', 'recovery_s', 'decline_half_life_s', 'history_drained_s'];
/** With more phases than that, their table says it shorter. */
const SENTENCES = 12;

/** Phases down, with what was done to the server meanwhile and what became of the rate. */
export function phases(cell: Cell): HTMLElement | null {
  if (!cell.phases) return null;
  const columns = [...new Set(cell.phases.flatMap((p) => Object.keys(p.metrics)))].filter((m) => PHASE_COLUMNS.includes(m));
  const entry = (e: Estimate | undefined): HTMLElement => h('td', { class: 'num', title: e ? cited(e) : '' }, e ? quantity(e.value, e.unit) : '–');
  const row = (p: PhaseJudgement): HTMLElement => {
    const r = p.against?.ratios.qps;
    const range = r && r.low !== null && r.high !== null ? ` ${ratio(r.low)} – ${ratio(r.high)}` : '';
    return h(
      'tr',
      { title: p.against?.sentence ?? '' },
      h('th', { scope: 'row' }, p.name, p.workload === cell.workload ? null : h('code', {}, p.workload)),
      h('td', {}, p.disturb ?? ''),
      columns.map((c) => entry(p.metrics[c])),
      h('td', { class: 'num' }, r ? ratio(r.value) : '', h('span', { class: 'soft' }, range)),
    );
  };
  const ofGroup = ([name, part]: [string, Part]): HTMLElement =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, `– ${name}`, h('code', {}, part.workload)),
      h('td', {}),
      columns.map((c) => entry(part.metrics[c])),
      h('td', {}),
    );
  const rows = cell.phases.flatMap((p) => [row(p), ...Object.entries(p.groups ?? {}).map(ofGroup)]);
  const head = h(
    'tr',
    {},
    ['phase', 'meanwhile'].map((t) => h('th', { scope: 'col' }, t)),
    [...columns.map(metricTitle), 'qps ÷'].map((t) => h('th', { scope: 'col', class: 'num' }, t)),
  );
  const told = cell.phases.flatMap((p) => (p.against ? [h('li', {}, p.against.sentence)] : []));
  return block(
    'Phases',
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, head), h('tbody', {}, rows))),
    told.length > 0 && told.length <= SENTENCES ? h('ul', {}, told) : null,
  );
}
