import { createHash } from 'node:crypto';
import type { RuleScenario } from './index.js';

const digest = (name: string): Buffer => createHash('sha256').update(name).digest();

export const validLockKey: RuleScenario = ({ kind, code }) => {
  if (kind === 'good') return {};
  // Another program computes the same 64 bits, and does not round them.
  if (code.includes('readBigInt64BE')) return { values: () => ({ name: 'daily' }), rival: { key: String(digest('daily').readBigInt64BE(0)), mode: 'ExclusiveLock' } };
  // One of the names whose hash is in the upper half.
  if (code.includes('readUInt32BE')) return { values: () => ({ name: ['a', 'b', 'c', 'd', 'e', 'f'].find((name) => digest(name).readUInt32BE(0) >= 2 ** 31) }) };
  return {};
};
