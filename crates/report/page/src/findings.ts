// Explanations, each with the rung of evidence that it reached, what share of the time it covers, what else would explain it,
// and the command that would raise or refute it. The ladder is drawn, so that a reader sees what is missing at the top.

import { evidences } from './badge';
import { report } from './data';
import { h } from './dom';
import type { Finding } from './types';

const LADDER = ['unexplained', 'consistent_with', 'quantitatively_sufficient', 'dose_response', 'confirmed_by_intervention'];
const plain = (word: string): string => word.replaceAll('_', ' ');
const percent = (share: number): string => `${Math.round(share * 100)} %`;

export function findings(): HTMLElement {
  return h('ul', { class: 'findings' }, report.findings.map(one));
}

function one(f: Finding): HTMLElement {
  const at = LADDER.indexOf(f.rung);
  const steps = LADDER.slice(1).map((_, i) => h('i', { class: i < at ? 'reached' : '' }));
  const [low, high] = f.share_interval ?? [];
  const between = low === undefined || high === undefined || low === high ? '' : ` (${percent(low)} – ${percent(high)})`;
  return h(
    'li',
    {},
    h(
      'p',
      { class: 'claim' },
      h('b', {}, plain(f.name)),
      h('span', { class: 'rung', title: `rung ${at} of ${LADDER.length - 1}` }, h('span', { class: 'ladder', 'aria-hidden': 'true' }, steps), plain(f.rung)),
      f.share === null ? null : h('span', { class: 'soft' }, `explains ${percent(f.share)}${between}`),
    ),
    h('p', {}, f.sentence),
    f.rival ? h('p', { class: f.rival.undecided ? 'rival undecided' : 'rival' }, f.rival.sentence) : null,
    f.next_experiment ? next(f.next_experiment, f.next_file) : null,
    evidences(f.evidence),
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
