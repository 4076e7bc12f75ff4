import type { Conversion, Holder, Rejection, Step } from './uses.js';

/** What an expression holds of the value that is followed. */
export interface Flow {
  /** From the value asked about to the part at hand. */
  readonly path: readonly Step[];
  /** Containers around that part, innermost first. */
  readonly inside: readonly Holder[];
  readonly negated: boolean;
  readonly converted: Conversion | null;
  readonly rejection: Rejection;
  readonly chained: boolean;
}

export const startOfFlow: Flow = {
  path: [],
  inside: [],
  negated: false,
  converted: null,
  rejection: 'propagates',
  chained: false,
};

export const held = (flow: Flow, holder: Holder): Flow => ({ ...flow, inside: [...flow.inside, holder] });

const released = (flow: Flow): Flow => ({ ...flow, inside: flow.inside.slice(0, -1) });

const extended = (flow: Flow, step: Step): Flow => ({ ...flow, path: [...flow.path, step] });

/** The flow one step further in: out of the outermost container, or into the value. Null when the step leads past it. */
export function into(flow: Flow, step: Step): Flow | null {
  const holder = flow.inside.at(-1);
  if (!holder) return extended(flow, step);
  switch (step.kind) {
    case 'property':
      return holder.kind === 'property' && holder.name === step.name ? released(flow) : null;
    case 'index':
      if (holder.kind === 'element') return released(flow);
      return holder.kind === 'index' && holder.index === step.index ? released(flow) : null;
    case 'element':
      return holder.kind === 'index' || holder.kind === 'element' ? released(flow) : null;
    case 'unknown-member':
      return holder.kind === 'promise' ? null : released(flow);
    case 'rest':
      // Whether the rest still has it depends on what was taken before; it may.
      return flow;
    case 'await':
      return afterAwait(flow);
    case 'then':
      return afterThen(flow);
    case 'method':
      return null;
    default:
      step satisfies never;
      return null;
  }
}

/** `await`: out of a promise the value was wrapped in, or to what the value promises. */
export const afterAwait = (flow: Flow): Flow => afterSettling(flow, { kind: 'await' });

export const afterThen = (flow: Flow): Flow => afterSettling(flow, { kind: 'then' });

function afterSettling(flow: Flow, step: Step): Flow {
  const holder = flow.inside.at(-1);
  if (holder) return holder.kind === 'promise' ? released(flow) : flow;
  return extended(flow, step);
}

/**
 * What `Promise.all` and its like make of a list that holds the value: a promise of the list of what the elements
 * promise. Null for other functions, and when the value is not an element of the list.
 */
export function afterCombinator(name: string, flow: Flow): Flow | null {
  const list = flow.inside.at(-1);
  if (list?.kind !== 'index' && list?.kind !== 'element') return null;
  const element = settledElement(released(flow));
  switch (name) {
    case 'Promise.all':
      return held(held(element, list), { kind: 'promise' });
    case 'Promise.allSettled':
      return held(held(held(element, { kind: 'property', name: 'value' }), list), { kind: 'promise' });
    case 'Promise.race':
    case 'Promise.any':
      return held(element, { kind: 'promise' });
    default:
      return null;
  }
}

/** Values that are no promises pass through the combinators unchanged. */
function settledElement(element: Flow): Flow {
  const isSettled = element.path.some(({ kind }) => kind === 'await' || kind === 'then');
  return isSettled && element.inside.length === 0 ? element : afterAwait(element);
}
