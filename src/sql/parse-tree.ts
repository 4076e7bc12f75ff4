import type { A_Const, FuncCall, Node, SelectStmt, TypeName } from '@pgsql/types';

import { isKnownText } from './unknown-text.js';

/** Readers for libpg-query's JSON parse tree, where a node is an object with its type as its only key. */

/** Whether a value found inside a parse tree is a node, and not one of the plain structs some fields hold. */
export function isNode(value: unknown): value is Node {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const [key, ...others] = Object.keys(value);
  return key !== undefined && others.length === 0 && /^[A-Z]/.test(key);
}

/** What stands inside a node, whatever its type is. */
export function contentOf(node: Node): unknown {
  return Object.values(node)[0];
}

/** The text of a String node; null for any other. */
export function stringOf(node: Node | undefined): string | null {
  return node && 'String' in node ? (node.String.sval ?? '') : null;
}

/** The parts of a dotted name; a part that is no string (`*`, a subscript) ends it. */
export function nameParts(nodes: readonly Node[] | undefined): string[] {
  const parts: string[] = [];
  for (const node of nodes ?? []) {
    const part = stringOf(node);
    if (part === null) break;
    parts.push(part);
  }
  return parts;
}

/** The items of a List node; none for any other. */
export function listItems(node: Node | undefined): readonly Node[] {
  return node && 'List' in node ? (node.List.items ?? []) : [];
}

/** A function's name as SQL code would call it, without the schema every session searches first. */
export function functionName(call: FuncCall): string {
  const parts = nameParts(call.funcname);
  return (parts[0] === 'pg_catalog' ? parts.slice(1) : parts).join('.');
}

/** PostgreSQL's internal name of a type, `int8` for `bigint`; `[]` marks an array. */
export function typeName(type: TypeName | undefined): string {
  const name = nameParts(type?.names).filter((part, index) => index > 0 || part !== 'pg_catalog').join('.');
  return (type?.arrayBounds?.length ?? 0) > 0 ? `${name}[]` : name;
}

export type Literal =
  | { kind: 'integer'; value: bigint }
  | { kind: 'number'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'null' };

/** Hexadecimal, octal and binary integers and digit separators are PostgreSQL 16 syntax; the parser knows them all. */
const WHOLE_NUMBER = /^-?(?:\d[\d_]*|0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)$/;

function integerFrom(text: string): bigint {
  const digits = text.replaceAll('_', '');
  return digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits);
}

export function literalOf(constant: A_Const): Literal | null {
  if (constant.isnull === true) return { kind: 'null' };
  if (constant.ival) return { kind: 'integer', value: BigInt(constant.ival.ival ?? 0) };
  if (constant.boolval) return { kind: 'boolean', value: constant.boolval.boolval === true };
  if (constant.sval) return { kind: 'string', value: constant.sval.sval ?? '' };
  if (constant.fval) {
    const text = constant.fval.fval ?? '';
    return WHOLE_NUMBER.test(text) ? { kind: 'integer', value: integerFrom(text) } : { kind: 'number', text };
  }
  return null;
}

/** The literal of a node, casts and parentheses aside. */
export function literalIn(node: Node | undefined): Literal | null {
  if (!node) return null;
  if ('A_Const' in node) return literalOf(node.A_Const);
  return 'TypeCast' in node ? literalIn(node.TypeCast.arg) : null;
}

const isGivenValue = (node: Node | undefined): boolean =>
  node !== undefined && ('ParamRef' in node || 'A_Const' in node || ('TypeCast' in node && isGivenValue(node.TypeCast.arg)));

/** The columns, by bare name, that a condition lets have one value only: `id = $1 AND …`. */
export function fixedColumnsIn(condition: Node | undefined): string[] {
  if (!condition) return [];
  if ('BoolExpr' in condition) {
    const { boolop, args } = condition.BoolExpr;
    return boolop === 'AND_EXPR' ? (args ?? []).flatMap(fixedColumnsIn) : [];
  }
  if (!('A_Expr' in condition)) return [];
  const { kind, name, lexpr, rexpr } = condition.A_Expr;
  if (kind !== 'AEXPR_OP' || nameParts(name).join('.') !== '=') return [];
  return [
    [lexpr, rexpr],
    [rexpr, lexpr],
  ].flatMap(([column, value]) => {
    const bareName = column && 'ColumnRef' in column ? nameParts(column.ColumnRef.fields).at(-1) : undefined;
    return bareName !== undefined && isKnownText(bareName) && isGivenValue(value) ? [bareName] : [];
  });
}

/** A SELECT, VALUES or set operation that holds rows of expressions only. */
export function isValues(select: SelectStmt): boolean {
  return (select.valuesLists?.length ?? 0) > 0;
}

/** The name PostgreSQL gives an unaliased result column, and whether it yields to an enclosing cast's or CASE's name. */
function figuredName(node: Node | undefined): { name: string; strength: 0 | 1 | 2 } | null {
  const strong = (name: string): { name: string; strength: 2 } => ({ name, strength: 2 });
  if (!node) return null;
  if ('ColumnRef' in node) {
    const name = nameParts(node.ColumnRef.fields).at(-1);
    return name === undefined ? null : strong(name);
  }
  if ('FuncCall' in node) {
    const name = nameParts(node.FuncCall.funcname).at(-1);
    return name === undefined ? null : strong(name);
  }
  if ('TypeCast' in node) {
    const inner = figuredName(node.TypeCast.arg);
    if (inner?.strength === 2) return inner;
    const type = nameParts(node.TypeCast.typeName?.names).at(-1);
    return type === undefined ? inner : { name: type, strength: 1 };
  }
  if ('CollateClause' in node) return figuredName(node.CollateClause.arg);
  if ('A_Indirection' in node) {
    const field = node.A_Indirection.indirection?.findLast((part) => 'String' in part);
    const name = stringOf(field);
    return name === null ? figuredName(node.A_Indirection.arg) : strong(name);
  }
  if ('CaseExpr' in node) {
    const inner = figuredName(node.CaseExpr.defresult);
    return inner?.strength === 2 ? inner : { name: 'case', strength: 1 };
  }
  if ('SubLink' in node) {
    const { subLinkType, subselect } = node.SubLink;
    if (subLinkType === 'EXISTS_SUBLINK') return strong('exists');
    if (subLinkType === 'ARRAY_SUBLINK') return strong('array');
    if (subLinkType !== 'EXPR_SUBLINK' || !subselect || !('SelectStmt' in subselect)) return null;
    let select = subselect.SelectStmt;
    while (select.larg) select = select.larg;
    if (isValues(select)) return strong('column1');
    const target = select.targetList?.[0];
    if (!target || !('ResTarget' in target)) return null;
    return target.ResTarget.name === undefined ? figuredName(target.ResTarget.val) : strong(target.ResTarget.name);
  }
  if ('A_Expr' in node) return node.A_Expr.kind === 'AEXPR_NULLIF' ? strong('nullif') : null;
  if ('CoalesceExpr' in node) return strong('coalesce');
  if ('MinMaxExpr' in node) return strong(node.MinMaxExpr.op === 'IS_LEAST' ? 'least' : 'greatest');
  if ('A_ArrayExpr' in node) return strong('array');
  if ('RowExpr' in node) return strong('row');
  if ('GroupingFunc' in node) return strong('grouping');
  if ('SQLValueFunction' in node) return strong(sqlValueFunctionName(node.SQLValueFunction.op));
  return null;
}

/** `current_timestamp` and the other functions that are called without parentheses. */
export function sqlValueFunctionName(operation: string | undefined): string {
  return (operation ?? '').replace(/^SVFOP_/, '').replace(/_N$/, '').toLowerCase();
}

/** The name of an unaliased result column: PostgreSQL's `FigureColname`, https://www.postgresql.org/docs/18/queries-select-lists.html */
export function columnNameOf(node: Node | undefined): string {
  return figuredName(node)?.name ?? '?column?';
}

/** A literal as SQL text without its quotes, as the value of a setting; null for what is no literal or holds a hole. */
export function literalText(node: Node | undefined): string | null {
  const literal = literalIn(node);
  switch (literal?.kind) {
    case 'string':
      return isKnownText(literal.value) ? literal.value : null;
    case 'integer':
    case 'boolean':
      return String(literal.value);
    case 'number':
      return literal.text;
    case 'null':
    case undefined:
      return null;
    default:
      return literal satisfies never;
  }
}
