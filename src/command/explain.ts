import { relative } from 'node:path';
import { resultOf } from '../pass.js';
import { queries } from '../facts/queries.js';
import { createAnalyser } from './analyse.js';
import type { Invocation } from './arguments.js';
import { findCandidates } from './candidates.js';
import { explain as explanationOf } from './explanation.js';
import { commonFolder, findFiles, isTypeScript } from './files.js';
import { createHost } from './host.js';
import { createProbe } from './probe.js';
import { projectConfigs } from './project-config.js';
import type { ExitStatus, Surroundings } from './run.js';
import { UsageError } from './usage-error.js';

/** Prints what is known of the statements on a line. Throws a UsageError for a place at which there is none. */
export async function explain({ path, line, config }: Extract<Invocation, { do: 'explain' }>, surroundings: Surroundings): Promise<ExitStatus> {
  const { cwd, progress, createPlugin, print } = surroundings;
  const files = await findFiles([path], cwd);
  const [file, ...others] = files.map((each) => each.path);
  if (file === undefined || others.length > 0) throw new UsageError(`${path} is not one file; explain takes a file and a line, as in src/job.ts:12.`);
  const host = createHost(commonFolder([file]));
  const plain = createPlugin();
  const { candidates, unreadable, broken } = await findCandidates(files, projectConfigs(config, null, cwd, host, plain), progress);
  for (const [configFile, message] of broken) throw new UsageError(`${relative(cwd, configFile)} cannot be used (--no-config does without it): ${message}`);
  for (const { message } of unreadable) throw new UsageError(`${path} cannot be read: ${message}`);
  const [candidate] = candidates;
  if (!candidate) throw new UsageError(`${path} mentions no lock function, and no name that the settings give, so it is not analysed.`);
  if (isTypeScript(file) && !host.typescriptParser()) {
    throw new UsageError('There is no parser for TypeScript. Install it: npm install --save-dev @typescript-eslint/parser');
  }

  const probe = createProbe();
  const analyser = createAnalyser(host, commonFolder([file]), (observe) => probe.inPlugin(createPlugin(observe)));
  const everything = { ...candidate.config, rules: { ...plain.configs.all.rules, ...candidate.config.rules } };
  const { findings, failure } = await analyser.analyse({ ...candidate, config: probe.inConfig(everything) });
  const unit = probe.take();
  if (failure || !unit) throw new UsageError(`${path}${failure?.line ? `:${failure.line}` : ''} cannot be analysed: ${failure?.message ?? 'it is not JavaScript or TypeScript'}`);

  const rules = Object.keys(plain.rules).map((name) => ({ name, on: `${plain.meta.namespace}/${name}` in candidate.config.rules }));
  const explanation = explanationOf(unit, line, findings, rules, cwd);
  if (!explanation.found) {
    const { nearest } = explanation;
    const hint = resultOf(queries, unit).length === 0 ? 'no SQL is seen to be sent in this file' : `the nearest are on ${nearest.length > 1 ? 'lines' : 'line'} ${nearest.join(', ')}`;
    throw new UsageError(`No SQL is seen to be sent on ${path}:${line}; ${hint}.`);
  }
  print(explanation.text);
  return 0;
}
