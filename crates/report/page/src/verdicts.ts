// Every verdict of the record, with the cell that it is of.

import { report } from './data';

export const verdicts = [
  ...report.verdicts.map((verdict) => ({ verdict, cell: undefined })),
  ...report.cells.flatMap((cell) => cell.verdicts.map((verdict) => ({ verdict, cell }))),
];
