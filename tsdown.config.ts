import { writeFile } from 'node:fs/promises';
import { defineConfig } from 'tsdown';

/** A clone may itself stand in a folder named `src` or `rules`. */
const root = import.meta.dirname;

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
  checks: { legacyCjs: false, pluginTimings: false },
  // Types only; the published declarations name `eslint` alone, so what is left of these imports is dropped.
  deps: { neverBundle: [/^@typescript-eslint\//] },
  outputOptions: (options, _format, { cjsDts }) =>
    // The declarations are built apart, and a common name would make their chunks overwrite the code's.
    cjsDts
      ? options
      : {
          ...options,
          chunkFileNames: '[name].cjs',
          // Left to itself, the bundler may put its helpers into the command, and have the plugin load that.
          codeSplitting: {
            groups: [
              { name: 'runtime', test: /rolldown[/\\]runtime/ },
              { name: 'plugin', test: (id) => /^[/\\](?:rules|src)[/\\](?!command|formats|index)/.test(id.startsWith(root) ? id.slice(root.length) : '') },
            ],
          },
        },
  hooks: {
    'build:done': async () => {
      const reExport = "export { default } from './index.cjs';\n";
      await writeFile('dist/index.mjs', reExport);
      await writeFile('dist/index.d.mts', `${reExport}export type { Driver, Settings } from './index.cjs';\n`);
    },
  },
});
