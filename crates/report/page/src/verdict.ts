// What else the judge says of the whole: claims that the first screen has no room for, what was not measured, and how to do it again.

import { badge, evidences } from './badge';
import { report } from './data';
import { h } from './dom';
import { told } from './first';
import { prose } from './prose';

export function verdict(): HTMLElement {
  const shown = new Set(told());
  const others = [...report.claims.filter((c) => !c.is_answer), ...report.claims.filter((c) => c.is_answer && !shown.has(c))];
  const claims = others.map((c) =>
    h('li', { class: c.status }, badge(c.status), h('div', {}, h('p', {}, prose(c.sentence)), c.evidence.length > 0 ? evidences(c.evidence) : null)),
  );
  return h(
    'div',
    {},
    claims.length > 0 ? h('ol', { class: 'claims' }, claims) : null,
    report.claims.length === 0 ? h('p', {}, 'Nothing is claimed.') : null,
    h('div', { class: 'beside' }, notMeasured(), repeat()),
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
