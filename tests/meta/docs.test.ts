import { spawnSync } from 'node:child_process';
import { Linter } from 'eslint';
import { drivers } from '../../src/drivers/index.js';
import { createPlugin } from '../../src/plugin.js';
import { rules } from '../../src/rules.js';
import { driversDocument } from '../../scripts/drivers-document.js';
import { evidenceDocument } from '../../scripts/evidence-document.js';
import { built, projectRequire, root } from '../built.js';
import { directiveOf } from '../postgres/directives.js';
import { examplesIn, examplesOf, type Example } from './documented-examples.js';
import { exists, headingsOf, namesIn, read, typescript } from './project.js';

/** In this order; `With …` stands for any number of sections, one for each way to write the cure. */
const sections = ['What goes wrong', 'Bad', 'Good', 'With …', 'Options', 'Limits', 'When not to use it', 'Further reading'];
const optional: readonly string[] = ['With …', 'Options'];

const plugin = createPlugin();
const linter = new Linter();

function reports({ code, settings, options }: Example, rule: string): Linter.LintMessage[] {
  return linter.verify(
    code,
    [
      typescript,
      {
        ...plugin.configs.all,
        files: ['**/*.{ts,tsx}'],
        ...(settings !== undefined && { settings: { 'advisory-lock': settings } }),
        rules: { ...plugin.configs.all.rules, ...(options !== undefined && { [`advisory-lock/${rule}`]: ['error', options] }) },
      },
    ],
    { filename: 'example.tsx' },
  );
}

describe('the documentation', () => {
  it('is generated anew where it is generated', () => {
    const generator = projectRequire.resolve('eslint-doc-generator/package.json').replace('package.json', 'dist/bin/eslint-doc-generator.js');
    built('index.cjs');
    const { status, stderr, stdout } = spawnSync(process.execPath, [generator, '--check'], { cwd: root, encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
    expect(read('docs/drivers.md')).toBe(driversDocument(drivers));
    expect(read('docs/evidence.md')).toBe(evidenceDocument(rules.map(({ name }) => name), read));
  });

  it.each(['README.md', 'CONTRIBUTING.md', ...namesIn('docs', '.md').map((name) => `docs/${name}.md`), ...namesIn('docs/rules', '.md').map((name) => `docs/rules/${name}.md`)])(
    'has links that lead somewhere: %s',
    (file) => {
      const folder = file.includes('/') ? `${file.slice(0, file.lastIndexOf('/'))}/` : '';
      const links = [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)/g)].map(([, path = '']) => `${folder}${path}`);
      expect(links.filter((path) => !exists(path))).toEqual([]);
    },
  );
});

describe.each(rules.map(({ name }) => name))('the page of %s', (name) => {
  const text = exists(`docs/rules/${name}.md`) ? read(`docs/rules/${name}.md`) : '';
  const headings = headingsOf(text);
  const chapters = headings.filter(({ level }) => level === 2);

  it('has the known sections, in order', () => {
    const found = chapters.map((chapter) => (chapter.text.startsWith('With ') ? 'With …' : chapter.text));
    expect(found.filter((section) => !sections.includes(section))).toEqual([]);
    expect(found).toEqual([...found].sort((one, other) => sections.indexOf(one) - sections.indexOf(other)));
    expect(sections.filter((section) => !optional.includes(section) && !found.includes(section))).toEqual([]);
  });

  it('says something in every section', () => {
    expect(chapters.filter(({ text: title, body }) => title !== 'Options' && body.trim() === '').map((chapter) => chapter.text)).toEqual([]);
  });

  const inSection = (matches: (title: string) => boolean): (readonly [string, Example])[] =>
    chapters
      .filter((chapter) => matches(chapter.text))
      .flatMap(examplesIn)
      .map((example) => [`${example.section}: ${example.code}`, example] as const);
  const bad = inSection((title) => title === 'Bad');
  const good = inSection((title) => title === 'Good' || title.startsWith('With '));

  it('says of every example what the laboratory is to do with it', () => {
    const directives = examplesOf(name).map((example) => [example.kind, directiveOf(example)] as const);
    const isShown = directives.some(([kind, { run }]) => kind === 'bad' && run);
    expect(isShown).toBe(name !== 'no-lock-on-replica');
  });

  it('has examples of both kinds', () => {
    expect(bad).not.toEqual([]);
    expect(good).not.toEqual([]);
  });

  it.each(bad)('shows bad code that the rule reports: %s', (_, example) => {
    const messages = reports(example, name);
    expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
    expect(messages.map(({ ruleId }) => ruleId)).toContain(`advisory-lock/${name}`);
  });

  it.each(good)('shows good code that no rule reports: %s', (_, example) => {
    expect(reports(example, name).map(({ ruleId, line, message }) => `${line} ${ruleId ?? ''} ${message}`)).toEqual([]);
  });

  it('explains every option and shows it in use', () => {
    const schema = rules.find((rule) => rule.name === name)?.toEslint().meta?.schema;
    const [first] = Array.isArray(schema) ? schema : [];
    const options = Object.keys(first?.properties ?? {});
    const explained = headings.filter(({ level, body }) => level === 3 && body.includes('```')).map((heading) => heading.text.replaceAll('`', ''));
    expect(options.filter((option) => !explained.includes(option))).toEqual([]);
  });
});
