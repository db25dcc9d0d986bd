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
  return element;
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

export function section(id: string, title: string, lead: string, ...children: Child[]): HTMLElement {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    lead ? h('p', { class: 'lead' }, lead) : null,
    ...children,
  );
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
