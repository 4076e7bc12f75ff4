import { readFile } from 'node:fs/promises';
import { mentionsLock } from '../sql/lock-functions.js';
import type { Candidate } from './analyse.js';
import type { SourceFile } from './files.js';
import type { Progress } from './progress.js';
import type { ProjectConfigs } from './project-config.js';

/** The files of a run that are worth analysing, and those of which that cannot be told. */
export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Those in which nothing can be found: they mention no lock, or the project's configuration ignores them. */
  readonly quiet: readonly string[];
  readonly unreadable: readonly { path: string; message: string }[];
  /** Configuration files that could not be used, with the reason. */
  readonly broken: ReadonlyMap<string, string>;
}

const filesReadAtOnce = 32;

/** Reads every file and keeps those that are wanted, by default those that mention a lock: the one step whose cost grows with the whole repository. */
export async function findCandidates(
  files: readonly SourceFile[],
  configs: ProjectConfigs,
  progress: Progress,
  isWanted: (text: string, triggerWords: readonly string[]) => boolean = mentionsLock,
): Promise<Candidates> {
  const candidates: Candidate[] = [];
  const quiet: string[] = [];
  const unreadable: { path: string; message: string }[] = [];
  const broken = new Map<string, string>();
  let next = 0;

  async function consider({ path, named }: SourceFile): Promise<void> {
    const near = await configs.near(path);
    if (near.is === 'broken') broken.set(near.configFile, near.message);
    const words = near.is === 'known' ? near.config.triggerWords : [];
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      unreadable.push({ path, message: error instanceof Error ? error.message : String(error) });
      return null;
    });
    if (text === null) return;
    if (!isWanted(text, words)) {
      if (near.is !== 'broken') quiet.push(path);
      return;
    }
    const exact = await configs.of(path);
    switch (exact.is) {
      case 'known':
        candidates.push({ path, text, config: exact.config });
        return;
      case 'broken':
        broken.set(exact.configFile, exact.message);
        return;
      case 'ignored':
        // Somebody who names a file wants it read; only a folder's files are subject to the project's taste.
        if (named) candidates.push({ path, text, config: configs.fallback });
        else quiet.push(path);
        return;
      default:
        exact satisfies never;
    }
  }

  async function work(): Promise<void> {
    for (let file = files[next++]; file; file = files[next++]) {
      progress.show(`reading ${next} of ${files.length} files`);
      await consider(file);
    }
  }

  await Promise.all(Array.from({ length: filesReadAtOnce }, () => work()));
  candidates.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { candidates, quiet, unreadable, broken };
}
