import { relative } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { evaluation } from '../facts/evaluation.js';
import type { Failure, FileReport, Report } from '../formats/finding.js';
import { formats } from '../formats/formats.js';
import { resultOf } from '../pass.js';
import { createAffected, type Affected } from './affected.js';
import { createAnalyser, type Candidate } from './analyse.js';
import type { Invocation } from './arguments.js';
import { applyBaseline, openBaseline } from './apply-baseline.js';
import type { Judged } from './baseline.js';
import { findCandidates } from './candidates.js';
import { changesSince, type Changes } from './changes.js';
import { commonFolder, findFiles, isTypeScript, repositoryRoot } from './files.js';
import { createHost, type Host } from './host.js';
import { createProbe } from './probe.js';
import { projectConfigs } from './project-config.js';
import { describeRules } from './rule-descriptions.js';
import type { ExitStatus, Surroundings } from './run.js';

type LintInvocation = Extract<Invocation, { do: 'lint' }>;

/** Gives nothing for a file that turns out to be none of the run's business. */
type Analyse = (candidate: Candidate) => Promise<FileReport | null>;

/** Analyses files and prints what is found. What the user can put right is thrown as a UsageError, or complained about. */
export async function lint(invocation: LintInvocation, surroundings: Surroundings): Promise<ExitStatus> {
  const { cwd, color, progress, createPlugin, print, complain } = surroundings;
  const files = await findFiles(invocation.paths, cwd);
  const [first, ...others] = files.map(({ path }) => path);
  const folder = first === undefined ? cwd : commonFolder([first, ...others]);
  const changes = invocation.changedSince === null ? null : await changesSince(invocation.changedSince, folder);
  const baseline = invocation.baseline && (await openBaseline(invocation.baseline, cwd));
  const host = createHost(folder);
  const plugin = createPlugin();
  const configs = projectConfigs(invocation.config, invocation.preset, cwd, host, plugin);
  const { candidates, quiet, unreadable, broken } = await findCandidates(files, configs, progress);
  const problems = [
    ...[...broken].map(
      ([configFile, message]) =>
        `${relative(cwd, configFile)} cannot be used, so its files were not analysed (--no-config does without it): ${message}`,
    ),
    ...unreadable.map(({ path, message }) => `${relative(cwd, path)} cannot be read: ${message}`),
  ];

  const affected = changes ? createAffected(changes, configs.fileFor) : (): Affected => 'changed';
  const chosen = candidates.filter(({ path }) => affected(path) !== 'no');
  const canReadAll = !chosen.some(({ path }) => isTypeScript(path)) || host.typescriptParser() !== null;
  const readable = canReadAll ? chosen : chosen.filter(({ path }) => !isTypeScript(path));
  if (readable.length < chosen.length) problems.push(missingParser(chosen.length - readable.length));

  // Says what is missing once, before any file is blamed.
  if (readable.length > 0) host.eslint();
  const analyse = changes ? analysisOfChanges(changes, affected, host, folder, surroundings) : createAnalyser(host, folder, createPlugin).analyse;
  const found: FileReport[] = [];
  for (const [index, candidate] of readable.entries()) {
    progress.show(`analysing ${index + 1} of ${readable.length} files that mention locks`);
    const report = await analyse(candidate);
    if (report) found.push(report);
  }
  progress.clear();

  const { reports, notices } = baseline ? await applyBaseline(baseline, found, judgedBy(found, quiet, readable)) : { reports: found, notices: [] };
  const complaints = [...problems, ...reports.flatMap(({ path, failure }) => (failure ? [describeFailure(path, failure, cwd)] : []))];
  const exitStatus = complaints.length > 0 ? 2 : reports.some(({ findings }) => findings.length > 0) ? 1 : 0;
  const { includeSuppressed } = invocation;
  const report: Report = {
    version: manifest.version,
    cwd,
    root: (await repositoryRoot(cwd)) ?? cwd,
    color,
    files: reports.filter(({ findings, failure, suppressed }) => failure !== null || findings.length > 0 || (includeSuppressed && suppressed.length > 0)),
    problems,
    exitStatus,
    includeSuppressed,
    rules: () => describeRules(new Set(readable.flatMap(({ config }) => Object.keys(config.rules))), plugin),
  };
  const { format } = formats.find(({ name }) => name === invocation.format) ?? {};
  if (format) for (const text of inPortions(format(report))) print(text);
  for (const complaint of [...complaints, ...notices]) complain(`${complaint}\n`);
  return exitStatus;
}

/** Of an unchanged file that imports a changed one, a report only if the analysis looked at a changed file. */
function analysisOfChanges(changes: Changes, affected: (path: string) => Affected, host: Host, folder: string, { createPlugin }: Surroundings): Analyse {
  const probe = createProbe();
  const analyser = createAnalyser(host, folder, (observe) => probe.inPlugin(createPlugin(observe)));
  return async (candidate) => {
    if (affected(candidate.path) === 'changed') return analyser.analyse(candidate);
    const report = await analyser.analyse({ ...candidate, config: probe.inConfig(candidate.config) });
    const unit = probe.take();
    const consulted = unit ? [...resultOf(evaluation, unit).links.consulted] : [];
    return consulted.some((path) => changes.has(path)) ? report : null;
  };
}

/** Files without locks, and those that could be analysed, with the rules that ran there. */
function judgedBy(found: readonly FileReport[], quiet: readonly string[], candidates: readonly Candidate[]): Judged {
  const silent = new Set(quiet);
  const analysed = new Set(found.filter(({ failure }) => failure === null).map(({ path }) => path));
  const rules = new Map(candidates.map(({ path, config }) => [path, config.rules]));
  return {
    file: (path) => silent.has(path) || analysed.has(path),
    rule: (path, rule) => silent.has(path) || rule in (rules.get(path) ?? {}),
  };
}

function missingParser(files: number): string {
  const which = files === 1 ? '1 TypeScript file mentions' : `${files} TypeScript files mention`;
  return `${which} locks, but there is no parser for TypeScript. Install it: npm install --save-dev @typescript-eslint/parser`;
}

function describeFailure(path: string, { message, line, column }: Failure, cwd: string): string {
  const place = line === null ? '' : `:${line}:${column ?? 1}`;
  return `${relative(cwd, path)}${place} cannot be analysed: ${message}`;
}

/** Few writes, none of which holds a whole large report. */
const portionLength = 64 * 1024;

function* inPortions(pieces: Iterable<string>): Iterable<string> {
  let portion: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    portion.push(piece);
    length += piece.length;
    if (length < portionLength) continue;
    yield portion.join('');
    portion = [];
    length = 0;
  }
  if (length > 0) yield portion.join('');
}
