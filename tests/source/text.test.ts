import type { TSESTree } from '@typescript-eslint/utils';
import { HOLE } from '../../src/sql/model.js';
import { literalPieces } from '../../src/source/literals.js';
import { dottedName } from '../../src/source/mutations.js';
import {
  alternativesOfText,
  propertyOf,
  substitute,
  textOf,
  type FragmentSource,
  type SqlText,
  type TextOptions,
} from '../../src/source/text.js';
import { marked, marks, parse, type Language, type Parsed } from './harness.js';

/** A driver as the facts layer would describe it. */
const fragmentOf = (node: TSESTree.Node): FragmentSource | null => {
  if (node.type === 'TaggedTemplateExpression') {
    return dottedName(node.tag) === 'sql' ? { as: 'sql', text: node.quasi, binds: true } : null;
  }
  if (node.type !== 'CallExpression') return null;
  const [first, second] = node.arguments;
  switch (dottedName(node.callee)) {
    case 'sql.raw':
      return first ? { as: 'sql', text: first, binds: false } : null;
    case 'sql.param':
      return { as: 'value', value: first ?? null };
    case 'sql.identifier':
      return { as: 'identifier', value: first ?? null };
    case 'sql.join':
      return first ? { as: 'list', items: first, separator: second ?? null } : null;
    case 'sql.dynamic':
      return { as: 'unknown' };
    default:
      return null;
  }
};

const options: TextOptions = { fragmentOf };

/** The text with each hole written as `‹kind:source›`. */
function show(text: SqlText | null, { unit }: Parsed): string | null {
  if (!text) return null;
  const holes = text.holes.map(({ kind, node }) => `‹${kind}:${unit.text.slice(...node.range)}›`);
  expect(text.text.split(HOLE)).toHaveLength(holes.length + 1);
  for (const hole of text.holes) expect(text.text[hole.at]).toBe(HOLE);
  return text.text.split(HOLE).reduce((shown, part, index) => shown + (holes[index - 1] ?? '') + part);
}

function shown(code: string, language: Language = 'ts'): string | null {
  const parsed = parse(code, language);
  return show(textOf(marked(parsed), parsed.scopes, options), parsed);
}

function sourceOfText(code: string, part: string): { source: string; editable: string | null } {
  const parsed = parse(code);
  const text = textOf(marked(parsed), parsed.scopes, options);
  const at = text?.text.indexOf(part) ?? -1;
  if (!text || at < 0) throw new Error(`no ${part} in ${text?.text}`);
  const editable = text.editable(at, at + part.length);
  return {
    source: code.slice(...text.toSource(at, at + part.length)),
    editable: editable && code.slice(...editable),
  };
}

describe('the text of', () => {
  test.each<[string, string | null]>([
    [`$('select 1')`, 'select 1'],
    ['$(`select 1`)', 'select 1'],
    ['$(`select ${x}`)', 'select ‹unknown:x›'],
    ['$(`select ${1}, ${2n}, ${-1}`)', 'select 1, 2, -1'],
    [`$('select ' + x + ' from t')`, 'select ‹unknown:x› from t'],
    [`$(a + b + ' from t')`, '‹unknown:a + b› from t'],
    [`$(1 + 2 + ' from t' + 1 + 2)`, '3 from t12'],
    [`$(a + b)`, '‹unknown:a + b›'],
    [`const SQL = 'select 1'; $(SQL)`, 'select 1'],
    ["const FN = 'f' as const; $(`select ${FN}(${k})`)", 'select f(‹unknown:k›)'],
    ["const FN = f(); $(`select ${FN}(1)`)", 'select ‹unknown:FN›(1)'],
    ["const K = { q: { lock: `select ${f}(1)` } }; $(K.q.lock)", 'select ‹unknown:f›(1)'],
    ["enum E { A = 5 } $(`select ${E.A}`)", 'select 5'],
    ["class A { static readonly SQL = 'select 1'; m() { $(A.SQL); } }", 'select 1'],
    ["class A { private readonly sql = 'select 1'; m() { $(this.sql); } }", 'select 1'],
    ["class A { m() { $(`select ${this.key}`); } }", 'select ‹unknown:this.key›'],
    ["$(['select', x, 'from t'].join(' '))", 'select ‹unknown:x› from t'],
    ["$(['a', ...rest, c && 'b'].filter(Boolean).join(' '))", 'a ‹unknown:...rest› ‹unknown:c && \'b\'›'],
    ["const parts = ['a', 'b']; $(parts.join('\\n'))", 'a\nb'],
    ['$(ids.map((id) => `f(${id}) as "k${id}"`).join(", "))', 'f(‹unknown:id›) as "k‹unknown:id›"'],
    ["$(`\n  select ${x}\n`.trim())", 'select ‹unknown:x›'],
    ["$(`select  ${x}\n  from`.replace(/\\s+/g, ' '))", 'select ‹unknown:x› from'],
    ["$('select :fn(1)'.replace(':fn', fn))", 'select ‹unknown:fn›(1)'],
    ["$('a ? b ?'.replaceAll('?', x))", 'a ‹unknown:x› b ‹unknown:x›'],
    ["$('a'.replace('a', (m) => m))", "‹unknown:'a'.replace('a', (m) => m)›"],
    ["$(x.replace(/(a+)+b/, 'c'))", "‹unknown:x.replace(/(a+)+b/, 'c')›"],
    ["$('select '.concat(x, '(1)'))", 'select ‹unknown:x›(1)'],
    ["$(`select ${String(x)}, ${'y'.toString()}`)", 'select ‹unknown:x›, y'],
    ["$(String.raw`a\\n${x}`)", 'a\\n‹unknown:x›'],
    ["$(dedent`\n  a ${x}`)", '\n  a ‹unknown:x›'],
    ["$(gql`a`)", '‹unknown:gql`a`›'],
    ["$(c ? 'a' : 'b')", "‹unknown:c ? 'a' : 'b'›"],
    ["$(`x ${c ? 'a' : 'b'}`)", "x ‹unknown:c ? 'a' : 'b'›"],
    ["$(`x ${true ? 'a' : 'b'}`)", 'x a'],
    ["$(o?.sql ?? 'a')", "‹unknown:o?.sql ?? 'a'›"],
    ["$(('a', 'b'))", 'b'],
    ["$('a' as string)", 'a'],
    ["$(getSql())", '‹unknown:getSql()›'],
    ["function run(sql) { $(sql); }", '‹unknown:sql›'],
    ["function run(sql) { const q = sql; $(q); }", '‹unknown:sql›'],
    ["function run(fn, k) { $(`select ${fn}(${k})`); }", 'select ‹unknown:fn›(‹unknown:k›)'],
    ["const { sql } = { sql: 'a' }; $(sql)", 'a'],
    ["import { SQL } from './sql'; $(`${SQL} limit 1`)", '‹unknown:SQL› limit 1'],
    ['$(5)', null],
    ['$(null)', null],
    ['$(undefined)', null],
    ['$({ text: 1 })', null],
    ['$(() => 1)', null],
    ['const o = { text: 1 }; $(o)', null],
    ['$(new Query())', null],
  ])('%s', (code, text) => {
    expect(shown(code)).toBe(text);
  });
});

describe('text built by +=', () => {
  test.each<[string, string]>([
    ["let q = 'a'; q += ' b'; $(q); q += ' c';", 'a b'],
    ["let q = 'a'; q = q + ' b'; q = `${q} c`; $(q)", 'a b c'],
    ["let q; q = 'a'; q += x; $(q)", 'a‹unknown:x›'],
    ["let q = 'a'; if (c) q += ' b'; q += ' c'; $(q)", "a‹unknown:q += ' b'› c"],
    ["let q = 'a'; if (c) { q += ' b'; } else { q += ' c'; } $(q)", "a‹unknown:q += ' b'›"],
    ["let q = 'a'; if (c) { q += ' b'; $(q); }", 'a b'],
    ["let q = 'a'; for (const x of l) q += x; $(q)", 'a‹unknown:q += x›'],
    ["let q = 'a'; for (;;) { $(q); q += 'b'; }", "a‹unknown:q += 'b'›"],
    ["for (;;) { let q = 'a'; q += 'b'; $(q); }", 'ab'],
    ["let q = 'a'; if (c) q = 'b'; $(q)", '‹unknown:q›'],
    ["let q = 'a'; function f() { q += 'b'; } $(q)", '‹unknown:q›'],
    ["let q = 'a'; q += 'b'; function f() { $(q); }", '‹unknown:q›'],
    ["let q = 'a'; [q] = f(); q += 'b'; $(q)", '‹unknown:q›'],
  ])('%s', (code, text) => {
    expect(shown(code)).toBe(text);
  });
});

describe('driver fragments', () => {
  test.each<[string, string]>([
    ['$(sql`select ${x}`)', 'select ‹value:x›'],
    ['$(sql`select ${5}`)', 'select ‹value:5›'],
    ['$(sql`select ${sql.raw("f")}(${x})`)', 'select f(‹value:x›)'],
    ['$(sql`select ${sql.raw(f)}(${x})`)', 'select ‹unknown:f›(‹value:x›)'],
    ['$(sql`a ${sql`b ${x} ${sql`c`}`}`)', 'a b ‹value:x› c'],
    ['const key = sql`hashtext(${x})`; $(sql`select f(${key})`)', 'select f(hashtext(‹value:x›))'],
    ['const key = (id) => sql`hashtext(${id})`; $(sql`select f(${key(user.id)})`)', 'select f(hashtext(‹value:user.id›))'],
    ['$(sql`a ${sql.identifier(t)}`)', 'a ‹identifier:t›'],
    ['$(sql`a ${sql.param(t)}`)', 'a ‹value:t›'],
    ['$(sql`a ${sql.dynamic(t)}`)', 'a ‹fragment:sql.dynamic(t)›'],
    ['$(sql`a ${sql.join([sql`b`, c])}`)', 'a b, ‹value:c›'],
    ['$(sql`a ${sql.join([sql`b`, c], sql` and `)}`)', 'a b and ‹value:c›'],
    ['$(sql`a ${sql.join(l)}`)', 'a ‹fragment:sql.join(l)›'],
    ['$(sql`a ${c ? sql`b` : sql``}`)', 'a ‹fragment:c ? sql`b` : sql``›'],
    ['$(sql`a ${c && sql`b`}`)', 'a ‹fragment:c && sql`b`›'],
    ['$(sql`a ${c ? 1 : 2}`)', 'a ‹value:c ? 1 : 2›'],
    ['const q = sql`a`; $(q)', 'a'],
    ['$(sql.raw(`a ${x}`))', 'a ‹unknown:x›'],
  ])('%s', (code, text) => {
    expect(shown(code)).toBe(text);
  });
});

describe('local functions are read through', () => {
  test.each<[string, string]>([
    ['const lock = (k) => `select f(${k})`; $(lock(5))', 'select f(5)'],
    ['const lock = (k) => `select f(${k})`; $(lock(id))', 'select f(‹unknown:id›)'],
    ['function tx(s: string) { return `BEGIN; ${s}; COMMIT`; } $(tx("select 1"))', 'BEGIN; select 1; COMMIT'],
    ['const lock = ({ fn }) => `select ${fn}(1)`; $(lock({ fn: "f" }))', 'select f(1)'],
    ['const lock = (fn = "f") => `select ${fn}(1)`; $(lock())', 'select f(1)'],
    ['const f = (n) => `a ${f(n)}`; $(f(1))', 'a ‹unknown:f(n)›'],
    ['const queries = { lock: (k) => `select f(${k})` }; $(queries.lock(5))', 'select f(5)'],
    ['class A { static lock(k) { return `select f(${k})`; } m() { $(A.lock(5)); } }', 'select f(5)'],
    ['class A { lock(k) { return `select f(${k})`; } m() { $(this.lock(id)); } }', 'select f(‹unknown:id›)'],
    ['const f = async () => "a"; $(f())', '‹unknown:f()›'],
    ['const f = (a) => { if (a) return "x"; return "y"; }; $(f(1))', '‹unknown:f(1)›'],
  ])('%s', (code, text) => {
    expect(shown(code)).toBe(text);
  });
});

describe('alternative texts', () => {
  test.each<[string, readonly string[]]>([
    ["$(c ? 'a' : 'b')", ['a', 'b']],
    ["const f = opts.keep ? 'lock' : 'xlock'; $(sql`select ${sql.raw(f)}(${k})`)", ['select lock(‹value:k›)', 'select xlock(‹value:k›)']],
    ["const f = c ? 'a' : 'b'; $(`${f} ${f}`)", ['a a', 'b b']],
    ["let f = 'a'; if (c) f = 'b'; $(`x ${f}`)", ['x a', 'x b']],
    ["const M = { x: 'a', y: 'b' }; $(M[k])", ['a', 'b']],
    ["for (const q of ['a', 'b']) $(q)", ['a', 'b']],
    ["$(o.sql ?? 'a')", ['‹unknown:o.sql›', 'a']],
    ["$(c ? 'a' : d ? 'b' : 'c')", ['a', 'b', 'c']],
    ["$(sql`a ${c ? sql`b` : sql`c`}`)", ['a b', 'a c']],
    ["$(`${a ? 1 : 2}${b ? 1 : 2}${c ? 1 : 2}`)", ['111', '112', '121', '122', '211', '212', '221', '222']],
    ["$(`${a ? 1 : 2}${b ? 1 : 2}${c ? 1 : 2}${d ? 1 : 2}`)", ['‹unknown:a ? 1 : 2›‹unknown:b ? 1 : 2›‹unknown:c ? 1 : 2›‹unknown:d ? 1 : 2›']],
    ["$('a')", ['a']],
    ['$(5)', []],
  ])('%s', (code, texts) => {
    const parsed = parse(code);
    expect(alternativesOfText(marked(parsed), parsed.scopes, options).map((text) => show(text, parsed))).toEqual(texts);
  });
});

describe('a range of text maps', () => {
  test.each<[string, string, string, string | null]>([
    ["$('select f(1)')", 'f(1)', 'f(1)', 'f(1)'],
    ["$('é\\n😀 f(1)')", 'f(1)', 'f(1)', 'f(1)'],
    ["$('a\\x66b')", 'f', '\\x66', null],
    ["$('a\\x66b')", 'afb', 'a\\x66b', null],
    ["$('fo\\\n o')", 'fo o', 'fo\\\n o', null],
    ["$('sel' + 'ect')", 'select', "sel' + 'ect", null],
    ["$('sel' + 'ect')", 'ect', 'ect', 'ect'],
    ["const FN = 'f'; $(`select ${FN}(1)`); g(FN)", 'f', 'f', null],
    ["const FN = 'f'; $(`select ${FN}(1)`); g(FN)", 'f(1)', 'FN}(1)', null],
    ["const SQL = 'select f(1)'; $(SQL)", 'f(1)', 'f(1)', 'f(1)'],
    ["const SQL = 'select f(1)'; $(SQL); g(SQL)", 'f(1)', 'f(1)', null],
    ["export const SQL = 'select f(1)'; $(SQL)", 'f(1)', 'f(1)', null],
    ['$(`select ${x}(1)`)', `${HOLE}(1)`, 'x}(1)', null],
    ['$(`select\r\n  f(1)`)', 'f(1)', 'f(1)', 'f(1)'],
    ["let q = 'a'; q += ' f(1)'; $(q)", 'f(1)', 'f(1)', 'f(1)'],
    ["let q = 'a'; q += ' f(1)'; $(q)", 'a f(1)', 'q', null],
    ["$(' f(1) '.trim())", 'f(1)', 'f(1)', 'f(1)'],
    ["$(['a', 'f(1)'].join(' '))", 'f(1)', 'f(1)', 'f(1)'],
    ["const lock = (fn) => `select ${fn}(1)`; $(lock('f'))", 'f', 'f', 'f'],
    ["const lock = (fn) => `select ${fn}(1)`; $(lock('f'))", 'select', 'select', null],
  ])('%s › %s', (code, part, source, editable) => {
    expect(sourceOfText(code, part)).toEqual({ source, editable });
  });
});

test('a hole character in the source is text, not a hole', () => {
  expect(shown(`$('a${HOLE}b\\ue000' + x)`)).toBe('a\uFFFDb\uFFFD‹unknown:x›');
});

test('call-site texts are put in place of parameters and keep their source', () => {
  const code = "const run = (fn: string, k: number) => { $(`select ${fn}(${k})`); }; $('pg_lock');";
  const parsed = parse(code);
  const [wrapper, argument] = marks(parsed).map((call) => textOf(call.arguments[0] ?? call, parsed.scopes));
  if (!wrapper || !argument) throw new Error('no texts');
  const composite = substitute(wrapper, (_, index) => (index === 0 ? argument : null));
  expect(show(composite, parsed)).toBe('select pg_lock(‹unknown:k›)');
  const at = composite.text.indexOf('pg_lock');
  expect(composite.toSource(at, at + 7)[0]).toBe(code.lastIndexOf('pg_lock'));
  expect(code.slice(...composite.toSource(at, at + 8))).toBe('fn}(');
  expect(code.slice(...composite.toSource(0, 6))).toBe('select');
  expect(composite.editable(at, at + 7)).not.toBeNull();
});

test('the caller may say what a parameter stands for', () => {
  const parsed = parse("const run = (fn) => { $(`select ${fn}()`); }; run('f')");
  const [run] = parsed.nodes.calls.filter(({ callee }) => callee.type === 'Identifier' && callee.name === 'run');
  const resolveParameter = (): TSESTree.Node | null => run?.arguments[0] ?? null;
  expect(show(textOf(marked(parsed), parsed.scopes, { resolveParameter }), parsed)).toBe('select f()');
});

describe('propertyOf finds', () => {
  test.each<[string, string, string]>([
    ['$({ text: a })', 'text', 'a'],
    ['$({ text })', 'text', 'text'],
    ["$({ 'text': a })", 'text', 'a'],
    ['$({ a: { b: c } })', 'a.b', 'c'],
    ['const o = { text: a }; f(o); $(o)', 'text', 'a'],
    ['const base = { a: x }; $({ ...base, b: 1 })', 'a', 'x'],
    ['const base = { a: x }; $({ ...base, a: y })', 'a', 'y'],
    ['$({ a: x, ...base })', 'a', 'unknown'],
    ['$({ ...base, a: x })', 'a', 'x'],
    ['$({ ...base })', 'a', 'unknown'],
    ['$({ ...(c && { b: 1 }) })', 'a', 'absent'],
    ['$({ ...(c && { a: 1 }) })', 'a', 'unknown'],
    ['$({ ...(c ? { a: 1 } : {}) })', 'a', 'unknown'],
    ['$({ a: x, ...(c ? { b: 1 } : {}) })', 'a', 'x'],
    ['$({})', 'a', 'absent'],
    ["$('select')", 'text', 'absent'],
    ['$(undefined)', 'text', 'absent'],
    ['$(x)', 'a', 'unknown'],
    ['function f(o) { $(o); }', 'a', 'unknown'],
    ['$({ [k]: 1 })', 'a', 'unknown'],
    ['$({ [k]: 1, a: x })', 'a', 'x'],
    ['$({ get a() { return 1; } })', 'a', 'unknown'],
    ['const o = { a: x }; o.a = y; $(o)', 'a', 'unknown'],
    ['const o = { a: x }; o.b = y; $(o)', 'a', 'x'],
    ['const o = { a: x }; o.b = y; $(o)', 'b', 'unknown'],
    ['$(Object.assign({}, { a: x }, { b: y }))', 'a', 'x'],
    ['$(Object.freeze({ a: x }))', 'a', 'x'],
    ['$([x, y])', '1', 'y'],
    ['const o = { ...o }; $(o)', 'a', 'unknown'],
  ])('%s › %s', (code, path, expected) => {
    const parsed = parse(code);
    const found = propertyOf(marked(parsed), path, parsed.scopes);
    expect(found.kind === 'found' ? code.slice(...found.node.range) : found.kind).toBe(expected);
  });
});

test('definitions that lead back to themselves end', () => {
  expect(shown('const a = `${b} x`; const b = `${a} y`; $(a)')).toContain('y');
  expect(shown('const a = a + "x"; $(a)')).toContain('x');
  const lines = Array.from({ length: 60 }, (_, index) => `const a${index + 1} = \`\${a${index}}\${a${index}}\`;`);
  const started = performance.now();
  shown(`const a0 = f();\n${lines.join('\n')}\n$(a60)`);
  shown(`const a0 = '';\n${lines.join('\n')}\n$(a60)`);
  shown(`const a0 = f();\n${lines.join('\n').replaceAll('`${', '').replaceAll('}${', ' + ').replaceAll('}`', '')}\n$(a60)`);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('legacy octal escapes', () => {
  const pieces = (source: string) => literalPieces(source, 0, source.length, 'string').map(({ value, end }) => [value, end]);
  expect(pieces('\\101\\7\\478\\0\\4777')).toEqual([['A', 4], ['\x07', 6], ["'", 9], ['8', 10], ['\0', 12], ["'", 15], ['77', 17]]);
});

describe('every character of a literal maps to the source that makes it', () => {
  const atoms: readonly (readonly [source: string, value: string])[] = [
    ['a', 'a'], ['é', 'é'], ['😀', '😀'], [' ', ' '], ['\\n', '\n'], ['\\t', '\t'], ['\\x41', 'A'], ['\\u0042', 'B'],
    ['\\u{1F600}', '😀'], ['\\u{43}', 'C'], ['\\\\', '\\'], ["\\'", "'"], ['\\`', '`'], ['\\"', '"'], ['\\0', '\0'],
    ['\\\n', ''], ['\\\r\n', ''], ['\\q', 'q'], ['\\\u2028', ''], ['\\$', '$'], ['{', '{'], ['pg_lock(', 'pg_lock('],
  ];
  const templateOnly: readonly (readonly [string, string])[] = [['\r\n', '\n'], ['\r', '\n'], ['\n', '\n'], ["'", "'"]];
  const stringOnly: readonly (readonly [string, string])[] = [['`', '`']];

  // A small linear congruential generator: the same literals in every run.
  const random = (seed: number) => {
    let state = seed;
    return (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
  };

  test.each(Array.from({ length: 150 }, (_, seed) => seed))('seed %i', (seed) => {
    const next = random(seed);
    const count = 1 + next(3);
    const expected: { value: string; start: number; end: number }[] = [];
    let code = '$(';
    let text = '';
    for (let literal = 0; literal < count; literal += 1) {
      if (literal > 0) code += ' + ';
      const isTemplate = next(2) === 0;
      const all = [...atoms, ...(isTemplate ? templateOnly : stringOnly)];
      code += isTemplate ? '`' : "'";
      for (let position = next(12); position > 0; position -= 1) {
        const atom = all[next(all.length)];
        if (!atom) continue;
        // A line feed after a carriage return would join it.
        if (code.endsWith('\r') && atom[0].startsWith('\n')) continue;
        const start = code.length;
        code += atom[0];
        const isRun = atom[0] === atom[1];
        const characters = Array.from({ length: atom[1].length }, (_, unit) => atom[1].charAt(unit));
        for (const [offset, character] of characters.entries()) {
          const from = isRun ? start + offset : start;
          expected.push({ value: character, start: from, end: isRun ? from + 1 : code.length });
        }
        text += atom[1];
        if (isTemplate && next(6) === 0) {
          code += '${';
          const at = code.length;
          code += 'hole';
          expected.push({ value: HOLE, start: at, end: code.length });
          code += '}';
          text += HOLE;
        }
      }
      code += isTemplate ? '`' : "'";
    }
    code += ')';
    for (const language of ['ts', 'js'] as const) {
      const parsed = parse(code, language);
      const read = textOf(marked(parsed), parsed.scopes);
      expect(read?.text).toBe(text);
      for (const [offset, { start, end }] of expected.entries()) {
        expect(read?.toSource(offset, offset + 1)).toEqual([start, end]);
        const editable = read?.editable(offset, offset + 1);
        if (editable) expect(code.slice(...editable)).toBe(text[offset]);
      }
    }
  });
});
