// The opening: the answer with the chart that shows it, then what may be claimed, what may not, and why. Everything else on the page
// is evidence for these sentences.

import { badge, evidences } from './badge';
import { constant } from './axes';
import { data, report } from './data';
import { hasHero, hero } from './charts/scaling';
import { h } from './dom';
import { clock, duration, JUDGED, plural, show, STATUS } from './format';
import { link } from './state';
import type { Status } from './types';

/** Letters of a word that fits on a line of any screen. */
const LONGEST = 16;

export const verdicts = [
  ...report.verdicts.map((verdict) => ({ verdict, cell: undefined })),
  ...report.cells.flatMap((cell) => cell.verdicts.map((verdict) => ({ verdict, cell }))),
];

/** A browser breaks lines at hyphens, and TPC-C is one word. */
function unbroken(text: string): (string | HTMLElement)[] {
  return text.split(/(\S*\S-\S+)/).map((part, i) => (i % 2 === 1 && part.length <= LONGEST ? h('span', { class: 'word' }, part) : part));
}

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

/** Sentences before the chart that shows them: with it, as much as one screen holds. */
const ANSWERS = 2;

/** What was found out, in words and in one picture; nothing where nothing was. */
export function answerSection(): HTMLElement | null {
  const answers = report.claims.filter((c) => c.is_answer).slice(0, ANSWERS);
  if (answers.length === 0 && !hasHero()) return null;
  return h(
    'section',
    { id: 'answer', 'aria-label': 'Answer' },
    answers.map((c) => h('p', {}, c.sentence)),
    hasHero() ? hero() : null,
  );
}

export function verdictSection(): HTMLElement {
  const answers = report.claims.filter((c) => c.is_answer);
  const claims = [...report.claims.filter((c) => !c.is_answer), ...answers].map((c) =>
    h(
      'li',
      { class: c.status },
      badge(c.status),
      h(
        'div',
        {},
        h('p', {}, c.sentence),
        c.evidence.length > 0 ? evidences(c.evidence) : null,
      ),
    ),
  );
  return h(
    'section',
    { id: 'verdict', 'aria-label': 'Verdict' },
    claims.length > 0 ? h('ol', { class: 'claims' }, claims) : null,
    report.claims.length === 0 ? h('p', {}, 'Nothing is claimed.') : null,
    h('div', { class: 'beside' }, counts(), notMeasured(), repeat()),
  );
}

function counts(): HTMLElement {
  const number = (s: Status): number => verdicts.filter((v) => v.verdict.verdict === s).length;
  return h(
    'div',
    { class: 'box' },
    h('h3', {}, 'Checks'),
    h(
      'ul',
      { class: 'counts' },
      JUDGED.map((s) =>
        h(
          'li',
          { class: s },
          h('a', { href: link({ status: s, check: '', at: 'checks' }) }, h('b', {}, number(s)), h('span', {}, STATUS[s])),
        ),
      ),
    ),
  );
}

function notMeasured(): HTMLElement {
  return h(
    'div',
    { class: 'box' },
    h('h3', {}, 'Not measured'),
    report.not_measured.length === 0
      ? h('p', {}, 'Nothing that was asked for is missing.')
      : h(
          'ul',
          {},
          report.not_measured.map((s) => h('li', {}, s)),
        ),
  );
}

function repeat(): HTMLElement {
  return h(
    'div',
    { class: 'box' },
    h('h3', {}, 'Repeat it'),
    h('p', {}, 'Measure again:'),
    h('pre', {}, report.experiment.command),
    h('p', {}, 'Judge and draw this record again:'),
    h('pre', {}, 'assay report RECORD'),
  );
}
