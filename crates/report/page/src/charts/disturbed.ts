// Lanes around a disturbance, for the first screen and beside a finding: which cells lie over each other, and what became of them in words.

import { cells, interest, named, varied, words, x, type Group } from '../axes';
import { report } from '../data';
import { h } from '../dom';
import { effects, isDisturbed, lanes, linesOf, placesOf, repetitionsOf } from './around';
import { legend } from './chart';
import type { Axis, Cell } from '../types';

/** Places that a screen holds. */
const PLACES = 2;
const [TALL, SMALL] = [150, 104];

const axisOf = (): Axis | undefined => interest.find((a) => a !== x || interest.length === 1);

function figure(place: Group, axis: Axis | undefined, tall: number): HTMLElement {
  const shown = place.cells;
  const others = varied.filter((a) => a !== axis);
  const title = others.length > 0 ? words(place.first, others) : report.experiment.name;
  return h('figure', {}, others.length > 0 ? h('figcaption', {}, title) : null, lanes(`${title}, over time`, linesOf(shown, axis), tall), effects(shown, axis));
}

/** Where most of the server changed comes first. */
function apart(place: Group): number {
  const ratios = place.cells.flatMap((c) => (c.phases ?? []).flatMap((p) => (p.disturb ? (p.against?.ratios.qps?.value ?? 1) : 1)));
  return Math.max(0, ...ratios.map((r) => Math.abs(Math.log(Math.max(r, 1e-9)))));
}

export function around(): HTMLElement | null {
  const all = cells.filter(isDisturbed);
  if (all.length === 0) return null;
  const axis = axisOf();
  const places = placesOf(all, axis, varied);
  const chosen = new Set([...places].sort((a, b) => apart(b) - apart(a)).slice(0, PLACES));
  const shown = places.filter((p) => chosen.has(p));
  const left = places.length - shown.length;
  return h(
    'div',
    {},
    axis ? legend(axis.values.map((v) => named(axis, v))) : null,
    h(
      'div',
      { class: shown.length > 1 ? 'multiples hero' : '' },
      shown.map((p) => figure(p, axis, shown.length > 1 ? SMALL : TALL)),
    ),
    h('p', { class: 'caption' }, `Tinted: while something was done to the server on purpose. ×: statements/s, or time, against the first phase.${left > 0 ? ` ${left} more combinations in the matrix.` : ''}`),
  );
}

/** The same for the place of one cell. */
export function aroundCell(cell: Cell): HTMLElement | null {
  if (!isDisturbed(cell)) return null;
  const axis = axisOf();
  const place = placesOf(cells.filter(isDisturbed), axis, varied).find((p) => p.cells.includes(cell));
  return place ? h('div', {}, axis && place.cells.length > 1 ? legend(axis.values.map((v) => named(axis, v))) : null, figure(place, axis, SMALL)) : null;
}

/** How the runs of a cell went, a line each. */
export function course(cell: Cell, tall = SMALL): HTMLElement | null {
  const lines = repetitionsOf(cell);
  return lines.length === 0 ? null : h('div', {}, legend(lines.map((l) => l.name)), lanes(`${words(cell)}: its runs`, lines, tall));
}

/** Where there is one cell only, how it went is all that can be shown. */
export function soleRun(): HTMLElement | null {
  const [cell] = cells;
  return cell ? course(cell, TALL) : null;
}
