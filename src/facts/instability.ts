import type { TSESTree } from '@typescript-eslint/utils';
import type { CalleeName } from './callee-names.js';

/** What makes a key differ from one process, or one call, to the next. */
export interface Instability {
  /** As a message says it: `Math.random()`, `process.pid`. */
  readonly source: string;
  readonly node: TSESTree.Node;
  /** `counter`: every process counts for itself; `own`: something that belongs to this process or machine. */
  readonly kind: 'random' | 'clock' | 'own' | 'counter';
}

/** Functions of the server whose value no other session gets: random ones, and those of the backend or transaction. */
export const sqlSources: Readonly<Record<string, Instability['kind']>> = {
  random: 'random',
  gen_random_uuid: 'random',
  uuid_generate_v1: 'random',
  uuid_generate_v4: 'random',
  uuidv4: 'random',
  uuidv7: 'random',
  rand: 'random',
  uuid: 'random',
  pg_backend_pid: 'own',
  connection_id: 'own',
  txid_current: 'own',
  pg_current_xact_id: 'own',
};

/** Functions of the server that depend on their arguments alone. */
export const pureFunctions: ReadonlySet<string> = new Set(['hashtext', 'hashtextextended', 'abs', 'concat', 'md5', 'lower', 'upper', 'sha1', 'sha2', 'crc32', 'hash_numeric']);

/** Packages whose exports make ids that are new with every call. */
const idPackages: ReadonlySet<string> = new Set(['nanoid', 'uuid', 'ulid', 'ulidx', 'cuid', '@paralleldrive/cuid2', 'uuid-random', 'short-uuid', 'uniqid', 'hyperid', 'bson-objectid']);
/** Exports of these packages that depend on their arguments alone. */
const derivedIds: ReadonlySet<string> = new Set(['v3', 'v5', 'validate', 'parse', 'stringify', 'version', 'NIL', 'MAX', 'customAlphabet', 'decodeTime']);
const cryptoSources: ReadonlySet<string> = new Set(['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues', 'pseudoRandomBytes']);
/** Functions of the language that give on what they are given. */
export const givesOn = /^(?:Number|BigInt(?:\.asU?intN)?|String|parseInt|parseFloat|Number\.parse(?:Int|Float)|Math\.\w+|JSON\.stringify|Buffer\.from)$/i;
/** Methods whose result depends on the object they are called on. */
export const methodsThatGiveOn: ReadonlySet<string> = new Set([
  'toString', 'valueOf', 'slice', 'substring', 'substr', 'subarray', 'replace', 'replaceAll', 'toLowerCase', 'toUpperCase', 'trim', 'padStart', 'padEnd', 'concat', 'toFixed',
  'getTime', 'toISOString', 'toJSON', 'join',
]);
/** Methods that read a number out of bytes. */
export const reader = /^(?:read|get)(?:Big)?U?Int(?:8|16|32|64)?(?:[BL]E)?$/;

/** What a call of a function that is not this file's brings in, by its name; null for one that is not known to bring in anything. */
export function sourceNamed(callee: CalleeName, call: TSESTree.CallExpression): Instability | null {
  const source = (name: string, kind: Instability['kind']): Instability => ({ source: `${name}()`, node: call, kind });
  switch (callee.kind) {
    case 'global':
      switch (callee.name) {
        case 'Math.random':
          return source(callee.name, 'random');
        case 'Date.now':
          return source(callee.name, 'clock');
        case 'performance.now':
        case 'process.hrtime':
        case 'process.hrtime.bigint':
        case 'process.uptime':
          return source(callee.name, 'own');
        default:
          return callee.name.startsWith('crypto.') && cryptoSources.has(callee.name.slice('crypto.'.length)) ? source(callee.name, 'random') : null;
      }
    case 'import':
      if (callee.module === 'crypto' && cryptoSources.has(callee.name)) return source(callee.name, 'random');
      if (callee.module === 'os' && callee.name === 'hostname') return source('hostname', 'own');
      if (callee.module === 'perf_hooks' && callee.name === 'now') return source('performance.now', 'own');
      return idPackages.has(callee.module) && !derivedIds.has(callee.name) ? source(callee.name === 'default' || callee.name === '' ? callee.module : callee.name, 'random') : null;
    case 'method':
    case 'other':
      return null;
  }
}

/** Hash functions depend on the text they are given. */
export const isHashing = (callee: CalleeName & { kind: 'import' }): boolean =>
  /^(?:crc|crc-?32|djb2a|string-hash|murmurhash|murmurhash-js|md5|blueimp-md5|@sindresorhus\/string-hash)$/.test(callee.module) || (callee.module === 'zlib' && callee.name === 'crc32');
