// Tables as studies publish them, each with buttons that copy it as Markdown or as tab-separated values. Rust made both texts and the
// cells; nothing is computed here.

import { copied } from './clipboard';
import { data } from './data';
import { h } from './dom';
import type { PastedCell, PastedGroup, Pasted } from './types';

export const hasTables = (): boolean => data.tables.length > 0;

export function tables(): HTMLElement {
  return h('div', {}, data.tables.map(table));
}

function table(t: Pasted): HTMLElement {
  const told = h('span', { class: 'soft', role: 'status' });
  const tell = (label: string, done: boolean): void => {
    told.textContent = done ? `copied as ${label}` : 'copying was refused';
  };
  const copy = (label: string, text: string): HTMLElement =>
    h('button', { type: 'button', onclick: () => void copied(text).then((done) => tell(label, done)) }, `Copy ${label}`);
  return h(
    'figure',
    { class: 'pasted-table' },
    h('figcaption', {}, t.title),
    h('div', { class: 'controls' }, copy('Markdown', t.markdown), copy('TSV', t.tsv), told),
    h(
      'div',
      { class: 'scroll', role: 'region', 'aria-label': t.title },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            t.heads.map((head) => h('th', { scope: 'col' }, head)),
          ),
        ),
        t.groups.map((group) => body(group, t.heads.length)),
      ),
    ),
    h('p', { class: 'caption' }, t.note),
  );
}

function body(group: PastedGroup, width: number): HTMLElement {
  return h(
    'tbody',
    {},
    h('tr', {}, h('th', { scope: 'rowgroup', colspan: width }, group.name)),
    group.rows.map(([name, ...cells]) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, name?.text ?? ''),
        cells.map((cell) => h('td', {}, shown(cell))),
      ),
    ),
  );
}

const shown = (cell: PastedCell): HTMLElement | string => (cell.struck ? h('s', {}, cell.text) : cell.text);
