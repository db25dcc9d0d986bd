// A cell with everything known about it: the drawer that opens from any number. From here each figure leads on to the
// file of the record in which it was written.

import { words } from './axes';
import { badge, evidence, MARK } from './badge';
import { cellById, data, report, runById, type Cell, type Estimate, type Metrics, type PhasePart, type Run } from './data';
import { h } from './dom';
import { cited, clock, duration, interval, metricTitle, quantity, ratio, spread } from './format';
import { get, metricNames, set } from './state';
import { hasLatency, latency, sizes } from './charts/latency';

type Child = Parameters<typeof h>[2];

const dialog = h('dialog', {
  class: 'drawer',
  onclose: () => {
    if (get('cell')) set({ cell: '' });
  },
  onclick: (event: MouseEvent) => {
    if (event.target === dialog) dialog.close();
  },
});

export function drawer(): HTMLElement {
  return dialog;
}

export function showCell(): void {
  const cell = cellById.get(get('cell'));
  if (!cell) return dialog.open ? dialog.close() : undefined;
  dialog.setAttribute('aria-label', `Cell ${cell.id}`);
  dialog.replaceChildren(h('div', { class: 'sheet' }, top(cell), ...body(cell)));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function top(cell: Cell): HTMLElement {
  return h(
    'header',
    {},
    h('div', {}, h('p', { class: 'name' }, `cell ${cell.id}${cell.repeats ? `, repeats ${cell.repeats}` : ''}`), h('h2', {}, words(cell))),
    badge(cell.status),
    h('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => dialog.close() }, '×'),
  );
}

function body(cell: Cell): (HTMLElement | null)[] {
  return [
    headline(cell),
    checks(cell),
    errors(cell),
    distribution(cell),
    phases(cell),
    table('Metrics', Object.fromEntries(Object.entries(cell.metrics).filter(([name]) => !/^(groups|phases)\./.test(name)))),
    ...Object.entries(cell.groups ?? {}).flatMap(([name, group]) => [
      table(`Group ${name}: ${group.workload}`, group.metrics),
      parts(`Statements of ${name}`, group.statements),
    ]),
    runs(cell),
    parts('Statements', cell.statements),
    parts('Operations', cell.operations),
    ...(cell.phases ?? []).map((p) => parts(`Operations of phase ${p.name}`, p.operations)),
    comparisons(cell),
    plans(cell),
  ].filter((e) => e !== null);
}

/** Phases down, with what was done to the server meanwhile and what became of the rate. */
function phases(cell: Cell): HTMLElement | null {
  if (!cell.phases) return null;
  const columns = [...new Set(cell.phases.flatMap((p) => Object.keys(p.metrics)))].filter((m) => PHASE_COLUMNS.includes(m));
  const entry = (e: Estimate | undefined): HTMLElement => h('td', { class: 'num', title: e ? cited(e) : '' }, e ? quantity(e.value, e.unit) : '–');
  const row = (p: PhasePart): HTMLElement => {
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
  const head = h(
    'tr',
    {},
    ['phase', 'meanwhile'].map((t) => h('th', { scope: 'col' }, t)),
    [...columns.map(metricTitle), 'qps ÷'].map((t) => h('th', { scope: 'col', class: 'num' }, t)),
  );
  const told = cell.phases.flatMap((p) => (p.against ? [h('li', {}, p.against.sentence)] : []));
  return block(
    'Phases',
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, head), h('tbody', {}, cell.phases.map(row)))),
    told.length > 0 && told.length <= SENTENCES ? h('ul', {}, told) : null,
  );
}

/** What a table of phases shows; the table of metrics has the rest. */
const PHASE_COLUMNS = ['qps', 'ops_per_s', 'latency_us_p50', 'latency_us_p99', 'recovery_s', 'decline_half_life_s', 'history_drained_s'];
/** With more phases than that, their table says it shorter. */
const SENTENCES = 12;

/** What went wrong and how often. */
function errors(cell: Cell): HTMLElement | null {
  const e = cell.errors;
  if (!e) return null;
  const row = (what: string, ...cells: (string | number | undefined)[]): HTMLElement =>
    h('tr', {}, h('th', { scope: 'row' }, what), ...cells.map((c) => h('td', { class: 'num' }, c === undefined ? '' : String(c))));
  const sessions = [
    e.reconnects ? row('sessions that broke and were opened again', e.reconnects) : null,
    e.renewed ? row('sessions opened anew as asked', e.renewed) : null,
    e.connect_us_p50 === undefined ? null : row('opening a session, p50', quantity(e.connect_us_p50, 'µs')),
    e.connect_us_p99 === undefined ? null : row('opening a session, p99', quantity(e.connect_us_p99, 'µs')),
  ].filter((r) => r !== null);
  const counted = e.by_number.map((n) => row(n.message ? `${n.error}: ${n.message}` : n.error, n.retried, n.failed));
  const head = h('thead', {}, h('tr', {}, ['error', 'tried again', 'failed'].map((c) => h('th', { scope: 'col' }, c))));
  return block(
    'Errors and retries',
    counted.length > 0 ? h('table', {}, head, h('tbody', {}, counted)) : null,
    sessions.length > 0 ? h('table', {}, h('tbody', {}, sessions)) : null,
  );
}

function block(title: string, ...children: Child[]): HTMLElement {
  return h('section', {}, h('h3', {}, title), ...children);
}

function headline(cell: Cell): HTMLElement {
  const name = metricNames.find((m) => cell.metrics[m]) ?? '';
  const e = cell.metrics[get('metric')] ?? cell.metrics[name];
  const shown = cell.metrics[get('metric')] ? get('metric') : name;
  const number = e
    ? h(
        'p',
        { class: `big ${cell.status}` },
        h('b', {}, quantity(e.value, e.unit)),
        h('span', {}, `${metricTitle(shown)} ${spread(e)}, n = ${e.n}`),
        cite(cell, shown),
      )
    : h('p', { class: 'big none' }, h('b', {}, 'no number'), h('span', {}, cell.no_number ?? ''));
  return h(
    'section',
    { class: 'headline' },
    number,
    cell.bound ? h('p', {}, h('span', { class: 'rung' }, cell.bound.label), ' ', cell.bound.sentence) : null,
  );
}

/** The number as one may quote it: with interval, n, checks and runs. */
function cite(cell: Cell, metric: string): HTMLElement {
  const e = cell.metrics[metric];
  const open = cell.verdicts.filter((v) => v.verdict !== 'pass').map((v) => `${v.check} ${v.verdict}`);
  const text = `${report.experiment.name}, ${words(cell)}: ${metricTitle(metric)} ${e ? cited(e) : ''}; ${open.length > 0 ? open.join(', ') : 'all checks passed'}; runs ${cell.runs.join(', ')}`;
  const button = h(
    'button',
    {
      type: 'button',
      class: 'link',
      title: text,
      onclick: () =>
        void navigator.clipboard.writeText(text).then(() => {
          button.textContent = 'copied';
        }),
    },
    'copy with its evidence',
  );
  return button;
}

function checks(cell: Cell): HTMLElement | null {
  if (cell.verdicts.length === 0) return null;
  const order = ['fail', 'warn', 'not_evaluable', 'pass'];
  const sorted = [...cell.verdicts].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const item = (v: Cell['verdicts'][number]): HTMLElement =>
    h(
      'li',
      { class: v.verdict },
      h('span', { class: `badge ${v.verdict}`, title: v.verdict.replace('_', ' ') }, h('span', { class: 'mark' }, MARK[v.verdict])),
      h(
        'div',
        {},
        h(
          'p',
          {},
          h('code', {}, v.check),
          ' ',
          v.sentence,
          v.limit ? h('span', { class: 'soft' }, ` ${v.measured || 'not measured'}, limit ${v.limit}.`) : null,
        ),
        v.advice ? h('p', { class: 'advice' }, v.advice) : null,
        v.evidence.length > 0
          ? h(
              'p',
              { class: 'seen' },
              v.evidence.map((e) => evidence(e)),
            )
          : null,
      ),
    );
  const list = (of: typeof sorted): HTMLElement => h('ul', { class: 'checks' }, of.map(item));
  const [open, passed] = [sorted.filter((v) => v.verdict !== 'pass'), sorted.filter((v) => v.verdict === 'pass')];
  return block(
    'Checks',
    open.length > 0 ? list(open) : null,
    passed.length > 0 ? h('details', {}, h('summary', {}, `${passed.length} passed`), list(passed)) : null,
  );
}

function distribution(cell: Cell): HTMLElement | null {
  if (!hasLatency(cell)) return null;
  return block(
    'Latency',
    latency([cell], [words(cell)], 220).element,
    h('p', { class: 'caption' }, `${sizes([cell])}, all repetitions merged; dashed: fewer than ten operations beyond.`),
  );
}

function table(title: string, metrics: Metrics): HTMLElement | null {
  const names = Object.keys(metrics);
  if (names.length === 0) return null;
  const ordered = [...metricNames.filter((m) => names.includes(m)), ...names.filter((m) => !metricNames.includes(m))];
  const row = (name: string): HTMLElement | null => {
    const e = metrics[name];
    return e
      ? h(
          'tr',
          {},
          h('th', { scope: 'row' }, metricTitle(name), h('code', {}, name)),
          h('td', { class: 'num' }, quantity(e.value, e.unit)),
          h('td', { class: 'num soft' }, interval(e)),
          h('td', { class: 'num' }, e.n),
        )
      : null;
  };
  return block(
    title,
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
            h('th', { scope: 'col' }, 'metric'),
            h('th', { scope: 'col', class: 'num' }, 'value'),
            h('th', { scope: 'col', class: 'num' }, '95 % interval'),
            h('th', { scope: 'col', class: 'num' }, 'n'),
          ),
        ),
        h('tbody', {}, ordered.map(row)),
      ),
    ),
  );
}

/** Statements or operations down, their metrics across. */
function parts(title: string, named: Record<string, Metrics>): HTMLElement | null {
  const names = Object.keys(named);
  if (names.length === 0) return null;
  const columns = [...new Set(names.flatMap((n) => Object.keys(named[n] ?? {})))];
  const entry = (part: string, metric: string): HTMLElement => {
    const e = named[part]?.[metric];
    return h('td', { class: 'num', title: e ? cited(e) : '' }, e ? quantity(e.value, e.unit) : '–');
  };
  return block(
    title,
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
            h('th', {}),
            columns.map((c) => h('th', { scope: 'col', class: 'num' }, metricTitle(c))),
          ),
        ),
        h(
          'tbody',
          {},
          names.map((n) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, n),
              columns.map((c) => entry(n, c)),
            ),
          ),
        ),
      ),
    ),
  );
}

function runs(cell: Cell): HTMLElement {
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
  const head = ['run', 'order', 'started', 'took', metric ? metricTitle(metric) : '', 'ending'].map((t, i) =>
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

function comparisons(cell: Cell): HTMLElement | null {
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

function plans(cell: Cell): HTMLElement | null {
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
