import type { TSESTree } from '@typescript-eslint/utils';
import { definePass, resultOf, type Unit } from '../pass.js';
import type { HandleSetting, SettingRole, WrapperSetting } from '../settings.js';
import { isInside, isFunction, keyName, unwrap, type ClassNode, type FunctionNode } from '../source/ast.js';
import type { Scopes } from '../source/scope.js';
import { evaluation } from './evaluation.js';
import { exportTable } from './imports/exports.js';
import { lockHelpers } from './lock-helpers.js';
import { queries, statementReader } from './queries.js';
import type { Query } from './query.js';
import type { Handle, Value } from './values.js';

/** What a file's exports, and the exports of other files that it imports, are, in the form in which settings state it. */
export interface LearnedFacts {
  readonly handles: readonly HandleSetting[];
  readonly wrappers: readonly WrapperSetting[];
}

/** `path` of the specifiers is absolute. */
export const learnedFacts = definePass('learned facts', [evaluation, statementReader, queries, lockHelpers], ([{ evaluator, links, scopes }, reader, statements, helperCalls], unit): LearnedFacts => {
  const handles: HandleSetting[] = [];
  const wrappers: WrapperSetting[] = [];
  for (const statement of unit.program.body) if (statement.type === 'ImportDeclaration') learnImports(statement);
  for (const [name, value] of exportsOf(unit)) learnHelpers(name, value);
  return { handles, wrappers };

  function learnImports({ source, specifiers }: TSESTree.ImportDeclaration): void {
    for (const specifier of specifiers) {
      const name = specifier.type === 'ImportSpecifier' ? (specifier.imported.type === 'Identifier' ? specifier.imported.name : specifier.imported.value) : 'default';
      const path = links.pathOf(source.value, specifier);
      const variable = scopes.variableOf(specifier.local);
      if (path === null || !variable || specifier.type === 'ImportNamespaceSpecifier') continue;
      learnImport(evaluator.valueOfVariable(variable), path, name);
    }
  }

  function learnImport(value: Value, path: string, name: string): void {
    if (value.type === 'object' && value.handle) {
      const { role, driver, assumed, evidence } = value.handle;
      if (!assumed && evidence.because !== 'setting' && isSettingRole(role)) handles.push({ is: { from: 'file', path, name }, role, driver: driver.name });
    }
    if (value.type !== 'elsewhere') return;
    const { of } = value;
    if (of.type === 'function') learnForwarding(of.node, path, name);
    const home = of.type === 'class' ? of.node : of.type === 'instance' ? of.class : null;
    for (const [method, fn] of home ? methodsOf(home) : []) learnForwarding(fn, path, `${home?.id?.name ?? name}.${method}`);
    for (const property of of.type === 'record' ? of.node.properties : []) {
      const key = property.type === 'Property' ? keyName(property) : null;
      const fn = property.type === 'Property' ? unwrap(property.value) : null;
      if (key !== null && isFunction(fn)) learnForwarding(fn, path, `${name}.${key}`);
    }
  }

  function learnForwarding(fn: FunctionNode, path: string, name: string): void {
    const [sent] = reader.forwardedBy(fn);
    if (!sent) return;
    const on = roleOfWrapper(sent.handle);
    wrappers.push({ call: { from: 'file', path, name }, sql: sent.argument, ...(on ? { on } : {}) });
  }

  function exportsOf(file: Unit): readonly (readonly [string, Value])[] {
    return [...resultOf(exportTable, file).names].flatMap(([name, exported]): (readonly [string, Value])[] => {
      if (exported.kind === 'expression') return [[name, evaluator.valueOf(exported.node)]];
      const variable = exported.kind === 'local' ? scopes.variableOf(exported.identifier) : null;
      return variable ? [[name, evaluator.valueOfVariable(variable)]] : [];
    });
  }

  function learnHelpers(name: string, value: Value): void {
    if (value.type === 'function') learnHelper(value.node, name);
    const home = value.type === 'class' ? value.node : value.type === 'instance' ? value.class : null;
    for (const [method, fn] of home ? methodsOf(home) : []) learnHelper(fn, `${home?.id?.name ?? name}.${method}`);
  }

  /** A function with lock statements, or calls of helpers that have them: it takes a lock, gives one back, or runs its callback in between. */
  function learnHelper(fn: FunctionNode, name: string): void {
    const written = statements.filter(({ node, frames, locks }) => locks.length > 0 && frames.length === 0 && isInside(node, fn));
    const called = helperCalls.filter(({ node }) => isInside(node, fn));
    const own = [...written, ...called.flatMap((call) => call.statements)];
    const [first] = own;
    const [lock] = first?.locks ?? [];
    if (!first || !lock) return;
    const actions = new Set(own.flatMap(({ locks }) => locks.map(({ operation }) => operation.action)));
    const takes = actions.has('acquire') || actions.has('try');
    const frees = actions.has('release');
    if (actions.has('release-all') || actions.has('inspect')) return;
    const { level } = lock.operation;
    const handedOn = called.map((call) => (call.does === 'hold' ? parameterOf(call.callback, fn) : null));
    const callback = fn.params.findIndex((parameter, index) => isCalled(parameter, fn, scopes) || handedOn.includes(index));
    const runsCallback = callback >= 0 && takes && (frees || level === 'transaction');
    // Taking and freeing without anything in between is no help to a caller.
    if (takes && frees && !runsCallback) return;
    // A lock that ends with a transaction of the function's own is nobody else's.
    if (!runsCallback && level === 'transaction' && !comesFromOutside(first.handle, fn)) return;
    const does = runsCallback ? 'hold' : takes ? (actions.has('acquire') ? 'acquire' : 'try') : 'release';
    const key = lock.operation.keys.map((each) => parameterOf(lock.boundValue(each), fn)).find((index) => index !== null);
    const handle = handleParameter(first, fn);
    wrappers.push({
      call: { from: 'file', path: unit.filename, name },
      does,
      level,
      ...(key === undefined ? {} : { key }),
      ...(handle === null ? {} : { handle }),
      ...(runsCallback ? { callback } : {}),
    });
  }

  function handleParameter({ sending }: Query, fn: FunctionNode): number | null {
    const callee = unwrap(sending.type === 'CallExpression' ? sending.callee : sending.tag);
    return parameterOf(callee.type === 'MemberExpression' ? callee.object : callee, fn);
  }

  function parameterOf(node: TSESTree.Node | null, fn: FunctionNode): number | null {
    const inner = node && unwrap(node);
    const variable = inner?.type === 'Identifier' ? scopes.variableOf(inner) : null;
    const definition = variable && scopes.definitionOf(variable);
    return definition?.kind === 'parameter' && definition.function === fn && definition.path.length === 0 ? definition.index : null;
  }
});

function comesFromOutside({ role, identity, lifetime }: Handle, fn: FunctionNode): boolean {
  if (role === 'pool' || role === 'http' || (lifetime !== null && isInside(lifetime, fn))) return false;
  return typeof identity !== 'object' || !('type' in identity) || !isInside(identity, fn) || fn.params.some((parameter) => isInside(identity, parameter));
}

function isCalled(parameter: TSESTree.Parameter, fn: FunctionNode, scopes: Scopes): boolean {
  const variable = parameter.type === 'Identifier' ? scopes.variableOf(parameter) : null;
  return variable !== null && scopes.readsOf(variable).some(({ identifier }) => identifier.parent.type === 'CallExpression' && identifier.parent.callee === identifier && isInside(identifier, fn));
}

function methodsOf(home: ClassNode): readonly (readonly [string, FunctionNode])[] {
  return home.body.body.flatMap((member): (readonly [string, FunctionNode])[] => {
    if (member.type !== 'MethodDefinition' || member.kind !== 'method' || !isFunction(member.value)) return [];
    const name = keyName(member);
    return name === null ? [] : [[name, member.value]];
  });
}

const isSettingRole = (role: Handle['role']): role is SettingRole => role === 'pool' || role === 'single' || role === 'connection' || role === 'transaction';

/** A wrapper that takes a connection of a pool for each statement does what the pool itself would do. */
function roleOfWrapper({ role, pool, assumed }: Handle): 'pool' | 'connection' | 'transaction' | null {
  if (role === 'connection' && pool) return 'pool';
  return !assumed && (role === 'pool' || role === 'connection' || role === 'transaction') ? role : null;
}
