import { writeFile } from 'node:fs/promises';
import { extname, relative, resolve, sep } from 'node:path';
import { learnedFacts, type LearnedFacts } from '../facts/learned.js';
import { resultOf } from '../pass.js';
import type { Specifier } from '../settings.js';
import { isRecord } from '../shape.js';
import { createAnalyser } from './analyse.js';
import type { Invocation } from './arguments.js';
import { findCandidates } from './candidates.js';
import { commonFolder, findFiles, isTypeScript } from './files.js';
import { createHost } from './host.js';
import { createProbe } from './probe.js';
import { projectConfigs } from './project-config.js';
import type { ExitStatus, Surroundings } from './run.js';
import { UsageError } from './usage-error.js';

/**
 * Writes what is learned across files in the form of settings: handles and functions by the file that exports them, with
 * paths from the working folder. Files that cannot be read are named, the others still count.
 */
export async function writeFacts({ paths, output, config }: Extract<Invocation, { do: 'facts' }>, surroundings: Surroundings): Promise<ExitStatus> {
  const { cwd, progress, createPlugin, print, complain } = surroundings;
  const format = formatOf(output);
  const files = await findFiles(paths, cwd);
  const [first, ...others] = files.map(({ path }) => path);
  const folder = first === undefined ? cwd : commonFolder([first, ...others]);
  const host = createHost(folder);
  const { candidates, unreadable, broken } = await findCandidates(files, projectConfigs(config, null, cwd, host, createPlugin()), progress);
  const complaints = [
    ...[...broken].map(([file, message]) => `${relative(cwd, file)} cannot be used, so its files were left out: ${message}`),
    ...unreadable.map(({ path, message }) => `${relative(cwd, path)} cannot be read: ${message}`),
  ];
  const hasParser = host.typescriptParser() !== null;
  if (!hasParser && candidates.some(({ path }) => isTypeScript(path))) {
    complaints.push('There is no parser for TypeScript, so its files were left out. Install it: npm install --save-dev @typescript-eslint/parser');
  }

  const probe = createProbe();
  const analyser = createAnalyser(host, folder, (observe) => probe.inPlugin(createPlugin(observe)));
  const found: LearnedFacts[] = [];
  const readable = candidates.filter(({ path }) => hasParser || !isTypeScript(path));
  for (const [index, candidate] of readable.entries()) {
    progress.show(`reading ${index + 1} of ${readable.length} files that mention locks`);
    const settings = followingImports(candidate.config.settings);
    const { failure } = await analyser.analyse({ ...candidate, config: probe.inConfig({ ...candidate.config, settings, rules: {} }) });
    const unit = probe.take();
    if (failure) complaints.push(`${relative(cwd, candidate.path)}${failure.line === null ? '' : `:${failure.line}`} cannot be analysed: ${failure.message}`);
    if (unit) found.push(resultOf(learnedFacts, unit));
  }
  progress.clear();

  const text = format(merged(found, cwd));
  if (output === null) print(text);
  else await writeFile(resolve(cwd, output), text);
  for (const complaint of complaints) complain(`${complaint}\n`);
  return complaints.length > 0 ? 2 : 0;
}

/** Projects that keep the facts in their settings tell the rules to look nowhere else; the facts come from looking. */
function followingImports(settings: Record<string, unknown>): Record<string, unknown> {
  const own = settings['advisory-lock'];
  return { ...settings, 'advisory-lock': { ...(isRecord(own) && own), followImports: true } };
}

/** Each fact once, sorted, so that the file changes only when the facts do. */
function merged(found: readonly LearnedFacts[], cwd: string): LearnedFacts {
  const handles = found.flatMap((facts) => facts.handles.map((handle) => ({ ...handle, is: portable(handle.is, cwd) })));
  const wrappers = found.flatMap((facts) => facts.wrappers.map((wrapper) => ({ ...wrapper, call: portable(wrapper.call, cwd) })));
  return { handles: unique(handles), wrappers: unique(wrappers) };
}

function portable(specifier: Specifier, cwd: string): Specifier {
  if (typeof specifier === 'string' || specifier.path === undefined) return specifier;
  return { ...specifier, path: relative(cwd, specifier.path).split(sep).join('/') };
}

function unique<T>(list: readonly T[]): T[] {
  const byText = new Map(list.map((each) => [JSON.stringify(each), each]));
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

function formatOf(output: string | null): (facts: LearnedFacts) => string {
  const json = (facts: LearnedFacts): string => JSON.stringify(facts, null, 2);
  switch (output === null ? '.json' : extname(output)) {
    case '.json':
      return (facts) => `${json(facts)}\n`;
    case '.js':
    case '.mjs':
      return (facts) => `// Written by eslint-plugin-advisory-lock facts.\nexport default ${json(facts)};\n`;
    case '.cjs':
      return (facts) => `// Written by eslint-plugin-advisory-lock facts.\nmodule.exports = ${json(facts)};\n`;
    default:
      throw new UsageError(`--output is ${JSON.stringify(output)}; allowed: names that end in .json, .js, .mjs or .cjs.`);
  }
}
