import type { TSESTree } from '@typescript-eslint/utils';
import { int32 } from './key-arithmetic.js';
import { bigintValue, bytesValue, numberValue, textValue, type Hash, type KeyValue } from './key-domain.js';

const uint32Max = 2 ** 32 - 1;

/** Packages whose functions give 32-bit hashes, and whether these are signed. */
const hashPackages: Readonly<Record<string, 'signed' | 'unsigned'>> = {
  'crc-32': 'signed',
  'buffer-crc32': 'unsigned',
  crc: 'unsigned',
  crc32: 'unsigned',
  djb2a: 'unsigned',
  'string-hash': 'unsigned',
  '@sindresorhus/string-hash': 'unsigned',
  murmurhash: 'unsigned',
  'murmurhash-js': 'unsigned',
  'hash-string': 'unsigned',
};

/** Functions of any origin that give 32 bits or fewer, by the algorithm they are named after. */
const hashNames = /^(?:crc_?(?:8|16|32)|adler_?32|djb2a?|sdbm|fnv_?1a?_?32|murmur(?:hash)?(?:v?[23])?_?32|(?:x86)?hash_?32|fingerprint_?32|h32|xxh(?:ash)?_?32|java_?hash_?code)$/i;

const hexPackages: Readonly<Record<string, number>> = { md5: 32, 'blueimp-md5': 32, 'js-md5': 32, sha1: 40, 'js-sha1': 40, sha256: 64, 'js-sha256': 64 };

/** What a hash function imported from a module, or known by its name alone, gives; null for any other function. */
export function importedHash(module: string | null, name: string, node: TSESTree.Node): KeyValue | null {
  if (module === 'zlib' && name === 'crc32') return numberValue(0, uint32Max, 'integer', { spread: true, hash: { how: 'crc32', node } });
  const digits = module === null ? undefined : hexPackages[module];
  if (digits !== undefined && (name === 'default' || name === '' || name === module)) return textValue(digits, digits, 'hex', { spread: true, hash: { how: name, node } });
  const known = module === null ? undefined : hashPackages[module];
  if (known === 'signed') return numberValue(int32.min, int32.max, 'integer', { spread: true, hash: { how: labelOf(module, name), node } });
  if (known === 'unsigned') return numberValue(0, uint32Max, 'integer', { spread: true, hash: { how: labelOf(module, name), node } });
  // Its name says how many bits it has, and not whether they are signed.
  return hashNames.test(name) ? numberValue(0, uint32Max, 'integer', { spread: false, hash: { how: name, node } }) : null;
}

const labelOf = (module: string | null, name: string): string => (hashNames.test(name) || module === null ? name : module);

const digestLengths: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64, ripemd160: 20 };

/** Bytes of a digest by the algorithm's name, `SHA-256` or `sha256`; null for an unknown one. */
export const digestLength = (algorithm: unknown): number | null =>
  typeof algorithm === 'string' ? (digestLengths[algorithm.toLowerCase().replaceAll('-', '')] ?? null) : null;

/** What `.digest(encoding)` gives. */
export function digestValue(length: number | null, encoding: unknown, hash: Hash): KeyValue {
  const scattered = { spread: true, hash };
  if (encoding === undefined || encoding === 'buffer') return bytesValue(length, scattered);
  const text = (perByte: number, alphabet: 'hex' | 'any'): KeyValue =>
    length === null ? textValue(1, Infinity, alphabet, scattered) : textValue(Math.ceil(length * perByte), Math.ceil(length * perByte), alphabet, scattered);
  switch (encoding) {
    case 'hex':
      return text(2, 'hex');
    case 'base64url':
      return text(4 / 3, 'any');
    case 'base64':
      return length === null ? textValue(1, Infinity, 'any', scattered) : textValue(4 * Math.ceil(length / 3), 4 * Math.ceil(length / 3), 'any', scattered);
    default:
      return textValue(1, Infinity, 'any', scattered);
  }
}

/**
 * What a method that reads a number out of bytes gives: `readInt32BE` of Buffer, `getInt32` of DataView; null for other
 * names. `length` is the second argument of `readIntBE` and the like.
 */
export function readNumber(method: string, length: number | null, bytes: { spread: boolean; hash: Hash | null }): KeyValue | null {
  const match = /^(?:read|get)(Big)?(U)?Int(8|16|32|64)?(?:[BL]E)?$/i.exec(method);
  if (!match) return null;
  const bits = match[3] === undefined ? (length ?? 0) * 8 : Number(match[3]);
  if (bits <= 0 || bits > 64) return null;
  const isUnsigned = match[2] !== undefined;
  const hash = bytes.hash && { how: `${String(bits)} bits of ${bytes.hash.how}`, node: bytes.hash.node };
  const scattered = { spread: true, hash };
  if (match[1] === undefined) {
    const [min, max] = isUnsigned ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
    return numberValue(min, max, 'integer', scattered);
  }
  const size = 1n << BigInt(bits);
  return isUnsigned ? bigintValue(0n, size - 1n, scattered) : bigintValue(-(size / 2n), size / 2n - 1n, scattered);
}
