import { dirname, resolve } from 'node:path';
import type { FileReport } from '../formats/finding.js';
import { compare, surplus, updated, type Judged, type StaleEntry } from './baseline.js';
import { readBaseline, writeBaseline, type Baseline } from './baseline-file.js';
import { UsageError } from './usage-error.js';

export interface BaselineChoice {
  readonly path: string;
  /** Write what is found instead of comparing with what is known. */
  readonly update: boolean;
}

/** A baseline file that has been read, or that is to be written. */
export interface OpenBaseline {
  readonly path: string;
  /** As the user named it. */
  readonly shownAs: string;
  readonly update: boolean;
  /** Null where there is no file yet. */
  readonly known: Baseline | null;
}

/** Throws a UsageError for a file that is missing or cannot be understood: a mistyped name must not accept everything. */
export async function openBaseline({ path, update }: BaselineChoice, cwd: string): Promise<OpenBaseline> {
  const absolute = resolve(cwd, path);
  const known = await readBaseline(absolute, path);
  if (!known && !update) {
    throw new UsageError(`--baseline is ${JSON.stringify(path)}, which does not exist (looked in ${cwd}). Write it, with all that is found, by adding --update-baseline.`);
  }
  return { path: absolute, shownAs: path, update, known };
}

/** The reports without what is known, and what is to be told about the baseline. Writes the file where that is asked for. */
export async function applyBaseline(
  { path, shownAs, update, known }: OpenBaseline,
  reports: readonly FileReport[],
  judged: Judged,
): Promise<{ reports: readonly FileReport[]; notices: readonly string[] }> {
  const folder = dirname(path);
  const baseline = update || !known ? updated(known, reports, folder, judged) : known;
  const comparison = compare(baseline, reports, folder, judged);
  if (!update) return { reports: comparison.reports, notices: staleNotice(comparison.stale, shownAs) };
  const isWritten = await writeBaseline(path, baseline, shownAs);
  const [added, removed] = [surplus(baseline, known), known ? surplus(known, baseline) : 0];
  const change = isWritten ? `${known ? 'updated' : 'written'}; ${count(added)} added, ${removed} removed` : 'up to date';
  return { reports: comparison.reports, notices: [`${shownAs} is ${change}.`] };
}

/** More than these are counted. */
const shownEntries = 10;

function staleNotice(stale: readonly StaleEntry[], shownAs: string): string[] {
  if (stale.length === 0) return [];
  const total = stale.reduce((sum, entry) => sum + entry.count, 0);
  const lines = stale.slice(0, shownEntries).map(({ path, rule, in: scope, code, count: times }) => `  ${path}  ${rule}${times > 1 ? ` (${times} times)` : ''}${scope === undefined ? '' : `  in ${scope}`}${code === undefined ? '' : `  ${code}`}`);
  const rest = stale.length > shownEntries ? [`  and ${stale.length - shownEntries} more`] : [];
  return [`${count(total)} of ${shownAs} ${total === 1 ? 'is' : 'are'} gone; run with --update-baseline to forget ${total === 1 ? 'it' : 'them'}:`, ...lines, ...rest];
}

const count = (findings: number): string => `${findings} ${findings === 1 ? 'finding' : 'findings'}`;
