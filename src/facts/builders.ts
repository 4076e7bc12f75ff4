import type { TSESTree } from '@typescript-eslint/utils';
import type { BuilderClause, Call, Sends } from '../drivers/driver.js';
import { enclosingFunction, keyName, memberName, returnedExpressions, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';
import { childrenOf, isType } from '../source/walk.js';
import type { Clause, FromItem, LimitClause, QueryLevel } from '../sql/model.js';
import type { Callers } from './callers.js';
import type { CallMeaning, Evaluator } from './evaluator.js';
import type { Fragments } from './fragments.js';
import { readKind } from './kinds.js';
import type { BuilderStep, CallNode } from './query.js';
import type { Value } from './values.js';

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
  callers: Callers,
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
    const sent = sentBuilder(node, meaning);
    if (!sent || fragments.isPart(node)) return null;
    const chain = chainOf(sent.builder, sent.builder.range[1], new Set());
    if (chain.length === 0 || chain.some((call) => isRawStatement(call))) return null;
    const steps = [...chain, ...(sent.builder === node ? [] : [node])].flatMap((call): BuilderStep[] => {
      if (call.type !== 'CallExpression') return [];
      const step = evaluator.meaningOf(call);
      return [{ call, clause: step?.call.clause ?? null, name: step?.name ?? '' }];
    });
    return { node, steps, meaning, sends: sent.sends };
  }

  /**
   * What the call sends: the builder it is called on (`.execute()`), one that it is given (`executeQuery(q.compile())`), or
   * the one it makes, which is sent when awaited and nothing further is called on it.
   */
  function sentBuilder(node: TSESTree.CallExpression, meaning: CallMeaning): { sends: Sends; builder: TSESTree.Node } | null {
    const { sends } = meaning.call;
    if (sends) {
      const place = fragments.firstOf(node, sends.sql);
      const given = place.kind === 'found' ? unwrap(place.node) : null;
      if (!given) return null;
      const isReceiver = sends.sql.some((position) => 'receiver' in position);
      const builder = isReceiver ? given : compiledBuilder(given);
      return builder && isBuilder(builder) ? { sends, builder } : null;
    }
    const value = evaluator.valueOf(node);
    const awaits = value.type === 'object' ? evaluator.awaitsOf(value) : null;
    return awaits && !isContinued(node, new Set()) ? { sends: awaits, builder: node } : null;
  }

  /** `q` in `q.compile()`. */
  function compiledBuilder(expression: TSESTree.Node): TSESTree.Node | null {
    if (expression.type !== 'CallExpression') return null;
    const fragment = evaluator.meaningOf(expression)?.call.fragment;
    if (!fragment?.sql.some((position) => 'receiver' in position)) return null;
    const receiver = fragments.firstOf(expression, fragment.sql);
    return receiver.kind === 'found' ? unwrap(receiver.node) : null;
  }

  /** A step of a builder may carry text as well, `where('…')`; a tag or `raw` alone is text only. */
  function isBuilder(expression: TSESTree.Node): boolean {
    const made = fragments.fragmentBehind(expression);
    if (made) return made.node.type === 'CallExpression' && evaluator.meaningOf(made.node)?.call.clause !== undefined;
    const chain = chainOf(expression, expression.range[1], new Set());
    return chain.length > 0 && chain.some((call) => evaluator.meaningOf(call)?.call.clause !== undefined || isBuilderObject(evaluator.valueOf(call)));
  }

  /** An object that collects a statement step by step. */
  function isBuilderObject(value: Value): boolean {
    if (value.type !== 'object' || readKind(value.driver, value.kind, (kind) => kind.fluent) !== true) return false;
    if (evaluator.awaitsOf(value)) return true;
    return readKind(value.driver, value.kind, ({ methods }) => (methods && Object.values(methods).some(sendsItself) ? true : undefined)) === true;
  }

  /** Is the builder used only to call further steps on it, here or through the variable or function it goes into? */
  function isContinued(node: TSESTree.Node, seen: Set<TSESTree.Node | Variable>): boolean {
    if (seen.has(node)) return true;
    seen.add(node);
    const { parent, child } = unwrappedParent(node);
    switch (parent?.type) {
      case 'MemberExpression': {
        const call = parent.parent;
        return parent.object === child && call.type === 'CallExpression' && call.callee === parent && evaluator.meaningOf(call) !== null;
      }
      case 'ExpressionStatement':
        // `query.limit(10);` changes the builder in the variable.
        return rootVariable(node) !== null;
      case 'VariableDeclarator':
        return parent.init === child && parent.id.type === 'Identifier' && isVariableContinued(scopes.variableOf(parent.id), seen);
      case 'AssignmentExpression': {
        if (parent.right !== child || parent.left.type !== 'Identifier') return false;
        const variable = scopes.variableOf(parent.left);
        return variable !== null && (rootVariable(node) === variable || isVariableContinued(variable, seen));
      }
      case 'ArrowFunctionExpression':
        return parent.body === child && isResultContinued(parent, seen);
      case 'ReturnStatement': {
        const fn = enclosingFunction(parent);
        return fn !== null && isResultContinued(fn, seen);
      }
      default:
        return false;
    }
  }

  function isVariableContinued(variable: Variable | null, seen: Set<TSESTree.Node | Variable>): boolean {
    if (!variable) return false;
    const reads = scopes.readsOf(variable);
    let goesOn = false;
    for (const { identifier } of reads) {
      if (!isContinued(identifier, new Set(seen))) return false;
      if (!isModification(identifier, variable)) goesOn = true;
    }
    return goesOn;
  }

  /** A helper that returns a builder, every caller of which goes on with it. */
  function isResultContinued(fn: FunctionNode, seen: Set<TSESTree.Node | Variable>): boolean {
    if (fn.async || callers.hasUnknownCallers(fn)) return false;
    const sites = callers.callSitesOf(fn, evaluator);
    return sites.length > 0 && sites.every((site) => isContinued(site, seen));
  }

  /** `query.limit(10);` and `query = query.limit(10);`. */
  function isModification(identifier: TSESTree.Node, variable: Variable): boolean {
    const outer = outermostStep(identifier);
    const { parent, child } = unwrappedParent(outer);
    if (outer === identifier) return false;
    if (parent?.type === 'ExpressionStatement') return true;
    return parent?.type === 'AssignmentExpression' && parent.right === child && parent.left.type === 'Identifier' && scopes.variableOf(parent.left) === variable;
  }

  function outermostStep(expression: TSESTree.Node): TSESTree.Node {
    let node = expression;
    for (;;) {
      const { parent, child } = unwrappedParent(node);
      if (parent?.type !== 'MemberExpression' || parent.object !== child) return node;
      const call = parent.parent;
      if (call.type !== 'CallExpression' || call.callee !== parent || !evaluator.meaningOf(call)) return node;
      node = call;
    }
  }

  /** The variable at the beginning of a chain: `query` in `query.where(…).limit(1)`. */
  function rootVariable(node: TSESTree.Node): Variable | null {
    let current = unwrap(node);
    while (current.type === 'CallExpression') {
      const callee = unwrap(current.callee);
      if (callee.type !== 'MemberExpression') return null;
      current = unwrap(callee.object);
    }
    if (current.type !== 'Identifier' || current === node) return null;
    const variable = scopes.variableOf(current);
    return variable && isBuilderObject(evaluator.valueOf(current)) ? variable : null;
  }

  /** `knex.raw(…)` is a statement by itself, whatever is called on it afterwards. */
  function isRawStatement(call: CallNode): boolean {
    const sends = evaluator.meaningOf(call)?.call.sends;
    return sends !== undefined && !sends.sql.some((position) => 'receiver' in position);
  }

  /** The calls that build the statement before offset `until`, first one first, through variables and local helpers. */
  function chainOf(node: TSESTree.Node, until: number, seen: Set<TSESTree.Node | Variable>): CallNode[] {
    const chain: CallNode[] = [];
    let current: TSESTree.Node | null = node;
    while (current && chain.length < maximumSteps) {
      const call: TSESTree.Node = unwrap(current);
      if (seen.has(call)) break;
      seen.add(call);
      if (call.type === 'Identifier') {
        return isBuilderObject(evaluator.valueOf(call)) ? [...chainInVariable(scopes.variableOf(call), until, seen), ...chain] : chain;
      }
      if (call.type !== 'CallExpression' && call.type !== 'TaggedTemplateExpression') break;
      if (!evaluator.meaningOf(call)) {
        const helper = evaluator.calleeOf(call);
        const [returned, ...others]: TSESTree.Expression[] = helper && !helper.async ? returnedExpressions(helper) : [];
        if (!returned || others.length > 0) break;
        return [...chainOf(returned, returned.range[1], seen), ...chain];
      }
      chain.unshift(call);
      const callee = unwrap(call.type === 'CallExpression' ? call.callee : call.tag);
      current = callee.type === 'MemberExpression' ? callee.object : null;
    }
    return chain;
  }

  /** The steps of a builder that a variable holds: those of its values, and those called on it as statements. */
  function chainInVariable(variable: Variable | null, until: number, seen: Set<TSESTree.Node | Variable>): CallNode[] {
    if (!variable || seen.has(variable)) return [];
    seen.add(variable);
    const definition = scopes.definitionOf(variable);
    const values = definition.kind === 'value' && definition.path.length === 0 ? [definition.init] : definition.kind === 'unknown' ? definition.writes : [];
    if (values.length === 0) return [];
    const changes = scopes.readsOf(variable).flatMap(({ identifier }) => (isModification(identifier, variable) ? [outermostStep(identifier)] : []));
    const steps = [...values, ...changes].filter(({ range }) => range[0] < until).flatMap((value) => chainOf(value, value.range[1], seen));
    return steps.sort((a, b) => a.range[1] - b.range[1]);
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
      const own = fragments.fragmentOf(step.call);
      const text = own && fragments.firstOf(own.node, own.fragment.sql);
      // `where(new Brackets(…))`: the step takes text, but this one has something else there.
      if (text?.kind === 'found' && isText(text.node)) return [{ node: step.call, step, clause, alias: aliasOfCall(step.call) }];
      return step.call.arguments.flatMap((argument) => within(argument, new Set())).map((node) => ({ node, step, clause, alias: aliasOf(node, step.call) }));
    });
  }

  function isText(expression: TSESTree.Node): boolean {
    const { type } = unwrap(expression);
    return type !== 'NewExpression' && type !== 'ObjectExpression' && type !== 'ArrowFunctionExpression' && type !== 'FunctionExpression';
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
    return childrenOf(node, visitorKeys).flatMap((child) => (isType(child) ? [] : within(child, seen)));
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
      from: statement.steps.flatMap(({ clause, call }) => (clause?.is === 'from' && call.arguments[0] ? [fromItem(call.arguments[0])] : [])),
      limit: limitOf(statement),
      orderBy: has('order-by'),
      orderByRange: null,
      distinct: has('distinct') ? 'all' : has('distinct-on') ? 'on' : 'none',
      groupBy: has('group-by'),
      aggregates: false,
      windows: false,
      where: has('where'),
      fixedColumns: [],
      rowLocking: has('row-locking'),
      deduplicates: false,
      range: null,
    };
  }

  /** A table, or a subquery of which nothing is known: what it is made of is not read. */
  function fromItem(expression: TSESTree.Node): FromItem {
    const name = constantText(expression);
    const kind = name !== null || isTable(expression, new Set()) ? 'table' : 'subquery';
    return { kind, name, alias: null, range: null, level: null, cte: null };
  }

  /** The name of a table, the object or class that describes it, or a list or record of these. */
  function isTable(expression: TSESTree.Node, seen: Set<TSESTree.Node>): boolean {
    const node = unwrap(expression);
    if (seen.has(node)) return false;
    seen.add(node);
    if (constantText(node) !== null) return true;
    switch (node.type) {
      case 'ArrayExpression':
        return node.elements.every((element) => element !== null && isTable(element, seen));
      case 'ObjectExpression':
        return node.properties.every((property) => property.type === 'Property' && isTable(property.value, seen));
      case 'MemberExpression':
        return isTable(node.object, seen);
      case 'CallExpression':
        // `pgTable('jobs', …)`, `alias(jobs, 'j')`; every subquery begins with a method call.
        return unwrap(node.callee).type === 'Identifier' && !evaluator.calleeOf(node);
      case 'Identifier': {
        const variable = scopes.variableOf(node);
        const definition = variable && scopes.definitionOf(variable);
        if (definition?.kind === 'import' || definition?.kind === 'class') return true;
        return definition?.kind === 'value' && isTable(definition.init, seen);
      }
      default:
        return false;
    }
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

const sendsItself = (call: Call): boolean => call.sends?.sql.some((position) => 'receiver' in position) === true;

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
    case 'limit-one':
      return 'select';
    case 'offset':
      return 'limit';
    case 'row-locking':
    case 'handle':
      return 'unknown';
  }
}
