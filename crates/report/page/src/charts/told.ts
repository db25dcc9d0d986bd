// What every chart says beside its drawing: the same numbers as a table, and itself as a picture that stands alone, with title, legend
// and where it comes from. One button per chart opens them, so that a page of many charts has few stops for the keyboard.

import { copiedAs, saved } from '../clipboard';
import { report } from '../data';
import { h } from '../dom';
import { set } from '../state';
import { palette, type Palette } from '../theme';
import { markOf } from './marks';

export interface Row {
  fields: string[];
  /** The cell that the row is of. */
  cell?: string;
  /** A check failed on it. */
  struck?: boolean;
}

/** The first column names the row; the others are numbers. */
export interface Grid {
  heads: string[];
  rows: Row[];
}

export interface Told {
  title: string;
  /** The chart in words, for who cannot see it. */
  label: string;
  /** What is in which colour, in the order of the colours. */
  names?: string[];
  grid: () => Grid;
}

const SCALE = 2;
const [MARGIN, LINE, FONT] = [14, 19, 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'];
/** Letters of a legend are about so wide. */
const LETTER = 6.6;
const STRUCK = 'struck: a check failed';

/** As much of a text as fits a width, letters of a size. */
const fitted = (text: string, width: number, size: number): string => {
  const most = Math.max(8, Math.floor((width - 2 * MARGIN) / (size * 0.55)));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Names of the legend in rows that fit the width: their place and their number. */
function laid(names: string[], width: number): { name: string; i: number; x: number; row: number }[] {
  let [x, row] = [MARGIN, 0];
  return names.map((name, i) => {
    const wide = 22 + name.length * LETTER;
    if (x > MARGIN && x + wide > width - MARGIN) [x, row] = [MARGIN, row + 1];
    const at = { name, i, x, row };
    x += wide + 12;
    return at;
  });
}

/** The drawing with a title above it, its legend, and below it from which experiment it is. */
export function picture(told: Told, drawing: SVGElement, c: Palette): { svg: string; width: number; height: number } {
  const { width, height: own } = drawing.getBoundingClientRect();
  const legend = laid((told.names ?? []).length > 1 ? (told.names ?? []) : [], width);
  const rows = legend.length === 0 ? 0 : (legend.at(-1)?.row ?? 0) + 1;
  const top = MARGIN + LINE + rows * LINE;
  const height = Math.ceil(top + own + LINE + MARGIN / 2);
  const inner = drawing.cloneNode(true) as SVGElement;
  inner.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  inner.setAttribute('y', String(top));
  inner.setAttribute('width', String(width));
  inner.setAttribute('height', String(own));
  const text = (x: number, y: number, size: number, fill: string, words: string, weight = 400): string =>
    `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped(words)}</text>`;
  const keys = legend.map(({ name, i, x, row }) => {
    const y = MARGIN + LINE * (row + 1) + 11;
    return `<svg x="${x}" y="${y - 10}" width="12" height="12" viewBox="0 0 12 12" fill="${c.series[i % c.series.length] ?? c.ink}">${markOf(i)}</svg>${text(x + 17, y, 12, c.ink, name)}`;
  });
  const source = `measured by assay: ${report.experiment.name}${report.experiment.scale ? `, scale ${report.experiment.scale}` : ''}`;
  const parts = [
    `<rect width="100%" height="100%" fill="${c.paper}"/>`,
    text(MARGIN, MARGIN + 11, 14, c.ink, fitted(told.title, width, 14), 600),
    ...keys,
    new XMLSerializer().serializeToString(inner),
    text(MARGIN, height - MARGIN / 2, 10.5, c.soft, fitted(source, width, 10.5)),
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family='${FONT}'><title>${escaped(told.title)}</title><desc>${escaped(told.label)}</desc>${parts.join('')}</svg>`;
  return { svg, width, height };
}

async function png({ svg, width, height }: ReturnType<typeof picture>): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = h('canvas', { width: Math.round(width * SCALE), height: Math.round(height * SCALE) });
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('no picture'))), 'image/png'));
}

export function tsv({ heads, rows }: Grid): string {
  const struck = rows.some((r) => r.struck);
  const lines = [[...heads, ...(struck ? ['check'] : [])], ...rows.map((r) => [...r.fields, ...(struck ? [r.struck ? STRUCK : ''] : [])])];
  return lines.map((line) => line.map((field) => field.replace(/[\t\n]/g, ' ')).join('\t')).join('\n') + '\n';
}

/** On the page the name of a row leads to its cell. */
function table({ heads, rows }: Grid, caption: string): HTMLTableElement {
  const name = (row: Row): HTMLElement | string =>
    row.cell ? h('button', { type: 'button', class: 'link', onclick: () => set({ cell: row.cell ?? '' }) }, row.fields[0]) : (row.fields[0] ?? '');
  const field = (text: string, row: Row): HTMLElement => h('td', { class: 'num' }, row.struck && text !== '' ? h('s', {}, text) : text);
  return h(
    'table',
    { class: 'told' },
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, heads.map((head, i) => h('th', { scope: 'col', class: i > 0 ? 'num' : '' }, head)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, h('th', { scope: 'row' }, name(row)), row.fields.slice(1).map((text) => field(text, row))))),
  );
}

const fileName = (title: string): string => `${report.experiment.name}-${title}`.replace(/[^\w.-]+/g, '-').slice(0, 80);

/** The button at a chart, and the place where its table appears. */
export function tools(told: Told, drawing: () => SVGElement | null): HTMLElement[] {
  const place = h('div', { class: 'scroll', hidden: true, role: 'region', 'aria-label': `${told.title}: table` });
  const said = h('span', { role: 'status' });
  const drawn = (): ReturnType<typeof picture> | undefined => {
    const svg = drawing();
    return svg ? picture(told, svg, palette()) : undefined;
  };
  const asSvg = async (): Promise<string> => {
    const made = drawn();
    if (!made) return 'there is no drawing';
    const blob = (type: string): Blob => new Blob([made.svg], { type });
    if (await copiedAs({ 'image/svg+xml': blob('image/svg+xml'), 'text/plain': blob('text/plain') })) return 'copied as SVG';
    await saved(`${fileName(told.title)}.svg`, blob('image/svg+xml'));
    return 'saved as SVG';
  };
  const asPng = async (): Promise<string> => {
    const made = drawn();
    if (!made) return 'there is no drawing';
    const blob = png(made);
    if (await copiedAs({ 'image/png': blob })) return 'copied as PNG';
    await saved(`${fileName(told.title)}.png`, await blob);
    return 'saved as PNG';
  };
  const asTable = async (): Promise<string> => {
    const grid = told.grid();
    const [text, html] = [tsv(grid), table(grid, told.title).outerHTML];
    const done = await copiedAs({ 'text/plain': new Blob([text], { type: 'text/plain' }), 'text/html': new Blob([html], { type: 'text/html' }) });
    if (done) return 'copied as table';
    await saved(`${fileName(told.title)}.tsv`, new Blob([text], { type: 'text/tab-separated-values' }));
    return 'saved as TSV';
  };
  const button = (label: string, act: () => Promise<string>): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        onclick: () =>
          void act()
            .catch(() => 'that was refused')
            .then((text) => {
              said.textContent = text;
            }),
      },
      label,
    );
  const show = h(
    'button',
    {
      type: 'button',
      'aria-expanded': 'false',
      onclick: () => {
        place.hidden = !place.hidden;
        if (!place.hidden) place.replaceChildren(table(told.grid(), told.title));
        show.setAttribute('aria-expanded', String(!place.hidden));
        show.textContent = place.hidden ? 'Show table' : 'Hide table';
        menu.open = false;
      },
    },
    'Show table',
  );
  const menu: HTMLDetailsElement = h(
    'details',
    {
      class: 'tools',
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== 'Escape' || !menu.open) return;
        event.stopPropagation();
        event.preventDefault();
        menu.open = false;
        menu.querySelector('summary')?.focus();
      },
      onfocusout: (event: FocusEvent) => {
        if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.open = false;
      },
      ontoggle: () => {
        said.textContent = '';
      },
    },
    h('summary', { 'aria-label': `${told.title}: copy, or show as a table`, title: 'Copy, or show as a table' }, h('span', { 'aria-hidden': 'true' }, '⋯')),
    h('div', { class: 'menu' }, show, button('Copy table', asTable), button('Copy SVG', asSvg), button('Copy PNG', asPng), said),
  );
  return [menu, place];
}

addEventListener('pointerdown', (event) => {
  for (const open of document.querySelectorAll<HTMLDetailsElement>('.tools[open]'))
    if (event.target instanceof Node && !open.contains(event.target)) open.open = false;
});
