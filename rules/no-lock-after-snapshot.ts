import { isolations } from '../src/facts/isolation.js';
import { queries, type QueryLock } from '../src/facts/queries.js';
import { dropsSelectList, unreadCommonTable } from '../src/facts/query-shape.js';
import { lineOf, lockRange } from '../src/point.js';
import { createRule } from '../src/rule.js';

export default createRule({
  name: 'no-lock-after-snapshot',
  summary: 'Disallow waiting for a lock after the snapshot is taken that the data is read from',
  tier: 'recommended',
  messages: {
    write:
      '`{{fn}}` waits inside a statement that writes, and the snapshot of that statement is older than the wait: it does not see what the previous holder committed. Take the lock in a statement of its own, and write in the next one.',
    read: '`{{fn}}` waits inside the statement that returns {{column}}, and the snapshot of that statement is older than the wait: it returns what was true before the previous holder committed. Take the lock in a statement of its own, and read in the next one.',
    isolation:
      '`{{fn}}` waits inside a {{level}} transaction (set on line {{line}}), which goes on reading from a snapshot older than the wait: the previous holder’s changes stay invisible, and writing over them fails with 40001. Take the lock in READ COMMITTED, or before the transaction begins.',
  },
  requires: [queries, isolations],
  inSqlFiles: true,
  *check([statements, isolationsOfFile]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      for (const lock of query.locks) {
        const { operation } = lock;
        const fn = operation.name;
        if (operation.action !== 'acquire' || operation.dialect !== 'postgres' || operation.body !== null || isNeverEvaluated(lock)) continue;
        if (writes(lock)) {
          yield { node: query.node, range: lockRange(lock), messageId: 'write', data: { fn } };
          continue;
        }
        const column = staleColumn(lock);
        if (column !== null) {
          yield { node: query.node, range: lockRange(lock), messageId: 'read', data: { fn, column } };
          continue;
        }
        const isolation = operation.level === 'transaction' ? isolationsOfFile.of(lock) : null;
        if (isolation) {
          yield { node: query.node, messageId: 'isolation', data: { fn, level: isolation.level.toUpperCase(), line: lineOf(isolation.node) } };
        }
      }
    }
  },
});

const isNeverEvaluated = ({ level, operation }: QueryLock): boolean =>
  level !== null && ((operation.clause === 'select' && dropsSelectList(level)) || unreadCommonTable(level) !== null);

function writes({ operation, query, level }: QueryLock): boolean {
  if (query.builder) return level?.kind === 'insert' || level?.kind === 'update' || level?.kind === 'delete';
  return query.analysis?.statements[operation.statement]?.writes === true;
}

/** A table's column in the result that is neither a lock key nor fixed by WHERE; null for none. */
function staleColumn({ operation, query }: QueryLock): string | null {
  const statement = query.analysis?.statements[operation.statement];
  // FOR UPDATE reads the rows anew once it has them.
  if (statement?.kind !== 'select' || statement.query?.rowLocking) return null;
  const known = new Set([...statement.keyColumns, ...(statement.query?.fixedColumns ?? [])]);
  const column = statement.returnedColumns.find((name) => !known.has(name));
  if (column === undefined) return null;
  return column === '*' ? 'every column of a table' : `column \`${column}\``;
}
