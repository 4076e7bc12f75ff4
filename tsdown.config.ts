import { writeFile } from 'node:fs/promises';
import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', command: 'src/command/main.ts' },
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  dts: { entry: ['src/index.ts'] },
  outDir: 'dist',
  clean: true,
  sourcemap: false,
  // CommonJS is the point: ESLint refuses two plugin objects of one name, so both module systems must share one.
  checks: { legacyCjs: false },
  // Types only; the published declarations name `eslint` alone, so what is left of these imports is dropped.
  deps: { neverBundle: [/^@typescript-eslint\//] },
  // The bundler's own helpers go with the shared code: left to itself it puts them into the command, and then loading
  // the plugin would run the command.
  outputOptions: {
    chunkFileNames: '[name].cjs',
    codeSplitting: { groups: [{ name: 'plugin', test: /rolldown\/runtime|[\\/](?:src|rules)[\\/](?!command[\\/]|index\.ts)/ }] },
  },
  hooks: {
    'build:done': async () => {
      const reExport = "export { default } from './index.cjs';\n";
      await writeFile('dist/index.mjs', reExport);
      await writeFile('dist/index.d.mts', `${reExport}export type { Driver, Settings } from './index.cjs';\n`);
    },
  },
});
