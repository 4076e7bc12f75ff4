import { join } from 'node:path';
import { fetched } from './fetched.js';

/** The oldest of each line that `engines` allows, and the newest there is. */
export const nodeVersions = ['20.19.0', '22.13.0', '24.0.0', '26'] as const;

/** The program of a version of Node, as npm's registry has them; brought into `.cache` when it is not there. */
export function nodeProgram(version: string): string {
  // npm names Node's packages after the platform, Windows without its number.
  const name = `node-${process.platform.replace('win32', 'win')}-${process.arch}`;
  return join(fetched(`node-${version}`, [`${name}@${version}`]), name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}
