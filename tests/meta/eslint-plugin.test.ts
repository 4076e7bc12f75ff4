import { Linter } from 'eslint';
import eslintPlugin from 'eslint-plugin-eslint-plugin';
import { createPlugin } from '../../src/plugin.js';

const { rules } = createPlugin();

/**
 * eslint-plugin-eslint-plugin reads rules as ESLint's documentation writes them. What `createRule` makes is therefore
 * written out in that form: its metadata, and a report of every message.
 */
function asWritten({ meta }: (typeof rules)[string]): string {
  const reports = Object.entries(meta?.messages ?? {}).map(([messageId, message]) => {
    const names = [...message.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => `${name}: ''`);
    return `context.report({ node, messageId: '${messageId}', data: { ${names.join(', ')} } });`;
  });
  const { fixable, hasSuggestions, ...rest } = meta ?? {};
  const written = { ...rest, messages: meta?.messages ?? {} };
  const uses = `${fixable === undefined ? '' : 'context.report({ node, messageId, fix(fixer) { return fixer.remove(node); } });'}${
    hasSuggestions ? 'context.report({ node, messageId, suggest: [{ messageId, fix(fixer) { return fixer.remove(node); } }] });' : ''
  }`;
  return `module.exports = {
    meta: ${JSON.stringify({ ...written, ...(fixable && { fixable }), ...(hasSuggestions && { hasSuggestions }) }, null, 2)},
    create(context) { return { Program(node) { ${reports.join('\n')} const messageId = node.messageId; ${uses} } }; },
  };`;
}

describe('eslint-plugin-eslint-plugin', () => {
  it.each(Object.keys(rules))('has nothing against %s', (name) => {
    const rule = rules[name];
    if (!rule) throw new Error(`no rule ${name}`);
    const messages = new Linter().verify(
      asWritten(rule),
      [
        eslintPlugin.configs.recommended,
        {
          languageOptions: { sourceType: 'commonjs' },
          rules: {
            'eslint-plugin/require-meta-docs-description': ['error', { pattern: '^(Disallow|Require|Enforce|Prefer) ' }],
            'eslint-plugin/require-meta-docs-url': 'error',
            'eslint-plugin/require-meta-schema-description': 'error',
            'eslint-plugin/require-meta-default-options': 'error',
            'eslint-plugin/require-meta-type': 'error',
            // A message may end in a sentence that the rule fills in; rule tests look at what is said in the end.
            'eslint-plugin/report-message-format': ['error', '(?:[.?]|\\}\\})$'],
          },
        },
      ],
      'rule.js',
    );
    expect(messages.map(({ ruleId, message }) => `${ruleId ?? ''}: ${message}`)).toEqual([]);
  });

  it('looks at rules in this form', () => {
    const messages = new Linter().verify(
      asWritten({ meta: { type: 'problem', schema: [], messages: { one: 'Text' } }, create: () => ({}) }),
      [eslintPlugin.configs.recommended, { languageOptions: { sourceType: 'commonjs' }, rules: { 'eslint-plugin/require-meta-docs-url': 'error', 'eslint-plugin/report-message-format': ['error', '[.?]$'] } }],
      'rule.js',
    );
    expect(messages.map(({ ruleId }) => ruleId).sort()).toEqual(['eslint-plugin/report-message-format', 'eslint-plugin/require-meta-docs-url']);
  });
});
