import type { Dangling, Frontier } from './frontier.js';

/** Work that a `return` leaves behind: the returned promise chain, which goes on when the finalizers have run. */
export interface Deferred {
  readonly id: number;
  readonly settle: (at: Frontier) => Settled;
}

/** Where the paths are on which a promise was fulfilled, and on which it was rejected. */
export interface Settled {
  readonly fulfilled: Frontier;
  readonly rejected: Frontier;
}

export type Completion =
  | { readonly kind: 'normal' }
  | { readonly kind: 'throw' }
  | { readonly kind: 'return'; readonly deferred: Deferred | null }
  | { readonly kind: 'break' | 'continue'; readonly target: Frame };

export const NORMAL: Completion = { kind: 'normal' };
export const THROW: Completion = { kind: 'throw' };
export const RETURN: Completion = { kind: 'return', deferred: null };

/** The paths that leave through a frame by one completion. */
export interface Pending {
  readonly completion: Completion;
  readonly paths: Dangling[];
}

/**
 * Something that catches completions: the unit itself (`root`), an inlined function (`callback`), the block of a `try` with a
 * handler (`catch`), code with something to run on the way out (`finally`), or the target of jumps.
 */
export interface Frame {
  readonly id: number;
  readonly kind: 'root' | 'callback' | 'catch' | 'finally' | 'loop' | 'switch' | 'label';
  readonly parent: Frame | null;
  readonly labels: readonly string[];
  /** For `finally`: the loop whose `continue` does not run it, since it closes that loop's iterator. */
  readonly ignoresContinueOf: Frame | null;
  /** For `callback`: the promise it returns is waited for. */
  readonly settlesReturns: boolean;
  readonly pending: Map<string, Pending>;
}

/** Two paths may share a finalizer's copy only if their completions have the same key. */
export function completionKey(completion: Completion): string {
  switch (completion.kind) {
    case 'normal':
    case 'throw':
      return completion.kind;
    case 'return':
      return completion.deferred === null ? 'return' : `return ${completion.deferred.id}`;
    case 'break':
    case 'continue':
      return `${completion.kind} ${completion.target.id}`;
    default:
      return completion satisfies never;
  }
}

export function takes(frame: Frame, completion: Completion): boolean {
  switch (frame.kind) {
    case 'root':
    case 'callback':
      return true;
    case 'catch':
      return completion.kind === 'throw';
    case 'finally':
      return completion.kind !== 'continue' || completion.target !== frame.ignoresContinueOf;
    case 'loop':
    case 'switch':
    case 'label':
      return (completion.kind === 'break' || completion.kind === 'continue') && completion.target === frame;
    default:
      return frame.kind satisfies never;
  }
}

/** The frame a jump aims at; null for a jump without a target, which no parser lets through. */
export function jumpTarget(from: Frame, kind: 'break' | 'continue', label: string | null): Frame | null {
  for (let frame: Frame | null = from; frame !== null; frame = frame.parent) {
    switch (frame.kind) {
      case 'root':
      case 'callback':
        return null;
      case 'loop':
        if (label === null || frame.labels.includes(label)) return frame;
        break;
      case 'switch':
        if (kind === 'break' && label === null) return frame;
        break;
      case 'label':
        if (kind === 'break' && label !== null && frame.labels.includes(label)) return frame;
        break;
      case 'catch':
      case 'finally':
        break;
      default:
        frame.kind satisfies never;
    }
  }
  return null;
}
