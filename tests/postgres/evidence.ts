import { createHash } from 'node:crypto';
import type { Circumstance } from './circumstances.js';
import type { Lock } from './laboratory.js';
import type { Observation } from './perform.js';
import type { Statement } from './tap.js';

/** What was seen of bad code, in a form that is the same in every run: processes have letters, repetitions are folded. */
export interface Evidence {
  readonly number: number;
  /** A digest of the code that was run. */
  readonly code: string;
  readonly harm: string;
  readonly circumstance: Circumstance | 'the server ends the session';
  readonly seen: string;
  /** By session, in the order in which they were sent. */
  readonly statements: readonly { readonly session: string; readonly sql: string; readonly answer: string }[];
  readonly locks: readonly { readonly session: string; readonly key: string; readonly mode: string; readonly state: string }[];
  /** Locks that are left out above. */
  readonly furtherLocks: number;
}

export const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex').slice(0, 12);

const shownLocks = 4;
const shownAnswers = 3;

/** What libraries ask of their own accord. */
const ofTheLibrary = /pg_type|server_version|information_schema|pg_catalog|^select (\d+|version\(\)|current_\w+.*)$|^(set names|set client_min_messages|show) /i;

/** What was seen under the circumstance that brought the harm out; the lock table is the last one, or the one that tells most. */
export function evidenceOf(about: Pick<Evidence, 'number' | 'code' | 'harm' | 'seen'>, observation: Observation): Evidence {
  const atTheEnd = observation.locks.length > 0;
  const contended = about.harm === 'deadlock 40P01' ? observation.contended : [];
  const locks = atTheEnd ? observation.locks : contended.length > 0 ? contended : (observation.acquired.at(-1)?.locks ?? []);
  const groups = sessionsIn(observation.statements, locks);
  const letters = new Map(groups.map(({ backend }, index) => [backend, letter(index)]));
  // Behind a pooler, sessions of the server are none of those that the client sees.
  for (const { backend } of locks) if (!letters.has(backend)) letters.set(backend, letter(letters.size));
  const table = locks
    .map(({ backend, key, mode, granted, state }) => ({
      session: letters.get(backend) ?? '',
      key,
      mode,
      state: `${granted ? 'granted' : 'waited for'}${atTheEnd ? `, ${stateOf(state)}` : ''}`,
    }))
    .sort((one, other) => one.session.localeCompare(other.session));
  return {
    ...about,
    circumstance: observation.circumstance,
    statements: groups.flatMap(({ backend, sent }) => sent.map((one) => ({ session: letters.get(backend) ?? '', ...one }))),
    locks: table.slice(0, shownLocks),
    furtherLocks: Math.max(0, table.length - shownLocks),
  };
}

/** What a rule's file holds: what was seen of its bad examples, and the ways in which its good ones were made to end. */
export interface RuleEvidence {
  readonly bad: readonly Evidence[];
  readonly endings: readonly string[];
}

export const parseEvidence = (json: string): RuleEvidence => JSON.parse(json) as RuleEvidence;

/** The version that a `package.json` states. */
export const versionIn = (json: string): string => (JSON.parse(json) as { version: string }).version;

/** Where the last recorded run has left it, from the project's root. */
export const evidenceFile = (rule: string): string => `tests/postgres/evidence/${rule}.json`;

interface Sent {
  readonly sql: string;
  readonly answer: string;
}

/** Sessions in an order that does not depend on which of them was faster. */
function sessionsIn(statements: readonly Statement[], locks: readonly Lock[]): { backend: number; sent: Sent[] }[] {
  const groups = new Map<number, Sent[]>();
  // Whom the server ends of two that wait for each other is its own choice; what comes after differs with it.
  const deadlock = statements.find(({ error }) => error?.code === '40P01')?.endedAt;
  for (const statement of statements.filter(({ sentAt }) => deadlock === undefined || sentAt < deadlock)) {
    const sql = statement.sql.replaceAll(/\s+/g, ' ').trim();
    if (ofTheLibrary.test(sql)) continue;
    const sent = groups.get(statement.backend) ?? [];
    groups.set(statement.backend, sent);
    const answer = deadlock !== undefined && statement.endedAt >= deadlock ? inDeadlock : answerOf(statement);
    const last = sent.at(-1);
    if (last?.sql !== sql || last.answer.replace(again, '') !== answer) sent.push({ sql: sql === '' ? '(connects)' : sql, answer });
    else sent[sent.length - 1] = { sql, answer: `${answer}${again}` };
  }
  return [...groups]
    .map(([backend, sent]) => ({ backend, sent, order: JSON.stringify([sent, locks.filter((lock) => lock.backend === backend).map(({ key, mode, granted }) => [key, mode, granted])]) }))
    .sort((one, other) => (one.order < other.order ? -1 : 1));
}

const inDeadlock = 'waits for the other session, until the server ends one of the two with error 40P01';

const again = ', again and again';

function answerOf({ endedAt, error, answers, rows }: Statement): string {
  if (error) return `error ${error.code}: ${error.message}`;
  if (endedAt === Infinity) return 'no answer';
  if (rows === 0) return 'done';
  const cells = answers.slice(0, shownAnswers).map((answer) => (answer === null ? 'NULL' : answer === '' ? '(void)' : answer));
  return `${cells.join(', ')}${rows > shownAnswers ? `, … (${rows} rows)` : ''}`;
}

const stateOf = (state: Lock['state']): string => (state === 'active' ? 'session busy' : `session ${state}`);

const letter = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);
