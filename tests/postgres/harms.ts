import type { Circumstance } from './circumstances.js';
import type { Directive, Harm } from './directives.js';
import type { Lock } from './laboratory.js';
import type { Observation } from './perform.js';

/** How a harm comes out, and what has to be seen for it to be believed. */
export interface HarmCheck {
  /** Tried in this order until one of them brings the harm out. */
  readonly circumstances: readonly Circumstance[];
  /** What was seen, in a sentence; null when the harm was not. */
  seen(observation: Observation, directive: Directive & { readonly run: true }): string | null;
}

const unlocks = /pg_advisory_unlock|release_lock/i;
const endings: readonly Circumstance[] = [
  'alone',
  'another caller takes the connection',
  'the work throws',
  'a statement fails',
  'the signal is aborted',
  'the lock is held in another mode',
  'another session has the lock',
  'the unlock fails',
];

export const harmChecks: Readonly<Record<Exclude<Harm, 'stale read' | 'process crashes'>, HarmCheck>> = {
  'lock left on an idle backend': {
    circumstances: endings,
    seen({ locks, calls }) {
      if (calls.some(({ outcome }) => outcome === 'pending')) return null;
      const left = locks.filter(({ granted, state }) => granted && state.startsWith('idle'));
      return left.length === 0 ? null : `The call was over, and ${plural(left.length, 'lock was', 'locks were')} left: ${left.slice(0, 3).map(described).join(', ')}.`;
    },
  },
  'unlock answered false': {
    circumstances: endings,
    seen({ statements, calls }) {
      if (calls.some(({ outcome, value }) => outcome !== 'returned' || value === false)) return null;
      const refused = statements.find(({ sql, answers }) => unlocks.test(sql) && answers.some((answer) => answer === 'f' || answer === '0'));
      if (!refused) return null;
      return `The server answered false${refused.notices[0] ? ` and warned "${refused.notices[0].message}" (${refused.notices[0].code})` : ''}; the call returned as if nothing had happened.`;
    },
  },
  'two callers inside': {
    circumstances: ['two callers', 'another session has the lock'],
    seen({ mostInside, circumstance, elsewhere }) {
      if (mostInside < 2) return null;
      return circumstance === 'two callers' ? 'Two callers were inside at one time.' : `The caller went on while another session held the key ${elsewhere.join(', ')}.`;
    },
  },
  'waiter hangs until lock_timeout': {
    circumstances: ['the server limits the wait'],
    seen({ calls, statements }) {
      const refused = statements.find(({ error }) => error?.code === '55P03');
      if (!refused || statements.some(({ sql }) => /lock_timeout|statement_timeout/i.test(sql)) || calls.some(({ outcome }) => outcome !== 'threw')) return null;
      return 'It waited for the lock until a limit that the laboratory had set for the role, and nothing in the code, ended the wait (55P03).';
    },
  },
  'more locks than rows': {
    circumstances: ['alone'],
    seen({ acquired }) {
      for (const { statement, locks } of acquired) {
        const held = locks.filter(({ backend, granted }) => granted && backend === statement.backend);
        if (held.length > statement.rows) return `The statement gave ${plural(statement.rows, 'row', 'rows')}, and its session held ${held.length} locks.`;
      }
      return null;
    },
  },
  'no lock taken': {
    circumstances: ['alone'],
    seen({ acquired, calls }) {
      if (calls.some(({ outcome }) => outcome !== 'returned')) return null;
      const vain = acquired.find(({ statement, locks }) => !locks.some(({ backend }) => backend === statement.backend));
      return vain ? `The statement ended without an error, and its session held no lock afterwards.` : null;
    },
  },
  'late grant to nobody': {
    circumstances: ['the client gives up waiting'],
    seen({ calls, waited, locks }) {
      if (!calls.every(({ outcome }) => outcome === 'threw') || waited.length === 0) return null;
      const granted = locks.find((lock) => lock.granted && waited.some(({ backend, key }) => backend === lock.backend && key === lock.key));
      return granted ? `The call had failed while its statement waited; the lock was granted to it later, and nobody knows: ${described(granted)}.` : null;
    },
  },
  'pool starved': {
    circumstances: ['as many callers as connections'],
    seen({ calls, isWhole }) {
      const stuck = calls.filter(({ outcome, error }) => outcome === 'pending' || /timeout exceeded when trying to connect|Timeout acquiring/.test(String(error)));
      return stuck.length === calls.length && !isWhole ? `Each of ${calls.length} callers held a connection, and none could go on.` : null;
    },
  },
  'deadlock 40P01': {
    circumstances: ['two callers', 'as many callers as connections'],
    seen({ statements }) {
      const victim = statements.find(({ error }) => error?.code === '40P01');
      return victim ? `The server ended one of the two with "${victim.error?.message}" (40P01).` : null;
    },
  },
  '25P02 hides the first error': {
    circumstances: ['a statement fails'],
    seen({ statements, calls }) {
      const [first] = statements.filter(({ error }) => error);
      const told = calls.map(({ error }) => codeOf(error));
      return first && first.error?.code !== '25P02' && told.includes('25P02') ? `The statement failed with ${first.error?.code}; the caller was told 25P02.` : null;
    },
  },
  'two keys are one': {
    circumstances: ['two callers'],
    seen({ acquired, waited }) {
      const [first] = acquired[0]?.locks ?? [];
      const meets = first && (waited.some(({ key }) => key === first.key) || acquired.slice(1).some(({ locks }) => locks.some(({ key, backend }) => key === first.key && backend !== first.backend)));
      return meets ? `Both callers asked for the key ${first.key}.` : null;
    },
  },
  'statement refused': {
    circumstances: ['alone', 'another session has the lock, time and again'],
    seen({ statements, calls }, { sqlState }) {
      const refused = statements.find(({ error }) => error?.code === sqlState)?.error ?? calls.map(({ error }) => error).find((error) => codeOf(error) === sqlState);
      return refused ? `The server refused: "${messageOf(refused)}" (${sqlState}).` : null;
    },
  },
  'setting had no effect': {
    circumstances: ['alone', 'the server limits the wait'],
    seen({ statements }) {
      const warned = statements.find(({ notices }) => notices.some(({ code }) => code === '25P01'));
      return warned ? `The server warned "${warned.notices[0]?.message}" (25P01).` : null;
    },
  },
};

export function described({ key, mode, state, granted }: Lock): string {
  return `key ${key}, ${mode}, ${granted ? 'granted' : 'waited for'}, backend ${state}`;
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const messageOf = (error: unknown): string => {
  const message: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
  return String(message);
};

/** The SQLSTATE of an error, also where a library has wrapped it. */
export function codeOf(error: unknown): string | null {
  for (let current = error; current instanceof Error; current = current.cause ?? Reflect.get(current, 'driverError') ?? Reflect.get(current, 'original')) {
    const code: unknown = Reflect.get(current, 'code');
    if (typeof code === 'string' && code.length === 5) return code;
  }
  return null;
}
