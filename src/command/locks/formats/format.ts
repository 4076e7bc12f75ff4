import { relative, sep } from 'node:path';
import type { Inventory, Place } from '../model.js';

/** What a format turns into text. */
export interface LocksReport {
  readonly inventory: Inventory;
  /** The plugin's version. */
  readonly version: string;
  /** Paths are shown relative to this folder, with `/` on every system. */
  readonly cwd: string;
  readonly color: boolean;
}

export type LocksFormat = (report: LocksReport) => string;

/** As people and other tools write it: relative, where the file is in the folder. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return (shown.startsWith('..') ? path : shown).split(sep).join('/');
}

export const shownPlace = ({ path, line }: Place, cwd: string): string => `${shownPath(path, cwd)}:${line}`;
