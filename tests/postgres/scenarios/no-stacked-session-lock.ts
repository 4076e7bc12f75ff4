import type { Client } from 'pg';
import type { RuleScenario } from './index.js';

interface Election {
  start(): void;
  stepDown(): Promise<boolean>;
}

/** An election goes on for three heartbeats, and then its process steps down. */
export const noStackedSessionLock: RuleScenario = ({ code }) =>
  code.includes('class Election')
    ? {
        parameters: [{ name: 'client', type: 'pg#Client' }],
        async drive({ Election }, given, { passTime }) {
          const election = Reflect.construct(Election as new () => Election, given) as Election;
          election.start();
          for (let heartbeat = 0; heartbeat < 3; heartbeat++) {
            await passTime(5_000);
            // Behind what the heartbeat has sent.
            await (given[0] as Client).query('SELECT 1');
          }
          return election.stepDown();
        },
      }
    : {};
