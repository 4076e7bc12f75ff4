import { createHash } from 'node:crypto';
import type { RuleScenario } from './index.js';

/** Two users that have nothing to do with each other, but the hash. */
export const noWeakLockKey: RuleScenario = ({ kind, code }) => {
  if (kind === 'good') return {};
  const users = code.includes('hashtext') ? ['user:78002', 'user:180762'] : code.includes('sha256') ? collision(first32Bits) : ['user:aabD', 'user:aaec'];
  return { values: (caller) => ({ user: users[caller] }) };
};

const first32Bits = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

/** The first two of `user:1`, `user:2` and so on whose hashes are the same. */
function collision(hash: (text: string) => number): [string, string] {
  const seen = new Map<number, string>();
  for (let number = 1; ; number++) {
    const user = `user:${number}`;
    const value = hash(user);
    const other = seen.get(value);
    if (other !== undefined) return [other, user];
    seen.set(value, user);
  }
}
