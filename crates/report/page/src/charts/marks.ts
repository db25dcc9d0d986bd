// The symbols of the series, so that a line is known without colour: for drawings, and for legends on the page and in pictures.

/** Within twelve by twelve. */
const MARKS = [
  '<circle cx="6" cy="6" r="4.5"/>',
  '<rect x="2" y="2" width="8" height="8"/>',
  '<path d="M6 1.5 11 10.5H1z"/>',
  '<path d="M6 1 11 6 6 11 1 6z"/>',
  '<rect x="2" y="2" width="8" height="8" rx="2.5"/>',
  '<path d="M6 11 2 5a4 4 0 1 1 8 0z"/>',
];
/** There are as many colours as marks: the seventh series has the first one's colour and another mark. */
const turned = <T>(all: T[], i: number): T | undefined => all[(i + Math.floor(i / all.length)) % all.length];
export const markOf = (i: number): string => turned(MARKS, i) ?? '';
/** The same in a drawing, by their names there. */
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin'];
export const symbolOf = (i: number): string => turned(SYMBOLS, i) ?? '';

