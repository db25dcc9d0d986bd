// The first screen: the question, the answer, the one chart that shows it, then how far the numbers may be believed and what explains
// them. Whoever reads on opens the parts below.

import { constant } from './axes';
import { badge } from './badge';
import { lead } from './charts/lead';
import { data, report } from './data';
import { h } from './dom';
import { clock, duration, isOpen, JUDGED, plural, show, STATUS } from './format';
import { HARDLY, ladder, percent, plain } from './findings';
import { prose, unbroken } from './prose';
import { link } from './state';
import { verdicts } from './verdicts';
import type { Claim, Finding, Status } from './types';

/** Sentences before the chart that shows them: with it, as much as one screen holds. */
const ANSWERS = 3;
/** Letters that they may take beyond the first. */
const LETTERS = 420;
/** Findings beside the chart. */
const FINDINGS = 2;

export function heading(): HTMLElement {
  const e = report.experiment;
  const started = data.runs.length > 0 ? Math.min(...data.runs.map((r) => r.started)) : undefined;
  const ended = Math.max(...data.runs.map((r) => r.ended));
  const servers = [...new Set(data.instances.map((i) => `${i.kind} ${i.version.join('.')}`))];
  const facts = [
    e.scale ? `scale ${e.scale}` : '',
    `${plural(report.cells.length, 'cell')}, ${plural(data.runs.length, 'run')}`,
    plural(e.repetitions, 'repetition'),
    servers.join(', '),
    constant.map((a) => `${a.key} ${show(a.values[0])}`).join(', '),
    `${report.host.cpu_model}, ${report.host.cpus.length} CPUs`,
    started === undefined ? '' : `${clock(started)}, ${duration(ended - started)}`,
  ].filter((f) => f !== '');
  return h(
    'header',
    { class: 'top' },
    h('p', { class: 'name' }, e.name),
    h('h1', {}, unbroken(e.question)),
    h(
      'p',
      { class: 'facts' },
      facts.map((f) => h('span', {}, f)),
    ),
  );
}

/** The answers that are told on the first screen: the first, and as many more as leave room for the chart. */
export function told(): Claim[] {
  const answers = report.claims.filter((c) => c.is_answer);
  let letters = 0;
  return answers.slice(0, ANSWERS).filter((c, i) => {
    letters += c.sentence.length;
    return i === 0 || letters <= LETTERS;
  });
}

export function first(): HTMLElement {
  const chart = lead();
  const sentences = told().map((c) => h('p', { class: c.status === 'fail' ? 'doubtful' : '' }, prose(c.sentence)));
  return h(
    'section',
    { id: 'answer', 'aria-label': 'Answer' },
    sentences,
    h(
      'div',
      { class: chart ? 'first' : 'first bare' },
      chart ? h('div', { class: 'lead-chart' }, chart) : null,
      h('aside', { 'aria-label': 'How far to believe it, and why it is so' }, health(), found()),
    ),
  );
}

function standing(): Status {
  const { numbers, stand, reasons } = report.health;
  if (numbers === 0 || (reasons.length > 0 && reasons.every((r) => r.standing === 'missing') && stand === 0)) return 'not_evaluable';
  if (reasons.some((r) => r.standing === 'struck')) return stand === 0 ? 'fail' : 'warn';
  return reasons.length > 0 ? 'warn' : 'pass';
}

/** What is wrong with the experiment comes before what was wrong with the machine: no further run mends it. */
function todo(): string | undefined {
  const failed = report.verdicts.filter((v) => v.verdict === 'fail' && !v.quarantined).map((v) => v.advice);
  return [...failed, ...report.health.reasons.map((r) => r.advice)].find((advice) => advice !== '');
}

const WORDS: Record<Status, string> = { pass: 'counts', warn: 'counts in part', fail: 'does not count', not_evaluable: 'not measured', not_applicable: '' };

function health(): HTMLElement {
  const number = (s: Status): number => verdicts.filter(({ verdict: v }) => v.verdict === s && !(v.quarantined && isOpen(s))).length;
  const status = standing();
  const advice = todo();
  return h(
    'section',
    { class: 'health', 'aria-labelledby': 'health-title' },
    h('h2', { id: 'health-title' }, 'May it be believed?'),
    h('p', {}, badge(status, WORDS[status]), ' ', prose(report.health.sentence)),
    advice ? h('p', { class: 'advice' }, prose(advice)) : null,
    h(
      'ul',
      { class: 'counts' },
      JUDGED.map((s) =>
        h('li', { class: s }, h('a', { href: link({ status: s, check: '', at: 'checks' }) }, h('b', {}, number(s)), ' ', h('span', {}, STATUS[s]))),
      ),
    ),
  );
}

function found(): HTMLElement | null {
  const all = report.findings;
  if (all.length === 0) return null;
  const item = (f: Finding): HTMLElement =>
    h(
      'li',
      {},
      h('p', { class: 'claim' }, h('b', {}, plain(f.name)), ladder(f), f.share !== null && f.share >= HARDLY ? h('span', { class: 'soft' }, `explains ${percent(f.share)}`) : null),
      h('p', { class: 'clamped long' }, prose(f.sentence)),
    );
  const more = all.length > FINDINGS ? `All ${all.length} findings, each beside its chart` : all.length > 1 ? 'Both beside their charts' : 'Beside its chart, with its evidence';
  return h(
    'section',
    { class: 'found', 'aria-labelledby': 'found-title' },
    h('h2', { id: 'found-title' }, 'What explains it'),
    h('ul', {}, all.slice(0, FINDINGS).map(item)),
    h('p', {}, h('a', { href: link({ at: 'findings' }) }, more)),
  );
}
