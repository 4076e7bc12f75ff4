import type { Node } from '@pgsql/types';

import { HOLE, type SqlExpression, type SqlRange } from './model.js';
import { functionName, literalOf, nameParts, sqlValueFunctionName, typeName } from './parse-tree.js';
import type { Slot } from './slots.js';
import { rangeOfRun, type SqlSource } from './sql-source.js';
import { callAt, textAt, type TokenRun } from './tokens.js';
import { isKnownText } from './unknown-text.js';

/** Deeper parts of an expression are unknown: no key is nested like that, and each call in a call is read once more. */
const DEEPEST = 16;

/** What a slot stands for, as an expression. */
function slotExpression({ origin }: Slot, range: SqlRange): SqlExpression {
  switch (origin.kind) {
    case 'hole':
      return { kind: 'hole', index: origin.index, range };
    case 'placeholder': {
      const { position, name, text } = origin.placeholder;
      return { kind: 'placeholder', position, name, text, range };
    }
    default:
      return origin satisfies never;
  }
}

/** How many holes the input text has before an offset, which is the index of a hole standing there. */
export type HoleIndexAt = (offset: number) => number;

/**
 * Turns parse tree expressions into the model's.
 * @param holeIndexAt finds the index of a hole that stands inside a string, where it is no slot
 */
export function expressionReader(
  source: SqlSource,
  holeIndexAt: HoleIndexAt,
): (node: Node, run: TokenRun) => SqlExpression {
  function tokenRange(byte: number | undefined, fallback: TokenRun): { range: SqlRange; index: number } {
    const index = source.view?.indexAt(byte ?? 0) ?? -1;
    return index === -1
      ? { range: rangeOfRun(source, fallback), index }
      : { range: rangeOfRun(source, { first: index, last: index }), index };
  }

  function endsInSlot(index: number): boolean {
    const end = source.view?.tokens[index]?.end;
    return end !== undefined && source.slotAt(end - 1) !== null;
  }

  function constant(node: Extract<Node, { A_Const: unknown }>, run: TokenRun): SqlExpression {
    const { A_Const: value } = node;
    const literal = literalOf(value);
    const { range, index } = tokenRange(value.location, run);
    if (source.view && textAt(source.view, index) === '-') {
      // The grammar folds a minus sign into the number after it.
      range.end = rangeOfRun(source, { first: index, last: index + 1 }).end;
    }
    if (literal?.kind === 'string' && literal.value === HOLE) {
      return { kind: 'hole', index: holeIndexAt(range.start), range };
    }
    if (literal?.kind === 'string' && !isKnownText(literal.value)) return { kind: 'unknown', range };
    // A hole that goes on with the digits of a number: `1${rest}`.
    if (index !== -1 && endsInSlot(index)) return { kind: 'unknown', range };
    return literal ? { ...literal, range } : { kind: 'unknown', range };
  }

  function column(node: Extract<Node, { ColumnRef: unknown }>, run: TokenRun): SqlExpression {
    const { fields, location } = node.ColumnRef;
    const { range, index } = tokenRange(location, run);
    const path = nameParts(fields);
    if (path.length !== fields?.length) return { kind: 'unknown', range };
    if (path.length > 1) range.end = rangeOfRun(source, { first: index, last: index + 2 * (path.length - 1) }).end;
    if (path.every(isKnownText)) return { kind: 'column', path, range };
    const slot = source.slotAt(location ?? 0);
    if (path.length > 1 || path[0] !== HOLE) return { kind: 'unknown', range };
    return slot ? slotExpression(slot, range) : { kind: 'hole', index: holeIndexAt(range.start), range };
  }

  function read(node: Node | undefined, run: TokenRun, depth: number): SqlExpression {
    const range = rangeOfRun(source, run);
    if (!node || depth > DEEPEST) return { kind: 'unknown', range };
    const inner = (child: Node | undefined): SqlExpression => read(child, run, depth + 1);
    const operator = (name: string, children: readonly (Node | undefined)[]): SqlExpression => ({
      kind: 'operator',
      operator: name,
      arguments: children.flatMap((child) => (child ? [inner(child)] : [])),
      range,
    });
    const call = (name: string, children: readonly Node[] | undefined): SqlExpression => ({
      kind: 'call',
      name,
      arguments: (children ?? []).map(inner),
      range,
    });

    if ('A_Const' in node) return constant(node, run);
    if ('ColumnRef' in node) return column(node, run);
    if ('ParamRef' in node) {
      const { number, location } = node.ParamRef;
      const { range: at, index } = tokenRange(location, run);
      const slot = source.slotAt(location ?? 0);
      if (slot) return slotExpression(slot, at);
      // `$${number}`: which one is not known.
      const position = index !== -1 && endsInSlot(index) ? null : (number ?? 0) - 1;
      return { kind: 'placeholder', position, name: null, text: source.textOf(at), range: at };
    }
    if ('FuncCall' in node) {
      const { args, location } = node.FuncCall;
      const found = source.view ? callAt(source.view, source.view.indexAt(location ?? 0)) : null;
      return {
        kind: 'call',
        name: functionName(node.FuncCall),
        arguments: (args ?? []).map((argument, index) => read(argument, found?.arguments[index] ?? run, depth + 1)),
        range: found ? rangeOfRun(source, found.run) : range,
      };
    }
    if ('NamedArgExpr' in node) return inner(node.NamedArgExpr.arg);
    if ('TypeCast' in node) {
      return { kind: 'cast', type: typeName(node.TypeCast.typeName), argument: inner(node.TypeCast.arg), range };
    }
    if ('A_Expr' in node) {
      const { kind, name, lexpr, rexpr } = node.A_Expr;
      if (kind === 'AEXPR_NULLIF') return call('nullif', [lexpr, rexpr].filter((child) => child !== undefined));
      return operator(nameParts(name).at(-1) ?? '', [lexpr, rexpr]);
    }
    if ('BoolExpr' in node) {
      const { boolop, args } = node.BoolExpr;
      return operator((boolop ?? '').replace(/_EXPR$/, '').toLowerCase(), args ?? []);
    }
    if ('CoalesceExpr' in node) return call('coalesce', node.CoalesceExpr.args);
    if ('MinMaxExpr' in node) return call(node.MinMaxExpr.op === 'IS_LEAST' ? 'least' : 'greatest', node.MinMaxExpr.args);
    if ('SQLValueFunction' in node) return call(sqlValueFunctionName(node.SQLValueFunction.op), []);
    if ('SubLink' in node) return { kind: 'subquery', range };
    return { kind: 'unknown', range };
  }

  return (node, run) => read(node, run, 0);
}
