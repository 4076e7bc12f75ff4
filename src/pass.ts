import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import type { Settings } from './settings.js';

/** One file under analysis: what every pass may look at. Built once per rule run, cheap, and holds no results. */
export interface Unit {
  readonly program: TSESTree.Program;
  /** The file's text as ESLint holds it, without a byte order mark; node ranges index it in UTF-16 units. */
  readonly text: string;
  readonly scopes: TSESLint.Scope.ScopeManager;
  readonly visitorKeys: Readonly<Record<string, readonly string[] | undefined>>;
  /** What the parser offers besides the tree: types, for typescript-eslint with a project; `{}` under oxlint. */
  readonly parserServices: unknown;
  /** The parser of this run, to read other files with; undefined where the host gives none. */
  readonly parser: unknown;
  readonly languageOptions: unknown;
  /** Absolute, or `<input>` where the host knows no file. */
  readonly filename: string;
  readonly settings: Settings;
  /** Passes whose results come from somewhere else than the program, computed when first asked for. */
  readonly replacements?: ReadonlyMap<Pass<unknown>, (unit: Unit) => unknown>;
  /**
   * Keeps what rests on the replacements, where that must not live as long as the program: of a file that is read because
   * another one imports it, syntax is shared by all importers, and what it means is found out for each of them.
   */
  readonly results?: Map<Pass<unknown>, unknown>;
}

/** A source that is no JavaScript and yet has a unit: what ESLint's language for `.sql` files hands to rules. */
export interface OwnUnit {
  /** One and the same program for every call, so that all rules share the results. */
  unitFor(settings: Settings, filename: string): Unit;
}

/** A computation over one file whose result every rule shares. */
export interface Pass<T> {
  readonly name: string;
  readonly requires: readonly Pass<unknown>[];
  readonly run: (unit: Unit) => T;
}

type Results<P extends readonly Pass<unknown>[]> = { [K in keyof P]: P[K] extends Pass<infer T> ? T : never };

/**
 * Defines a pass. It can only require passes that already exist, so the passes form an acyclic graph by construction.
 * `run` gets the required passes' results in order, then the unit.
 */
export function definePass<T, const P extends readonly Pass<unknown>[] = []>(
  name: string,
  requires: P,
  run: (results: Results<P>, unit: Unit) => T,
): Pass<T> {
  return { name, requires, run: (unit) => run(resultsOf(requires, unit), unit) };
}

interface Memo {
  readonly settings: Settings;
  readonly results: Map<Pass<unknown>, unknown>;
}

// The tree is fresh for every parse in ESLint, in RuleTester and in oxlint (whose `sourceCode` is one object for all files),
// so it is the one key under which results can neither go stale nor leak.
const memos = new WeakMap<TSESTree.Program, Memo[]>();

/** The pass's result for this file, computed at most once per tree and settings object, or per unit that keeps its results. */
export function resultOf<T>(pass: Pass<T>, unit: Unit): T {
  const results = unit.results && restsOnReplacement(pass, unit) ? unit.results : memoOf(unit).results;
  if (!results.has(pass)) results.set(pass, (unit.replacements?.get(pass) ?? pass.run)(unit));
  return results.get(pass) as T;
}

function restsOnReplacement(pass: Pass<unknown>, unit: Unit): boolean {
  if (unit.results?.has(pass) || unit.replacements?.has(pass)) return true;
  return pass.requires.some((required) => restsOnReplacement(required, unit));
}

/** The results of several passes, in order. */
export function resultsOf<const P extends readonly Pass<unknown>[]>(passes: P, unit: Unit): Results<P> {
  return passes.map((pass) => resultOf(pass, unit)) as Results<P>;
}

function memoOf(unit: Unit): Memo {
  let perSettings = memos.get(unit.program);
  if (!perSettings) {
    perSettings = [];
    memos.set(unit.program, perSettings);
  }
  let memo = perSettings.find((candidate) => candidate.settings === unit.settings);
  if (!memo) {
    memo = { settings: unit.settings, results: new Map() };
    perSettings.push(memo);
  }
  return memo;
}
