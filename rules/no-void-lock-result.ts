import { queries, type Query, type QueryLock } from '../src/facts/queries.js';
import { skipsRows } from '../src/facts/query-shape.js';
import { methodName } from '../src/point.js';
import { createRule } from '../src/rule.js';
import type { Edit } from '../src/source/edit.js';

export default createRule({
  name: 'no-void-lock-result',
  summary: 'Disallow sending a lock function that returns void through a method that rejects its result',
  tier: 'recommended',
  messages: {
    void: '`{{fn}}` returns void, which `{{method}}` cannot read: it rejects after the function has run, so that the lock is taken and the code behind it is not reached. {{cure}}',
    row: '`{{fn}}` gives a row, which `{{method}}` does not accept: it rejects after the function has run, so that the lock is taken and the code behind it is not reached. {{cure}}',
    replace: 'Send it with `{{tolerant}}`.',
  },
  hasSuggestions: true,
  requires: [queries],
  *check([statements]) {
    for (const query of statements) {
      if (query.sent === 'never') continue;
      const lock = query.locks.find((candidate) => isRejected(candidate));
      if (!lock) continue;
      const { rejectsVoid, tolerantMethod: tolerant } = query.sends;
      const edits = tolerant !== undefined && isUnused(query) ? renaming(query, tolerant) : null;
      yield {
        node: query.node,
        messageId: rejectsVoid ? 'void' : 'row',
        data: { fn: lock.operation.name, method: query.method, cure: cureFor(query) },
        suggestions: tolerant !== undefined && edits ? [{ messageId: 'replace', data: { tolerant }, edits }] : [],
      };
    }
  },
});

function isRejected({ operation, query }: QueryLock): boolean {
  if (operation.returns !== 'void' || operation.body !== null) return false;
  if (query.sends.rejectsVoid) {
    const { column, casts } = operation;
    return column?.direct === true && casts.every((type) => type === 'void');
  }
  return query.sends.rejectsRows === true && isResult(query, operation.statement);
}

/** Of several statements the last one's rows are the result. */
function isResult({ analysis }: Query, index: number): boolean {
  const statement = analysis?.statements[index];
  if (statement?.kind !== 'select' || index !== (analysis?.statements.length ?? 0) - 1) return false;
  return !statement.query?.limit || !skipsRows(statement.query.limit);
}

function cureFor({ sends }: Query): string {
  const cast = sends.rejectsVoid ? 'cast the call to text' : null;
  if (sends.tolerantMethod === undefined) return cast === null ? 'Use a method that accepts rows.' : 'C' + cast.slice(1) + '.';
  return `Use \`${sends.tolerantMethod}\`${cast === null ? '' : `, or ${cast}`}.`;
}

const isUnused = ({ uses }: Query): boolean => uses.every(({ sink }) => sink.kind === 'discarded' || sink.kind === 'never-read');

/** Calls the other method; type arguments, which say what the rows are, go. */
function renaming(query: Query, tolerant: string): readonly Edit[] | null {
  const { sending, frames } = query;
  const name = frames.length === 0 ? methodName(sending) : null;
  if (!name) return null;
  const types = sending.typeArguments;
  return [{ range: name.range, text: tolerant }, ...(types ? [{ range: types.range, text: '' }] : [])];
}
