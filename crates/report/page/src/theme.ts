// Light and dark: the system's choice until the reader makes one. Charts take their colours from the same CSS
// variables as the text, so there is one palette. Paper is always light.

type Listener = () => void;
const listeners: Listener[] = [];
const system = matchMedia('(prefers-color-scheme: dark)');
let chosen: 'light' | 'dark' | '' = '';

export const isDark = (): boolean => (chosen || (system.matches ? 'dark' : 'light')) === 'dark';
export const onTheme = (listener: Listener): void => void listeners.push(listener);

export function setTheme(theme: 'light' | 'dark' | ''): void {
  chosen = theme;
  apply();
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

system.addEventListener('change', apply);
addEventListener('beforeprint', () => {
  document.documentElement.dataset.theme = 'light';
  for (const l of listeners) l();
});
addEventListener('afterprint', apply);
document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';

export interface Palette {
  ink: string;
  soft: string;
  faint: string;
  line: string;
  paper: string;
  raised: string;
  bad: string;
  series: string[];
  lanes: string[];
}

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of('ink'),
    soft: of('soft'),
    faint: of('faint'),
    line: of('line'),
    paper: of('paper'),
    raised: of('raised'),
    bad: of('fail'),
    series: [1, 2, 3, 4, 5, 6].map((n) => of(`series-${n}`)),
    lanes: [1, 2, 3].map((n) => of(`lane-${n}`)),
  };
}
