import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { learnedFacts } from '../../facts/learned.js';
import { resultOf } from '../../pass.js';
import type { WrapperSetting } from '../../settings.js';
import { mentionsLock } from '../../sql/lock-functions.js';
import { createAnalyser, type Candidate } from '../analyse.js';
import type { ConfigChoice } from '../arguments.js';
import { findCandidates } from '../candidates.js';
import { commonFolder, findFiles, isTypeScript } from '../files.js';
import { createHost } from '../host.js';
import { createProbe } from '../probe.js';
import { projectConfigs } from '../project-config.js';
import type { Surroundings } from '../run.js';
import { readFile } from './file-reader.js';
import { linked } from './linking.js';
import type { FileLocks, FunctionId } from './model.js';

export interface Project {
  readonly files: readonly FileLocks[];
  /** What could not be read or analysed, for the person who asked. */
  readonly complaints: readonly string[];
}

/** Helpers of helpers are looked for in so many further rounds, and what runs under a lock through so many files. */
const helperRounds = 4;
const calledRounds = 3;

/** Files without a lock that are read for what they call while somebody else holds one. */
const maximumCalledFiles = 400;

/**
 * Reads the files that mention a lock, then those that use helpers which take one, with what has been learned of these
 * helpers, and then those that are called under a lock. Each file is analysed by the engine that the rules run on.
 */
export async function readProject(paths: readonly string[], config: ConfigChoice, { cwd, progress, createPlugin }: Surroundings): Promise<Project> {
  const files = await findFiles(paths, cwd);
  const [first, ...others] = files.map(({ path }) => path);
  const folder = first === undefined ? cwd : commonFolder([first, ...others]);
  const host = createHost(folder);
  const configs = projectConfigs(config, null, cwd, host, createPlugin());
  const probe = createProbe('everything');
  const analyser = createAnalyser(host, folder, (observe) => probe.inPlugin(createPlugin(observe)));
  const packageOf = createPackages();
  const complaints = new Set<string>();
  const found = new Map<string, FileLocks>();
  const wrappers = new Map<string, WrapperSetting>();
  const shown = (path: string): string => relative(cwd, path);

  let words = new Map<string, RegExp>();
  for (let round = 0; round <= helperRounds; round += 1) {
    const before = new Set([...wrappers.keys(), ...words.keys()]);
    const isWanted = round === 0 ? mentionsLock : (text: string): boolean => [...words].some(([word, module]) => text.includes(word) && module.test(text));
    await analyse(await wanted(isWanted));
    words = wordsOf([...found.values()], wrappers);
    if ([...wrappers.keys(), ...words.keys()].every((key) => before.has(key))) break;
  }
  for (let round = 0; round < calledRounds; round += 1) {
    const missing = calledFiles([...found.values()]);
    const named = files.filter(({ path }) => missing.has(path)).slice(0, maximumCalledFiles - extraFiles());
    if (named.length === 0) break;
    await analyse((await findCandidates(named, configs, progress, () => true)).candidates);
  }
  progress.clear();
  return { files: [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1)), complaints: [...complaints] };

  function extraFiles(): number {
    return [...found.values()].filter(({ sites }) => sites.length === 0).length;
  }

  async function wanted(isWanted: (text: string, triggerWords: readonly string[]) => boolean): Promise<readonly Candidate[]> {
    const { candidates, unreadable, broken } = await findCandidates(files, configs, progress, isWanted);
    for (const [file, message] of broken) complaints.add(`${shown(file)} cannot be used, so its files were left out (--no-config does without it): ${message}`);
    for (const { path, message } of unreadable) complaints.add(`${shown(path)} cannot be read: ${message}`);
    return candidates;
  }

  async function analyse(candidates: readonly Candidate[]): Promise<void> {
    const hasParser = host.typescriptParser() !== null;
    const readable = candidates.filter(({ path }) => hasParser || !isTypeScript(path));
    if (readable.length < candidates.length) complaints.add('There is no parser for TypeScript, so its files were left out. Install it: npm install --save-dev @typescript-eslint/parser');
    const learned = [...wrappers.values()];
    for (const [index, candidate] of readable.entries()) {
      progress.show(`reading ${index + 1} of ${readable.length} files that take locks`);
      const { failure } = await analyser.analyse({ ...candidate, config: probe.inConfig({ ...candidate.config, rules: {}, settings: withWrappers(candidate.config.settings, learned) }) });
      const unit = probe.take();
      if (failure) complaints.add(`${shown(candidate.path)}${failure.line === null ? '' : `:${failure.line}`} cannot be analysed: ${failure.message}`);
      if (!unit) continue;
      found.set(candidate.path, readFile(unit, packageOf));
      for (const wrapper of resultOf(learnedFacts, unit).wrappers) if ('does' in wrapper) wrappers.set(JSON.stringify(wrapper.call), wrapper);
    }
  }
}

/** The file's own settings, and what was learned of helpers; what the user says comes first. */
function withWrappers(settings: Readonly<Record<string, unknown>>, learned: readonly WrapperSetting[]): Record<string, unknown> {
  const own = settings['advisory-lock'];
  const given = typeof own === 'object' && own !== null ? own : {};
  const declared: readonly unknown[] = 'wrappers' in given && Array.isArray(given.wrappers) ? given.wrappers : [];
  return { ...settings, 'advisory-lock': { ...given, wrappers: [...declared, ...learned] } };
}

/**
 * The words by which other files use the helpers: functions that take a lock for their caller, and those whose parameters
 * decide the key. A file that uses one writes its name, and names the file or a folder it comes from.
 */
function wordsOf(files: readonly FileLocks[], wrappers: ReadonlyMap<string, WrapperSetting>): Map<string, RegExp> {
  const { openFunctions } = linked(files);
  const words = new Map<string, Set<string>>();
  const add = (word: string, path: string): void => {
    const known = words.get(word) ?? new Set();
    words.set(word, known);
    for (const part of modulesOf(path)) known.add(part);
  };
  for (const { path, exports } of files) for (const { id, word } of exports) if (openFunctions.has(id)) add(word, path);
  for (const { call } of wrappers.values()) {
    if (typeof call !== 'string' && call.path !== undefined) add(call.name.slice(call.name.lastIndexOf('.') + 1), call.path);
  }
  return new Map([...words].map(([word, modules]) => [word, new RegExp(`['"\`/](?:${[...modules].map(escaped).join('|')})(?:\\.\\w+)?['"\`]`)]));
}

/** What an import of the file may end in: the file's name, or that of a folder whose index exports it. */
const modulesOf = (path: string): readonly string[] => {
  const folders = dirname(path).split(/[\\/]/).slice(-3);
  return [basename(path).replace(/\.\w+$/, ''), ...folders].filter((part) => part !== '');
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The files of functions that are called under a lock and have not been read. */
function calledFiles(files: readonly FileLocks[]): ReadonlySet<string> {
  const read = new Set(files.map(({ path }) => path));
  const { calledUnderLocks } = linked(files);
  return new Set([...calledUnderLocks].map(fileOf).filter((path) => !read.has(path)));
}

const fileOf = (id: FunctionId): string => id.slice(0, id.lastIndexOf(':'));

/** The folder of the nearest package.json above a file. */
function createPackages(): (path: string) => string {
  const known = new Map<string, string>();
  const find = (folder: string): string => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const parent = dirname(folder);
    const result = parent === folder || existsSync(join(folder, 'package.json')) ? folder : find(parent);
    known.set(folder, result);
    return result;
  };
  return (path) => find(dirname(path));
}
