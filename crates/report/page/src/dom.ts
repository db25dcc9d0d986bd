// Builds elements. Text always goes in as text, so nothing that a record says can become markup.

type Child = Node | string | number | null | undefined | false | Child[];
type Props = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  append(element, children);
  if (/\b(scroll|tall)\b/.test(String(props.class ?? ''))) reachable(element);
  return element;
}

/** What scrolls in itself takes the keyboard while it does, and is no stop on its way while all of it is seen. */
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest('.scroll, .tall') ?? target;
    if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) box.setAttribute('tabindex', '0');
    else box.removeAttribute('tabindex');
  }
});

function reachable(box: HTMLElement): void {
  sizes.observe(box);
  for (const child of box.children) sizes.observe(child);
}

function append(element: HTMLElement, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

/** For the few places where a chart's tooltip wants HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A part that is folded until a reader asks for it: its heading opens it. */
export function folded(id: string, title: string, lead: string, isOpen: boolean, toggled: (open: boolean) => void, ...children: Child[]): HTMLElement {
  const fold: HTMLDetailsElement = h(
    'details',
    { class: 'part', open: isOpen, ontoggle: () => toggled(fold.open) },
    h('summary', {}, h('h2', { id: `${id}-title` }, title), lead ? h('span', { class: 'lead' }, lead) : null),
    h('div', { class: 'inside' }, ...children),
  );
  return h('section', { id, 'aria-labelledby': `${id}-title` }, fold);
}

export interface Choice {
  value: string;
  label: string;
}

export function select(label: string, choices: Choice[], chosen: string, pick: (value: string) => void): HTMLElement {
  const options = choices.map((c) => h('option', { value: c.value, selected: c.value === chosen }, c.label));
  const box = h('select', { onchange: () => pick(box.value) }, options);
  return h('label', { class: 'pick' }, h('span', {}, label), box);
}

/** Buttons of which one is pressed. */
export function toggle(label: string, choices: Choice[], chosen: string, pick: (value: string) => void): HTMLElement {
  const buttons = choices.map((c) =>
    h('button', { type: 'button', 'aria-pressed': String(c.value === chosen), onclick: () => pick(c.value) }, c.label),
  );
  return h('div', { class: 'pick', role: 'group', 'aria-label': label }, h('span', {}, label), h('div', { class: 'toggle' }, buttons));
}
