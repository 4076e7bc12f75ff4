import { circular, unknown, type Handle, type HandleIdentity, type Unknown, type Value } from './values.js';

/** Certain enough to be preferred over what an annotation or a caller would say. */
export function isDecided(value: Value): boolean {
  if (value.type === 'unknown' || value.type === 'nothing') return false;
  if (value.type === 'promise') return isDecided(value.of);
  return !(value.type === 'object' && value.handle?.role === 'unknown');
}

/** The same value under an identity of its own: a parameter or field whose annotation says what it is. */
export function identified(value: Value, identity: HandleIdentity): Value {
  if (value.type === 'promise') return { type: 'promise', of: identified(value.of, identity) };
  if (value.type !== 'object' || !value.handle) return value;
  return { ...value, handle: { ...value.handle, identity } };
}

/** The same handle, of which nobody owns a part: it lives as long as the module. */
export function ofModule(value: Value): Value {
  if (value.type === 'promise') return { type: 'promise', of: ofModule(value.of) };
  if (value.type !== 'object' || !value.handle) return value;
  return { ...value, handle: { ...value.handle, moduleLevel: true } };
}

/**
 * One value if all agree on what it is, under `identity` when they are different backends; otherwise unknown, with the
 * alternatives kept and `from` where they come.
 */
export function unify(values: readonly Value[], identity?: HandleIdentity, from: Unknown['from'] = 'branches'): Value {
  const [first, ...others] = values.filter((value) => value !== circular);
  if (!first) return values.length > 0 ? circular : unknown;
  if (others.length === 0) return first;
  if (others.every((other) => agrees(first, other))) {
    const sameBackend = others.every((other) => handleOf(other)?.identity === handleOf(first)?.identity);
    return sameBackend || identity === undefined ? first : identified(first, identity);
  }
  return oneOf([first, ...others], from);
}

const maximumAlternatives = 12;

/** Unknown, but one of these; what is not known at all stays among them, so that the rest is not taken for everything. */
export function oneOf(values: readonly Value[], from: Unknown['from'] = 'branches'): Value {
  const certain = values.every((value) => value.type !== 'unknown' || value.from === 'callers') ? from : 'branches';
  const alternatives: Value[] = [];
  for (const value of values) {
    for (const alternative of value.type === 'unknown' && value.alternatives.length > 0 ? value.alternatives : [value]) {
      if (!alternatives.some((other) => isSame(other, alternative))) alternatives.push(alternative);
    }
  }
  if (alternatives.every((value) => value.type === 'unknown')) return unknown;
  // Beyond so many different ones nothing is told apart any more.
  const told = alternatives.length > maximumAlternatives ? [...alternatives.slice(0, maximumAlternatives), unknown] : alternatives;
  return { type: 'unknown', alternatives: told, from: certain };
}

const isSame = (a: Value, b: Value): boolean => (a.type === 'unknown' ? b.type === 'unknown' : agrees(a, b) && handleOf(a)?.identity === handleOf(b)?.identity);

/** As `unify`; null and undefined, which a variable may hold before or after its value, do not count. */
export const unifyPresent = (values: readonly Value[], identity?: HandleIdentity): Value =>
  unify(
    values.filter((value) => value.type !== 'nothing'),
    identity,
  );

const handleOf = (value: Value): Handle | null => (value.type === 'object' ? value.handle : value.type === 'promise' ? handleOf(value.of) : null);

function agrees(a: Value, b: Value): boolean {
  if (a.type !== b.type) return false;
  switch (a.type) {
    case 'object':
      return b.type === 'object' && a.driver === b.driver && a.kind === b.kind && a.handle?.role === b.handle?.role;
    case 'promise':
      return b.type === 'promise' && agrees(a.of, b.of);
    case 'function':
      return b.type === 'function' && a.node === b.node;
    case 'class':
      return b.type === 'class' && a.node === b.node;
    case 'instance':
      return b.type === 'instance' && a.class === b.class;
    case 'record':
      return b.type === 'record' && a.node === b.node;
    case 'method':
      return b.type === 'method' && a.call === b.call && agrees(a.receiver, b.receiver);
    case 'export':
      return b.type === 'export' && a.entry === b.entry;
    case 'namespace':
    case 'foreign':
      return b.type === a.type && a.module === b.module && a.path.join('.') === b.path.join('.');
    case 'elsewhere':
      return b.type === 'elsewhere' && agrees(a.of, b.of);
    case 'module':
      return b.type === 'module' && a.unit === b.unit;
    case 'nothing':
    case 'global':
      return true;
    case 'shape':
      return b.type === 'shape' && a.members === b.members;
    case 'list':
    case 'delegate':
    case 'unknown':
      return false;
    default:
      return a satisfies never;
  }
}
