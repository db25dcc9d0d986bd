// Every verdict of the record, with the cell that it is of, and whether one strikes a phase: the rule of `Verdict::strikes`.

import { report } from './data';
import type { Cell, PhaseJudgement } from './types';

export const verdicts = [
  ...report.verdicts.map((verdict) => ({ verdict, cell: undefined })),
  ...report.cells.flatMap((cell) => cell.verdicts.map((verdict) => ({ verdict, cell }))),
];

/** Whether a check strikes the numbers of this phase: one that failed in other phases only does not. */
export const isStruck = (cell: Cell, { name }: PhaseJudgement): boolean =>
  cell.verdicts.some((v) => v.verdict === 'fail' && !v.quarantined && ((v.phases ?? []).length === 0 || v.phases?.includes(name)));
