import { HOLE, type HoleKind } from './model.js';
import type { Placeholder } from './placeholders.js';

/** How a slot can be spelt for the parser. */
export type Spelling =
  | 'value'
  | 'identifier'
  /** nothing at all: an optional clause that is absent */
  | 'gap'
  | 'operator'
  | 'conjunction'
  | 'list'
  | 'assignment'
  | 'query'
  | 'common-table'
  | 'column-definition'
  | 'separator'
  /** the rest of a number or of `$1` */
  | 'digits';

/** A place in the code whose text is not known: a hole, or a driver's placeholder. Offsets are those of the input text. */
export interface Slot {
  start: number;
  end: number;
  origin: { kind: 'hole'; index: number; hole: HoleKind } | { kind: 'placeholder'; placeholder: Placeholder };
  /** Likeliest first; never empty. */
  spellings: readonly Spelling[];
}

const SPELLED: Readonly<Record<Spelling, string>> = {
  value: '$1',
  identifier: HOLE,
  gap: ' ',
  operator: '=',
  conjunction: 'AND',
  list: '($1)',
  assignment: `${HOLE} = $1`,
  query: 'SELECT 1',
  'common-table': `${HOLE} AS (SELECT 1)`,
  'column-definition': `${HOLE} int`,
  separator: ',',
  digits: '1',
};

const WORD_CHARACTER = /[\w$\u0080-\uFFFF]/;

/** The text that stands for a slot, kept apart from words it touches. */
export function spell(spelling: Spelling, slot: Slot, text: string): string {
  const spelled = SPELLED[spelling];
  if (spelling === 'identifier' || spelling === 'digits') return spelled;
  const before = WORD_CHARACTER.test(text[slot.start - 1] ?? ' ') ? ' ' : '';
  const after = WORD_CHARACTER.test(text[slot.end] ?? ' ') ? ' ' : '';
  return before + spelled + after;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** A name follows them. */
const BEFORE_NAME = words(
  'as collate column concurrently constraint database extension from function index into join lateral listen local ' +
    'notify of only over procedure release role savepoint schema sequence session table trigger truncate type update ' +
    'using view window',
);

/** An expression or a clause follows them, so they are no operands themselves, as identifiers would be. */
const NO_OPERAND = words(
  'all analyze and any array as between by call case cross distinct do else escape except execute exists explain fetch ' +
    'filter for full having if ilike in inner intersect interval is join left like limit natural not offset on or outer ' +
    'perform recursive return returning right row select set similar some then to union values when where with within',
);

const IDENTIFIER_FIRST: readonly Spelling[] = ['identifier', 'gap', 'value', 'query', 'list', 'operator', 'assignment'];
const VALUE_FIRST: readonly Spelling[] = [
  'value',
  'identifier',
  'list',
  'query',
  'gap',
  'assignment',
  'common-table',
  'column-definition',
  'operator',
];
const AFTER_OPERAND: readonly Spelling[] = [
  'gap',
  'operator',
  'conjunction',
  'identifier',
  'separator',
  'value',
  'list',
  'query',
];

const starting = (first: readonly Spelling[], rest: readonly Spelling[]): readonly Spelling[] => [
  ...first,
  ...rest.filter((spelling) => !first.includes(spelling)),
];

/** The tokens of code directly before a slot, nearest first: words lower case, anything else by its last character. */
export interface Before {
  /** Empty at the start of the text or of a statement. */
  token: string;
  previous: string;
}

function isOperand({ token, previous }: Before): boolean {
  if (token === '') return false;
  // `select *`, `count(*)`, `t.*`: a star there is no multiplication.
  if (token === '*') return previous === 'select' || previous === ',' || previous === '(' || previous === '.';
  if (WORD_CHARACTER.test(token)) return !NO_OPERAND.has(token) && !BEFORE_NAME.has(token);
  return token === ')' || token === ']' || token === "'" || token === '"';
}

/**
 * In which order the spellings of a slot are worth a try, from what stands around it.
 * @param touching the characters directly before and after the slot
 */
export function spellingsFor(
  hole: HoleKind,
  before: Before,
  touching: { before: string; after: string },
): readonly Spelling[] {
  const { token, previous } = before;
  if (hole === 'identifier') return IDENTIFIER_FIRST;
  if (touching.before !== '' && /^(?:\d+|\$)$/.test(token) && token.endsWith(touching.before)) {
    return starting(['digits'], IDENTIFIER_FIRST);
  }
  if (/[\w.$"\u0080-\uFFFF]/.test(touching.before) || /[\w."\u0080-\uFFFF]/.test(touching.after)) return IDENTIFIER_FIRST;
  if (touching.before === ':') return IDENTIFIER_FIRST;
  if (touching.after === '(' && token !== 'in' && token !== 'values') return IDENTIFIER_FIRST;
  if (token === '') return starting(['gap', 'query'], VALUE_FIRST);
  if (token === 'values' || (token === 'in' && hole !== 'value')) return starting(['list'], VALUE_FIRST);
  if (token === 'with' || token === 'recursive') return starting(['common-table'], IDENTIFIER_FIRST);
  if (token === 'set') return starting(['assignment', 'identifier'], VALUE_FIRST);
  if (token === '(' && /^(?:as|from|exists|join|lateral|materialized|array)$/.test(previous)) {
    return starting(['query'], VALUE_FIRST);
  }
  if (token === 'union' || token === 'except' || token === 'intersect') return starting(['query'], VALUE_FIRST);
  if (BEFORE_NAME.has(token)) return IDENTIFIER_FIRST;
  return isOperand(before) ? AFTER_OPERAND : VALUE_FIRST;
}
