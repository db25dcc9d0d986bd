// A status as a word with a mark, so that it is never told by colour alone; and links from any number to what it rests on.

import { cellById, report, runById } from './data';
import { h } from './dom';
import { JUDGED, STATUS } from './format';
import { link } from './state';
import type { Status } from './types';

export const MARK: Record<Status, string> = { not_applicable: '–', pass: '✓', not_evaluable: '?', warn: '!', fail: '✕' };

export function badge(status: Status, text = STATUS[status]): HTMLElement {
  return h('span', { class: `badge ${status}` }, h('span', { class: 'mark', 'aria-hidden': 'true' }, MARK[status]), text);
}

const checks = new Set([...report.verdicts, ...report.cells.flatMap((c) => c.verdicts)].map((v) => v.check));

/** A piece of evidence: a cell, a run, a check, or a file in the record, which lies beside this page. */
export function evidence(text: string): HTMLElement {
  const cell = cellById.has(text) ? text : runById.get(text)?.cell;
  if (cell) return h('a', { class: 'evidence', href: link({ cell, at: '' }) }, text);
  if (checks.has(text))
    return h('a', { class: 'evidence', href: link({ check: text, status: JUDGED.join(), at: 'checks', cell: '' }) }, text);
  const file = /^[\w][\w./-]*\/[\w./-]+(#.*)?$/.test(text) && !text.includes('..');
  return file
    ? h('a', { class: 'evidence file', href: text, title: 'a file of the record, beside this page' }, text)
    : h('code', { class: 'evidence' }, text);
}

/** More than this is for who asks: an opening sentence must not drown in what it rests on. */
const SHOWN = 6;

export function evidences(texts: string[]): HTMLElement {
  const first = texts.slice(0, SHOWN).map((e) => evidence(e));
  const rest = texts.slice(SHOWN);
  return h(
    'p',
    { class: 'rests' },
    'rests on ',
    first,
    rest.length > 0 ? h('details', {}, h('summary', {}, `and ${rest.length} more`), rest.map((e) => evidence(e))) : null,
  );
}
