// A cell with everything known about it: the drawer that opens from any number. From here each figure leads on to the
// file of the record in which it was written. The parts of the drawer are in `cell/`.

import { words } from './axes';
import { badge, evidences } from './badge';
import { account } from './cell/account';
import { block } from './cell/block';
import { checks, errors } from './cell/checks';
import { costs } from './cell/costs';
import { parts, table } from './cell/numbers';
import { phases } from './cell/phases';
import { comparisons, plans, runs } from './cell/runs';
import { legend } from './charts/chart';
import { course } from './charts/disturbed';
import { copied } from './clipboard';
import { COLOURS, hasLatency, latency, operations, sizes } from './charts/latency';
import { cellById, report } from './data';
import { h } from './dom';
import { cited, isOpen, metricTitle, quantity, spread } from './format';
import { get, metricNames, set } from './state';
import type { Cell } from './types';

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
    account(cell),
    checks(cell),
    errors(cell),
    lanes(cell),
    distribution(cell),
    phases(cell),
    table('Metrics', Object.fromEntries(Object.entries(cell.metrics).filter(([name]) => !/^(groups|phases)\./.test(name))), cell),
    ...Object.entries(cell.groups ?? {}).flatMap(([name, group]) => [
      table(`Group ${name}: ${group.workload}`, group.metrics),
      parts(`Statements of ${name}`, group.statements),
    ]),
    costs(cell),
    runs(cell),
    parts('Statements', cell.statements),
    parts('Operations', cell.operations),
    ...(cell.phases ?? []).map((p) => parts(`Operations of phase ${p.name}`, p.operations)),
    comparisons(cell),
    plans(cell),
  ].filter((e) => e !== null);
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
    cell.bound?.evidence?.length ? evidences(cell.bound.evidence) : null,
  );
}

/** The number as one may quote it: with interval, n, checks and runs. */
function cite(cell: Cell, metric: string): HTMLElement {
  const e = cell.metrics[metric];
  const open = cell.verdicts.filter((v) => isOpen(v.verdict)).map((v) => `${v.check} ${v.verdict}`);
  const text = `${report.experiment.name}, ${words(cell)}: ${metricTitle(metric)} ${e ? cited(e) : ''}; ${open.length > 0 ? open.join(', ') : 'all checks passed'}; runs ${cell.runs.join(', ')}`;
  const button = h(
    'button',
    {
      type: 'button',
      class: 'link',
      title: text,
      onclick: () =>
        void copied(text).then((done) => {
          button.textContent = done ? 'copied' : 'copying was refused';
        }),
    },
    'copy with its evidence',
  );
  return button;
}

/** Its runs on one clock. */
function lanes(cell: Cell): HTMLElement | null {
  const drawn = course(cell);
  return drawn && block('How its runs went', drawn);
}

function distribution(cell: Cell): HTMLElement | null {
  if (!hasLatency(cell)) return null;
  const names = operations([cell]).slice(0, COLOURS);
  return block(
    'Latency',
    names.length > 1 ? legend(names) : null,
    latency([cell], [words(cell)], 220).element,
    h('p', { class: 'caption' }, `${sizes([cell])}, all repetitions merged; dashed: fewer than ten operations beyond.${operations([cell]).length > COLOURS ? ` The ${COLOURS} commonest operations are drawn.` : ''}`),
  );
}
