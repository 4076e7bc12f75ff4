import type { TSESTree } from '@typescript-eslint/utils';
import type { BuilderClause, Sends } from '../drivers/driver.js';
import { keyName, memberName, unwrap, unwrappedParent } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import type { Clause, LimitClause, QueryLevel } from '../sql/model.js';
import type { CallMeaning, Evaluator } from './evaluator.js';
import type { Fragments } from './fragments.js';
import type { BuilderStep, CallNode } from './query.js';

/** A statement that a query builder makes: the calls of its chain, and the call whose value is awaited or that sends. */
export interface BuiltStatement {
  readonly node: TSESTree.CallExpression;
  readonly steps: readonly BuilderStep[];
  readonly meaning: CallMeaning;
  readonly sends: Sends;
}

/** A piece of SQL in a builder's chain, and the part of the statement it becomes. */
export interface BuilderFragment {
  readonly node: TSESTree.Node;
  readonly step: BuilderStep;
  readonly clause: Clause;
  /** The result column's name, when the chain gives one: a property of `select({ ok: … })`, `.as('ok')`. */
  readonly alias: string | null;
}

export interface Builders {
  statementAt(node: CallNode): BuiltStatement | null;
  fragmentsOf(statement: BuiltStatement): readonly BuilderFragment[];
  levelOf(statement: BuiltStatement): QueryLevel;
}

/** A chain longer than this is generated code; its tail is ignored. */
const maximumSteps = 200;

export function createBuilders(
  evaluator: Evaluator,
  fragments: Fragments,
  scopes: Scopes,
  visitorKeys: Readonly<Record<string, readonly string[] | undefined>>,
  constantOf: (expression: TSESTree.Node) => { readonly value: unknown } | null,
): Builders {
  return { statementAt, fragmentsOf, levelOf };

  function statementAt(node: CallNode): BuiltStatement | null {
    if (node.type !== 'CallExpression') return null;
    const meaning = evaluator.meaningOf(node);
    if (!meaning) return null;
    const sends = sendsOf(node, meaning);
    if (!sends || fragments.isPart(node)) return null;
    const chain = chainOf(node);
    if (chain.some((call) => isRawStatement(call))) return null;
    const steps = chain.flatMap((call): BuilderStep[] => {
      if (call.type !== 'CallExpression') return [];
      const step = evaluator.meaningOf(call);
      return [{ call, clause: step?.call.clause ?? null, name: step?.name ?? '' }];
    });
    return steps.some((step) => step.clause) ? { node, steps, meaning, sends } : null;
  }

  /** The builder is sent by this call, or by awaiting what it gives and nothing further is called on. */
  function sendsOf(node: TSESTree.CallExpression, meaning: CallMeaning): Sends | null {
    if (meaning.call.sends?.sql.some((position) => 'receiver' in position)) {
      const receiver = fragments.firstOf(node, [{ receiver: true }]);
      return receiver.kind === 'found' && !fragments.fragmentOf(receiver.node) ? meaning.call.sends : null;
    }
    if (meaning.call.sends || continues(node)) return null;
    const value = evaluator.valueOf(node);
    return value.type === 'object' ? evaluator.awaitsOf(value) : null;
  }

  function continues(node: CallNode): boolean {
    const { parent, child } = unwrappedParent(node);
    if (parent?.type !== 'MemberExpression' || parent.object !== child) return false;
    const call = parent.parent;
    return call.type === 'CallExpression' && evaluator.meaningOf(call) !== null;
  }

  /** `knex.raw(…)` is a statement by itself, whatever is called on it afterwards. */
  function isRawStatement(call: CallNode): boolean {
    const sends = evaluator.meaningOf(call)?.call.sends;
    return sends !== undefined && !sends.sql.some((position) => 'receiver' in position);
  }

  /** The calls that build the statement, first one first, through constants that hold the builder in between. */
  function chainOf(node: CallNode): CallNode[] {
    const chain: CallNode[] = [];
    let current: TSESTree.Node | null = node;
    while (current && chain.length < maximumSteps) {
      const call: TSESTree.Node = unwrap(current);
      if (call.type === 'Identifier') {
        current = initialiserOf(call);
        continue;
      }
      if (call.type !== 'CallExpression' && call.type !== 'TaggedTemplateExpression') break;
      if (!evaluator.meaningOf(call)) break;
      chain.unshift(call);
      const callee = unwrap(call.type === 'CallExpression' ? call.callee : call.tag);
      current = callee.type === 'MemberExpression' ? callee.object : null;
    }
    return chain;
  }

  function initialiserOf(node: TSESTree.Identifier): TSESTree.Node | null {
    const variable = scopes.variableOf(node);
    const definition = variable && scopes.definitionOf(variable);
    if (definition?.kind !== 'value' || definition.path.length > 0) return null;
    return definition.init;
  }

  function fragmentsOf(statement: BuiltStatement): readonly BuilderFragment[] {
    return statement.steps.flatMap((step) => {
      if (!step.clause) return [];
      const clause = clauseOf(step.clause);
      if (fragments.fragmentOf(step.call)) return [{ node: step.call, step, clause, alias: aliasOfCall(step.call) }];
      return step.call.arguments.flatMap((argument) => within(argument, new Set())).map((node) => ({ node, step, clause, alias: aliasOf(node, step.call) }));
    });
  }

  /** The outermost fragments in an argument, in helper calls, objects, arrays and callbacks as well. */
  function within(node: TSESTree.Node, seen: Set<TSESTree.Node>): TSESTree.Node[] {
    if (seen.has(node)) return [];
    seen.add(node);
    if (fragments.fragmentOf(node)) return [node];
    if (node.type === 'Identifier') {
      const init = initialiserOf(node);
      return init ? within(init, seen) : [];
    }
    const found: TSESTree.Node[] = [];
    for (const key of visitorKeys[node.type] ?? []) {
      if (key.startsWith('type')) continue;
      const child: unknown = Reflect.get(node, key);
      for (const item of Array.isArray(child) ? (child as unknown[]) : [child]) if (isNode(item)) found.push(...within(item, seen));
    }
    return found;
  }

  function aliasOf(node: TSESTree.Node, step: CallNode): string | null {
    for (let current: TSESTree.Node = node; current !== step && current.parent; current = current.parent) {
      const { parent } = current;
      if (parent.type === 'Property' && parent.value === current) return keyName(parent);
      if (parent.type === 'MemberExpression' && parent.parent.type === 'CallExpression' && parent.parent.callee === parent) {
        const alias = aliasOfCall(parent.parent) ?? (memberName(parent) === 'as' ? constantText(parent.parent.arguments[0]) : null);
        if (alias !== null) return alias;
      }
    }
    return null;
  }

  function aliasOfCall(call: CallNode): string | null {
    const alias = evaluator.meaningOf(call)?.call.alias;
    const place = alias && evaluator.placed(call, alias);
    return place?.kind === 'found' ? constantText(place.node) : null;
  }

  function constantText(node: TSESTree.Node | undefined): string | null {
    const value = node && constantOf(node)?.value;
    return typeof value === 'string' ? value : null;
  }

  function levelOf(statement: BuiltStatement): QueryLevel {
    const has = (is: BuilderClause['is']): boolean => statement.steps.some((step) => step.clause?.is === is);
    const kind = kindOfStatement(statement);
    return {
      kind,
      parent: null,
      place: 'top',
      lateral: false,
      sublink: null,
      cte: null,
      hasFrom: has('from') || kind !== 'select',
      from: [],
      limit: limitOf(statement),
      orderBy: has('order-by'),
      orderByRange: null,
      distinct: has('distinct') ? 'all' : has('distinct-on') ? 'on' : 'none',
      groupBy: has('group-by'),
      aggregates: false,
      windows: false,
      where: has('where'),
      rowLocking: has('row-locking'),
      deduplicates: false,
      range: null,
    };
  }

  function limitOf(statement: BuiltStatement): LimitClause | null {
    let count: LimitClause['count'] = { kind: 'none' };
    let offset: LimitClause['offset'] = { kind: 'none' };
    for (const { clause, call } of statement.steps) {
      if (clause?.is === 'limit-one') count = { kind: 'number', value: 1 };
      if (clause?.is !== 'limit' && clause?.is !== 'offset') continue;
      const place = evaluator.placed(call, clause.at);
      const value = place.kind === 'found' ? constantOf(place.node)?.value : undefined;
      const amount = typeof value === 'number' ? ({ kind: 'number', value } as const) : ({ kind: 'expression' } as const);
      if (clause.is === 'limit') count = amount;
      else offset = amount;
    }
    return count.kind === 'none' && offset.kind === 'none' ? null : { count, offset, withTies: false, range: null };
  }
}

/** The names by which every builder begins a statement that writes. */
function kindOfStatement(statement: BuiltStatement): QueryLevel['kind'] {
  for (const { name } of statement.steps) {
    if (/^insert/i.test(name)) return 'insert';
    if (/^update/i.test(name)) return 'update';
    if (/^delete/i.test(name) || name === 'del') return 'delete';
  }
  return 'select';
}

function clauseOf(clause: BuilderClause): Clause {
  switch (clause.is) {
    case 'select':
    case 'where':
    case 'having':
    case 'join-on':
    case 'order-by':
    case 'group-by':
    case 'distinct-on':
    case 'returning':
    case 'from':
    case 'set':
    case 'limit':
      return clause.is;
    case 'distinct':
      return 'select';
    case 'offset':
      return 'limit';
    case 'limit-one':
    case 'row-locking':
    case 'handle':
      return 'unknown';
  }
}

const isNode = (value: unknown): value is TSESTree.Node => typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
