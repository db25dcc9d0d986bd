// Sentences of the judge as text on the page: what stands between backticks is code, a cell or a run named in it leads to the cell, and
// a word with a hyphen is not torn apart.

import { cellById, runById } from './data';
import { h } from './dom';
import { link } from './state';

/** Letters of a word that fits on a line of any screen. */
const LONGEST = 16;

/** A browser breaks lines at hyphens, and TPC-C is one word. */
export function unbroken(text: string): (string | HTMLElement)[] {
  return text.split(/(\S*\S-\S+)/).map((part, i) => (i % 2 === 1 && part.length <= LONGEST ? h('span', { class: 'word' }, part) : part));
}

/** Cells and runs by their ids. */
function linked(text: string): (string | HTMLElement)[] {
  return text.split(/\b(c\d{3,}(?:-\d+)?)\b/).map((part, i) => {
    const cell = i % 2 === 0 ? undefined : cellById.has(part) ? part : runById.get(part)?.cell;
    return cell ? h('a', { href: link({ cell, at: '' }) }, part) : part;
  });
}

export function prose(sentence: string): (string | HTMLElement)[] {
  return sentence.split(/`([^`]+)`/).flatMap((part, i) => (i % 2 === 1 ? [h('code', {}, part)] : linked(part)));
}
