import type { EdgeLabel, Step } from './model.js';

/** An edge whose end is not known yet. */
export interface Dangling {
  readonly from: Step;
  readonly label: EdgeLabel;
  readonly enteredBy: Step | null;
}

/** The paths that reach a place in the code: what is built next is linked to all of them. Empty in dead code. */
export type Frontier = readonly Dangling[];

export const DEAD: Frontier = [];

export function after(from: Step, label: EdgeLabel = 'next', enteredBy: Step | null = null): Frontier {
  return [{ from, label, enteredBy }];
}

/** The two ways out of a test. */
export interface Branches {
  readonly yes: Frontier;
  readonly no: Frontier;
}
