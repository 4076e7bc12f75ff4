import { relative } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { Failure, FileReport } from '../formats/finding.js';
import { formats } from '../formats/formats.js';
import type { AdvisoryLockPlugin } from '../plugin.js';
import type { Observer } from '../rule.js';
import { createAnalyser } from './analyse.js';
import { help, parseInvocation, type Invocation } from './arguments.js';
import { findCandidates } from './candidates.js';
import { explain } from './explain.js';
import { writeFacts } from './facts.js';
import { commonFolder, findFiles, isTypeScript } from './files.js';
import { createHost, MissingHostError } from './host.js';
import type { Progress } from './progress.js';
import { projectConfigs } from './project-config.js';
import { UsageError } from './usage-error.js';

/** What a run sees of the process it runs in. */
export interface Surroundings {
  readonly cwd: string;
  readonly color: boolean;
  readonly progress: Progress;
  readonly createPlugin: (observe?: Observer) => AdvisoryLockPlugin;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** 0: nothing found. 1: findings. 2: the run failed, or a part of it did. */
export type ExitStatus = 0 | 1 | 2;

/** Runs the command. Whatever the user can put right is said through `complain`, never thrown. */
export async function run(commandLine: readonly string[], surroundings: Surroundings): Promise<ExitStatus> {
  try {
    const invocation = parseInvocation(commandLine);
    switch (invocation.do) {
      case 'help':
        surroundings.print(help);
        return 0;
      case 'version':
        surroundings.print(`${manifest.version}\n`);
        return 0;
      case 'explain':
        return await explain(invocation, surroundings);
      case 'facts':
        return await writeFacts(invocation, surroundings);
      case 'lint':
        return await lint(invocation, surroundings);
      default:
        return invocation satisfies never;
    }
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof MissingHostError)) throw error;
    surroundings.complain(`${error.message}\n`);
    return 2;
  } finally {
    surroundings.progress.clear();
  }
}

async function lint(
  { paths, preset, format, config }: Extract<Invocation, { do: 'lint' }>,
  { cwd, color, progress, createPlugin, print, complain }: Surroundings,
): Promise<ExitStatus> {
  const files = await findFiles(paths, cwd);
  const [first, ...others] = files.map(({ path }) => path);
  const folder = first === undefined ? cwd : commonFolder([first, ...others]);
  const host = createHost(folder);
  const configs = projectConfigs(config, preset, cwd, host, createPlugin());
  const { candidates, unreadable, broken } = await findCandidates(files, configs, progress);
  const complaints = [
    ...[...broken].map(
      ([configFile, message]) =>
        `${relative(cwd, configFile)} cannot be used, so its files were not analysed (--no-config does without it): ${message}`,
    ),
    ...unreadable.map(({ path, message }) => `${relative(cwd, path)} cannot be read: ${message}`),
  ];

  const hasTypeScript = candidates.some(({ path }) => isTypeScript(path));
  const canReadAll = !hasTypeScript || host.typescriptParser() !== null;
  const readable = canReadAll ? candidates : candidates.filter(({ path }) => !isTypeScript(path));
  const unparsed = candidates.length - readable.length;
  if (unparsed > 0) {
    const which = unparsed === 1 ? '1 TypeScript file mentions' : `${unparsed} TypeScript files mention`;
    complaints.push(`${which} locks, but there is no parser for TypeScript. Install it: npm install --save-dev @typescript-eslint/parser`);
  }

  // Says what is missing once, before any file is blamed.
  if (readable.length > 0) host.eslint();
  const analyser = createAnalyser(host, folder, createPlugin);
  const reports: FileReport[] = [];
  for (const [index, candidate] of readable.entries()) {
    progress.show(`analysing ${index + 1} of ${readable.length} files that mention locks`);
    const report = await analyser.analyse(candidate);
    if (report.failure) complaints.push(describeFailure(report.path, report.failure, cwd));
    if (report.failure || report.findings.length > 0) reports.push(report);
  }
  progress.clear();

  const { format: write } = formats.find(({ name }) => name === format) ?? {};
  if (write) print(write({ version: manifest.version, cwd, color, files: reports }));
  for (const complaint of complaints) complain(`${complaint}\n`);
  if (complaints.length > 0) return 2;
  return reports.length > 0 ? 1 : 0;
}

function describeFailure(path: string, { message, line, column }: Failure, cwd: string): string {
  const place = line === null ? '' : `:${line}:${column ?? 1}`;
  return `${relative(cwd, path)}${place} cannot be analysed: ${message}`;
}
