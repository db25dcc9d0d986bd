// Puts the page together: the first screen (`first.ts`), and below it the parts, folded until a reader asks for one, in the order in which
// they are needed. Each part is drawn from data and the chosen view, and drawn again when that changes.

import './style.css';
import { present, varied, x } from './axes';
import { drawer, showCell } from './cell';
import { best, hasBest } from './charts/best';
import { forecasts, hasForecasts } from './charts/forecast';
import { heatmap, narrow } from './charts/heatmap';
import { drawable } from './charts/latency';
import { replicates } from './charts/replicates';
import { facetAxes, scaling } from './charts/scaling';
import { searches } from './charts/search';
import { hasSteps, steps } from './charts/steps';
import { timeline } from './charts/timeline';
import { data, report } from './data';
import { distribution } from './distribution';
import { folded, h, select, toggle } from './dom';
import { findings } from './findings';
import { first, heading } from './first';
import { metricTitle, plural, show } from './format';
import { ledger } from './ledger';
import { live } from './live';
import { plans, plansDiffer } from './plans';
import { profile, profiled } from './profile';
import { provenance } from './provenance';
import { get, link, listen, metricNames, set } from './state';
import { hasTables, tables } from './tables';
import { isDark, onTheme, setTheme } from './theme';
import { verdict } from './verdict';
import { explained, waits } from './waits';

/** A part of the page that is drawn again when one of these choices changes. */
function part(keys: string[], draw: () => HTMLElement, media?: MediaQueryList): HTMLElement {
  const place = h('div', { class: 'part' }, draw());
  listen((changed) => {
    if (keys.some((k) => changed.has(k))) place.replaceChildren(draw());
  });
  media?.addEventListener('change', () => place.replaceChildren(draw()));
  return place;
}

function comparison(): HTMLElement {
  const axis = varied.find((a) => a.key === get('axis'));
  return h(
    'div',
    { class: 'controls' },
    select(
      'metric',
      metricNames.map((m) => ({ value: m, label: metricTitle(m) })),
      get('metric'),
      (metric) => set({ metric }),
    ),
    varied.length > 0
      ? select(
          'compare',
          varied.map((a) => ({ value: a.key, label: a.key })),
          get('axis'),
          (key) => {
            const next = varied.find((a) => a.key === key);
            set({ axis: key, ref: show(next ? present(next)[0] : undefined) });
          },
        )
      : null,
    axis
      ? select(
          'with',
          present(axis).map((v) => ({ value: show(v), label: show(v) })),
          get('ref'),
          (ref) => set({ ref }),
        )
      : null,
  );
}

function curveControls(): HTMLElement {
  const axis = varied.find((a) => a.key === get('axis'));
  return h(
    'div',
    { class: 'controls' },
    toggle(
      'values',
      [
        { value: 'absolute', label: 'absolute' },
        { value: 'relative', label: `relative to ${typeof axis?.values[0] === 'string' ? '' : `${get('axis')} `}${get('ref')}` },
      ],
      get('as'),
      (as) => set({ as }),
    ),
    toggle(
      'y axis shared',
      [
        { value: 'own', label: 'no' },
        { value: 'row', label: `by ${facetAxes()[0]?.key ?? 'row'}` },
        { value: 'all', label: 'by all' },
      ],
      get('y'),
      (y) => set({ y }),
    ),
  );
}

function skipped(): HTMLElement | null {
  const all = report.experiment.skipped;
  const word = (s: (typeof all)[number]): string =>
    `${Object.entries(s.axes)
      .map(([k, v]) => `${k} ${show(v)}`)
      .join(', ')}: ${s.reason}`;
  return all.length === 0
    ? null
    : h(
        'details',
        { class: 'caption', open: all.length < 4 },
        h('summary', {}, `Not in the matrix: ${all.length} ${all.length === 1 ? 'combination' : 'combinations'}`),
        h(
          'ul',
          {},
          all.map((s) => h('li', {}, word(s))),
        ),
      );
}

/** The parts after the verdict, in order; a part that would have nothing to show is left out. */
function parts(): { title: string; lead: string; content: () => (HTMLElement | null)[] }[] {
  const chosen = ['metric', 'axis', 'ref'];
  const n = report.experiment.repetitions;
  const whiskers = `Whiskers: 95 % interval over n = ${n} repetitions. Hollow and crossed: a check failed, the number does not count. ≥: a lower bound, since the client was in the way. Bands: what limits each point. Metric and reference are those of the matrix.`;
  const over = `${x ? `Over ${x.key}` : 'As measured'}; one chart per combination of the other axes.`;
  const all: [boolean, string, string, () => (HTMLElement | null)[]][] = [
    [report.findings.length > 0, 'Findings', 'Explanations, each beside the chart that shows it.', () => [findings()]],
    [true, 'Verdict', 'How far it may be believed, what was not measured, how to repeat it.', () => [verdict()]],
    [
      hasForecasts(),
      'Forecast',
      'What arithmetic expects while something is done to the server, beside what was measured. Tinted: while it was done.',
      () => [forecasts()],
    ],
    [
      (report.searches ?? []).length > 0,
      'Searches',
      'Every run at the level that the runs before it led to. Line: the answer; band: its 95 % interval.',
      () => [searches()],
    ],
    [
      report.cells.length > 0,
      'Matrix',
      'Every cell against a reference. Select one for its evidence.',
      () => [part(chosen, comparison), part(chosen, heatmap, narrow), skipped()],
    ],
    [
      varied.length > 0 && metricNames.length > 0,
      'Curves',
      over,
      () => [part([...chosen, 'as', 'y'], curveControls), part([...chosen, 'as', 'y'], scaling), h('p', { class: 'caption' }, whiskers)],
    ],
    [
      hasBest(),
      'Best',
      'The highest point of each curve. Dark within the bar: the client’s share of the CPU time; ≥: a lower bound. A maximum over several levels is flattered by their noise.',
      () => [best()],
    ],
    [
      hasSteps(),
      'Steps',
      'Each step over the iterations, relative to the first value. Tinted: not all of it came from memory, and no trend leads there. Hollow: a check failed on that phase.',
      () => [steps()],
    ],
    [
      plansDiffer(),
      'Plans',
      'Each statement as the server meant to carry it out when its phase began, of several iterations the last. Marked: not as in the first column. Below: rows that one execution read, and its mean time.',
      () => [plans()],
    ],
    [drawable().length > 0, 'Latency', 'The whole distribution, not its mean.', () => [part(['axis'], distribution)]],
    [data.runs.length > 0, 'Timeline', 'The session as it went.', () => [part(['axis', 'series'], timeline)]],
    [data.runs.length > 0, 'Repetitions', 'How far apart the runs of the same cell lie.', () => [part(['metric'], replicates, narrow)]],
    [
      explained().length > 0,
      'Waits',
      'Where the server waited while its instruments were on. These runs are in no number.',
      () => [waits()],
    ],
    [
      profiled(),
      'Functions',
      'Which functions took the server’s CPU time, or waited, per operation, and what two cells do differently. These runs are in no number.',
      () => [part(['profile', 'against', 'time'], profile)],
    ],
    [hasTables(), 'Tables', 'Rates relative to a base, and what an operation costs, to be pasted elsewhere.', () => [tables()]],
    [true, 'Checks', 'What each number had to pass.', () => [part(['status', 'check'], ledger)]],
    [true, 'Provenance', 'What it takes to get the same numbers.', () => [provenance()]],
  ];
  return all.filter(([shown]) => shown).map(([, title, lead, content]) => ({ title, lead, content }));
}

const opened = (): Set<string> => new Set(get('open').split(',').filter((id) => id !== ''));

/** Drawn when it is opened first: hundreds of runs make a part long, and most readers open few. */
function fold({ title, lead, content }: ReturnType<typeof parts>[number]): HTMLElement {
  const id = title.toLowerCase();
  const isOpen = opened().has(id) || get('at') === id;
  const inside = h('div', {}, ...(isOpen ? content() : []));
  let isDrawn = isOpen;
  const toggled = (open: boolean): void => {
    if (open && !isDrawn) {
      inside.append(...content().filter((e) => e !== null));
      isDrawn = true;
    }
    const now = opened();
    if (open) now.add(id);
    else now.delete(id);
    set({ open: [...now].join(',') });
  };
  return folded(id, title, lead, isOpen, toggled, inside);
}

function bar(titles: string[]): HTMLElement {
  const links = titles.map((title) => {
    const id = title.toLowerCase();
    const go = (event: Event): void => {
      event.preventDefault();
      set({ at: id });
      goTo(id);
    };
    return h('a', { href: link({ at: id }), onclick: go }, title);
  });
  const theme = h('button', { type: 'button', class: 'theme', onclick: () => set({ theme: isDark() ? 'light' : 'dark' }) });
  const label = (): void => {
    theme.textContent = isDark() ? 'Light' : 'Dark';
  };
  onTheme(label);
  label();
  return h('nav', { 'aria-label': 'Parts of the report' }, h('b', {}, 'assay'), h('div', { class: 'links' }, links), theme);
}

/** Opens the part and goes there. */
function goTo(id: string): void {
  const section = document.getElementById(id);
  const part = section?.querySelector<HTMLDetailsElement>('details.part');
  const go = (): void => section?.scrollIntoView({ block: 'start' });
  if (!part || part.open) return go();
  part.addEventListener('toggle', go, { once: true });
  part.open = true;
}

function draw(): void {
  setTheme(get('theme') as 'light' | 'dark' | '');
  const shown = parts();
  const footer = `Drawn by assay (${report.host.assay}) from ${plural(data.runs.length, 'run')}. This page holds all its data and loads nothing.`;
  const main = h(
    'main',
    { id: 'main', tabindex: '-1' },
    heading(),
    live(),
    part(['metric', 'axis', 'ref'], first),
    shown.map((p) => fold(p)),
    h('footer', {}, footer),
  );
  const skip = h('a', { class: 'skip', href: '#main', onclick: (event: Event) => (event.preventDefault(), main.focus()) }, 'Skip to the report');
  document.getElementById('page')?.append(skip, bar(shown.map((p) => p.title)), main, drawer());
}

draw();
listen((changed) => {
  if (changed.has('cell')) showCell();
  if (changed.has('theme')) setTheme(get('theme') as 'light' | 'dark' | '');
  if (changed.has('at') && get('at')) goTo(get('at'));
});
if (get('cell')) showCell();
if (get('at')) requestAnimationFrame(() => goTo(get('at')));
document.documentElement.dataset.ready = 'yes';
