// A titled part of the drawer.

import { h } from '../dom';

type Child = Parameters<typeof h>[2];

export function block(title: string, ...children: Child[]): HTMLElement {
  return h('section', {}, h('h3', {}, title), ...children);
}
