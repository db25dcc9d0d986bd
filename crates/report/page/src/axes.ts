// Which axis goes where. Nothing here knows a charset from a range size: an axis is drawn by its place in the plan and
// by what its values are. Cells that repeat another cell (the second arm of an A/A pair) are not in the matrix.

import { data, report } from './data';
import { show } from './format';
import type { Axis, Cell, Value } from './types';

export const varied: Axis[] = report.experiment.axes.filter((a) => a.values.length > 1);
export const constant: Axis[] = report.experiment.axes.filter((a) => a.values.length === 1);
export const x: Axis | undefined = varied.find((a) => a.key === data.x);
export const cells: Cell[] = report.cells.filter((c) => c.repeats === undefined);

/** What one asks about before what one varies it over: words before numbers, the workload last. */
export const interest: Axis[] = [...varied].sort((a, b) => weight(a) - weight(b));

function weight(axis: Axis): number {
  return axis.key === 'workload' ? 2 : axis.values.every((v) => typeof v === 'number') ? 1 : 0;
}

export const xNumeric: boolean = x !== undefined && x.values.every((v) => typeof v === 'number');

/** Values of an axis that some cell has. */
export function present(axis: Axis): Value[] {
  return axis.values.filter((v) => cells.some((c) => c.axes[axis.key] === v));
}

/** A value as a legend has it: a number needs the name of its axis. */
export const named = (axis: Axis, value: Value): string => (typeof value === 'string' ? value : `${axis.key.split('.').at(-1) ?? axis.key} ${show(value)}`);

export function place(cell: Cell, axis: Axis): number {
  const at = axis.values.findIndex((v) => v === cell.axes[axis.key]);
  return at < 0 ? axis.values.length : at;
}

/** Cells that agree on all these axes share a key. */
export function keyOf(cell: Cell, on: Axis[]): string {
  return on.map((a) => show(cell.axes[a.key])).join('\u0000');
}

export function inOrder(list: Cell[], by: Axis[]): Cell[] {
  return [...list].sort((a, b) => by.map((axis) => place(a, axis) - place(b, axis)).find((d) => d !== 0) ?? 0);
}

export interface Group {
  key: string;
  cells: Cell[];
  first: Cell;
}

/** Groups of cells that agree on these axes, in the order of the experiment. */
export function groups(list: Cell[], on: Axis[]): Group[] {
  const found = new Map<string, Group>();
  for (const cell of inOrder(list, on)) {
    const key = keyOf(cell, on);
    const group = found.get(key);
    if (group) group.cells.push(cell);
    else found.set(key, { key, cells: [cell], first: cell });
  }
  return [...found.values()];
}

/** `oltp.mixed · range_size 10`: a cell by the axes named; an axis of words needs no name. */
export function words(cell: Cell, on: Axis[] = varied): string {
  const parts = on
    .filter((a) => cell.axes[a.key] !== undefined)
    .map((a) => (typeof cell.axes[a.key] === 'string' ? show(cell.axes[a.key]) : `${a.key} ${show(cell.axes[a.key])}`));
  return parts.join(' · ') || cell.workload;
}

export function twin(cell: Cell, axis: string, value: Value): Cell | undefined {
  const others = varied.filter((a) => a.key !== axis);
  return cells.find((c) => c.axes[axis] === value && others.every((a) => c.axes[a.key] === cell.axes[a.key]));
}
