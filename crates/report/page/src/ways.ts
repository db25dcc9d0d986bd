// How users wait for their answers, in words: two folds and the caption of a curve say it alike.

import type { Choice, Reach, Step } from './types';

export function wayOf(way: Pick<Reach | Step, 'io' | 'threads'>): string {
  if (way.io === 'blocking') return 'a blocking thread for each user';
  return `${way.io} on ${way.threads === 'per_cpu' ? 'a thread per CPU' : 'one thread'}`;
}

export function choiceOf(choice: Choice): string {
  const steps = choice.steps.map((step, i) => {
    if (step.up_to !== undefined) return `up to ${step.up_to} users ${wayOf(step)}`;
    return i === 0 ? `${wayOf(step)} at every level` : `for more ${wayOf(step)}`;
  });
  return `${steps.join(', ')}, as measured with ${choice.server}`;
}
