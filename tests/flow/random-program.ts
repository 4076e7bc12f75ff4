/** A small pseudo-random generator (mulberry32): the same seed gives the same programs on every machine. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Place {
  readonly depth: number;
  readonly loops: readonly string[];
  readonly labels: readonly string[];
}

/** `async` awaits promises, `chains` also promise chains with callbacks. */
export type Flavour = 'plain' | 'generator' | 'async' | 'chains';

/**
 * A function of nested blocks, loops, jumps, tests and `try` statements over the calls that `traces.ts` names; without
 * `jumps` it has no `break`, `continue`, labelled block or `switch`.
 */
export function randomProgram(seed: number, flavour: Flavour, jumps = true): string {
  const random = randomNumbers(seed);
  let lastId = 0;
  const id = (): number => {
    lastId += 1;
    return lastId;
  };
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];

  const test = (depth: number): string => {
    if (depth > 1 || random() < 0.6) return `t(${id()})`;
    return pick([
      () => `!${test(depth + 1)}`,
      () => `(${test(depth + 1)} && ${test(depth + 1)})`,
      () => `(${test(depth + 1)} || ${test(depth + 1)})`,
      () => `(${test(depth + 1)} ? ${test(depth + 1)} : ${test(depth + 1)})`,
    ])();
  };

  const chain = (place: Place): string => {
    const body = (): string => pick([`() => p(${id()})`, `async () => { ${block({ depth: place.depth + 1, loops: [], labels: [] })} }`]);
    const link = (): string =>
      pick([() => `.then(${body()})`, () => `.catch(${body()})`, () => `.finally(${body()})`, () => `.then(${body()}, ${body()})`])();
    return `p(${id()})${link()}${random() < 0.5 ? link() : ''}`;
  };

  const expression = (): string =>
    pick([
      () => `c(${id()})`,
      () => `x = c(${id()}) + c(${id()})`,
      () => `${test(0)} && c(${id()})`,
      () => `x = ${test(0)} ? c(${id()}) : c(${id()})`,
      () => `x = n(${id()}) ?? c(${id()})`,
      () => `x = n(${id()})?.m[c(${id()})]`,
    ])();

  const leaf = (place: Place): string => {
    if (flavour === 'generator' && random() < 0.4) return `yield ${id()};`;
    if (flavour === 'chains' && random() < 0.15) return `await ${chain(place)};`;
    if ((flavour === 'async' || flavour === 'chains') && random() < 0.4) return `await p(${id()});`;
    const jump = random();
    if (jump < 0.08) return `return (x = c(${id()}));`;
    if (jump < 0.12) return `throw new Error('chosen');`;
    const loop = place.loops.at(-1);
    if (jumps && loop !== undefined && jump < 0.3) return `${pick(['break', 'continue'])} ${pick(['', pick([loop, ...place.loops])])};`;
    const label = place.labels.at(-1);
    if (jumps && label !== undefined && jump < 0.4) return `break ${label};`;
    return `${expression()};`;
  };

  const statement = (place: Place): string => {
    const inner = { ...place, depth: place.depth + 1 };
    if (place.depth >= 4 || random() < 0.45) return leaf(place);
    const loopLabel = `L${id()}`;
    const label = `B${id()}`;
    const inLoop = { ...inner, loops: [...place.loops, loopLabel] };
    return pick([
      () => `if (${test(0)}) { ${block(inner)} } else { ${block(inner)} }`,
      () => `if (${test(0)}) { ${block(inner)} }`,
      // A handler whose block cannot throw is not dead in the graph, on purpose.
      () => `try { c(${id()}); ${block(inner)} } catch { ${block(inner)} }`,
      () => `try { ${block(inner)} } finally { ${block(inner)} }`,
      () => `try { ${block(inner)} } finally { ${block(inner)} }`,
      () => `try { c(${id()}); ${block(inner)} } catch { ${block(inner)} } finally { ${block(inner)} }`,
      () => `${loopLabel}: while (${test(0)}) { ${block(inLoop)} }`,
      () => `${loopLabel}: do { ${block(inLoop)} } while (${test(0)});`,
      () => `${loopLabel}: for (const y of it(${id()})) { ${block(inLoop)} }`,
      () => `${loopLabel}: for (let i = c(${id()}); ${test(0)}; c(${id()})) { ${block(inLoop)} }`,
      () => `${jumps ? `${label}:` : ''} { ${block({ ...inner, labels: [...place.labels, label] })} }`,
      () =>
        jumps
          ? `switch (true) { case t(${id()}): ${block(inner)} default: ${block(inner)} case t(${id()}): ${block(inner)} }`
          : leaf(place),
      () => (flavour === 'generator' ? leaf(place) : `{ using u${id()} = r(${id()}); ${block(inner)} }`),
    ])();
  };

  const block = (place: Place): string => {
    const count = 1 + Math.floor(random() * (place.depth === 0 ? 3 : 2));
    return Array.from({ length: count }, () => statement(place)).join(' ');
  };

  const kind = { plain: 'function', generator: 'function*', async: 'async function', chains: 'async function' }[flavour];
  return `${kind} f() { let x; ${block({ depth: 0, loops: [], labels: [] })} }`;
}
