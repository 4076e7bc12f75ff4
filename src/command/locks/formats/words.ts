import type { Lock, LockKey, LockSite, ProblemKind, Timeout } from '../model.js';

/** How things are called, alike in all formats that people read. */
export const problemNames: Readonly<Record<ProblemKind, string>> = {
  'order-cycle': 'locks in a circle',
  'shared-key': 'one key, several purposes',
  'shared-class': 'one class id, several features',
  'mixed-forms': 'one and two arguments mixed',
  'never-released': 'released nowhere',
};

/** `JOBS_LOCK (42)`: the constant first, because that is what people search for. */
export const keyWords = ({ text, names }: Pick<LockKey, 'text' | 'names'>): string => (names.length > 0 ? `${names.join(', ')} (${text})` : text);

export function timeoutWords(timeout: Timeout): string {
  switch (timeout.kind) {
    case 'does-not-wait':
      return 'does not wait';
    case 'argument':
      return `${timeout.seconds} s`;
    case 'set':
      return timeout.milliseconds === null ? 'set' : `${timeout.milliseconds} ms`;
    case 'none':
      return 'none';
    case 'unknown':
      return 'unknown';
    default:
      return timeout satisfies never;
  }
}

/** What its acquires have in common, or each of the things they have. */
export const timeoutsOf = ({ acquires }: Lock): string => [...new Set(acquires.map((site) => timeoutWords(site.timeout)))].join(', ');

export const connectionsOf = ({ acquires, releases }: Lock): string => [...new Set((acquires.length > 0 ? acquires : releases).map(({ connection }) => connection))].join(', ');

/** What is done at the place, by whom. */
export const doneBy = ({ ownerName, sql }: LockSite): string => (ownerName === null ? sql : `${sql} in ${ownerName}`);

export const count = (number: number, one: string, several = `${one}s`): string => `${number} ${number === 1 ? one : several}`;
