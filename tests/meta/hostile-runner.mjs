// Lints the files that it is sent, one after the other, and says when it begins and ends each: whoever waits for an answer
// can tell which file it hangs on. Takes the built plugin, as users do.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Linter } = require('eslint');
const parser = require('@typescript-eslint/parser');
const plugin = require('../../dist/index.cjs');

process.on('message', ({ code, jsx, typescript }) => {
  const startedAt = performance.now();
  let messages;
  try {
    messages = new Linter().verify(
      code,
      {
        ...plugin.configs.all,
        files: ['**/*.{js,jsx,ts,tsx}'],
        languageOptions: { ...(typescript && { parser }), parserOptions: { ecmaFeatures: { jsx } } },
      },
      `file.${typescript ? 'ts' : 'js'}${jsx ? 'x' : ''}`,
    );
  } catch (error) {
    messages = [{ ruleId: null, message: String(error.stack ?? error) }];
  }
  process.send({
    took: performance.now() - startedAt,
    // A file that the parser rejects would prove nothing, so that is a failure, too.
    failures: messages.filter(({ ruleId }) => !ruleId?.startsWith('advisory-lock/')).map(({ message }) => message),
  });
});
