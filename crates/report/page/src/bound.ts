// What limits a cell, and whether its number says less of the server than it seems: where the client took the CPU or came near its own
// end, the number is a lower bound, and every place that shows it says so with one sign.

import type { Cell } from './types';

export const AT_LEAST = '≥ ';

const OF_CLIENT = ['client_had_headroom', 'client_was_not_in_the_way'];

/** The client was in the way, or near it: the server would have done more. */
export const isLowerBound = (cell: Cell): boolean =>
  cell.verdicts.some((v) => OF_CLIENT.includes(v.check) && (v.verdict === 'fail' || v.verdict === 'warn'));

/** Of the CPU time that client and server used together. */
export function clientShare(cell: Cell): number | undefined {
  const [client, server] = [cell.metrics['client_cpus_used']?.value, cell.metrics['server_cpus_used']?.value];
  return client === undefined || server === undefined || client + server <= 0 ? undefined : client / (client + server);
}
