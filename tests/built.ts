import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Resolves what this project has installed. */
export const projectRequire = createRequire(join(root, 'noop.js'));

/** A file of the build, as an absolute path. `npm test` builds first. */
export function built(file: string): string {
  const path = join(root, 'dist', file);
  if (!existsSync(path)) throw new Error(`dist/${file} is missing; run \`npm run build\` first.`);
  return path;
}
