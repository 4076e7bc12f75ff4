import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { unwrap } from '../source/ast.js';
import { dottedName } from '../source/mutations.js';
import type { SqlExpression } from '../sql/model.js';
import { evaluation } from './evaluation.js';
import { combine, toBigint } from './key-arithmetic.js';
import { anyBigint, asText, bigintValue, concatenated, constantText, either, scatterOf, textValue, unknownValue, valueOfConstant, type Hash, type KeyValue } from './key-domain.js';
import { keyValues, type KeyValues } from './key-values.js';
import type { QueryLock } from './query.js';
import { commonType, integerTypes, returnTypes } from './sql-types.js';

/** What the server is given for one argument of a lock function. */
export interface SqlKey {
  /**
   * PostgreSQL's name of the type, `int8`; `literal` for a string or NULL that takes the type it is asked for,
   * `parameter` for a bound value that does; `unknown` for anything else.
   */
  readonly type: string;
  /** Its range; for a bound value what JavaScript gives to the driver. */
  readonly value: KeyValue;
  /** `bound`: the value travels apart from the text; `pasted`: JavaScript writes it into the text; `quoted`: between quotes. */
  readonly from: 'sql' | 'bound' | 'pasted' | 'quoted';
  /** The JavaScript expression, for a value that comes from one. */
  readonly node: TSESTree.Node | null;
  /** For text: the type whose text it is, `uuid`. */
  readonly spelled: string | null;
  /** The cast in it that fails whatever the value is. */
  readonly failure: SqlExpression | null;
}

export interface SqlKeys {
  /** The arguments of the lock function, in order, its time-out included. */
  argumentsOf(lock: QueryLock): readonly SqlKey[];
}

/** Reads the arguments of lock functions: SQL, and the JavaScript values in it. */
export const sqlKeys = definePass('SQL keys', [keyValues, evaluation], ([values, { constantOf }]): SqlKeys => {
  const memo = new WeakMap<QueryLock, readonly SqlKey[]>();
  return {
    argumentsOf(lock) {
      const known = memo.get(lock);
      if (known) return known;
      const reader = new Reader(lock, values, constantOf);
      const read = lock.operation.arguments.map((argument) => reader.read(argument, 0));
      memo.set(lock, read);
      return read;
    },
  };
});

const depthLimit = 40;

const isOneValue = ({ kind }: SqlExpression): boolean => kind !== 'cast' && kind !== 'call' && kind !== 'operator' && kind !== 'placeholder';

const sqlKey = (type: string, value: KeyValue, more: Partial<SqlKey> = {}): SqlKey => ({ type, value, from: 'sql', node: null, spelled: null, failure: null, ...more });

const unknownKey = sqlKey('unknown', unknownValue);

class Reader {
  constructor(
    readonly lock: QueryLock,
    readonly values: KeyValues,
    readonly constantOf: (node: TSESTree.Node) => { readonly value: unknown } | null,
  ) {}

  read(expression: SqlExpression, depth: number): SqlKey {
    if (depth > depthLimit) return unknownKey;
    const bound = isOneValue(expression) ? this.#templateValue(expression.range.start) : null;
    if (bound) return sqlKey('parameter', this.#valueOf(bound), { from: 'bound', node: bound });
    switch (expression.kind) {
      case 'integer':
        return this.#integer(expression.value, expression);
      case 'number':
        return sqlKey('numeric', unknownValue);
      case 'string':
        return sqlKey('literal', valueOfConstant(expression.value));
      case 'null':
        return sqlKey('literal', { type: 'null' });
      case 'boolean':
        return sqlKey('bool', { type: 'boolean' });
      case 'hole':
        return this.#hole(expression);
      case 'placeholder': {
        const node = this.lock.boundValue(expression);
        return node ? sqlKey('parameter', this.#valueOf(node), { from: 'bound', node }) : sqlKey('parameter', unknownValue, { from: 'bound' });
      }
      case 'cast':
        return this.#cast(expression, this.read(expression.argument, depth + 1));
      case 'call':
        return this.#call(expression.name.toLowerCase(), expression.arguments.map((argument) => this.read(argument, depth + 1)));
      case 'operator':
        return this.#operator(expression.operator, expression.arguments.map((argument) => this.read(argument, depth + 1)));
      case 'column':
        return this.#column(expression);
      case 'subquery':
      case 'unknown':
        return unknownKey;
    }
  }

  #valueOf(node: TSESTree.Node): KeyValue {
    return this.values.valueOf(node, this.lock.query.frames);
  }

  /**
   * The value of a tagged template at an offset of the text, which the tag binds though the text shows what it is; null
   * for SQL that the template itself writes.
   */
  #templateValue(offset: number): TSESTree.Node | null {
    const segment = this.lock.text.segments.findLast(({ at }) => at <= offset);
    if (!segment) return null;
    let node = unwrap(this.lock.text.node);
    for (;;) {
      const template: TSESTree.Node = node.type === 'TaggedTemplateExpression' ? node.quasi : node;
      const tag = template.parent?.type === 'TaggedTemplateExpression' ? template.parent.tag : null;
      if (template.type !== 'TemplateLiteral' || !tag || dottedName(tag) === 'String.raw') return null;
      const expression = template.expressions.find(({ range }) => range[0] <= segment.home[0] && range[1] >= segment.home[1]);
      if (!expression) return null;
      node = unwrap(expression);
      if (node.type !== 'TaggedTemplateExpression') return segment.origin === node || this.constantOf(node) ? node : null;
    }
  }

  /** A number in the text; JavaScript may have written it there, with the digits it had left. */
  #integer(value: bigint, { range }: SqlExpression): SqlKey {
    const type = this.lock.operation.dialect === 'mysql' || fits(value, 32n) ? 'int4' : fits(value, 64n) ? 'int8' : 'numeric';
    const pasted = this.#pasted(range.start);
    const isNumber = typeof pasted?.value === 'number';
    return isNumber ? sqlKey(type, valueOfConstant(pasted.value), { from: 'pasted', node: pasted.node }) : sqlKey(type, bigintValue(value, value));
  }

  /** `undefined` and `NaN`, pasted into the text, are names of columns there. */
  #column({ range }: SqlExpression): SqlKey {
    const pasted = this.#pasted(range.start);
    if (!pasted || (pasted.value !== undefined && !Number.isNaN(pasted.value))) return unknownKey;
    return sqlKey('unknown', valueOfConstant(pasted.value), { from: 'pasted', node: pasted.node });
  }

  /** The constant that JavaScript wrote into the text at an offset, and where; null for text that stands there itself. */
  #pasted(offset: number): { readonly value: number | undefined; readonly node: TSESTree.Node } | null {
    const segment = this.lock.text.segments.findLast(({ at }) => at <= offset);
    const constant = segment && !segment.verbatim ? this.constantOf(segment.origin) : null;
    const isPlain = constant !== null && (typeof constant.value === 'number' || constant.value === undefined);
    return segment && isPlain ? { value: typeof constant.value === 'number' ? constant.value : undefined, node: segment.origin } : null;
  }

  #hole(expression: SqlExpression & { kind: 'hole' }): SqlKey {
    const kind = this.lock.text.holes[expression.index]?.kind;
    const node = this.lock.boundValue(expression);
    if (!node || kind === 'identifier') return unknownKey;
    const value = this.#valueOf(node);
    if (kind === 'value') return sqlKey('parameter', value, { from: 'bound', node });
    const isQuoted = this.lock.text.text[expression.range.start] === "'";
    if (isQuoted) return sqlKey('literal', value, { from: 'quoted', node });
    // Text may be any SQL; what is certainly a number or nothing is not.
    if (value.type === 'number' || value.type === 'bigint') return sqlKey(pastedType(value), value, { from: 'pasted', node });
    return value.type === 'null' || value.type === 'undefined' ? sqlKey('unknown', value, { from: 'pasted', node }) : unknownKey;
  }

  #cast(expression: SqlExpression & { kind: 'cast' }, inner: SqlKey): SqlKey {
    const { type } = expression;
    if (inner.failure) return { ...inner, type };
    if (inner.value.type === 'null' || inner.value.type === 'undefined') return { ...inner, type: inner.type === 'unknown' ? 'unknown' : type };
    if (integerTypes.has(type)) {
      const isFailing = failsAsInteger(type, inner);
      const keepsValue = integerTypes.has(inner.type) || inner.type === 'parameter' || inner.type === 'literal';
      return { ...inner, type, value: keepsValue ? inner.value : unknownValue, spelled: null, failure: isFailing ? expression : null };
    }
    const isText = type === 'text' || type === 'varchar' || type === 'bpchar';
    // A parameter cast to a type is sent as that type, and its text is the type's.
    const spelled = isText ? (inner.spelled ?? (inner.type === 'parameter' || inner.type === 'literal' ? null : inner.type)) : type;
    if (isText && (inner.type === 'literal' || inner.type === 'parameter' || textTypes.has(inner.type))) return { ...inner, type, spelled };
    return sqlKey(type, unknownValue, { spelled });
  }

  #call(name: string, inner: readonly SqlKey[]): SqlKey {
    const [first = unknownKey, second = unknownKey] = inner;
    const hashed = (min: bigint, max: bigint, how: string | null): KeyValue => bigintValue(min, max, { spread: true, hash: how === null ? null : this.#hash(how) });
    switch (name) {
      case 'hashtext':
      case 'hashbpchar':
      case 'hashint4':
      case 'hashint8':
      case 'hash_numeric':
      case 'uuid_hash':
      case 'hashname':
        return sqlKey('int4', hashed(-(2n ** 31n), 2n ** 31n - 1n, name));
      case 'crc32':
      case 'crc32c':
        return sqlKey('int8', hashed(0n, 2n ** 32n - 1n, name));
      case 'hashtextextended':
        return sqlKey('int8', hashed(-(2n ** 63n), 2n ** 63n - 1n, null));
      case 'abs': {
        const range = integerOf(first);
        const hash = range.hash && this.#hash(`abs of ${range.hash.how}`);
        const bound = range.min === null || range.max === null ? null : -range.min > range.max ? -range.min : range.max;
        return sqlKey(first.type, bigintValue(0n, bound, { spread: range.spread, hash }));
      }
      case 'mod':
        return this.#operator('%', inner);
      case 'concat':
        return sqlKey('text', inner.map((part) => asText(part.value)).reduce(concatenated, asText(valueOfConstant(''))));
      case 'md5':
        return sqlKey('text', textValue(32, 32, 'hex', { spread: true, hash: null }), { spelled: 'md5' });
      case 'sha1':
      case 'sha':
        return sqlKey('text', textValue(40, 40, 'hex', { spread: true, hash: null }));
      case 'sha2': {
        const bits = second.value.type === 'bigint' && second.value.min !== null ? Number(second.value.min) : null;
        const digits = bits === null ? null : (bits || 256) / 4;
        return digits === null ? unknownKey : sqlKey('text', textValue(digits, digits, 'hex', { spread: true, hash: null }));
      }
      case 'coalesce':
      case 'greatest':
      case 'least': {
        const type = commonType(inner.map((part) => part.type));
        return type === null ? unknownKey : sqlKey(type, either(inner.map((part) => part.value)));
      }
      default: {
        const type = returnTypes[name];
        return type === undefined ? unknownKey : sqlKey(type, unknownValue, { spelled: type === 'text' ? null : type });
      }
    }
  }

  #hash(how: string): Hash {
    return { how, node: this.lock.query.node };
  }

  #operator(operator: string, inner: readonly SqlKey[]): SqlKey {
    const [first = unknownKey, second] = inner;
    switch (operator) {
      case '=':
      case '<>':
      case '!=':
      case '<':
      case '>':
      case '<=':
      case '>=':
      case 'and':
      case 'or':
      case 'not':
        return sqlKey('bool', { type: 'boolean' });
      case '||': {
        const isText = inner.some((part) => textTypes.has(part.type) || (part.type === 'literal' && part.value.type === 'string'));
        if (!isText || !second) return unknownKey;
        return sqlKey('text', concatenated(asText(first.value), asText(second.value)));
      }
      case '->>':
        return sqlKey('text', unknownValue);
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
      case '&':
      case '|':
      case '#':
      case '<<':
      case '>>': {
        if (!second) return operator === '-' || operator === '+' ? sqlKey(first.type, unknownValue) : unknownKey;
        const shift = operator === '<<' || operator === '>>';
        const type = shift ? (integerTypes.has(first.type) ? first.type : null) : commonType([first.type, second.type]);
        const value = inSql(combine(operator === '#' ? '^' : operator, integerOf(first), integerOf(second), this.lock.query.node));
        return sqlKey(type ?? 'unknown', type === null || integerTypes.has(type) ? value : unknownValue);
      }
      default:
        return unknownKey;
    }
  }
}

const textTypes: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'name', 'citext']);

function integerOf(key: SqlKey) {
  const value = key.value.type === 'number' ? toBigint(key.value) : key.value;
  return value.type === 'bigint' ? value : { ...anyBigint, ...scatterOf(value) };
}

/** A reduction is described as JavaScript writes it for bigints, with an `n`. */
function inSql(value: KeyValue): KeyValue {
  const { hash } = scatterOf(value);
  return hash?.how.startsWith('% ') && value.type === 'bigint' ? { ...value, hash: { ...hash, how: hash.how.replace(/n$/, '') } } : value;
}

/** Does the value fit into a signed integer of so many bits? */
export const fits = (value: bigint, bits: bigint): boolean => BigInt.asIntN(Number(bits), value) === value;

/** The type of the literal that a number becomes when it is pasted into the text. */
function pastedType(value: KeyValue & { type: 'number' | 'bigint' }): string {
  if (value.type === 'number') {
    if (value.integrality === 'fraction') return 'numeric';
    if (value.integrality !== 'integer') return 'unknown';
  }
  const { min, max } = value.type === 'number' ? integerOf(sqlKey('unknown', value)) : value;
  if (min === null || max === null) return 'unknown';
  if (fits(min, 32n) && fits(max, 32n)) return 'int4';
  return min === max ? (fits(min, 64n) ? 'int8' : 'numeric') : 'unknown';
}

/** Types that no cast leads to an integer from, neither directly nor through their text. */
const neverIntegers: ReadonlySet<string> = new Set(['uuid', 'date', 'timestamp', 'timestamptz', 'time', 'timetz', 'interval', 'inet', 'cidr', 'macaddr', 'point', 'md5']);

function failsAsInteger(type: string, inner: SqlKey): boolean {
  if (inner.type === 'bool') return type !== 'int4';
  if (neverIntegers.has(inner.type) || (textTypes.has(inner.type) && inner.spelled !== null && (neverIntegers.has(inner.spelled) || inner.spelled === 'bool'))) return true;
  if (inner.from !== 'sql' || (inner.type !== 'text' && inner.type !== 'literal') || inner.value.type !== 'string') return false;
  const text = constantText(inner.value);
  // A literal that is cast is checked as the value it is; text that is put together can be judged by how it begins.
  return text === null && !/^\s*[-+]?\d*$/.test(inner.value.head);
}
