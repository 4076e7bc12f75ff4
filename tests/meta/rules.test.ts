import { rules } from '../../src/rules.js';
import { namesIn, read } from './project.js';

const names = rules.map(({ name }) => name);
const ruleFiles = namesIn('rules', '.ts');

describe('the list of rules', () => {
  it('holds every file in rules/, under the name of the file, alphabetically', () => {
    expect(names).toEqual(ruleFiles);
  });

  it('imports every rule from the file of its name', () => {
    const imported = [...read('src/rules.ts').matchAll(/from '\.\.\/rules\/(.+)\.js'/g)].map(([, file]) => file);
    expect(imported).toEqual(ruleFiles);
  });

  it('has a page of documentation for every rule, and no page more', () => {
    expect(namesIn('docs/rules', '.md')).toEqual(ruleFiles);
  });

  it('has a test file for every rule, and no test file without one', () => {
    const tested = namesIn('tests/rules', '.test.ts');
    expect(ruleFiles.filter((name) => !tested.includes(name))).toEqual([]);
    // A rule's tests may be split by subject: `require-unlock.drivers.test.ts`. Three are about all rules together.
    const aboutAll = ['golden-silences', 'hardest-cases', 'who-speaks'];
    expect(tested.filter((name) => !ruleFiles.includes(name.split('.')[0] ?? '') && !aboutAll.includes(name))).toEqual([]);
  });
});

describe.each(rules)('$name', ({ name, summary, toEslint }) => {
  const { meta } = toEslint();
  const messages = Object.entries(meta?.messages ?? {});

  it('has a name that starts with a verb of ESLint', () => {
    expect(name).toMatch(/^(no|require|valid|consistent|prefer)-[a-z-]+$/);
  });

  it('is summed up in one sentence without a full stop', () => {
    expect(summary).toMatch(/^[A-Z][^.\n]*[^.\s]$/);
  });

  it.each(messages)('has a message %s of whole sentences, whose gaps have names', (_, message) => {
    // It may end in a sentence that the rule fills in; rule tests look at what is said in the end.
    expect(message).toMatch(/(?:[.?]|\}\})$/);
    expect(message).not.toMatch(/\bshould\b/);
    expect(message.replaceAll(/\{\{ ?[a-z]\w* ?\}\}/gi, '')).not.toMatch(/\{\{|\}\}/);
  });

  it.each(messages)('has a test that expects the message %s', (messageId) => {
    const tests = namesIn('tests/rules', '.test.ts')
      .filter((file) => file.split('.')[0] === name)
      .map((file) => read(`tests/rules/${file}.test.ts`))
      .join('\n');
    expect(tests).toMatch(new RegExp(`['"\`]${messageId}['"\`]`));
  });

  it('describes every option, and has a valid default for it', () => {
    const [schema] = Array.isArray(meta?.schema) ? meta.schema : [];
    const properties = Object.entries<{ description?: string | undefined }>({ ...schema?.properties });
    const [defaults = {}] = (meta?.defaultOptions ?? []) as object[];
    expect(properties.filter(([, property]) => !property.description).map(([option]) => option)).toEqual([]);
    expect(properties.map(([option]) => option).sort()).toEqual(Object.keys(defaults).sort());
  });
});
