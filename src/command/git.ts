import { execFile } from 'node:child_process';
import { UsageError } from './usage-error.js';

export interface GitAnswer {
  /** Null where Git was ended by a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lists of files of large repositories, in bytes. */
const maximumOutput = 512 * 1024 * 1024;

/** What a repository's own configuration may not change about the answers, nor have executed for them. */
const settings = ['core.fsmonitor=false', 'diff.relative=false'].flatMap((setting) => ['-c', setting]);

/** Runs Git, which changes nothing, in a folder. Throws a UsageError where there is no Git. */
export function git(folder: string, parameters: readonly string[]): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, maxBuffer: maximumOutput, env: { ...surroundings(), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' } };
    execFile('git', [...settings, ...parameters], options, (error, stdout, stderr) => {
      const code = error?.code;
      if (code === 'ENOENT') {
        reject(new UsageError('--changed-since asks Git, but there is no program git on the PATH. Install Git, or leave the option out to lint everything.'));
      } else if (error && typeof code !== 'number' && error.signal === undefined) {
        reject(new UsageError(`--changed-since asks Git, which could not be run: ${error.message}`));
      } else {
        resolve({ status: error ? (typeof code === 'number' ? code : null) : 0, stdout, stderr });
      }
    });
  });
}

/** A hook is told where the repository is, by a path from a folder that need not be this one; alone it would also say that `folder` is the root. */
function surroundings(): NodeJS.ProcessEnv {
  const { GIT_DIR, ...others } = process.env;
  return GIT_DIR !== undefined && process.env['GIT_WORK_TREE'] !== undefined ? process.env : others;
}
