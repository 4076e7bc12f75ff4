import { examplesOf, type RuleExample } from '../meta/documented-examples.js';
import { judgeBad, judgeGood } from './judge.js';
import { openLaboratories, type Laboratories } from './laboratories.js';
import { scenarioFor } from './scenarios/index.js';

// The laboratory has to be able to say no: good code that is broken, and bad code that is mended, turn it red.
let laboratories: Laboratories;
beforeAll(async () => {
  laboratories = await openLaboratories();
});
afterAll(() => laboratories.close());

interface Mutation {
  readonly what: string;
  readonly rule: string;
  /** What tells the example from the others of its page, and is replaced. */
  readonly instead: string;
  readonly by: string;
  /** What the laboratory has to say. */
  readonly problem: string;
}

const unlockOnce = `const { rows: answers } = await client.query<{ ok: boolean }>('SELECT pg_advisory_unlock(4201) AS ok');
      unlocked = answers[0]?.ok === true;`;

const broken: Mutation[] = [
  {
    what: 'the connection goes back whatever the unlock answered',
    rule: 'no-ignored-unlock-result',
    instead: 'client.release(rows[0]?.ok ? undefined : new Error(`lock ${key} was not held`));',
    by: 'client.release();',
    problem: 'the lock is held in another mode: left in pg_locks',
  },
  {
    what: 'the connection goes back although the unlock failed',
    rule: 'require-unlock',
    instead: "client.release(unlocked ? undefined : new Error('the session may still hold the lock'));",
    by: 'client.release();',
    problem: 'the unlock fails: left in pg_locks',
  },
  { what: 'nothing is unlocked', rule: 'require-unlock', instead: unlockOnce, by: 'unlocked = true;', problem: 'alone: left in pg_locks' },
  {
    what: 'the lock is sent through the pool instead of the connection',
    rule: 'no-pool-session-lock',
    instead: "await client.query('SELECT pg_advisory_xact_lock(4201)');",
    by: "await pool.query('SELECT pg_advisory_xact_lock(4201)');",
    problem: 'as many callers as connections: a call never ended',
  },
  {
    what: 'an aborted signal gives the connection back with its lock',
    rule: 'no-abortable-unlock',
    instead: 'client.release(true);',
    by: 'client.release();',
    problem: 'the signal is aborted: left in pg_locks',
  },
  {
    what: 'the session is kept',
    rule: 'no-release-while-locked',
    instead: 'client.release(true);',
    by: 'client.release();',
    problem: 'alone: left in pg_locks',
  },
  {
    what: 'the answer is looked for in the wrong column',
    rule: 'no-misread-lock-result',
    instead: "AS ok', [key]);\n  return rows[0]?.ok === true;",
    by: "AS granted', [key]);\n  return rows[0]?.ok === true;",
    problem: 'the answer was no, and the lock is held',
  },
  {
    what: 'nobody rolls back',
    rule: 'no-xact-lock-outside-transaction',
    instead: "await client.query('ROLLBACK');",
    by: '',
    problem: 'a statement fails: a pool cannot hand out all its connections, or a session is left in a transaction',
  },
  {
    what: 'the connection is not given back when the work throws',
    rule: 'no-pool-query-while-locked',
    instead: '  } finally {\n    client.release();\n  }',
    by: '  }\n  client.release();',
    problem: 'a statement fails: a pool cannot hand out all its connections',
  },
  {
    what: 'a name is released that is not the one that was taken',
    rule: 'no-mismatched-unlock',
    instead: "SELECT RELEASE_LOCK('prices') AS ok\");\n      held = answers[0]?.ok !== 1;",
    by: "SELECT RELEASE_LOCK('price') AS ok\");\n      held = answers.length !== 1;",
    problem: 'alone: left in pg_locks',
  },
];

const mended: Mutation[] = [
  {
    what: 'the session ends with the work',
    rule: 'require-unlock',
    instead: '    client.release();',
    by: '    client.release(true);',
    problem: '"lock left on an idle backend" was never seen.',
  },
  {
    what: 'the pool has one connection',
    rule: 'no-pool-session-lock',
    instead: 'new Pool();',
    by: 'new Pool({ max: 1 });',
    problem: '"lock left on an idle backend" was never seen.',
  },
  {
    what: 'the keys are sorted',
    rule: 'consistent-lock-order',
    instead: 'of accounts)',
    by: 'of accounts.toSorted())',
    problem: '"deadlock 40P01" was never seen.',
  },
  {
    what: 'the lock is taken in the transaction',
    rule: 'no-xact-lock-outside-transaction',
    instead: 'await sql`SELECT',
    by: 'await tx`SELECT',
    problem: '"no lock taken" was never seen.',
  },
  {
    what: 'the work uses the connection that holds the lock',
    rule: 'no-pool-query-while-locked',
    instead: "await pool.query('UPDATE",
    by: "await client.query('UPDATE",
    problem: '"pool starved" was never seen.',
  },
  {
    what: 'the rows are chosen first',
    rule: 'no-lock-with-limit',
    instead: 'FROM jobs WHERE pg_try_advisory_lock(id) ORDER BY created LIMIT 1',
    by: 'FROM (SELECT id FROM jobs ORDER BY created LIMIT 1) AS job WHERE pg_try_advisory_lock(id)',
    problem: '"more locks than rows" was never seen.',
  },
  {
    what: 'somebody listens to errors',
    rule: 'require-lock-error-handler',
    instead: 'const client = new Client();',
    by: "const client = new Client();\n  client.on('error', () => undefined);",
    problem: 'The process ended with 0',
  },
];

function mutant({ rule, instead, by }: Mutation, kind: RuleExample['kind']): RuleExample {
  const example = examplesOf(rule).find((candidate) => candidate.kind === kind && candidate.code.includes(instead));
  if (!example) throw new Error(`No ${kind} example of ${rule} has ${JSON.stringify(instead)}.`);
  return { ...example, code: example.code.replace(instead, by) };
}

describe('the laboratory says no when', () => {
  it.each(broken.map((mutation) => [`${mutation.what} (${mutation.rule})`, mutation] as const))('%s', async (_, mutation) => {
    const example = mutant(mutation, 'good');
    const laboratory = laboratories.for(example.code, scenarioFor(example));
    if (typeof laboratory === 'string') return;
    const { problems } = await judgeGood(laboratory, example);
    expect(problems.join('\n')).toContain(mutation.problem);
  });

  it.each(mended.map((mutation) => [`bad code is mended: ${mutation.what} (${mutation.rule})`, mutation] as const))('%s', async (_, mutation) => {
    const { problems } = await judgeBad(laboratories.postgres, mutant(mutation, 'bad'));
    expect(problems.join('\n')).toContain(mutation.problem);
  });

  it('bad code is said to do another harm than it does', async () => {
    const [example] = examplesOf('require-unlock').filter(({ kind }) => kind === 'bad');
    if (!example) throw new Error('The example is gone.');
    const { problems } = await judgeBad(laboratories.postgres, { ...example, comments: new Map([['shows', 'no lock taken']]) });
    expect(problems.join('\n')).toContain('"no lock taken" was never seen.');
  });
});
