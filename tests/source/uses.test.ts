import type { TSESTree } from '@typescript-eslint/utils';
import { isFloating, settles, usesOf, usesOfParameter, usesOfVariable, type Sink, type Step, type Use } from '../../src/source/uses.js';
import { mark, marked, parse } from './harness.js';

const showStep = (step: Step): string => {
  switch (step.kind) {
    case 'property':
      return `.${step.name}`;
    case 'index':
      return `[${step.index}]`;
    case 'method':
      return `.${step.name}()`;
    case 'element':
      return '[*]';
    case 'unknown-member':
      return '[?]';
    case 'rest':
      return '...';
    default:
      return ` ${step.kind} `;
  }
};

const showSink = (sink: Sink, code: string): string => {
  switch (sink.kind) {
    case 'compared':
      return `compared ${sink.operator}${sink.other ? ` ${code.slice(...sink.other.range)}` : ''}`;
    case 'argument':
      return `argument ${sink.index} of ${code.slice(...sink.call.callee.range)}`;
    case 'stored':
      return `stored in ${code.slice(...sink.target.range)}`;
    case 'discarded':
      return sink.voided ? 'voided' : 'discarded';
    case 'operand':
      return `operand ${sink.operator}`;
    default:
      return sink.kind;
  }
};

/** `path: sink`, with what else is true of the use in brackets. */
function show(use: Use, code: string): string {
  const notes = [
    ...use.inside.map((holder) => `in ${'name' in holder ? holder.name : 'index' in holder ? holder.index : holder.kind}`),
    ...(use.negated ? ['negated'] : []),
    ...(use.converted && !use.negated ? [use.converted] : []),
    ...(use.rejection === 'propagates' ? [] : [use.rejection]),
  ];
  const path = use.path.map(showStep).join('').trim();
  return `${path}${path ? ': ' : ''}${showSink(use.sink, code)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** Uses of the value of `$()`, in code that stands in an async function. */
function uses(body: string): string[] {
  const code = `async function f() { ${body} }`;
  const parsed = parse(code);
  return usesOf(mark(parsed), parsed.scopes).map((use) => show(use, code));
}

describe('result checks seen in real code', () => {
  test.each<[string, readonly string[]]>([
    ['const { rows } = await $(); if (rows[0]?.ok) work();', ['await .rows[0].ok: tested']],
    ['const { rows } = await $(); return rows[0]?.x;', ['await .rows[0].x: returned']],
    ['const { rows } = await $(); return rows.shift()?.x === true;', ['await .rows.shift().x: compared === true']],
    ['const [{ x }] = await $(); if (!x) return;', ['await [0].x: tested (negated)']],
    ['const [{ f: acquired }] = await $(); if (acquired) work();', ['await [0].f: tested']],
    ['const { rows: [{ locked }] } = await $(); if (!locked) throw new Error();', ['await .rows[0].locked: tested (negated)']],
    ['const result = await $(); if (result.count === 0) return;', ['await .count: compared === 0']],
    ["const [{ x }] = await $(); return x === true || x === 't';", ['await [0].x: compared === true', "await [0].x: compared === 't'"]],
    ['const [row] = await $(); return Number(row.x) === 1;', ['await [0].x: compared === 1 (number)']],
    ['const row = await $(); if (!row?.locked) return false;', ['await .locked: tested (negated)']],
    ['return trace("lock", () => $());', ['returned']],
    ['return trace("lock", async () => { const r = await $(); return r.rows[0].ok; });', ['await .rows[0].ok: returned']],
    ['const { rows } = await $(); return rows.at(0).ok;', ['await .rows.at().ok: returned']],
    ['const { rows: [row] } = await $(); if (row.ok) work();', ['await .rows[0].ok: tested']],
    ['const { rows } = await $(); if (Object.values(rows[0])[0]) work();', ['await .rows[0].Object.values()[0]: tested']],
    ['const { rows } = await $(); return rows.some((r) => r.ok);', ['await .rows[*].ok: tested']],
    ['const { rows } = await $(); return !!rows[0].ok;', ['await .rows[0].ok: returned (boolean)']],
    ['const { rows } = await $(); const ok = Boolean(rows[0].ok); if (ok) work();', ['await .rows[0].ok: tested (boolean)']],
    ['const { rows } = await $(); switch (rows[0].ok) { case true: work(); }', ['await .rows[0].ok: compared switch']],
    ['if (!(await $()).rows[0].ok) return;', ['await .rows[0].ok: tested (negated)']],
    ['let ok; const r = await $(); ok = r.rows[0].ok; if (ok) work();', ['await .rows[0].ok: tested']],
    ['let ok = false; ok = (await $()).rows[0].ok; return { ok };', ['await .rows[0].ok: returned (in ok)']],
    ['const ok = (await $()).rows[0]?.ok ?? false; if (!ok) return;', ['await .rows[0].ok: tested (negated)']],
    ['const ok = (await $()).rows[0]?.ok ?? false;', ['await .rows[0].ok: never-read']],
    ['assert((await $()).rows[0].ok);', ['await .rows[0].ok: tested']],
    ['expect((await $()).rows[0].ok).toBe(true);', ['await .rows[0].ok: argument 0 of expect']],
    ['return $().then((r) => r.rows[0].ok);', ['then .rows[0].ok: returned (in promise)']],
    ['const ok = await $().then((r) => r.rows[0].ok); if (ok) work();', ['then .rows[0].ok: tested']],
    ['const ok = await $().then(({ rows: [{ ok }] }) => ok === true);', ['then .rows[0].ok: compared === true']],
    ['$().then((r) => { if (r.rows[0].ok) work(); });', ['then .rows[0].ok: tested']],
    ['const [{ rows }] = await Promise.all([$(), other()]); if (rows[0].ok) work();', ['await .rows[0].ok: tested']],
    ['const [, b] = await Promise.all([other(), $()]); if (b.ok) work();', ['await .ok: tested']],
    ['const [r] = await Promise.allSettled([$()]); if (r.value.ok) work();', ['await .ok: tested']],
    ['const r = await Promise.race([$(), timeout()]); if (r.ok) work();', ['await .ok: tested']],
    ['const all = await Promise.all(ids.map((id) => $(id))); if (all.every((r) => r.ok)) work();', ['await .ok: tested']],
    ['for (const { ok } of (await $()).rows) if (ok) work();', ['await .rows[*].ok: tested']],
    ['const oks = (await $()).rows.map((r) => r.ok); if (oks[0]) work();', ['await .rows[*].ok: tested']],
    ['const held = (await $()).rows.filter((r) => r.ok); return held.length > 0;', ['await .rows[*].ok: tested', 'await .rows.filter().length: compared > 0']],
    ['const held = (await $()).rows.find((r) => r.ok); return held !== undefined;', ['await .rows[*].ok: tested', 'await .rows.find(): compared !== undefined']],
    ['return (await $()).rows.map((r) => r.ok).every(Boolean);', ['await .rows[*].ok: returned (boolean)']],
    ['return (await $()).rows[0].ok ? "held" : "busy";', ['await .rows[0].ok: tested']],
    ['const row = (await $())[0]; const { ok } = { ...row }; if (ok) work();', ['await [0].ok: tested']],
    ['const { rows } = { ...(await $()) }; return rows[0][column];', ['await .rows[0][?]: returned']],
  ])('%s', (body, expected) => {
    expect(uses(body)).toEqual(expected);
  });
});

describe('results that nobody checks', () => {
  test.each<[string, readonly string[]]>([
    ['$();', ['discarded']],
    ['await $();', ['await: discarded']],
    ['void $();', ['voided']],
    ['void (await $());', ['await: voided']],
    ['await $(), work();', ['await: discarded']],
    ['const r = await $();', ['await: never-read']],
    ['let r; r = await $();', ['await: never-read']],
    ['const { rows } = await $();', ['await .rows: never-read']],
    ['const [a] = await Promise.all([other(), $()]); if (a) work();', ['await: discarded (in 1)']],
    ['const all = await Promise.all([other(), $()]); if (all[0]) work();', ['never-read']],
    ['const {} = await $();', ['await: discarded']],
    ['$().then(() => undefined);', ['then: discarded']],
    ['return $().then(() => undefined);', ['then: discarded']],
    ['await $().catch(() => {});', ['await: discarded (ignored)']],
    ['await $().catch(() => null);', ['await: discarded (ignored)']],
    ['await $().catch((e) => log(e));', ['await: discarded (handled)']],
    ['await $().catch(console.error);', ['await: discarded (handled)']],
    ['await $().catch((e) => { if (e.x) throw e; });', ['await: discarded']],
    ['await $().catch((e) => Promise.reject(e));', ['await: discarded']],
    ['await $().then(undefined, () => {});', ['await: discarded (ignored)']],
    ['await $().finally(() => work());', ['await: discarded']],
    ['$().finally(() => work()).catch(noop);', ['discarded (handled)']],
    ['if (c) await $();', ['await: discarded']],
    ['c && (await $());', ['await: discarded']],
    ['let r = await first(); check(r); r = await $();', ['await: never-read']],
    ['rows.forEach((id) => $(id));', ['discarded']],
    ['for (;;await $()) work();', ['await: discarded']],
  ])('%s', (body, expected) => {
    expect(uses(body)).toEqual(expected);
  });
});

describe('where else a value goes', () => {
  test.each<[string, readonly string[]]>([
    ['return $();', ['returned']],
    ['return await $();', ['await: returned']],
    ['g(await $());', ['await: argument 0 of g']],
    ['new G(1, await $());', ['await: argument 1 of G']],
    ['g(...(await $()));', ['await [*]: argument 0 of g']],
    ['this.r = await $();', ['await: stored in this.r']],
    ['outer = await $();', ['await: stored in outer']],
    ['const o = { ok: (await $()).ok }; if (o.ok) work();', ['await .ok: tested']],
    ['const o = { ok: (await $()).ok }; g(o);', ['await .ok: argument 0 of g (in ok)']],
    ['[this.a, b] = await $();', ['await [0]: stored in this.a', 'await [1]: stored in b']],
    ['throw await $();', ['await: thrown']],
    ['log(`x ${(await $()).rows[0].ok}`);', ['await .rows[0].ok: interpolated']],
    ['return 1 + (await $()).n;', ['await .n: operand +']],
    ['let n = 0; n += (await $()).n;', ['await .n: operand +=']],
    ['(await $())();', ['await: called']],
    ['return table[(await $()).key];', ['await .key: operand []']],
    ['const r = await $(); r.x = 1; return r;', ['await: escaped', 'await: returned']],
    ['const { a, ...others } = await $(); return [a, others];', ['await .a: returned (in 0)', 'await ...: returned (in 1)']],
    ['const { ok = false } = await $(); if (ok) work();', ['await .ok: tested']],
    ['const r = await $(); const s = r; if (s.ok) work();', ['await .ok: tested']],
    ['const r = (await $()) as Result; return r!.ok;', ['await .ok: returned']],
    ['const r = c ? await $() : null; if (r) work();', ['await: tested']],
    ['while ((await $()).ok) work();', ['await .ok: tested']],
    ['if ((await $()).ok && other) work();', ['await .ok: tested']],
    ['(await $()).ok && work();', ['await .ok: tested']],
    ['return (await $()).ok && work();', ['await .ok: returned', 'await .ok: tested']],
    ['const p = $(); await p; if (p.x) work();', ['await: discarded', '.x: tested']],
    ['if ($().then((r) => r.ok)) work();', ['then .ok: escaped (in promise)']],
    ['const ok = await (async () => (await $()).ok)(); if (ok) work();', ['await .ok: tested']],
    ['const r = await (async () => $())(); if (r.ok) work();', ['await .ok: tested']],
    ['const r = await start().then(() => $()); if (r.ok) work();', ['await .ok: tested']],
    ['const r = await $().then(handle);', ['then: argument 0 of $().then']],
    ['const r = await $().finally(done); if (r.ok) work();', ['await .ok: tested']],
    ['const r = await $().catch(() => null); if (r?.ok) work();', ['await .ok: tested (ignored)']],
    ['const [r = {}] = await $(); return () => r.ok;', ['await [0].ok: returned']],
    [
      'let r = await $(); while (r.next) r = r.next;',
      [
        'await .next: tested', 'await .next.next: tested', 'await .next.next.next: tested',
        'await .next.next.next.next: tested', 'await .next.next.next.next: escaped', 'await .next.next.next.next: escaped',
      ],
    ],
    ['return JSON.stringify(await $());', ['await: argument 0 of JSON.stringify']],
    ['if ((await $()).list.includes(x)) work();', ['await .list: compared includes x']],
    ['if (1 === (await $()).n) work();', ['await .n: compared === 1']],
    ['return (await $()).rows[0].ok.toString();', ['await .rows[0].ok.toString(): returned']],
  ])('%s', (body, expected) => {
    expect(uses(body)).toEqual(expected);
  });
});

describe('generators, exports and fields', () => {
  const at = (code: string): string[] => {
    const parsed = parse(code);
    return usesOf(mark(parsed), parsed.scopes).map((use) => show(use, code));
  };

  test.each<[string, readonly string[]]>([
    ['function* f() { const r = yield $(); }', ['yielded']],
    ['const f = () => __awaiter(this, void 0, void 0, function* () { yield $(); });', ['await: discarded']],
    ['const f = () => tslib_1.__awaiter(this, void 0, void 0, function* () { const { rows } = yield $(); if (rows[0].ok) work(); });', ['await .rows[0].ok: tested']],
    ['function* f() { const r = yield* $(); if (r.ok) work(); }', ['await .ok: tested']],
    ['function* f() { yield* $(); }', ['await: discarded']],
    ['export const r = await $(); if (r.ok) work();', ['await: exported', 'await .ok: tested']],
    ['const r = await $(); export { r };', ['await: exported']],
    ['export let r; r = await $();', ['await: exported']],
    ['await using r = await $();', ['await: stored in r']],
    ['export default $();', ['exported']],
    ['class A { x = $(); }', ['stored in x = $();']],
    ['const f = () => $();', ['returned']],
    ['for await (const { ok } of $()) if (ok) work();', ['[*] await .ok: tested']],
  ])('%s', (code, expected) => {
    expect(at(code)).toEqual(expected);
  });
});

test('uses tell where and which expression is consumed', () => {
  const code = 'async function f() { const { rows } = await $(); if (!rows[0]?.ok) return; }';
  const parsed = parse(code);
  const [use] = usesOf(mark(parsed), parsed.scopes);
  expect(use?.node.type).toBe('IfStatement');
  expect(code.slice(...(use?.expression.range ?? [0, 0]))).toBe('!rows[0]?.ok');
});

test('uses of parameters and variables', () => {
  const code = 'function check({ rows: [row] }, ...others) { if (row.ok) return others[1]; } const r = $(); r.then(check);';
  const parsed = parse(code);
  const [check] = parsed.nodes.functions;
  const r = parsed.nodes.calls.flatMap(({ callee }) =>
    callee.type === 'MemberExpression' && callee.object.type === 'Identifier' ? [parsed.scopes.variableOf(callee.object)] : [],
  )[0];
  if (!check || !r) throw new Error('not found');
  const shown = (list: readonly Use[]): string[] => list.map((use) => show(use, code));
  expect(shown(usesOfParameter(check, 0, parsed.scopes))).toEqual(['.rows[0].ok: tested']);
  expect(shown(usesOfParameter(check, 1, parsed.scopes))).toEqual(['never-read']);
  expect(shown(usesOfParameter(check, 2, parsed.scopes))).toEqual(['returned']);
  expect(shown(usesOfVariable(r, parsed.scopes))).toEqual(['then: argument 0 of r.then']);
});

describe('a call settles', () => {
  test.each<[string, string]>([
    ['await $();', 'awaited'],
    ['const p = $(); await p;', 'awaited'],
    ['await Promise.all([$(), other()]);', 'awaited'],
    ['for (const p of [$()]) await p;', 'awaited'],
    ['$().then(work);', 'chained'],
    ['$().catch(() => {});', 'chained'],
    ['$().finally(work);', 'chained'],
    ['return $();', 'returned'],
    ['const f = () => $();', 'returned'],
    ['batch([$()]);', 'passed'],
    ['this.p = $();', 'stored'],
    ['$();', 'floating'],
    ['c && $();', 'floating'],
    ['const p = $();', 'floating'],
    ['void $();', 'voided'],
  ])('%s › %s', (body, expected) => {
    const parsed = parse(`async function f() { ${body} }`);
    expect(settles(mark(parsed), parsed.scopes)).toBe(expected);
    expect(isFloating(mark(parsed), parsed.scopes)).toBe(expected === 'floating' || expected === 'voided');
  });
});

test('long chains of variables and expressions end', () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `const a${index + 1} = a${index};`);
  const many = parse(`const a0 = $(1);\n${lines.join('\n')}`);
  expect(usesOf(mark(many), many.scopes).map((use) => use.sink.kind)).toEqual(['escaped']);
  const reads = parse(`const r = $(1);\n${'if (r.ok) work();\n'.repeat(4_000)}`);
  expect(usesOf(mark(reads), reads.scopes)).toHaveLength(2_500);
  const parsed: TSESTree.Node = marked(many);
  expect(parsed.type).toBe('Literal');
});
