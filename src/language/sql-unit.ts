import type { DriverDescriptor } from '../drivers/driver.js';
import { queries } from '../facts/queries.js';
import type { CallNode, Query, QueryLock } from '../facts/query.js';
import { bareHandle, type Handle } from '../facts/values.js';
import type { Unit } from '../pass.js';
import type { Settings } from '../settings.js';
import type { SqlText } from '../source/sql-text.js';
import { analyzeSql } from '../sql/analyze.js';
import { createCatalogue, mentionsLock } from '../sql/lock-functions.js';
import type { LockOperation, SqlAnalysis } from '../sql/model.js';
import { noScopes, programKeys, type SqlProgram } from './sql-program.js';
import type { SqlFile, SqlStatementNode } from './sql-tree.js';

/** How statements begin that change the session or its transaction, or that wait for others. */
const sessionWords = /^(?:begin|start|commit|end|rollback|abort|savepoint|release|set|reset|discard|create|reindex)\b|set_config|pg_terminate_backend/i;

const driver: DriverDescriptor = {
  name: 'SQL',
  dialect: 'postgres',
  modules: [],
  exports: [],
  kinds: { session: { role: 'connection' } },
  examples: [{ code: '' }],
};

/**
 * A `.sql` file as the passes see it: a module that sends its statements one after the other, over a connection from
 * outside of which nothing is known at the beginning. Rules that ask for statements, and for the locks and transactions
 * around them, then run as they are.
 */
export function sqlUnit(text: string, file: SqlFile, made: SqlProgram, settings: Settings, filename: string): Unit {
  return {
    program: made.program,
    text,
    scopes: noScopes(),
    visitorKeys: programKeys,
    parserServices: {},
    parser: undefined,
    languageOptions: {},
    filename,
    settings,
    replacements: new Map([[queries, () => queriesIn(text, file, made, settings)]]),
  };
}

function queriesIn(text: string, file: SqlFile, { program, callOf, storedCallOf }: SqlProgram, settings: Settings): readonly Query[] {
  const catalogue = createCatalogue(settings.lockFunctions);
  const session: Handle = bareHandle({ role: 'connection', driver, kind: 'session', identity: program, evidence: { because: 'none', node: program } });
  return file.body.flatMap((statement): Query[] => {
    const sql = textOf(statement);
    if (!mentionsLock(sql.text, catalogue.extraNames) && !sessionWords.test(sql.text)) return [];
    const analysis = analyzeSql({ text: sql.text, holes: [], dialect: file.dialect, placeholders: ['colon'], form: 'statement' }, catalogue);
    const [run, stored] = [locksIn(analysis, false), locksIn(analysis, true)];
    return [
      queryOf(callOf(statement), sql, analysis, run, session),
      ...(stored.length > 0 ? [queryOf(storedCallOf(statement), sql, { ...analysis, operations: stored }, stored, { ...session, role: 'unknown' })] : []),
    ];
  });

  function textOf({ range: [start, end] }: SqlStatementNode): SqlText {
    const piece = withPlaceholders(text.slice(start, end));
    return { text: piece, holes: [], node: program, segments: [], toSource: (from, to) => [start + from, start + to], editable: () => null };
  }
}

/** psql's quoted variables, `:'name'`, as placeholders of the same length, so that offsets stay. */
const withPlaceholders = (sql: string): string => sql.replaceAll(/(?<!:):(['"])(\w+)\1/g, ' :$2 ');

const locksIn = ({ operations }: SqlAnalysis, isStored: boolean): LockOperation[] =>
  operations.filter((operation): operation is LockOperation => operation.kind === 'lock' && (operation.body === 'function') === isStored);

/** Nobody in the file looks at the answers, and no JavaScript value is bound. */
function queryOf(node: CallNode, sql: SqlText, analysis: SqlAnalysis, operations: readonly LockOperation[], handle: Handle): Query {
  const locks: QueryLock[] = [];
  const query: Query = {
    node,
    isAlternative: false,
    isElsewhere: false,
    sending: node,
    route: [node],
    frames: [],
    driver,
    call: {},
    sends: { sql: [], result: { shape: 'unknown' } },
    method: 'send',
    handle,
    otherHandles: [],
    sql,
    analysis,
    locks,
    session: analysis.operations.filter((operation) => operation.kind !== 'lock'),
    result: { shape: 'unknown' },
    renamesColumns: false,
    uses: [],
    sent: 'always',
    signal: null,
    isOnReplica: false,
    clientTimeout: null,
    mayJoinBatch: false,
    builder: null,
    boundValue: () => null,
  };
  const sourceOf: QueryLock['sourceOf'] = ({ start, end }) => sql.toSource(start, end);
  locks.push(...operations.map((operation) => ({ operation, query, text: sql, level: operation.query, sourceOf, boundValue: () => null })));
  return query;
}
