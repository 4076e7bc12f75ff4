import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { FileReport, Finding } from '../formats/finding.js';
import type { Baseline, BaselineEntry } from './baseline-file.js';

/** What a run can say of files besides its reports, by absolute path. */
export interface Judged {
  /** The run read the file and could analyse it, if it mentions a lock at all. */
  file(path: string): boolean;
  /** Would the run have found what the rule finds in that file? */
  rule(path: string, rule: string): boolean;
}

/** An entry, or a part of its count, that no finding answers to. */
export interface StaleEntry extends BaselineEntry {
  readonly path: string;
}

export interface Comparison {
  /** With the known findings among the suppressed ones. */
  readonly reports: readonly FileReport[];
  readonly stale: readonly StaleEntry[];
}

/**
 * Takes out the findings that the baseline knows, each entry as often as it counts. Of equal findings of a file, the first
 * ones are the known ones. `folder` is the baseline's. Entries that the run cannot judge are not stale.
 */
export function compare(baseline: Baseline, reports: readonly FileReport[], folder: string, judged: Judged): Comparison {
  const left = new Map([...baseline.files].map(([path, entries]) => [path, counted(entries)]));
  const compared = reports.map((report) => {
    const entries = left.get(pathFrom(folder, report.path));
    if (!entries) return report;
    const [known, unknown] = [new Array<Finding>(), new Array<Finding>()];
    for (const finding of report.findings) {
      const entry = entries.get(keyOf(finding.ruleId, finding.fingerprint));
      if (entry && entry.count > 0) {
        entry.count -= 1;
        known.push({ ...finding, suppressions: [{ by: 'baseline', justification: null }] });
      } else {
        unknown.push(finding);
      }
    }
    return { ...report, findings: unknown, suppressed: [...report.suppressed, ...known].sort((one, other) => one.range[0] - other.range[0]) };
  });
  const stale = [...left].flatMap(([path, entries]) => {
    const isGone = goneFrom(resolve(folder, path), judged);
    return [...entries.values()].flatMap(({ entry, count }) => (count > 0 && isGone(entry.rule) ? [{ ...entry, count, path }] : []));
  });
  return { reports: compared, stale };
}

/** The baseline with what the run found instead of what it knew; what the run cannot judge stays. */
export function updated(baseline: Baseline | null, reports: readonly FileReport[], folder: string, judged: Judged): Baseline {
  const files = new Map<string, readonly BaselineEntry[]>();
  for (const [path, entries] of baseline?.files ?? []) {
    const isGone = goneFrom(resolve(folder, path), judged);
    files.set(path, entries.filter(({ rule }) => !isGone(rule)));
  }
  for (const report of reports) {
    if (!judged.file(report.path)) continue;
    const path = pathFrom(folder, report.path);
    files.set(path, [...(files.get(path) ?? []), ...entriesOf(report)]);
  }
  return { files };
}

/** How many findings one baseline knows that another does not. */
export function surplus(of: Baseline, over: Baseline | null): number {
  let found = 0;
  for (const [path, entries] of of.files) {
    const others = counted(over?.files.get(path) ?? []);
    for (const [key, { count }] of counted(entries)) found += Math.max(count - (others.get(key)?.count ?? 0), 0);
  }
  return found;
}

const goneFrom =
  (path: string, judged: Judged) =>
  (rule: string): boolean =>
    judged.file(path) ? judged.rule(path, rule) : !existsSync(path);

const keyOf = (rule: string, fingerprint: string): string => `${rule} ${fingerprint}`;

interface Counted {
  readonly entry: BaselineEntry;
  count: number;
}

/** Merges may bring an entry twice. */
function counted(entries: readonly BaselineEntry[]): Map<string, Counted> {
  const found = new Map<string, Counted>();
  for (const entry of entries) {
    const key = keyOf(entry.rule, entry.fingerprint);
    const known = found.get(key);
    if (known) known.count += entry.count;
    else found.set(key, { entry, count: entry.count });
  }
  return found;
}

function entriesOf({ findings, text }: FileReport): BaselineEntry[] {
  const found = new Map<string, BaselineEntry>();
  for (const { ruleId: rule, fingerprint, scope, range } of findings) {
    const key = keyOf(rule, fingerprint);
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { rule, fingerprint, count, ...(scope !== null && { in: scope }), code: shortened(text.slice(...range)) });
  }
  return [...found.values()];
}

const longestCode = 80;

function shortened(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length > longestCode ? `${line.slice(0, longestCode)}…` : line;
}

const pathFrom = (folder: string, path: string): string => relative(folder, path).split(sep).join('/');
