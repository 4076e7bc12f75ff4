import { readFileSync, statSync } from 'node:fs';
import type { FileParser, ParsedFile } from './parse-file.js';

/** Files that other files import. Each look is at the file as it is on disk at that moment. */
export interface FileStore {
  /** Null for what is no file or is too large. */
  source(path: string): SourceText | null;
  /** Null also for what cannot be parsed. */
  read(path: string, parser: FileParser): ParsedFile | null;
}

export interface SourceText {
  readonly text: string;
  /** What it imports, requires or re-exports, as a look at the text without its syntax finds it. */
  readonly specifiers: readonly string[];
}

/** Generated clients and bundles say nothing of a project's own handles, and cost the most. In bytes. */
export const maximumFileSize = 256 * 1024;

/** A project's database modules are few; these bounds keep an editor's process small. */
const maximumFiles = 1000;
const maximumCharacters = 8 * 1024 * 1024;

interface Entry {
  readonly size: number;
  readonly changed: number;
  readonly source: SourceText;
  /** By the options of the parser. */
  readonly parsed: Map<string, ParsedFile | null>;
}

/**
 * The one cache that outlives a file's analysis: an imported module is parsed once for all files that import it, not once
 * for each. It hangs on the parser's own object, so that it lives as long as the configuration that brings the parser, holds
 * texts and syntax only, drops what was not asked for longest, and believes an entry only while the file has its size and
 * time.
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
  return {
    source: (path) => entryOf(path)?.source ?? null,
    read(path, parser) {
      const entry = entryOf(path);
      if (!entry) return null;
      const known = entry.parsed.get(parser.optionsKey);
      if (known !== undefined) return known;
      const file = parser.parse(path, entry.source.text);
      entry.parsed.set(parser.optionsKey, file);
      return file;
    },
  };

  function entryOf(path: string): Entry | null {
    const known = entries.get(path);
    if (known) forget(path, known);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > maximumFileSize) return null;
    if (known?.size === stats.size && known.changed === stats.mtimeMs) return remember(path, known);
    const text = textOf(path);
    if (text === null) return null;
    return remember(path, { size: stats.size, changed: stats.mtimeMs, source: { text, specifiers: specifiersIn(text) }, parsed: new Map() });
  }

  function remember(path: string, entry: Entry): Entry {
    entries.set(path, entry);
    characters += entry.source.text.length;
    for (const [oldest, old] of entries) {
      if (entries.size <= maximumFiles && characters <= maximumCharacters) break;
      forget(oldest, old);
    }
    return entry;
  }

  function forget(path: string, entry: Entry): void {
    entries.delete(path);
    characters -= entry.source.text.length;
  }
}

const specifiersIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\b(?:from|import|require)\b\s*\(?\s*['"]([^'"\n]+)['"]/g)].flatMap(([, specifier]) => specifier ?? [])),
];

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return null;
  }
}
