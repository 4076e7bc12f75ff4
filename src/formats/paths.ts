import { isAbsolute, relative, sep } from 'node:path';

/** A path with forward slashes, relative to a folder; null for what lies outside of it. */
export function pathWithin(folder: string, path: string): string | null {
  const inside = relative(folder, path);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null;
  return inside.split(sep).join('/');
}

/** As `pathWithin`, but absolute for what lies outside. */
export const portablePath = (folder: string, path: string): string => pathWithin(folder, path) ?? path.split(sep).join('/');

/** Relative URI reference of a path with forward slashes, each segment percent-encoded. */
export const uriOf = (path: string): string => path.split('/').map(encodeSegment).join('/');

/** `file:` URI of an absolute path. */
export function fileUriOf(path: string): string {
  const slashed = path.split(sep).join('/');
  const drive = /^[A-Za-z]:(?=\/)/.exec(slashed)?.[0] ?? '';
  // `//server/share` names a host.
  if (slashed.startsWith('//')) return `file:${uriOf(slashed)}`;
  return `file://${drive === '' ? '' : `/${drive}`}${uriOf(slashed.slice(drive.length))}`;
}

/** `encodeURIComponent` throws for half a surrogate pair, and leaves these, which readers may take for syntax. */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
