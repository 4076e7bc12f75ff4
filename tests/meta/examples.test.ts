import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';
import { namesIn, read, typescript } from './project.js';

const folder = 'examples/incidents';
const plugin = createPlugin();
const expected = JSON.parse(read(`${folder}/expected.json`)) as Record<string, string[]>;
const files = namesIn(folder, '.ts').map((name) => `${name}.ts`);

const rulesNaming = (file: string): string[] =>
  new Linter()
    .verify(read(`${folder}/${file}`), [typescript, { ...plugin.configs.all, files: ['**/*.ts'] }], file)
    .map(({ ruleId, message }) => ruleId?.replace('advisory-lock/', '') ?? message);

describe('the incidents', () => {
  it('are all expected to be named, and each has a corrected twin', () => {
    const incidents = files.filter((file) => !file.endsWith('.fixed.ts'));
    expect(Object.keys(expected).sort()).toEqual(incidents);
    expect(files.filter((file) => file.endsWith('.fixed.ts'))).toEqual(incidents.map((file) => file.replace('.ts', '.fixed.ts')));
  });

  it.each(Object.entries(expected))('are named: %s', (file, rules) => {
    // `npm run demo` holds all of them; a rule that does not exist cannot name anything here.
    expect(rulesNaming(file)).toEqual(expect.arrayContaining(rules.filter((rule) => Object.hasOwn(plugin.rules, rule))));
  });

  it.each(files.filter((file) => file.endsWith('.fixed.ts')))('are not found where they are corrected: %s', (file) => {
    expect(rulesNaming(file)).toEqual([]);
  });
});
