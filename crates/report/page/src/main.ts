// Puts the page together, in the order in which a reader needs it: verdict, matrix, curves, latency, timeline,
// repetitions, checks, provenance. Each part is drawn from data and the chosen view, and drawn again when that changes.

import './style.css';
import { present, varied, x } from './axes';
import { drawer, showCell } from './cell';
import { heatmap, narrow } from './charts/heatmap';
import { drawable, latency, sizes } from './charts/latency';
import { replicates } from './charts/replicates';
import { facetAxes, lineAxis, scaling } from './charts/scaling';
import { legend } from './charts/chart';
import { timeline } from './charts/timeline';
import { data, report, type Cell } from './data';
import { h, section, select, toggle } from './dom';
import { metricTitle, show } from './format';
import { ledger } from './ledger';
import { provenance } from './provenance';
import { get, listen, metricNames, set } from './state';
import { isDark, onTheme, setTheme } from './theme';
import { findings, heading, verdictSection } from './verdict';

/** A part of the page that is drawn again when one of these choices changes. */
function part(keys: string[], draw: () => HTMLElement, media?: MediaQueryList): HTMLElement {
  const place = h('div', { class: 'part' }, draw());
  listen((changed) => { if (keys.some((k) => changed.has(k))) place.replaceChildren(draw()); });
  media?.addEventListener('change', () => place.replaceChildren(draw()));
  return place;
}

function comparison(): HTMLElement {
  const axis = varied.find((a) => a.key === get('axis'));
  return h('div', { class: 'controls' },
    select('metric', metricNames.map((m) => ({ value: m, label: metricTitle(m) })), get('metric'), (metric) => set({ metric })),
    varied.length > 0 ? select('compare', varied.map((a) => ({ value: a.key, label: a.key })), get('axis'), (key) => { const next = varied.find((a) => a.key === key); set({ axis: key, ref: show(next ? present(next)[0] : undefined) }); }) : null,
    axis ? select('with', present(axis).map((v) => ({ value: show(v), label: show(v) })), get('ref'), (ref) => set({ ref })) : null);
}

function curveControls(): HTMLElement {
  const axis = varied.find((a) => a.key === get('axis'));
  return h('div', { class: 'controls' },
    toggle('values', [{ value: 'absolute', label: 'absolute' }, { value: 'relative', label: `relative to ${typeof axis?.values[0] === 'string' ? '' : `${get('axis')} `}${get('ref')}` }], get('as'), (as) => set({ as })),
    toggle('y axis shared', [{ value: 'own', label: 'no' }, { value: 'row', label: `by ${facetAxes()[0]?.key ?? 'row'}` }, { value: 'all', label: 'by all' }], get('y'), (y) => set({ y })));
}

/** Lines are the values of the compared axis; every other axis is picked. */
const picked = new Map<string, string>();

function latencyView(): HTMLElement {
  const axis = lineAxis();
  const others = varied.filter((a) => a !== axis);
  const all = drawable();
  const start = all.reduce<Cell | undefined>((best, c) => (best && (x === undefined || Number(best.axes[x.key]) >= Number(c.axes[x.key])) ? best : c), undefined);
  for (const a of others) if (!picked.has(a.key)) picked.set(a.key, show(start?.axes[a.key]));
  const options = others.map((a) => [...new Set(all.map((c) => show(c.axes[a.key])))].sort((p, q) => rank(a.values.map(show), p) - rank(a.values.map(show), q)));
  const fits = (c: Cell): boolean => others.every((a) => c.axes[a.key] === undefined || show(c.axes[a.key]) === picked.get(a.key));
  const lines = axis ? present(axis).map((v) => all.find((c) => c.axes[axis.key] === v && fits(c))) : [all.find(fits)];
  const names = axis ? present(axis).map(show) : [''];
  const shown = lines.map((cell, i) => ({ cell, name: names[i] ?? '' })).filter((l): l is { cell: Cell; name: string } => l.cell !== undefined);
  const place = h('div', {});
  const pickers = others.map((a, i) => select(a.key, (options[i] ?? []).filter((v) => v !== '–').map((v) => ({ value: v, label: v })), picked.get(a.key) ?? '', (v) => { picked.set(a.key, v); place.replaceWith(latencyView()); }));
  place.append(h('div', { class: 'controls' }, pickers), legend(names),
    shown.length > 0 ? latency(shown.map((l) => l.cell), shown.map((l) => l.name), 320).element : h('p', { class: 'empty' }, 'This combination has no number.'),
    h('p', { class: 'caption' }, `${sizes(shown.map((l) => l.cell))}; histograms of all repetitions merged. Dashed: fewer than ten operations lie beyond, so it is a few slow operations and not yet a percentile.`));
  return place;
}

const rank = (order: string[], value: string): number => (order.includes(value) ? order.indexOf(value) : order.length);

function skipped(): HTMLElement | null {
  const all = report.experiment.skipped;
  const word = (s: (typeof all)[number]): string => `${Object.entries(s.axes).map(([k, v]) => `${k} ${show(v)}`).join(', ')}: ${s.reason}`;
  return all.length === 0 ? null : h('details', { class: 'caption', open: all.length < 4 }, h('summary', {}, `Not in the matrix: ${all.length} ${all.length === 1 ? 'combination' : 'combinations'}`), h('ul', {}, all.map((s) => h('li', {}, word(s)))));
}

const SECTIONS: [string, string][] = [['verdict', 'Verdict'], ['findings', 'Findings'], ['matrix', 'Matrix'], ['curves', 'Curves'], ['latency', 'Latency'], ['timeline', 'Timeline'], ['repetitions', 'Repetitions'], ['checks', 'Checks'], ['provenance', 'Provenance']];

function bar(): HTMLElement {
  const links = SECTIONS.filter(([id]) => id !== 'findings' || report.findings.length > 0).map(([id, title]) => h('a', { href: `#at=${id}`, onclick: (event: Event) => { event.preventDefault(); set({ at: id }); goTo(id); } }, title));
  const theme = h('button', { type: 'button', class: 'theme', onclick: () => set({ theme: isDark() ? 'light' : 'dark' }) });
  const label = (): void => { theme.textContent = isDark() ? 'Light' : 'Dark'; };
  onTheme(label);
  label();
  return h('nav', { 'aria-label': 'Parts of the report' }, h('b', {}, 'assay'), h('div', { class: 'links' }, links), theme);
}

function goTo(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: 'start' });
}

function draw(): void {
  setTheme(get('theme') as 'light' | 'dark' | '');
  const chosen = ['metric', 'axis', 'ref'];
  document.getElementById('page')?.append(bar(), h('main', {}, heading(), verdictSection(), findings(),
    section('matrix', 'Matrix', 'Every cell against a reference. Select one for its evidence.', part(chosen, comparison), part(chosen, heatmap, narrow), skipped()),
    section('curves', 'Curves', `${x ? `Over ${x.key}` : 'As measured'}; one chart per combination of the other axes.`, part([...chosen, 'as', 'y'], curveControls), part([...chosen, 'as', 'y'], scaling), h('p', { class: 'caption' }, `Whiskers: 95 % interval over n = ${report.experiment.repetitions} repetitions. Hollow and crossed: a check failed, the number does not count. Metric and reference are those of the matrix.`)),
    section('latency', 'Latency', 'The whole distribution, not its mean.', part(['axis'], latencyView)),
    section('timeline', 'Timeline', 'The session as it went.', part(['axis'], timeline)),
    section('repetitions', 'Repetitions', 'How far apart the runs of the same cell lie.', part(['metric'], replicates, narrow)),
    section('checks', 'Checks', 'What each number had to pass.', part(['status', 'check'], ledger)),
    section('provenance', 'Provenance', 'What it takes to get the same numbers.', provenance()),
    h('footer', {}, `Drawn by assay (${report.host.assay}) from ${data.runs.length} runs. This page holds all its data and loads nothing.`)), drawer());
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
