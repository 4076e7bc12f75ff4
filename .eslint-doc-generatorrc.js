/** @type {import('eslint-doc-generator').GenerateOptions} */
export default {
  ignoreConfig: ['all'],
  configEmoji: [
    ['recommended', '✅'],
    ['strict', '🔒'],
    ['pgbouncer', '🐘'],
  ],
  ruleDocSectionInclude: ['What goes wrong', 'Bad', 'Good', 'Limits', 'When not to use it', 'Further reading'],
  ruleListColumns: ['name', 'description', 'configsError', 'fixable', 'hasSuggestions', 'options'],
  ruleDocNotices: ['configs', 'fixableAndHasSuggestions'],
};
