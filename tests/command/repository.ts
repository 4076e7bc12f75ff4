import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderWith } from '../temporary-folder.js';

/** A Git repository in a folder of its own, on the branch `main`, with everything committed. */
export interface Repository {
  readonly folder: string;
  git(...parameters: string[]): string;
  /** Writes files by path; null removes one. */
  write(files: Readonly<Record<string, string | null>>): void;
  commit(): void;
}

export function repositoryWith(files: Readonly<Record<string, string>>): Repository {
  const repository = repositoryAt(folderWith(files));
  repository.git('init', '--quiet', '--initial-branch=main');
  repository.commit();
  return repository;
}

export function repositoryAt(folder: string): Repository {
  const git = (...parameters: string[]): string => {
    const identity = ['user.name=Test', 'user.email=test@example.org', 'commit.gpgSign=false', 'protocol.file.allow=always'].flatMap((setting) => ['-c', setting]);
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...parameters], { cwd: folder, encoding: 'utf8', env });
    if (status !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  return {
    folder,
    git,
    write(files) {
      for (const [path, text] of Object.entries(files)) {
        const file = join(folder, path);
        if (text === null) {
          rmSync(file);
        } else {
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, text);
        }
      }
    },
    commit() {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', 'change');
    },
  };
}
