// The runs behind a cell, each with its place in the order and the file in which it is written; the cells that it is compared
// with; and how the server meant to carry out each statement.

import { evidence } from '../badge';
import { data, report, runById } from '../data';
import { h } from '../dom';
import { clock, duration, metricTitle, quantity, ratio } from '../format';
import { block } from './block';
import type { Cell, Run } from '../types';

export function runs(cell: Cell): HTMLElement {
  const metric = Object.keys(cell.repetitions)[0];
  const values = [...(metric ? (cell.repetitions[metric] ?? []) : [])];
  const row = (id: string): HTMLElement => {
    const run = runById.get(id);
    const value = run?.ending === 'done' ? values.shift() : undefined;
    return h(
      'tr',
      { class: run?.ending ?? '' },
      h('th', { scope: 'row' }, evidenceOf(id)),
      h('td', { class: 'num' }, run?.position ?? ''),
      h('td', {}, run ? clock(run.started) : 'not carried out'),
      h('td', { class: 'num' }, run ? duration(run.ended - run.started) : ''),
      h('td', { class: 'num' }, value === undefined ? '–' : quantity(value, metric ? (cell.metrics[metric]?.unit ?? '') : '')),
      h('td', {}, run ? ending(run) : ''),
    );
  };
  const head = ['run', 'order', 'started', 'took', metric ? metricTitle(metric) : 'value', 'ending'].map((t, i) =>
    h('th', { scope: 'col', class: [1, 3, 4].includes(i) ? 'num' : '' }, t),
  );
  return block(
    'Runs',
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, cell.runs.map(row)))),
    environment(cell),
  );
}

const evidenceOf = (run: string): HTMLElement => evidence(`runs/${run}/run.json`);
const ending = (run: Run): string =>
  `${run.ending}${run.reason ? `: ${run.reason}` : ''}${run.failed > 0 ? `, ${run.failed} operations failed` : ''}`;

function environment(cell: Cell): HTMLElement | null {
  const run = cell.runs.map((id) => runById.get(id)).find((r) => r !== undefined);
  if (!run) return null;
  const session = run.session === null ? undefined : data.sessions[run.session];
  const facts = [
    run.instance ? `instance ${run.instance}` : '',
    run.dataset ? `dataset ${run.dataset}` : '',
    run.start?.restored ? `restored by ${run.start.restored.manner} in ${duration(run.start.restored.time / 1e6)}` : '',
    session?.transport ?? '',
    `${run.io}, ${run.workers} ${run.workers === 1 ? 'worker' : 'workers'}`,
    ...Object.entries(session?.variables ?? {}).map(([k, v]) => `${k} = ${v}`),
  ];
  return h('p', { class: 'caption' }, facts.filter((f) => f !== '').join(' · '));
}

export function comparisons(cell: Cell): HTMLElement | null {
  const mine = report.comparisons.filter((c) => c.base === cell.id || c.candidate === cell.id);
  if (mine.length === 0) return null;
  const row = (c: (typeof mine)[number]): HTMLElement =>
    h(
      'tr',
      {},
      h('td', {}, metricTitle(c.metric)),
      h('td', {}, evidence(c.candidate), ' ÷ ', evidence(c.base)),
      h('td', { class: 'num' }, ratio(c.ratio.value)),
      h(
        'td',
        { class: 'num soft' },
        c.ratio.low === null || c.ratio.high === null ? 'no interval' : `${ratio(c.ratio.low)} – ${ratio(c.ratio.high)}`,
      ),
      h('td', {}, h('span', { class: `rung ${c.outcome}` }, c.outcome), ' ', c.sentence),
    );
  return block(
    'Comparisons',
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ['metric', 'cells', 'ratio', '95 % interval', 'outcome'].map((t) => h('th', { scope: 'col' }, t)),
          ),
        ),
        h('tbody', {}, mine.map(row)),
      ),
    ),
  );
}

export function plans(cell: Cell): HTMLElement | null {
  const run = cell.runs.map((id) => runById.get(id)).find((r) => r?.session !== null && r?.session !== undefined);
  const session = run?.session === null || run?.session === undefined ? undefined : data.sessions[run.session];
  if (!session || session.plans.length === 0) return null;
  const item = (p: (typeof session.plans)[number]): HTMLElement =>
    h(
      'details',
      {},
      h('summary', {}, h('code', {}, p.statement), ` ${p.rows} ${p.rows === 1 ? 'row' : 'rows'}`),
      h('pre', {}, p.sql),
      h('pre', {}, p.explain),
      h(
        'p',
        { class: 'caption' },
        Object.entries(p.handlers)
          .map(([k, v]) => `${k} = ${v}`)
          .join(' · '),
      ),
    );
  return block('How the server carried it out', session.plans.map(item));
}
