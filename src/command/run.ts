import manifest from '../../package.json' with { type: 'json' };
import type { AdvisoryLockPlugin } from '../plugin.js';
import type { Observer } from '../rule.js';
import { help, parseInvocation } from './arguments.js';
import { explain } from './explain.js';
import { writeFacts } from './facts.js';
import { MissingHostError } from './host.js';
import { lint } from './lint.js';
import { writeLocks } from './locks/write-locks.js';
import type { Progress } from './progress.js';
import { UsageError } from './usage-error.js';

/** What a run sees of the process it runs in. */
export interface Surroundings {
  readonly cwd: string;
  readonly color: boolean;
  readonly progress: Progress;
  readonly createPlugin: (observe?: Observer) => AdvisoryLockPlugin;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** 0: nothing found. 1: findings. 2: the run failed, or a part of it did. */
export type ExitStatus = 0 | 1 | 2;

/** Runs the command. Whatever the user can put right is said through `complain`, never thrown. */
export async function run(commandLine: readonly string[], surroundings: Surroundings): Promise<ExitStatus> {
  try {
    const invocation = parseInvocation(commandLine);
    switch (invocation.do) {
      case 'help':
        surroundings.print(help);
        return 0;
      case 'version':
        surroundings.print(`${manifest.version}\n`);
        return 0;
      case 'explain':
        return await explain(invocation, surroundings);
      case 'facts':
        return await writeFacts(invocation, surroundings);
      case 'locks':
        return await writeLocks(invocation, surroundings);
      case 'lint':
        return await lint(invocation, surroundings);
      default:
        return invocation satisfies never;
    }
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof MissingHostError)) throw error;
    surroundings.complain(`${error.message}\n`);
    return 2;
  } finally {
    surroundings.progress.clear();
  }
}
