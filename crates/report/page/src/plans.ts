// How statements were carried out: the cells of one axis side by side, marked where a plan or a primary key differs from the first of
// them, with the rows that were read and the time that it took.

import { report } from './data';
import { h } from './dom';
import { cited, digits, quantity, show } from './format';
import type { PlanCell, PlanTable } from './types';

export const plansDiffer = (): boolean => (report.plans ?? []).length > 0;

export function plans(): HTMLElement {
  return h(
    'div',
    { class: 'provenance' },
    (report.plans ?? []).map((table, n) =>
      h('details', { open: n === 0 }, h('summary', {}, table.axis, h('span', { class: 'soft' }, table.place ? ` ${table.place}` : '')), rows(table)),
    ),
  );
}

const marked = (text: string, differs: boolean): HTMLElement | string => (differs ? h('mark', {}, text) : text);

function rows(table: PlanTable): HTMLElement {
  const head = table.columns.map((c) => h('th', { scope: 'col' }, show(c.value), ' ', h('span', { class: 'soft' }, c.cell)));
  const keys = table.columns.map((c) => h('td', {}, marked(c.primary_key ?? '–', c.key_differs)));
  const row = (r: PlanTable['rows'][number]): HTMLElement =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, r.statement, h('br'), h('span', { class: 'soft' }, r.phase)),
      r.cells.map((c) => h('td', {}, c ? cell(c) : '–')),
    );
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { class: 'plans' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'statement'), head)),
      h('tbody', {}, h('tr', {}, h('th', { scope: 'row' }, 'primary key'), keys), table.rows.map(row)),
    ),
  );
}

function cell(c: PlanCell): (HTMLElement | string)[] {
  const words = c.parts.flatMap((p, n) => {
    const text = p.name === 'access' || p.name === 'key' ? p.text : `${p.name} ${p.text}`;
    return [n > 0 ? ', ' : '', marked(text, p.differs)];
  });
  const measured = c.measured_reads === null ? '' : ` (${digits(c.measured_reads)} in the phase)`;
  const read = `${String(c.reads)} ${c.reads === 1 ? 'row' : 'rows'} read${measured}`;
  const time = c.us ? h('b', { title: cited(c.us) }, quantity(c.us.value, c.us.unit)) : '';
  return [h('span', {}, ...(words.length > 0 ? words : ['not explained'])), h('br'), h('span', { class: 'soft' }, read, time ? ', ' : '', time)];
}
