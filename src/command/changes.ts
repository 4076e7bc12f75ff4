import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInFolder } from './files.js';
import { git } from './git.js';
import { UsageError } from './usage-error.js';

/** What differs between the working tree and a revision. Paths are absolute. */
export interface Changes {
  /** Is the file changed, new or moved? Whether it is committed, staged, or not known to Git, does not matter. */
  has(path: string): boolean;
  /** Files that are there. */
  readonly files: ReadonlySet<string>;
  /** Files that are gone, moved ones included. */
  readonly deleted: ReadonlySet<string>;
}

/**
 * What changed since the revision: compared is the working tree, untracked files included and ignored ones not, with the
 * commit at which the current branch and the revision parted, so that what others did since then does not count. `folder` is
 * in the repository. Throws a UsageError that says what to do.
 */
export async function changesSince(revision: string, folder: string): Promise<Changes> {
  const root = await repositoryOf(folder);
  const base = await mergeBase(revision, root);
  const diff = await succeed(root, ['diff', '--name-status', '-z', '--no-renames', '--no-ext-diff', base, '--']);
  const untracked = await succeed(root, ['ls-files', '--others', '--exclude-standard', '-z']);

  const files = new Set(fields(untracked).map((path) => join(root, path)));
  const deleted = new Set<string>();
  const entries = fields(diff);
  for (let index = 0; index + 1 < entries.length; index += 2) {
    const path = join(root, entries[index + 1] ?? '');
    (entries[index] === 'D' ? deleted : files).add(path);
  }
  // A submodule, and a repository within this one, count as a whole.
  const folders = [...files].filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  const knows = (path: string): boolean => files.has(path) || folders.some((folder) => isInFolder(path, folder));
  // Asked for every file that imports lead to, and again by each that leads there.
  const answers = new Map<string, boolean>();
  const has = (path: string): boolean => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const answer = knows(path) || knows(realPath(path));
    answers.set(path, answer);
    return answer;
  };
  return { files, deleted, has };
}

const fields = (output: string): string[] => output.split('\0').filter((field) => field !== '');

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The root, without symbolic links, as the files in it are named. */
async function repositoryOf(folder: string): Promise<string> {
  const { status, stdout, stderr } = await git(folder, ['rev-parse', '--show-toplevel']);
  if (status === 0 && stdout.trim() !== '') return realPath(resolve(folder, stdout.replace(/\r?\n$/, '')));
  if (/not a git repository|must be run in a work tree/.test(stderr) || status === 0) {
    throw new UsageError(`--changed-since compares with Git, but ${folder} is in no Git repository with files. Run it in one, or leave the option out to lint everything.`);
  }
  throw new UsageError(`--changed-since: Git refuses to read the repository at ${folder}: ${firstLine(stderr)}`);
}

async function mergeBase(revision: string, root: string): Promise<string> {
  const named = `--changed-since is ${JSON.stringify(revision)}`;
  const found = revision.startsWith('-') ? null : await git(root, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
  const isShallow = (await git(root, ['rev-parse', '--is-shallow-repository'])).stdout.trim() === 'true';
  const deepen = 'fetch the whole history first: git fetch --unshallow (in GitHub Actions: fetch-depth: 0; in GitLab CI: GIT_DEPTH: 0)';
  if (found?.status !== 0) {
    const remote = await remoteBranch(revision, root);
    if (remote !== null) throw new UsageError(`${named}, which this repository does not have. Did you mean ${remote}?`);
    const cure = isShallow ? `This is a shallow clone: ${deepen}.` : `Allowed: a branch, tag or commit of this repository, such as origin/main or HEAD~1; git fetch brings those of a remote.`;
    throw new UsageError(`${named}, which this repository does not have. ${cure}`);
  }
  const base = await git(root, ['merge-base', found.stdout.trim(), 'HEAD']);
  if (base.status === 0) return base.stdout.trim();
  if (isShallow) throw new UsageError(`${named}, but this shallow clone does not reach back to where the current branch left it; ${deepen}.`);
  throw new UsageError(`${named}, which has no commit in common with the current branch, so that there is nothing to compare with.`);
}

/** CI checks out one branch; the others are there under the name of their remote, if at all. */
async function remoteBranch(revision: string, root: string): Promise<string | null> {
  if (!/^[\w./-]+$/.test(revision) || revision.startsWith('-')) return null;
  const remote = `origin/${revision}`;
  return (await git(root, ['rev-parse', '--verify', '--quiet', `refs/remotes/${remote}`])).status === 0 ? remote : null;
}

async function succeed(root: string, parameters: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await git(root, parameters);
  if (status !== 0) throw new UsageError(`--changed-since: git ${parameters[0] ?? ''} failed: ${firstLine(stderr)}`);
  return stdout;
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
