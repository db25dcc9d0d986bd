// Which functions took the server's CPU time, or waited. One cell: a flame graph and a table of functions, µs per operation. Against another cell:
// the same graph, coloured by what each function takes more or less than there; what is not more than chance is grey.

import { data, report } from './data';
import { h, select } from './dom';
import { digits } from './format';
import { get, set } from './state';
import type { Call, Estimate, Flame, FunctionDiff, FunctionTable, MovedFunction, Sampled, Spent } from './types';

const ROWS = 40;
/** Narrower frames, in parts of the whole, are not drawn. */
const LEAST = 0.0015;
/** A difference of this share of the operation has the full colour. */
const FULL = 0.03;
const INLINED = '_[i]';

const all = (): FunctionTable[] => report.functions ?? [];
export const profiled = (): boolean => all().length > 0;

const TIMES: { value: Spent; label: string; words: string; of: string }[] = [
  { value: 'on_cpu', label: 'on the CPU', words: 'CPU time', of: 'of CPU' },
  { value: 'waiting', label: 'waiting', words: 'waiting', of: 'of waiting' },
];
/** Those that some cell has. */
const times = (): typeof TIMES => TIMES.filter((t) => all().some((table) => table.sampled.spent === t.value));
const time = (): (typeof TIMES)[number] => times().find((t) => t.value === get('time')) ?? times()[0] ?? TIMES[0]!;
const tables = (): FunctionTable[] => all().filter((table) => table.sampled.spent === time().value);

const plain = (name: string): string => (name.endsWith(INLINED) ? name.slice(0, -INLINED.length) : name);
const percent = (share: number): string => `${digits(share * 100)} %`;
const signed = (x: number): string => `${x < 0 ? '−' : '+'}${digits(Math.abs(x))}`;
const half = (e: Estimate): string => (e.high === null || e.high === undefined ? '' : `± ${digits(e.high - e.value)}`);

interface View {
  table: FunctionTable;
  flame: Flame | undefined;
  /** Against the other cell, the chosen one as candidate. */
  moved: Map<string, MovedFunction> | undefined;
  diff: FunctionDiff | undefined;
  isTurned: boolean;
}

function view(): View | null {
  const table = tables().find((t) => t.sampled.cell === get('profile')) ?? tables()[0];
  if (!table) return null;
  const [own, other] = [table.sampled.cell, get('against')];
  const diffs = (report.function_diffs ?? []).filter((d) => d.base.spent === time().value);
  const straight = diffs.find((d) => d.candidate.cell === own && d.base.cell === other);
  const turned = diffs.find((d) => d.base.cell === own && d.candidate.cell === other);
  const diff = straight ?? turned;
  return {
    table,
    flame: (data.flames ?? []).find((f) => f.cell === own && f.spent === time().value),
    moved: diff && new Map(diff.functions.map((f) => [f.name, f])),
    diff,
    isTurned: !straight && turned !== undefined,
  };
}

export function profile(): HTMLElement {
  const seen = view();
  if (!seen) return h('p', { class: 'missing' }, 'No cell was profiled.');
  const cells = tables().map((t) => t.sampled.cell);
  const own = seen.table.sampled.cell;
  const others = cells.filter((c) => c !== own).map((c) => ({ value: c, label: c }));
  const chosen = seen.diff ? get('against') : '';
  const found = h('div', {});
  const search = h('input', { type: 'search', value: get('find'), 'aria-label': 'functions named', oninput: () => find(search.value) });
  const find = (text: string): void => {
    set({ find: text });
    found.replaceChildren(graph(seen), functions(seen));
  };
  find(get('find'));
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'controls' },
      select('cell', cells.map((c) => ({ value: c, label: c })), own, (cell) => set({ profile: cell })),
      others.length > 0 ? select('against', [{ value: '', label: 'nothing' }, ...others], chosen, (against) => set({ against })) : null,
      times().length > 1 ? select('time', times(), time().value, (chosen) => set({ time: chosen })) : null,
      h('label', { class: 'pick' }, h('span', {}, 'functions named'), search),
    ),
    restsOn(seen.table.sampled, []),
    seen.diff ? restsOn(seen.isTurned ? seen.diff.candidate : seen.diff.base, seen.table.sampled.missing) : null,
    found,
  );
}

/** What a table rests on; what is missing in it was said once already of these. */
function restsOn(s: Sampled, said: string[]): HTMLElement {
  const lost = s.lost > 0 ? `, ${s.lost} lost` : '';
  const runs = s.runs === 1 ? '1 run' : `${s.runs} runs`;
  const told = `${s.cell}: ${digits(s.operation.value)} µs ${time().of} per operation ${half(s.operation)} (${s.samples} samples at ${digits(s.hz)} Hz in ${runs}${lost}; ${percent(s.not_unwound)} not unwound, ${percent(s.not_named)} not named; the profiler took ${percent(s.cost)} of the server’s CPU).`;
  const slower = s.slower ? ` An operation takes × ${digits(s.slower.value)} ${half(s.slower)} as long as beside each without samples.` : '';
  const counts = (s.counters ?? []).map((c) => `${digits(c.value.value)} ${half(c.value)} ${c.name}`.replace('  ', ' '));
  const counted = counts.length > 0 ? ` An operation takes ${counts.join(', ')}.` : '';
  const missing = s.missing.filter((m) => !said.includes(m));
  return h('p', { class: 'caption' }, told, slower, counted, missing.map((m) => ` ${m}.`).join(''));
}

/** What a function takes more than in the other cell with what it calls, as a share of the operation; nothing where that may be chance. */
function difference(seen: View, name: string): number | null {
  const moved = seen.moved?.get(plain(name));
  if (!moved || !moved.total.is_significant) return null;
  return ((seen.isTurned ? -1 : 1) * moved.total.difference.value) / seen.table.sampled.operation.value;
}

function colour(seen: View, name: string): string {
  if (seen.diff) {
    const share = difference(seen, name);
    if (share === null) return 'var(--shade)';
    const strength = Math.round(25 + 60 * Math.min(1, Math.abs(share) / FULL));
    return `color-mix(in srgb, var(${share > 0 ? '--worse' : '--better'}) ${strength}%, var(--paper))`;
  }
  if (name.startsWith('[')) return 'var(--shade)';
  return `color-mix(in srgb, var(${name.endsWith('_[k]') ? '--series-3' : '--series-2'}) 38%, var(--paper))`;
}

function graph(seen: View): HTMLElement {
  const { flame } = seen;
  if (!flame || flame.root.samples === 0) return h('p', { class: 'missing' }, 'No stacks to draw.');
  const wanted = get('find').toLowerCase();
  const place = h('div', { class: 'flame' });
  const tell = h('p', { class: 'caption', role: 'status' }, 'Select a frame to widen it; the topmost row leads back.');
  const draw = (path: Call[]): void => {
    const top = path.at(-1) ?? flame.root;
    const frames: HTMLElement[] = [];
    let deepest = 0;
    const name = (call: Call): string => (call === flame.root ? `${flame.cell}: all` : (flame.names[call.name] ?? ''));
    const frame = (call: Call, from: number, width: number, row: number, go: Call[]): void => {
      const text = name(call);
      const share = difference(seen, text);
      const more = seen.diff ? (share === null ? ', not surely different' : `, ${signed(share * seen.table.sampled.operation.value)} µs`) : '';
      const title = `${text}: ${digits(call.samples * flame.us)} µs per operation, ${percent(call.samples / flame.root.samples)}${more}`;
      const isFound = wanted !== '' && text.toLowerCase().includes(wanted);
      deepest = Math.max(deepest, row);
      frames.push(
        h(
          'div',
          {
            class: isFound ? 'found' : '',
            title,
            style: `left:${from * 100}%;width:${width * 100}%;top:${row * 1.15}rem;background:${colour(seen, text)}`,
            onclick: () => ((tell.textContent = title), draw(go)),
          },
          text,
        ),
      );
    };
    const below = (call: Call, from: number, row: number, go: Call[]): void => {
      let left = from;
      for (const next of [...(call.calls ?? [])].sort((a, b) => b.samples - a.samples)) {
        const width = next.samples / top.samples;
        if (width >= LEAST) {
          frame(next, left, width, row, [...go, next]);
          below(next, left, row + 1, [...go, next]);
        }
        left += width;
      }
    };
    path.forEach((call, row) => frame(call, 0, 1, row, path.slice(0, Math.max(1, row))));
    below(top, 0, path.length, path);
    place.style.height = `${(deepest + 1) * 1.15}rem`;
    place.replaceChildren(...frames);
  };
  draw([flame.root]);
  const label = `Flame graph of ${flame.cell}${seen.diff ? ` against ${get('against')}` : ''}: the table below has its functions.`;
  const key = seen.diff
    ? h('p', { class: 'caption' }, `Width: ${time().words} per operation of ${flame.cell}. Orange: more than in ${get('against')}, with what it calls; blue: less; grey: not more than chance.`)
    : h('p', { class: 'caption' }, `Width: ${time().words} per operation. Orange: the server; green: the kernel; grey: functions without a name.`);
  return h('div', {}, h('div', { class: 'tall', role: 'img', 'aria-label': label }, place), tell, key);
}

function functions(seen: View): HTMLElement {
  const wanted = get('find').toLowerCase();
  const isWanted = (f: { name: string }): boolean => f.name.toLowerCase().includes(wanted);
  const all = seen.diff ? seen.diff.functions.filter(isWanted) : seen.table.functions.filter(isWanted);
  const heads = seen.diff ? ['µs in the other', 'µs here', 'difference', '', 'ratio', ''] : ['own µs', '', 'of all', 'total µs', 'of all'];
  const body = seen.diff ? seen.diff.functions.filter(isWanted).slice(0, ROWS).map((f) => movedRow(f, seen.isTurned)) : seen.table.functions.filter(isWanted).slice(0, ROWS).map((f) => ownRow(f, seen.table));
  const rest = all.length > ROWS ? `${all.length - ROWS} more: name them above.` : all.length === 0 ? 'No function is named so.' : '';
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'scroll' },
      h(
        'table',
        { class: 'waits functions' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'function'), heads.map((t) => (t === '' ? h('td', {}) : h('th', { scope: 'col', class: 'num' }, t))))),
        h('tbody', {}, body),
      ),
    ),
    rest ? h('p', { class: 'caption' }, rest) : null,
  );
}

function ownRow(f: FunctionTable['functions'][number], table: FunctionTable): HTMLElement {
  const all = table.sampled.operation.value;
  const numbers = [digits(f.own.value), half(f.own), percent(f.own.value / all), digits(f.total.value), percent(f.total.value / all)];
  return h('tr', {}, h('td', {}, f.name), numbers.map((n) => h('td', { class: 'num' }, n)));
}

function movedRow(f: MovedFunction, isTurned: boolean): HTMLElement {
  const { own, total } = f;
  const [other, here] = isTurned ? [own.candidate, own.base] : [own.base, own.candidate];
  const by = (isTurned ? -1 : 1) * own.difference.value;
  const ratio = other > 0 ? `× ${digits(here / other)}` : 'new';
  const told = own.is_significant ? 'sure' : total.is_significant ? 'by its callees' : 'by chance';
  const numbers = [digits(other), digits(here), signed(by), half(own.difference), ratio, told];
  return h('tr', { class: own.is_significant || total.is_significant ? '' : 'soft' }, h('td', {}, f.name), numbers.map((n) => h('td', { class: 'num' }, n)));
}
