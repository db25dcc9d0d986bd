// The data of the page as Rust inlined them (`crates/report/src/page`): JSON, deflated, in base64. Their types are in `types.ts`, which
// Rust writes. Everything else on the page reads `data` and changes nothing in it.

import { strFromU8, unzlibSync } from 'fflate';
import type { Estimate, PageData } from './types';

/** By name. */
export type Metrics = Record<string, Estimate>;

function read(): PageData {
  const text = document.getElementById('assay-data')?.textContent ?? '';
  if (text === '') throw new Error('This page carries no data: it is the empty shell.');
  return JSON.parse(strFromU8(unzlibSync(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))))) as PageData;
}

export const data = read();
export const report = data.report;

/** A group's metrics are a cell's, too, under their path, so that they can be chosen wherever a metric can. */
for (const cell of report.cells)
  for (const [name, part] of Object.entries(cell.groups ?? {}))
    for (const [metric, estimate] of Object.entries(part.metrics)) cell.metrics[`groups.${name}.${metric}`] = estimate;
/** So are a phase's that one looks for first; there may be a hundred phases. */
for (const cell of report.cells)
  for (const { name, metrics, against } of cell.phases ?? []) {
    for (const metric of ['qps', 'latency_us_p99']) if (metrics[metric]) cell.metrics[`phases.${name}.${metric}`] = metrics[metric];
    if (against?.ratios.qps) cell.metrics[`phases.${name}.ratio.qps`] = against.ratios.qps;
  }

export const cellById = new Map(report.cells.map((c) => [c.id, c]));
export const runById = new Map(data.runs.map((r) => [r.id, r]));
