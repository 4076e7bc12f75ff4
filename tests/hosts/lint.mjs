// Lints the folder `source` under several variants of the configuration and prints ESLint's results for each, as JSON:
// `node lint.mjs <package of an ESLint> <package or file of typescript-eslint's parser> <variant …>`. Plain JavaScript, because it runs on every supported version of Node.
import advisoryLock from 'eslint-plugin-advisory-lock';
import { variants } from './fixtures/configs/variants.cjs';

const [eslint, parser, ...wanted] = process.argv.slice(2);
const { ESLint } = await import(eslint);
const typescriptParser = await import(parser);
const configs = variants(advisoryLock, typescriptParser);

const results = {};
for (const variant of wanted) {
  results[variant] = await new ESLint({ overrideConfigFile: true, overrideConfig: configs[variant] }).lintFiles('source');
}
process.stdout.write(JSON.stringify(results));
