/** Values the source layer computes with: JavaScript's primitives, and regular expressions as arguments. */
export type Constant = string | number | bigint | boolean | null | undefined | RegExp;

/** Texts beyond this length and integers beyond this size are not computed: real SQL and real keys are far below. */
const textLimit = 1_000_000;
const bitLimit = 4096n;
const integerLimit = 1n << bitLimit;

/** Guards against programs whose constants grow exponentially. */
export function isTooLarge(value: Constant): boolean {
  if (typeof value === 'string') return value.length > textLimit;
  return typeof value === 'bigint' && (value > integerLimit || value < -integerLimit);
}

interface Result {
  readonly value: Constant;
}

const result = (value: Constant): Result | null => (isTooLarge(value) ? null : { value });

/** What JavaScript throws on (a bigint and a number added, `BigInt('x')`) has no value. */
function attempt(compute: () => Constant | null): Result | null {
  try {
    return result(compute());
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function unary(operator: string, value: Constant): Result | null {
  if (value instanceof RegExp) return operator === '!' ? { value: false } : null;
  switch (operator) {
    case '-':
      return typeof value === 'bigint' ? result(-value) : { value: -Number(value) };
    case '+':
      return typeof value === 'bigint' ? null : { value: Number(value) };
    case '!':
      return { value: !value };
    case '~':
      return typeof value === 'bigint' ? result(~value) : { value: ~Number(value) };
    case 'typeof':
      return { value: value === null ? 'object' : typeof value };
    case 'void':
      return { value: undefined };
    default:
      return null;
  }
}

export function binary(operator: string, left: Constant, right: Constant): Result | null {
  if (left instanceof RegExp || right instanceof RegExp) return null;
  switch (operator) {
    case '===':
      return { value: left === right };
    case '!==':
      return { value: left !== right };
    case '==':
    case '!=':
      // Loose equality differs only between types, which no real constant test relies on.
      if (!isNullish(left) && !isNullish(right) && typeof left !== typeof right) return null;
      return { value: ((left ?? undefined) === (right ?? undefined)) === (operator === '==') };
    case '+':
      if (typeof left === 'string' || typeof right === 'string') return result(String(left) + String(right));
      break;
    case '<':
    case '>':
    case '<=':
    case '>=':
      return comparison(operator, left, right);
    default:
  }
  if (typeof left === 'bigint' && typeof right === 'bigint') return attempt(() => bigintOperation(operator, left, right));
  if (typeof left === 'bigint' || typeof right === 'bigint') return null;
  const value = numberOperation(operator, Number(left), Number(right));
  return value === null ? null : { value };
}

const isNullish = (value: Constant): boolean => value === null || value === undefined;

const isNumeric = (value: Constant): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

type Primitive = Exclude<Constant, RegExp>;

function comparison(operator: '<' | '>' | '<=' | '>=', left: Primitive, right: Primitive): Result | null {
  const areComparable =
    (typeof left === 'string' && typeof right === 'string') || (isNumeric(left) && isNumeric(right));
  if (!areComparable) return null;
  switch (operator) {
    case '<':
      return { value: left < right };
    case '>':
      return { value: left > right };
    case '<=':
      return { value: left <= right };
    case '>=':
      return { value: left >= right };
    default:
      operator satisfies never;
      return null;
  }
}

function numberOperation(operator: string, left: number, right: number): number | null {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return left ** right;
    case '<<':
      return left << right;
    case '>>':
      return left >> right;
    case '>>>':
      return left >>> right;
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    default:
      return null;
  }
}

/** Throws what JavaScript throws, and for operators that bigints do not have. */
function bigintOperation(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      if (right > bitLimit) throw new RangeError('exponent beyond the limit');
      return left ** right;
    case '<<':
      if (right > bitLimit) throw new RangeError('shift beyond the limit');
      return left << right;
    case '>>':
      if (right < -bitLimit) throw new RangeError('shift beyond the limit');
      return left >> right;
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    default:
      throw new TypeError(`no bigint operator ${operator}`);
  }
}

/** The value of a global name or a constant member of a global: `undefined`, `Number.MAX_SAFE_INTEGER`, `Math.PI`. */
export function wellKnown(name: string): Result | null {
  switch (name) {
    case 'undefined':
      return { value: undefined };
    case 'NaN':
    case 'Number.NaN':
      return { value: NaN };
    case 'Infinity':
    case 'Number.POSITIVE_INFINITY':
      return { value: Infinity };
    case 'Number.NEGATIVE_INFINITY':
      return { value: -Infinity };
    case 'Number.MAX_SAFE_INTEGER':
      return { value: Number.MAX_SAFE_INTEGER };
    case 'Number.MIN_SAFE_INTEGER':
      return { value: Number.MIN_SAFE_INTEGER };
    case 'Number.MAX_VALUE':
      return { value: Number.MAX_VALUE };
    case 'Number.EPSILON':
      return { value: Number.EPSILON };
    case 'Math.PI':
      return { value: Math.PI };
    case 'Math.E':
      return { value: Math.E };
    default:
      return null;
  }
}

/**
 * Calls a global function (`receiver` null, `name` as written: `Math.max`) or a method of a primitive. Only functions
 * that are pure, quick and bounded are known; null for every other, and where JavaScript would throw.
 */
export function callBuiltin(name: string, receiver: Result | null, values: readonly Constant[]): Result | null {
  return attempt(() => {
    if (!receiver) return callGlobal(name, values);
    if (typeof receiver.value === 'string') return callTextMethod(name, receiver.value, values);
    return callPrimitiveMethod(name, receiver.value, values);
  });
}

function unsupported(name: string): never {
  throw new TypeError(`${name} is not evaluated`);
}

const numbersOnly = (name: string, values: readonly Constant[]): number[] =>
  values.map((value) => (typeof value === 'number' ? value : unsupported(name)));

function callGlobal(name: string, values: readonly Constant[]): Constant {
  const [first, second] = values;
  if (first instanceof RegExp) return unsupported(name);
  switch (name) {
    case 'BigInt':
      return typeof first === 'string' && first.length > bitLimit ? unsupported(name) : BigInt(first ?? unsupported(name));
    case 'BigInt.asIntN':
      return typeof first === 'number' && typeof second === 'bigint' ? BigInt.asIntN(first, second) : unsupported(name);
    case 'BigInt.asUintN':
      if (typeof first !== 'number' || typeof second !== 'bigint' || first > Number(bitLimit)) return unsupported(name);
      return BigInt.asUintN(first, second);
    case 'Number':
      return values.length === 0 ? 0 : Number(first);
    case 'String':
      return values.length === 0 ? '' : String(first);
    case 'Boolean':
      return Boolean(first);
    case 'parseInt':
    case 'Number.parseInt':
      return parseInt(String(first), second === undefined ? undefined : Number(second));
    case 'parseFloat':
    case 'Number.parseFloat':
      return parseFloat(String(first));
    case 'String.fromCharCode':
      return String.fromCharCode(...numbersOnly(name, values));
    default:
      return callMath(name, numbersOnly(name, values));
  }
}

function callMath(name: string, values: readonly number[]): number {
  const [first = NaN, second = NaN] = values;
  switch (name) {
    case 'Math.abs':
      return Math.abs(first);
    case 'Math.ceil':
      return Math.ceil(first);
    case 'Math.floor':
      return Math.floor(first);
    case 'Math.imul':
      return Math.imul(first, second);
    case 'Math.log2':
      return Math.log2(first);
    case 'Math.max':
      return Math.max(...values);
    case 'Math.min':
      return Math.min(...values);
    case 'Math.pow':
      return first ** second;
    case 'Math.round':
      return Math.round(first);
    case 'Math.sign':
      return Math.sign(first);
    case 'Math.sqrt':
      return Math.sqrt(first);
    case 'Math.trunc':
      return Math.trunc(first);
    default:
      return unsupported(name);
  }
}

function callTextMethod(name: string, text: string, values: readonly Constant[]): Constant {
  const [first, second] = values;
  const start = first === undefined ? undefined : Number(first);
  const end = second === undefined ? undefined : Number(second);
  switch (name) {
    case 'trim':
      return text.trim();
    case 'trimStart':
    case 'trimLeft':
      return text.trimStart();
    case 'trimEnd':
    case 'trimRight':
      return text.trimEnd();
    case 'toUpperCase':
      return text.toUpperCase();
    case 'toLowerCase':
      return text.toLowerCase();
    case 'toString':
    case 'valueOf':
      return text;
    case 'normalize':
      return values.length === 0 ? text.normalize() : unsupported(name);
    case 'concat':
      return text.concat(...values.map(String));
    case 'repeat':
      return text.length * (start ?? 0) > textLimit ? unsupported(name) : text.repeat(start ?? 0);
    case 'padStart':
      return (start ?? 0) > textLimit ? unsupported(name) : text.padStart(start ?? 0, padding(second));
    case 'padEnd':
      return (start ?? 0) > textLimit ? unsupported(name) : text.padEnd(start ?? 0, padding(second));
    case 'replace':
    case 'replaceAll':
      return replaced(name, text, first, second);
    case 'slice':
      return text.slice(start, end);
    case 'substring':
      return text.substring(start ?? 0, end);
    case 'at':
      return text.at(start ?? 0);
    case 'charAt':
      return text.charAt(start ?? 0);
    case 'charCodeAt':
      return text.charCodeAt(start ?? 0);
    case 'codePointAt':
      return text.codePointAt(start ?? 0);
    case 'startsWith':
      return typeof first === 'string' ? text.startsWith(first, end) : unsupported(name);
    case 'endsWith':
      return typeof first === 'string' ? text.endsWith(first, end) : unsupported(name);
    case 'includes':
      return typeof first === 'string' ? text.includes(first, end) : unsupported(name);
    case 'indexOf':
      return typeof first === 'string' ? text.indexOf(first, end) : unsupported(name);
    default:
      return unsupported(name);
  }
}

const padding = (given: Constant): string => (given === undefined ? ' ' : String(given));

function replaced(name: 'replace' | 'replaceAll', text: string, search: Constant, replacement: Constant): string {
  // `$'` and its like stand for parts of the text, which may make the result very long.
  if (typeof replacement !== 'string' || replacement.includes('$')) return unsupported(name);
  if ((text.length + 1) * (replacement.length + 1) > textLimit * 10) return unsupported(name);
  if (search instanceof RegExp) {
    if (!isWhitespacePattern(search, text)) return unsupported(name);
    return text.replace(new RegExp(search.source, search.flags), replacement);
  }
  if (typeof search !== 'string') return unsupported(name);
  return name === 'replace' ? text.replace(search, replacement) : text.replaceAll(search, replacement);
}

/**
 * Patterns for runs of white space, `\s+` or `\n\s*`, are the ones people tidy SQL with, and their time is known: linear
 * for one class, quadratic where a second one or an anchor follows. A pattern of any other form may take for ever.
 */
export function isWhitespacePattern(pattern: RegExp, text: string): boolean {
  const run = String.raw`(?:\\[snrt]| |\[(?:\\[snrt]| )+\])[+*]?`;
  if (new RegExp(`^${run}$`).test(pattern.source)) return true;
  return text.length < 20_000 && new RegExp(`^\\^?${run}(?:${run})?\\$?$`).test(pattern.source);
}

function callPrimitiveMethod(name: string, value: Exclude<Constant, string>, values: readonly Constant[]): Constant {
  const radix = values[0] === undefined ? undefined : Number(values[0]);
  if (value instanceof RegExp || value === null || value === undefined) return unsupported(name);
  if (name === 'valueOf') return value;
  if (name !== 'toString') {
    return name === 'toFixed' && typeof value === 'number' ? value.toFixed(radix) : unsupported(name);
  }
  return typeof value === 'boolean' ? String(value) : value.toString(radix);
}
