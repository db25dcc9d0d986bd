// The one chart that shows the answer, chosen by the shape of the experiment: what was searched for, steps over iterations, lanes around
// a disturbance, curves over a number, bars against a reference, or how the one run went.

import { report } from '../data';
import { h } from '../dom';
import { metricTitle, show } from '../format';
import { get } from '../state';
import { around, soleRun } from './disturbed';
import { bars, barsOf } from './bars';
import { reference } from './heatmap';
import { hasHero, hero } from './scaling';
import { searches } from './search';
import { hasSteps, leadingSteps } from './steps';

/** Nothing where nothing was measured. */
export function lead(): HTMLElement | null {
  if ((report.searches ?? []).length > 0) return searches(true);
  if (hasSteps()) return leadingSteps();
  return around() ?? (hasHero() ? hero() : null) ?? barred() ?? soleRun();
}

function barred(): HTMLElement | null {
  const b = barsOf();
  if (!b) return null;
  const axis = reference().axis;
  const among = axis && b.against ? ` Dashed: ${axis.key} ${show(reference().value)}, which the others are held against.` : '';
  const more = b.left > 0 ? ` ${b.left} more in the ${b.tests ? 'tables' : 'matrix'}.` : '';
  const medians = (report.overall ?? []).length > 0 ? 'The median ratio of all tests and of each group, then each' : 'Each';
  const what = b.tests ? `${medians} test against its like, the surest and largest differences; =: the same, ?: undecided` : metricTitle(get('metric'));
  return h('div', {}, bars(b), h('p', { class: 'caption' }, `${what}; whiskers: 95 % intervals.${among}${more}`));
}

