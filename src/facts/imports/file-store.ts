import { readFileSync, statSync } from 'node:fs';
import type { FileParser, ParsedFile } from './parse-file.js';

/** Files that other files import, parsed. */
export interface FileStore {
  /** The file as it is on disk at this moment; null for what is no file, is too large, or cannot be parsed. */
  read(path: string, parser: FileParser): ParsedFile | null;
}

/** Generated clients and bundles say nothing of a project's own handles, and cost the most. In bytes. */
export const maximumFileSize = 256 * 1024;

/** A project's database modules are few; these bounds keep an editor's process small. */
const maximumFiles = 500;
const maximumCharacters = 8 * 1024 * 1024;

interface Entry {
  readonly size: number;
  readonly changed: number;
  readonly file: ParsedFile | null;
}

/**
 * The one cache that outlives a file's analysis: an imported module is parsed once for all files that import it, not once
 * for each. It hangs on the parser's own object, so that it lives as long as the configuration that brings the parser, holds
 * syntax only, drops what was not asked for longest, and believes an entry only while the file has its size and time.
 */
const stores = new WeakMap<object, FileStore>();

export function fileStoreOf(parser: object): FileStore {
  const known = stores.get(parser);
  if (known) return known;
  const store = createFileStore();
  stores.set(parser, store);
  return store;
}

function createFileStore(): FileStore {
  // In the order of use, the latest last.
  const entries = new Map<string, Entry>();
  let characters = 0;
  return { read };

  function read(path: string, parser: FileParser): ParsedFile | null {
    const key = `${path}\0${parser.optionsKey}`;
    const known = entries.get(key);
    if (known) forget(key, known);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > maximumFileSize) return null;
    if (known?.size === stats.size && known.changed === stats.mtimeMs) return remember(key, known);
    const text = textOf(path);
    const file = text === null ? null : parser.parse(path, text);
    return remember(key, { size: stats.size, changed: stats.mtimeMs, file });
  }

  function remember(key: string, entry: Entry): ParsedFile | null {
    entries.set(key, entry);
    characters += entry.file?.text.length ?? 0;
    for (const [oldest, old] of entries) {
      if (entries.size <= maximumFiles && characters <= maximumCharacters) break;
      forget(oldest, old);
    }
    return entry.file;
  }

  function forget(key: string, entry: Entry): void {
    entries.delete(key);
    characters -= entry.file?.text.length ?? 0;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return null;
  }
}
