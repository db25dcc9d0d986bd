// The universal scalability law beside the points that it describes: a dashed line in the colour of its curve, its 95 % interval as
// a band. Where it describes nothing there is nothing to draw, and the judge's sentence says why.

import { report } from '../data';
import { h } from '../dom';
import type { Option } from './chart';
import type { CurveJudgement } from '../types';

export const curveOf = (cells: string[]): CurveJudgement | undefined => report.curves?.find((c) => c.cells.some((id) => cells.includes(id)));

export function law(curve: CurveJudgement | undefined, colour: string): Option[] {
  const line = curve?.law?.line;
  if (!line) return [];
  const shown = { type: 'line', silent: true, symbol: 'none', tooltip: { show: false } };
  const area = {
    type: 'custom',
    silent: true,
    clip: true,
    z: 0,
    tooltip: { show: false },
    data: [[line[0]?.[0] ?? 1, line[0]?.[1] ?? 0]],
    renderItem: (_: unknown, api: { coord(p: number[]): number[] }) => ({
      type: 'polygon',
      shape: {
        points: [...line.map(([n, , low]) => api.coord([n, low])), ...[...line].reverse().map(([n, , , high]) => api.coord([n, high]))],
      },
      style: { fill: colour, opacity: 0.13 },
    }),
  };
  return [area, { ...shown, z: 1, data: line.map(([n, rate]) => [n, rate]), lineStyle: { color: colour, width: 1.4, type: 'dashed' } }];
}

/** What the judge says of these curves, each once; nothing of those that were too short to fit. */
export function lawSentences(curves: (CurveJudgement | undefined)[]): HTMLElement | null {
  const told = [...new Set(curves.filter((c) => c?.is_fitted).map((c) => c?.sentence ?? ''))];
  return told.length === 0
    ? null
    : h(
        'p',
        { class: 'caption law' },
        told.join(' '),
      );
}
