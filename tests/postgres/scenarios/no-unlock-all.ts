import type { RuleScenario } from './index.js';

/** Another job of the same module holds a lock on the session that is swept, and unlocks it when it is done. */
export const noUnlockAll: RuleScenario = ({ kind }) =>
  kind === 'good'
    ? {}
    : {
        async drive({ finish }, _given, { laboratory, recorded: { clients } }) {
          const key = { key: '4201', mode: 'ExclusiveLock' };
          await clients[0]?.query(laboratory.sql.take(key.key, false));
          if (typeof finish === 'function') await Reflect.apply(finish, undefined, []);
          await clients[0]?.query(laboratory.sql.free(key));
        },
      };
