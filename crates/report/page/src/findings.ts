// Explanations, each beside the chart that shows it, with the rung of evidence that it reached, what share of the time it covers, what else
// would explain it, and the command that would raise or refute it. The ladder is drawn, so that a reader sees what is missing at the top.

import { evidences } from './badge';
import { account } from './cell/account';
import { aroundCell } from './charts/disturbed';
import { figure as forecast } from './charts/forecast';
import { curvesOf } from './charts/scaling';
import { cellById, report, runById } from './data';
import { h } from './dom';
import { prose } from './prose';
import type { Cell, Finding } from './types';

const LADDER = ['unexplained', 'consistent_with', 'quantitatively_sufficient', 'dose_response', 'confirmed_by_intervention'];
/** A share below this explains nothing, and is not told. */
export const HARDLY = 0.01;
export const plain = (word: string): string => word.replaceAll('_', ' ');
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export function findings(): HTMLElement {
  return h('ul', { class: 'findings' }, report.findings.map(one));
}

/** How far up it is, drawn and in words. */
export function ladder(f: Finding): HTMLElement {
  const at = LADDER.indexOf(f.rung);
  const steps = LADDER.slice(1).map((_, i) => h('i', { class: i < at ? 'reached' : '' }));
  return h('span', { class: 'rung', title: `rung ${at} of ${LADDER.length - 1}` }, h('span', { class: 'ladder', 'aria-hidden': 'true' }, steps), plain(f.rung));
}

/** The cells that it rests on, each once. */
function cellsOf(f: Finding): Cell[] {
  const ids = f.evidence.map((e) => (cellById.has(e) ? e : runById.get(e.replace(/^runs\/([^/]+)\/.*$/, '$1'))?.cell));
  return [...new Set(ids)].flatMap((id) => (id ? (cellById.get(id) ?? []) : []));
}

/** What was foretold, else the lanes around the disturbance, else the curve, else where the time of an operation went. */
function chartOf(f: Finding): HTMLElement | null {
  const foretold = (report.forecasts ?? []).find((g) => g.finding === f.name && (f.evidence.includes(g.cell) || cellsOf(f).some((c) => c.id === g.cell)));
  if (foretold) return forecast(foretold);
  const cells = cellsOf(f);
  const drawn = (draw: (cell: Cell) => HTMLElement | null): HTMLElement | null => cells.reduce<HTMLElement | null>((done, cell) => done ?? draw(cell), null);
  return drawn(aroundCell) ?? drawn((cell) => curvesOf(cell, cells)) ?? drawn(account);
}

function one(f: Finding): HTMLElement {
  const [low, high] = f.share_interval ?? [];
  const between = low === undefined || high === undefined || low === high ? '' : ` (${percent(low)} – ${percent(high)})`;
  const chart = chartOf(f);
  return h(
    'li',
    { class: chart ? 'with-chart' : '' },
    h(
      'div',
      { class: 'words' },
      h('h3', { class: 'claim' }, h('b', {}, plain(f.name)), ladder(f), f.share === null || f.share < HARDLY ? null : h('span', { class: 'soft' }, `explains ${percent(f.share)}${between}`)),
      h('p', {}, prose(f.sentence)),
      f.rival ? h('p', { class: f.rival.undecided ? 'rival undecided' : 'rival' }, prose(f.rival.sentence)) : null,
      f.next_experiment ? next(f.next_experiment, f.next_file) : null,
      evidences(f.evidence),
    ),
    chart ? h('div', { class: 'shows' }, chart) : null,
  );
}

function next(text: string, file: string | undefined): HTMLElement {
  return h(
    'div',
    { class: 'next' },
    h('p', { class: 'soft' }, 'This would raise or refute it:'),
    file ? h('pre', {}, `assay run RECORD/${file}`) : null,
    h('details', {}, h('summary', {}, 'the experiment as a file'), h('pre', {}, text)),
  );
}
