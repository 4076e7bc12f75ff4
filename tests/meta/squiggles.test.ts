import { Linter } from 'eslint';
import { createPlugin } from '../../src/plugin.js';
import { badExamples } from './documented-examples.js';
import { namesIn, typescript } from './project.js';
import { squiggled } from './squiggles.js';

const folder = 'tests/meta/squiggles';
const plugin = createPlugin();
const pages = badExamples();

/** All bad examples of a page with what the page's rule says about them; to be updated with `npm test -- -u tests/meta`. */
function transcriptOf(rule: string, [...examples]: (typeof pages)[number][1]): string {
  const name = `advisory-lock/${rule}`;
  const transcripts = examples.map(({ code, settings, options }) => {
    const config: Linter.Config = {
      files: ['**/*.tsx'],
      plugins: { 'advisory-lock': plugin },
      rules: { [name]: options === undefined ? 'error' : ['error', options] },
      ...(settings !== undefined && { settings: { 'advisory-lock': settings } }),
    };
    return squiggled(code, new Linter().verify(code, [typescript, config], 'example.tsx'));
  });
  return `${transcripts.join('\n\n')}\n`;
}

describe('what the rules say about the bad examples of their pages', () => {
  it.each(pages)('is known: %s', async (rule, examples) => {
    await expect(transcriptOf(rule, examples)).toMatchFileSnapshot(`squiggles/${rule}.txt`);
  });

  it('is known of no page that does not exist', () => {
    expect(namesIn(folder, '.txt')).toEqual(pages.map(([rule]) => rule));
  });

  it('is written under the very characters', () => {
    const message = { ruleId: 'x', severity: 2, message: 'Wrong.', line: 1, column: 5, endLine: 2, endColumn: 4 } as const;
    expect(squiggled('let one =\n  2;\n', [message])).toBe('let one =\n    ~~~~~\n  2;\n  ~\n  Wrong.');
    expect(squiggled('let one = 2;', [{ ...message, endLine: 1, endColumn: 8, suggestions: [{ desc: 'Drop it.', fix: { range: [0, 1], text: '' } }] }])).toBe(
      'let one = 2;\n    ~~~\n    Wrong.\n    suggestion: Drop it.',
    );
  });
});
