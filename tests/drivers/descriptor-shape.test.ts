import { describe, expect, it } from 'vitest';
import type { Call, DriverDescriptor, Give, Kind } from '../../src/drivers/driver.js';
import { drivers } from '../../src/drivers/index.js';
import { isLockSql } from './lock-sql.js';

/** Every call a kind or export describes, variants included, with a path for the failure's message. */
function* callsOf(driver: DriverDescriptor): Generator<[path: string, call: Call]> {
  for (const [index, entry] of driver.exports.entries()) {
    if (entry.call) yield* withVariants(`exports[${index}].call`, entry.call);
    if (entry.tag) yield* withVariants(`exports[${index}].tag`, entry.tag);
  }
  for (const [name, kind] of Object.entries(driver.kinds)) {
    if (kind.call) yield* withVariants(`${name}()`, kind.call);
    if (kind.tag) yield* withVariants(`${name}\`\``, kind.tag);
    for (const [method, call] of Object.entries(kind.methods ?? {})) yield* withVariants(`${name}.${method}`, call);
  }
}

function* withVariants(path: string, call: Call): Generator<[string, Call]> {
  yield [path, call];
  for (const [index, variant] of (call.variants ?? []).entries()) yield* withVariants(`${path}/${index}`, variant);
}

function* givesOf(driver: DriverDescriptor): Generator<[path: string, give: Give]> {
  for (const [index, { new: created, is, type }] of driver.exports.entries()) {
    if (created) yield [`exports[${index}].new`, created];
    if (is) yield [`exports[${index}].is`, is];
    if (type) yield [`exports[${index}].type`, typeof type === 'string' ? type : type.kind];
  }
  for (const [path, call] of callsOf(driver)) {
    if (call.gives) yield [`${path} gives`, call.gives];
    if (call.resolves) yield [`${path} resolves`, call.resolves];
    for (const give of Object.values(call.callback?.parameters ?? {})) yield [`${path} callback`, give];
  }
  for (const [name, kind] of Object.entries(driver.kinds)) {
    if (kind.extends) yield [`${name} extends`, kind.extends];
    if (kind.resolves) yield [`${name} resolves`, kind.resolves];
    for (const [property, give] of Object.entries(kind.properties ?? {})) yield [`${name}.${property}`, give];
  }
  for (const kind of Object.values(driver.distinctiveMethods ?? {})) yield ['distinctiveMethods', kind];
  for (const kind of Object.values(driver.distinctiveProperties ?? {})) yield ['distinctiveProperties', kind];
}

const kindOf = (give: Give): string => (typeof give === 'string' ? give : give.kind);

const doesSomething = ({ sends, effect, variants = [] }: Call): boolean =>
  sends !== undefined || effect !== undefined || variants.some(doesSomething);

function extendsInCircles(kinds: Readonly<Record<string, Kind>>, name: string): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = name; at !== undefined; at = kinds[at]?.extends) {
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}

const isCovered = (module: string, modules: readonly string[]): boolean =>
  modules.some((name) => name === module || (name.endsWith('/*') && module.startsWith(name.slice(0, -1))));

const escaped = (name: string): string => name.replace(/\$/g, String.raw`\$`);

describe.each(drivers.map((driver) => [driver.name, driver] as const))('the descriptor of %s', (_name, driver) => {
  const code = driver.examples.map((example) => example.code).join('\n');

  it('is plain data', () => {
    expect(JSON.parse(JSON.stringify(driver))).toEqual(driver);
  });

  it('names modules and shows examples', () => {
    expect(driver.modules).not.toHaveLength(0);
    expect(driver.examples).not.toHaveLength(0);
    const strangers = driver.exports.flatMap(({ modules = [] }) => modules).filter((module) => !isCovered(module, driver.modules));
    expect(strangers).toEqual([]);
  });

  it('gives only objects of kinds that it describes', () => {
    const missing = [...givesOf(driver)].filter(([, give]) => !Object.hasOwn(driver.kinds, kindOf(give)));
    expect(missing).toEqual([]);
  });

  it('has no kind that extends itself', () => {
    expect(Object.keys(driver.kinds).filter((name) => extendsInCircles(driver.kinds, name))).toEqual([]);
  });

  it('shows in an example every method that sends or changes a handle', () => {
    const unused = Object.values(driver.kinds)
      .flatMap((kind) => Object.entries(kind.methods ?? {}))
      .filter(([name, call]) => doesSomething(call) && !new RegExp(String.raw`[.?]${escaped(name)}\b\s*[(\`<]`).test(code))
      .map(([name]) => name);
    expect(unused).toEqual([]);
  });

  it('shows in an example every name that it exports', () => {
    const unused = driver.exports
      .flatMap(({ names }) => names)
      .flatMap((name) => name.split('.'))
      .filter((name) => name !== 'default' && !new RegExp(String.raw`(?<![\w$])${escaped(name)}\b`).test(code));
    expect(unused).toEqual([]);
  });

  it('shows in an example every module that it names', () => {
    const unused = driver.modules.filter((name) => !code.includes(`'${name.replace(/\*$/, '')}`));
    expect(unused).toEqual([]);
  });

  it('shows what it makes of each example with lock SQL', () => {
    for (const { code: example, sends = [], effects = [] } of driver.examples) {
      expect(example).toSatisfy(isLockSql);
      expect(sends.length + effects.length, example).toBeGreaterThan(0);
    }
  });
});

it('no two drivers claim one export of one module', () => {
  const claims = drivers.flatMap((driver) =>
    driver.exports.flatMap(({ names, modules = driver.modules, anyModule }) =>
      names.flatMap((name) => (anyModule ? [`any module: ${name}`] : modules.map((module) => `${module}: ${name} (${driver.name})`))),
    ),
  );
  const exports = [...new Set(claims)].map((claim) => claim.replace(/ \(.*/, ''));
  expect(exports.filter((name, index) => exports.indexOf(name) !== index)).toEqual([]);
});
