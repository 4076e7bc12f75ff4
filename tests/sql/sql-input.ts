import { analyzeSql } from '../../src/sql/analyze.js';
import {
  HOLE,
  type HoleKind,
  type LockOperation,
  type SessionOperation,
  type SqlAnalysis,
  type SqlExpression,
  type SqlInput,
} from '../../src/sql/model.js';

const KINDS: Readonly<Record<string, HoleKind>> = { v: 'value', i: 'identifier', f: 'fragment', u: 'unknown' };

export type InputOptions = Partial<Omit<SqlInput, 'text' | 'holes'>>;

/** Builds an input from text in which «v», «i», «f» and «u» are holes: a value, an identifier, a fragment, unknown. */
export function sqlInput(marked: string, options: InputOptions = {}): SqlInput {
  const holes: HoleKind[] = [];
  const text = marked.replaceAll(/«([vifu])»/g, (_, kind: string) => {
    holes.push(KINDS[kind] ?? 'unknown');
    return HOLE;
  });
  return { text, holes, dialect: 'postgres', placeholders: [], form: 'statement', ...options };
}

export function analyze(marked: string, options: InputOptions = {}): SqlAnalysis {
  return analyzeSql(sqlInput(marked, options));
}

export function lockOperations(analysis: SqlAnalysis): LockOperation[] {
  return analysis.operations.filter((operation) => operation.kind === 'lock');
}

export function sessionOperations(analysis: SqlAnalysis): SessionOperation[] {
  return analysis.operations.flatMap((operation) => (operation.kind === 'lock' ? [] : [operation]));
}

export function locksIn(marked: string, options: InputOptions = {}): LockOperation[] {
  return lockOperations(analyze(marked, options));
}

/** The one lock operation of a text. */
export function lockIn(marked: string, options: InputOptions = {}): LockOperation {
  const [operation, ...others] = locksIn(marked, options);
  if (!operation || others.length > 0) throw new Error(`${String(others.length + 1)} lock operations in ${marked}`);
  return operation;
}

/** An expression in a short notation, without ranges. */
export function short(expression: SqlExpression): string {
  switch (expression.kind) {
    case 'integer':
    case 'boolean':
      return String(expression.value);
    case 'number':
      return `number ${expression.text}`;
    case 'string':
      return `'${expression.value}'`;
    case 'null':
      return 'null';
    case 'hole':
      return `hole ${String(expression.index)}`;
    case 'placeholder':
      return expression.name === null ? `bound ${String(expression.position)}` : `bound ${expression.name}`;
    case 'column':
      return expression.path.join('.');
    case 'call':
      return `${expression.name}(${expression.arguments.map(short).join(', ')})`;
    case 'cast':
      return `${short(expression.argument)}::${expression.type}`;
    case 'operator':
      return `(${[expression.operator, ...expression.arguments.map(short)].join(' ')})`;
    case 'subquery':
    case 'unknown':
      return expression.kind;
    default:
      return expression satisfies never;
  }
}
