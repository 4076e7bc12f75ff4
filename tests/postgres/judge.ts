import { examplesOf, type RuleExample } from '../meta/documented-examples.js';
import { circumstances, endingsOf, traitsOf, type Circumstance } from './circumstances.js';
import { endSessionDuringWork } from './crash.js';
import { directiveOf } from './directives.js';
import { digestOf, evidenceOf, type Evidence } from './evidence.js';
import { described, harmChecks } from './harms.js';
import type { Laboratory, Lock } from './laboratory.js';
import { perform, type Observation, type Scenario, type Subject } from './perform.js';
import { scenarioFor } from './scenarios/index.js';
import { sourceOf, type ExportedFunction } from './source.js';

const endOfSession = 'the server ends the session';

/** What the laboratory says of one example. */
export interface Verdict {
  /** Empty when the example is what the documentation says it is. */
  readonly problems: readonly string[];
  readonly evidence: Evidence | null;
}

/** Runs bad code until the harm that it is said to do is seen. */
export async function judgeBad(laboratory: Laboratory, example: RuleExample): Promise<Verdict> {
  const directive = directiveOf(example);
  if (!directive.run || !directive.harm) return { problems: [], evidence: null };
  const { harm } = directive;
  const scenario = scenarioFor(example);
  if (scenario.endsSession) return judgeCrash(laboratory, example, harm);
  const check = scenario.harm ?? (harm === 'stale read' || harm === 'process crashes' ? null : harmChecks[harm]);
  if (!check) return { problems: [`"${harm}" needs a scenario of the rule's own.`], evidence: null };
  const tried: string[] = [];
  for (const subject of subjectsOf(example.code, scenario)) {
    const keys = keysOf(await perform(laboratory, subject, 'alone'));
    for (const circumstance of check.circumstances) {
      const observation = await perform(laboratory, { ...subject, keys }, circumstance);
      const seen = check.seen(observation, directive);
      if (seen) {
        return { problems: [], evidence: evidenceOf({ number: example.number, code: digestOf(example.code), harm, seen }, observation) };
      }
      tried.push(`${circumstance}: ${summary(observation)}`);
    }
  }
  return { problems: [`"${harm}" was never seen.`, ...tried], evidence: null };
}

async function judgeCrash(laboratory: Laboratory, { number, code }: RuleExample, harm: string): Promise<Verdict> {
  const { exitCode, printed } = await endSessionDuringWork(laboratory, sourceOf(code));
  const [reason] = /terminating connection[^\n]*/.exec(printed) ?? [];
  if (exitCode !== 1 || !reason) return { problems: [`The process ended with ${String(exitCode)} and printed:\n${printed}`], evidence: null };
  const seen = `The server ended the session in the middle of the work, and the process ended with status 1: "${reason}".`;
  const nothing = { statements: [], locks: [], furtherLocks: 0 };
  return { problems: [], evidence: { number, code: digestOf(code), harm, circumstance: endOfSession, seen, ...nothing } };
}

/** What the laboratory says of good code, and how it was made to end. */
export interface GoodVerdict {
  readonly problems: readonly string[];
  readonly endings: readonly (Circumstance | typeof endOfSession)[];
}

/** Runs good code in every way it can end, and looks at what is left. */
export async function judgeGood(laboratory: Laboratory, example: RuleExample): Promise<GoodVerdict> {
  if (!directiveOf(example).run) return { problems: [], endings: [] };
  const scenario = scenarioFor(example);
  const problems: string[] = [];
  const endings = new Set<GoodVerdict['endings'][number]>();
  for (const subject of subjectsOf(example.code, scenario)) {
    let keys: readonly Lock[] = [];
    for (const circumstance of endingsOf(subject.called ?? asFunction(scenario), subject.traits)) {
      const observation = await perform(laboratory, { ...subject, keys }, circumstance);
      if (circumstance === 'alone') {
        keys = keysOf(observation);
        if (observation.calls.some(({ outcome }) => outcome === 'threw')) problems.push(`alone: the call failed with ${String(observation.calls[0]?.error)}`);
      }
      endings.add(circumstance);
      problems.push(...problemsIn(observation).map((problem) => `${subject.called?.name ?? ''}, ${circumstance}: ${problem}`));
    }
  }
  if (scenario.endsSession) {
    const { exitCode, printed } = await endSessionDuringWork(laboratory, sourceOf(example.code));
    endings.add(endOfSession);
    if (exitCode !== 0) problems.push(`${endOfSession}: the process ended with ${String(exitCode)} and printed:\n${printed}`);
  }
  return { problems, endings: [...endings] };
}

function problemsIn({ locks, isWhole, calls, mostInside, complaints, acquired }: Observation): string[] {
  // Shared locks are there to let several in.
  const isShared = acquired.length > 0 && acquired.every((after) => after.locks.every(({ mode }) => mode === 'ShareLock'));
  return [
    ...complaints,
    ...(locks.length > 0 ? [`left in pg_locks: ${locks.map(described).join('; ')}`] : []),
    ...(isWhole ? [] : ['a pool cannot hand out all its connections, or a session is left in a transaction']),
    ...(calls.some(({ outcome }) => outcome === 'pending') ? ['a call never ended'] : []),
    ...(mostInside > 1 && !isShared ? [`${mostInside} were inside at one time`] : []),
  ];
}

/** The ways in which the good examples of a rule's page are made to end. */
export function endingsOnPage(rule: string): string[] {
  const endings = examplesOf(rule)
    .filter((example) => example.kind === 'good' && directiveOf(example).run)
    .flatMap((example) => {
      const scenario = scenarioFor(example);
      const ways = subjectsOf(example.code, scenario).flatMap(({ called, traits }) => endingsOf(called ?? asFunction(scenario), traits));
      return scenario.endsSession ? [...ways, endOfSession] : ways;
    });
  return [...circumstances, endOfSession].filter((circumstance) => endings.includes(circumstance));
}

/** One for each function that an example exports. */
function subjectsOf(code: string, scenario: Scenario): Subject[] {
  const source = sourceOf(code);
  const shared = { source, traits: traitsOf(code), keys: [], scenario };
  if (scenario.drive) return [{ ...shared, called: source.functions[0] ?? null }];
  return source.functions.map((called) => ({ ...shared, called }));
}

function asFunction({ parameters }: Scenario): ExportedFunction {
  return { name: '', parameters: parameters ?? [], returns: null };
}

function keysOf({ acquired }: Observation): Lock[] {
  const keys = new Map<string, Lock>();
  for (const { locks } of acquired) for (const lock of locks) keys.set(`${lock.mode} ${lock.key}`, lock);
  return [...keys.values()];
}

function summary({ calls, locks, mostInside, isWhole, statements, waited }: Observation): string {
  return [
    calls.map(({ outcome, error }) => (outcome === 'threw' ? `threw ${String(error)}` : outcome)).join(', '),
    `${locks.length} locks left`,
    `${mostInside} inside`,
    `${waited.length} waited`,
    isWhole ? 'pool whole' : 'pool not whole',
    statements.map(({ backend, sql, answers, error }) => `[${backend}] ${sql.replaceAll(/\s+/g, ' ')} → ${error?.code ?? answers.slice(0, 3).join(',')}`).join(' | '),
  ].join('; ');
}
