import type { ParseResult } from '@pgsql/types';

import type { NormalizedSql } from './normalize.js';
import { type SqlParser, SqlSyntaxError } from './parser.js';
import { offsetOfCharacter, render, type RenderedSql } from './rendered-sql.js';
import type { Slot, Spelling } from './slots.js';

export type Repaired =
  | { kind: 'parsed'; tree: ParseResult; rendered: RenderedSql; spellingOf: (slot: Slot) => Spelling }
  | { kind: 'failed'; error: { message: string; at: number }; rendered: RenderedSql };

/** Characters handed to the parser in one repair, all tries together: keeps the cost of huge texts linear. */
const CHARACTER_BUDGET = 1_000_000;
const FEWEST_TRIES = 4;
const MOST_TRIES = 48;

/** The slot under repair: which of its spellings were tried at this error, and how far the best one got. */
interface Focus {
  slot: Slot;
  tried: Spelling[];
  best: Spelling;
  reached: number;
}

/**
 * Parses normalized SQL. On a syntax error the slot before the error gets its next spelling, as long as that moves the
 * error forward; when none of its spellings does, the slot before it is tried.
 * @param wrapper see `render`
 */
export function parseWithRepair(
  parser: SqlParser,
  normalized: NormalizedSql,
  wrapper?: { before: string; after: string },
): Repaired {
  const chosen = new Map<Slot, Spelling>();
  const spellingOf = (slot: Slot): Spelling => chosen.get(slot) ?? slot.spellings[0] ?? 'value';
  const budget = Math.floor(CHARACTER_BUDGET / (normalized.text.length + 1));
  const tries = normalized.slots.length === 0 ? 1 : Math.min(MOST_TRIES, Math.max(FEWEST_TRIES, budget));

  let focus: Focus | null = null;
  const exhausted = new Set<Slot>();
  let failure: Extract<Repaired, { kind: 'failed' }> | undefined;

  for (let count = 0; count < tries; count += 1) {
    const rendered = render(normalized, spellingOf, wrapper);
    try {
      return { kind: 'parsed', tree: parser.parse(rendered.sql), rendered, spellingOf };
    } catch (error) {
      if (!(error instanceof SqlSyntaxError)) throw error;
      const { character } = error;
      const at = character < 0 ? -1 : rendered.originalOffset(offsetOfCharacter(rendered.sql, character));
      failure ??= { kind: 'failed', error: { message: error.message, at }, rendered };
      if (at < 0) return failure;
      if (focus) {
        if (at > focus.reached) {
          focus = null;
          exhausted.clear();
        } else {
          chosen.set(focus.slot, focus.best);
        }
      }
      focus = nextFocus(focus, at);
      if (!focus) return failure;
    }
  }
  return failure ?? { kind: 'failed', error: { message: 'no text', at: -1 }, rendered: render(normalized, spellingOf) };

  /** Puts the next untried spelling into the focussed slot, or moves on to the nearest slot before the error. */
  function nextFocus(current: Focus | null, at: number): Focus | null {
    for (let candidate = current ?? open(at); candidate; candidate = open(at)) {
      const { slot, tried } = candidate;
      const spelling = slot.spellings.find((option) => !tried.includes(option));
      if (spelling !== undefined) {
        tried.push(spelling);
        chosen.set(slot, spelling);
        return candidate;
      }
      exhausted.add(slot);
      at = Math.max(at, candidate.reached);
    }
    return null;
  }

  function open(at: number): Focus | null {
    const slot = normalized.slots.findLast((candidate) => candidate.start <= at && !exhausted.has(candidate));
    if (!slot) return null;
    const best = spellingOf(slot);
    return { slot, tried: [best], best, reached: at };
  }
}
