// What is copied: text, a table that a sheet and a document both take, a picture. A page that was opened from a file may be refused a
// clipboard: text then goes by a selection, as it did before there was one, and a picture becomes a file.

import { h } from './dom';

export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const place = h('textarea', { readonly: true, 'aria-hidden': 'true' }, text);
    document.body.append(place);
    place.select();
    // Deprecated, and the only way there.
    const done = document.execCommand('copy');
    place.remove();
    return done;
  }
}

/** The same in several types, by their names; the program that pastes takes the richest that it knows. */
export async function copiedAs(types: Record<string, Blob | Promise<Blob>>): Promise<boolean> {
  const known = Object.entries(types).filter(([type]) => type.startsWith('text/') || (ClipboardItem.supports?.(type) ?? type === 'image/png'));
  if (known.length === 0) return false;
  try {
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(known))]);
    return true;
  } catch {
    return false;
  }
}

export async function saved(name: string, blob: Blob): Promise<void> {
  const reader = new FileReader();
  const url = await new Promise<string>((done) => {
    reader.onload = () => done(String(reader.result));
    reader.readAsDataURL(blob);
  });
  h('a', { href: url, download: name }).click();
}
