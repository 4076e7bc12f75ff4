import { evaluation } from '../facts/evaluation.js';
import { queries } from '../facts/queries.js';
import type { Query } from '../facts/query.js';
import type { Finding } from '../formats/finding.js';
import { resultOf, type Unit } from '../pass.js';
import { spellingOf } from '../point.js';
import { heldLocks } from '../state/held-locks.js';
import { createFactWords, type FactWords } from './fact-words.js';
import { pathWords } from './path-words.js';

/** A rule as it stands for the explained file. */
export interface RuleStatus {
  readonly name: string;
  /** Turned on in the file's configuration. */
  readonly on: boolean;
}

export type Explanation =
  | { readonly found: true; readonly text: string }
  /** No statement on that line; the lines nearest to it that have one, in order. */
  | { readonly found: false; readonly nearest: readonly number[] };

const nearestLines = 3;

/** What the analyzer thinks of the statements on a line, counted from 1. `findings` are all rules' for the file. */
export function explain(unit: Unit, line: number, findings: readonly Finding[], rules: readonly RuleStatus[], cwd: string): Explanation {
  const statements = resultOf(queries, unit);
  const chosen = statementsOn(line, statements);
  if (chosen.length === 0) return { found: false, nearest: nearest(line, statements) };
  const words = createFactWords(resultOf(evaluation, unit).links, cwd);
  return { found: true, text: chosen.map((query) => paragraph(query, unit, words, findings, rules)).join('\n') };
}

/** Those that begin there; else those that reach over the line. */
function statementsOn(line: number, statements: readonly Query[]): readonly Query[] {
  const starting = statements.filter(({ node }) => node.loc.start.line === line);
  if (starting.length > 0) return starting;
  return statements.filter(({ node }) => node.loc.start.line <= line && line <= node.loc.end.line);
}

function nearest(line: number, statements: readonly Query[]): readonly number[] {
  const lines = [...new Set(statements.map(({ node }) => node.loc.start.line))];
  return lines
    .sort((one, other) => Math.abs(one - line) - Math.abs(other - line))
    .slice(0, nearestLines)
    .sort((one, other) => one - other);
}

function paragraph(query: Query, unit: Unit, words: FactWords, findings: readonly Finding[], rules: readonly RuleStatus[]): string {
  const reported = findings.filter(({ range }) => query.node.range[0] <= range[0] && range[1] <= query.node.range[1]);
  const rows: (readonly [string, readonly string[]])[] = [
    ['SQL', [words.sql(query)]],
    ['locks', query.locks.length > 0 ? query.locks.map((lock) => words.lock(lock)) : ['none']],
    ['session', query.session.map(({ kind }) => kind)],
    ['handle', [query.handle, ...query.otherHandles].map((handle) => words.handle(handle))],
    ['sent', [words.sent(query)]],
    ['through', query.route.slice(1).map((call) => `${spellingOf(call)} (${words.place(call)})`)],
    ['result', [`rows come as ${query.result.shape}`, ...query.uses.map((use) => words.use(use))]],
    ['signal', query.signal ? [`${unit.text.slice(...query.signal.node.range)}${query.signal.ignored ? ' (the driver ignores it)' : query.signal.refused ? ' (the call fails because of it)' : ''}`] : []],
    ['paths', pathWords(query, resultOf(heldLocks, unit), words)],
    ['reported', reported.map(({ ruleId, message }) => `${nameOf(ruleId)}${isOn(nameOf(ruleId), rules) ? '' : ' (off in the configuration)'}: ${message}`)],
    ['silent', silent(query, reported, rules)],
  ];
  const title = `${words.place(query.node)} ${spellingOf(query.node)}`;
  return `${title}\n${rows.flatMap(([label, lines]) => lines.map((text, index) => `  ${(index === 0 ? label : '').padEnd(9)} ${text}\n`)).join('')}`;
}

const nameOf = (ruleId: string): string => ruleId.slice(ruleId.indexOf('/') + 1);

const isOn = (name: string, rules: readonly RuleStatus[]): boolean => rules.some((rule) => rule.name === name && rule.on);

/** Which rules did not report this statement, by what decides for them. */
function silent(query: Query, reported: readonly Finding[], rules: readonly RuleStatus[]): readonly string[] {
  const spoken = new Set(reported.map(({ ruleId }) => nameOf(ruleId)));
  const quiet = rules.map(({ name }) => name).filter((name) => !spoken.has(name));
  const groups = new Map<string, string[]>();
  for (const name of quiet) {
    const reason = reasonFor(name, query);
    groups.set(reason, [...(groups.get(reason) ?? []), name]);
  }
  return [...groups].map(([reason, names]) => `${reason}: ${names.join(', ')}`);
}

const aboutResults = ['no-ignored-unlock-result', 'no-ignored-try-lock-result', 'no-misread-lock-result', 'no-void-lock-result'];
const aboutText = ['no-lock-with-limit', 'no-lock-in-filter'];
const aboutKeys = ['valid-lock-key', 'no-unstable-lock-key', 'no-weak-lock-key'];
const aboutHandles = ['no-pool-session-lock', 'no-shared-session-lock', 'no-session-lock', 'no-lock-on-replica'];

/** The fact that decides, as far as facts alone decide. */
function reasonFor(name: string, { locks, sql, handle, result }: Query): string {
  if (!sql && locks.length === 0) return 'the SQL is not shown';
  if (locks.length === 0) return 'the statement has no lock';
  if (aboutResults.includes(name)) return `by the result (${result.shape}) and its uses`;
  if (aboutText.includes(name)) return `by the query around the lock (in ${locks.map(({ operation }) => operation.clause).join(', ')})`;
  if (aboutKeys.includes(name)) return 'by the key';
  if (aboutHandles.includes(name)) {
    return locks.every(({ operation }) => operation.level === 'transaction') ? 'the lock is transaction-level' : `by the handle (${handle.role}${handle.assumed ? ', assumed' : ''})`;
  }
  return 'by the paths';
}
