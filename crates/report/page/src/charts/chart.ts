// One way to put an ECharts chart on the page: drawn as SVG (sharp on paper, small), redrawn when the theme or the
// width changes, described in words for who cannot see it. Only the parts of ECharts in use are bundled.

import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { AxisPointerComponent, DataZoomComponent, GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { init, use, type EChartsCoreOption, type EChartsType } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { h } from '../dom';
import { markOf } from './marks';
import { onTheme, palette, type Palette } from '../theme';
import { tools, type Told } from './told';

use([
  CustomChart,
  LineChart,
  ScatterChart,
  AxisPointerComponent,
  DataZoomComponent,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  SVGRenderer,
]);

export type Option = EChartsCoreOption;
/** A ring with a cross: a point that failed a check. */
export const CROSSED = 'path://M0,10a10,10,0,1,0,20,0a10,10,0,1,0,-20,0M3,3L17,17M17,3L3,17';

export interface Chart {
  /** The drawing with its tools. */
  element: HTMLElement;
  /** The drawing alone. */
  mount: HTMLElement;
  redraw(): void;
  on(handler: (cell: string) => void): void;
  instance(): EChartsType;
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const live = new Set<{ element: HTMLElement; redraw(): void; dispose(): void }>();

/** Charts whose element has left the page are let go at the next redraw. */
function sweep(): void {
  for (const chart of live) if (!chart.element.isConnected) chart.dispose();
}
onTheme(() => {
  sweep();
  for (const chart of live) chart.redraw();
});

export function chart(told: Told, height: number, option: (colours: Palette, width: number) => Option): Chart {
  const mount = h('div', { class: 'chart', role: 'img', 'aria-label': told.label, style: `height:${height}px` });
  const element = h('div', { class: 'drawn' }, mount, ...tools(told, () => mount.querySelector('svg')));
  let drawn: EChartsType | undefined;
  const handlers: ((cell: string) => void)[] = [];
  const instance = (): EChartsType => {
    if (drawn) return drawn;
    drawn = init(mount, null, { renderer: 'svg' });
    drawn.on('click', (event) => {
      const cell = (event.data as { cell?: string } | undefined)?.cell;
      if (cell) for (const handler of handlers) handler(cell);
    });
    return drawn;
  };
  const redraw = (): void => {
    if (mount.clientWidth === 0) return;
    const colours = palette();
    const base = { animation: false, textStyle: { fontFamily: FONT, color: colours.soft }, aria: { enabled: false } };
    instance().setOption({ ...base, ...option(colours, mount.clientWidth) }, { notMerge: true });
  };
  const watch = new ResizeObserver(() => {
    if (!mount.isConnected) return handle.dispose();
    if (mount.clientWidth === 0) return;
    drawn?.resize();
    redraw();
  });
  const handle = {
    element: mount,
    redraw,
    dispose: () => {
      watch.disconnect();
      drawn?.dispose();
      live.delete(handle);
    },
  };
  live.add(handle);
  watch.observe(mount);
  return { element, mount, redraw, on: (handler) => void handlers.push(handler), instance };
}

export function axisStyle(c: Palette): Option {
  return {
    axisLine: { lineStyle: { color: c.line } },
    axisTick: { show: false },
    minorTick: { show: false },
    axisLabel: { color: c.soft, fontSize: 11, hideOverlap: true },
    splitLine: { lineStyle: { color: c.line, width: 0.6 } },
    nameTextStyle: { color: c.soft, fontSize: 11 },
  };
}

export function tooltipStyle(c: Palette): Option {
  return {
    appendTo: (element: HTMLElement) => element.closest('dialog') ?? document.body,
    backgroundColor: c.raised,
    borderColor: c.line,
    borderWidth: 1,
    padding: [6, 10],
    textStyle: { color: c.ink, fontSize: 12, fontFamily: FONT },
    extraCssText:
      'box-shadow:0 4px 16px rgb(0 0 0 / .18);border-radius:6px;font-variant-numeric:tabular-nums;max-width:28rem;white-space:normal',
    transitionDuration: 0,
  };
}

/** The legend of all charts that share these series: colour, symbol and word. */
export function legend(names: string[]): HTMLElement {
  const items = names.map((name, i) => {
    const mark = h('span', { class: 'key', 'aria-hidden': 'true', style: `color:var(--series-${(i % 6) + 1})` });
    mark.innerHTML = `<svg viewBox="0 0 12 12" width="12" height="12" fill="currentColor">${markOf(i)}</svg>`;
    return h('span', { class: 'item' }, mark, name);
  });
  return h('div', { class: 'legend' }, names.length > 1 ? items : []);
}

export const coloured = (c: Palette, i: number): string => c.series[i % c.series.length] ?? c.ink;
