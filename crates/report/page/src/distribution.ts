// The latency part: a line per value of the compared axis; every other axis, and which operation, picked by the reader.

import { present, varied, x, xNumeric } from './axes';
import { legend } from './charts/chart';
import { COLOURS, drawable, latency, operations, sizes } from './charts/latency';
import { lineAxis } from './charts/scaling';
import { h, select } from './dom';
import { show } from './format';
import type { Cell } from './types';

const picked = new Map<string, string>();
let operation: string | undefined;

export function distribution(): HTMLElement {
  const axis = lineAxis() ?? (x && present(x).length <= COLOURS ? x : undefined);
  const others = varied.filter((a) => a !== axis);
  const all = drawable();
  const start = all.reduce<Cell | undefined>(
    (best, c) => (best && (x === undefined || !xNumeric || Number(best.axes[x.key]) >= Number(c.axes[x.key])) ? best : c),
    undefined,
  );
  for (const a of others) if (!picked.has(a.key)) picked.set(a.key, show(start?.axes[a.key]));
  const options = others.map((a) =>
    [...new Set(all.map((c) => show(c.axes[a.key])))].sort((p, q) => rank(a.values.map(show), p) - rank(a.values.map(show), q)),
  );
  const fits = (c: Cell): boolean => others.every((a) => c.axes[a.key] === undefined || show(c.axes[a.key]) === picked.get(a.key));
  const lines = axis ? present(axis).map((v) => all.find((c) => c.axes[axis.key] === v && fits(c))) : [all.find(fits)];
  const names = axis ? present(axis).map(show) : [''];
  const shown = lines
    .map((cell, i) => ({ cell, name: names[i] ?? '' }))
    .filter((l): l is { cell: Cell; name: string } => l.cell !== undefined);
  const place = h('div', {});
  const choice = operations(shown.map((l) => l.cell));
  const one = operation !== undefined && choice.includes(operation) ? operation : choice[0];
  const pickers = others.map((a, i) =>
    select(
      a.key,
      (options[i] ?? []).filter((v) => v !== '–').map((v) => ({ value: v, label: v })),
      picked.get(a.key) ?? '',
      (v) => {
        picked.set(a.key, v);
        place.replaceWith(distribution());
      },
    ),
  );
  if (choice.length > 1)
    pickers.push(
      select(
        'operation',
        choice.map((v) => ({ value: v, label: v })),
        one ?? '',
        (v) => {
          operation = v;
          place.replaceWith(distribution());
        },
      ),
    );
  place.append(
    h('div', { class: 'controls' }, pickers),
    legend(names),
    shown.length > 0
      ? latency(
          shown.map((l) => l.cell),
          shown.map((l) => l.name),
          320,
          one,
        ).element
      : h('p', { class: 'empty' }, 'This combination has no number.'),
    h(
      'p',
      { class: 'caption' },
      `${sizes(shown.map((l) => l.cell), one)}; histograms of all repetitions merged. Dashed: fewer than ten operations lie beyond, so it is a few slow operations and not yet a percentile.`,
    ),
  );
  return place;
}

const rank = (order: string[], value: string): number => (order.includes(value) ? order.indexOf(value) : order.length);
