import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { explain, isRecord, list, object, oneOf, record, string, type Shape } from '../shape.js';
import { UsageError } from './usage-error.js';

/** Findings that are known, so that only others speak. */
export interface Baseline {
  /** By path from the baseline's folder, with forward slashes. */
  readonly files: ReadonlyMap<string, readonly BaselineEntry[]>;
}

export interface BaselineEntry {
  readonly rule: string;
  readonly fingerprint: string;
  /** How many findings of the file are this one. */
  readonly count: number;
  /** Where it stands and what it is about, for readers of the file. */
  readonly in?: string;
  readonly code?: string;
}

const currentVersion = 1;

const count: Shape = (value, path) =>
  Number.isInteger(value) && Number(value) > 0
    ? null
    : { problem: `${path} is ${JSON.stringify(value)}`, allowed: 'allowed: a number of findings, from 1', guess: null, depth: path.length };

const shape = object<Record<'version' | 'files', unknown>>(['version', 'files'], {
  version: oneOf(currentVersion),
  files: record(list(object<BaselineEntry>(['rule', 'fingerprint', 'count'], { rule: string, fingerprint: string, count, in: string, code: string }))),
});

/** Null where there is no such file. Throws a UsageError for one that cannot be understood. */
export async function readBaseline(path: string, shownAs: string): Promise<Baseline | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw new UsageError(`The baseline ${shownAs} cannot be read: ${reasonOf(error)}`);
  });
  if (text === null) return null;
  const content = parse(text, shownAs);
  const version = isRecord(content) ? content['version'] : undefined;
  if (version !== undefined && version !== currentVersion) {
    const cure = typeof version === 'number' && version > currentVersion ? 'It was written by a later version of this command: update the package.' : restoring;
    throw new UsageError(`The baseline ${shownAs} cannot be used: version is ${JSON.stringify(version)}; allowed: ${currentVersion}. ${cure}`);
  }
  const mistake = shape(content, 'baseline');
  if (mistake) throw new UsageError(`The baseline ${shownAs} cannot be used: ${explain(mistake)} ${restoring}`);
  return { files: filesOf(content) };
}

const restoring = 'Restore it from Git, or remove it and write it anew with --update-baseline.';

function parse(text: string, shownAs: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const isConflict = /^(?:<{7}|>{7}|={7})/m.test(text);
    const cure = isConflict ? 'It has conflict markers of a merge: keep the entries of both sides, then run with --update-baseline.' : restoring;
    throw new UsageError(`The baseline ${shownAs} cannot be used: it is no JSON (${reasonOf(error)}). ${cure}`);
  }
}

/** Of content that has the shape. */
function filesOf(content: unknown): Map<string, readonly BaselineEntry[]> {
  const files = isRecord(content) && isRecord(content['files']) ? content['files'] : {};
  return new Map(Object.entries(files).map(([path, entries]) => [path, Array.isArray(entries) ? entries.filter(isEntry) : []]));
}

const isEntry = (value: unknown): value is BaselineEntry => isRecord(value) && 'fingerprint' in value;

/** As text, with a line for each entry, sorted, so that versions of it can be compared and merged. */
export function baselineText({ files }: Baseline): string {
  const paths = [...files.keys()].filter((path) => (files.get(path) ?? []).length > 0).sort(byText);
  const blocks = paths.map((path) => {
    const entries = [...(files.get(path) ?? [])].sort((one, other) => byText(one.rule, other.rule) || byText(one.fingerprint, other.fingerprint));
    return `    ${JSON.stringify(path)}: [\n${entries.map((entry) => `      ${entryText(entry)}`).join(',\n')}\n    ]`;
  });
  return `{\n  "version": ${currentVersion},\n  "files": {${blocks.length === 0 ? '' : `\n${blocks.join(',\n')}\n  `}}\n}\n`;
}

const entryText = ({ rule, fingerprint, count: times, in: scope, code }: BaselineEntry): string =>
  `{ ${Object.entries({ rule, fingerprint, count: times, in: scope, code })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')} }`;

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/**
 * Replaces the file at once, so that it is whole whatever happens meanwhile: the text goes to a file beside it, which then
 * takes its name. A symbolic link stays one. Gives whether there was anything to change.
 */
export async function writeBaseline(path: string, baseline: Baseline, shownAs: string): Promise<boolean> {
  const text = baselineText(baseline);
  const target = linked(path);
  const before = await readFile(target, 'utf8').catch(() => null);
  // Git may check it out with Windows line breaks.
  if (before?.replaceAll('\r\n', '\n') === text) return false;
  const temporary = join(dirname(target), `.baseline-${randomUUID()}.tmp`);
  try {
    const mode = await stat(target).then(
      (stats) => stats.mode & 0o777,
      () => 0o666,
    );
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new UsageError(`The baseline ${shownAs} cannot be written: ${reasonOf(error)}`);
  }
  return true;
}

function linked(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
