import { isAbsolute } from 'node:path';
import type { Settings, Specifier } from '../../settings.js';

/** Something in the code that a specifier may mean. */
export interface Named {
  /** The name it goes by, dotted where it is a member: `db`, `Database.run`. */
  readonly name: string;
  /** The module specifier it is imported by; null for what is not imported. */
  readonly module: string | null;
  /** The file that exports it, absolute; null where that is not known. */
  readonly file: string | null;
}

/** Does the specifier of a setting mean this? A name alone means it wherever it comes from. */
export function means(specifier: Specifier, { name, module, file }: Named): boolean {
  if (typeof specifier === 'string') return specifier === name;
  if (specifier.name !== name) return false;
  switch (specifier.from) {
    case 'package': {
      const { package: wanted } = specifier;
      return wanted === undefined ? module !== null && !module.startsWith('.') : module === wanted || module?.startsWith(`${wanted}/`) === true;
    }
    case 'file':
      return file !== null && (specifier.path === undefined || isFile(file, specifier.path));
    default:
      return specifier.from satisfies never;
  }
}

/** Do the settings name something of this file? */
export const isNamedIn = ({ handles, wrappers }: Settings, file: string): boolean =>
  [...handles.map(({ is }) => is), ...wrappers.map(({ call }) => call)].some((specifier) => typeof specifier !== 'string' && specifier.path !== undefined && isFile(file, specifier.path));

/** A path counts from any folder above the file; extension and `index` may be left out on both sides. */
export function isFile(file: string, wanted: string): boolean {
  const path = stem(file);
  const end = stem(wanted);
  return isAbsolute(wanted) ? path === end : path.endsWith(`/${end.replace(/^(?:\.\/)+/, '')}`);
}

const stem = (path: string): string =>
  path
    .replaceAll('\\', '/')
    .replace(/\.[cm]?[jt]sx?$/, '')
    .replace(/\/index$/, '');
