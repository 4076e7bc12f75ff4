import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingClass, isClass, isFunction, keyName, memberName, unwrap, unwrappedParent, type ClassNode, type FunctionNode } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';
import type { Evaluator } from './evaluator.js';

export type CallSite = TSESTree.CallExpression | TSESTree.NewExpression;

/** A function handed to a call as an argument. */
export interface CallbackUse {
  readonly call: TSESTree.CallExpression;
  readonly index: number;
  readonly function: FunctionNode;
}

/** Who calls a function of this file, and with what. */
export interface Callers {
  readonly program: TSESTree.Program;
  /** The call that the function is handed to, if that is the one thing done with it. */
  callbackUseOf(fn: FunctionNode): CallbackUse | null;
  /** Every call that the function is handed to, through local helpers that hand it on. */
  callbackUsesOf(fn: FunctionNode, evaluator: Evaluator): readonly CallbackUse[];
  /** The calls in this file that run the function, callbacks' included, in source order. */
  callSitesOf(fn: FunctionNode, evaluator: Evaluator): readonly CallSite[];
  /** The argument that each call gives for a parameter, null where it gives none; calls with a spread before it are left out. */
  argumentsFor(fn: FunctionNode, index: number, evaluator: Evaluator): readonly (TSESTree.Expression | null)[];
  /** May code outside this file, or code that is not followed, run the function? */
  hasUnknownCallers(fn: FunctionNode): boolean;
  /** What is assigned to `this.name` in the class, or to `Class.name`. */
  assignmentsTo(node: ClassNode, name: string, isStatic: boolean): readonly TSESTree.AssignmentExpression[];
  /** What is assigned to a property of an object literal, through the names it goes by. */
  assignmentsToRecord(record: TSESTree.ObjectExpression, name: string, evaluator: Evaluator): readonly TSESTree.AssignmentExpression[];
  /** What is assigned to `globalThis.name`. */
  assignmentsToGlobal(name: string, evaluator: Evaluator): readonly TSESTree.AssignmentExpression[];
  constructorOf(node: ClassNode): FunctionNode | null;
  /** The calls of methods of this name in the file that `from` belongs to. */
  callsOfMethod(name: string, from: TSESTree.Node): readonly TSESTree.CallExpression[];
}

interface MemberAssignment {
  readonly assignment: TSESTree.AssignmentExpression;
  readonly target: TSESTree.MemberExpression;
}

export interface CallIndex {
  readonly calls: readonly CallSite[];
  readonly assignments: readonly TSESTree.AssignmentExpression[];
}

export function createCallers(program: TSESTree.Program, index: CallIndex, scopes: Scopes): Callers {
  const byMethodName = new Map<string, TSESTree.CallExpression[]>();
  for (const call of index.calls) {
    const callee = call.type === 'CallExpression' ? unwrap(call.callee) : null;
    const name = callee?.type === 'MemberExpression' ? memberName(callee) : null;
    if (name === null || call.type !== 'CallExpression') continue;
    const named = byMethodName.get(name);
    if (named) named.push(call);
    else byMethodName.set(name, [call]);
  }
  const assignmentsByName = new Map<string, MemberAssignment[]>();
  for (const assignment of index.assignments) {
    const target = unwrap(assignment.left);
    const name = target.type === 'MemberExpression' ? memberName(target) : null;
    if (name === null || target.type !== 'MemberExpression') continue;
    const named = assignmentsByName.get(name);
    const member = { assignment, target };
    if (named) named.push(member);
    else assignmentsByName.set(name, [member]);
  }
  const handedByMember = memberArgumentsIn(index.calls);
  const sites = new Map<FunctionNode, readonly CallSite[]>();
  const places = new Map<FunctionNode, readonly ArgumentPlace[]>();
  const inProgress = new Set<FunctionNode>();

  const callers: Callers = {
    program,
    callbackUseOf,
    callbackUsesOf,
    callSitesOf,
    argumentsFor,
    hasUnknownCallers,
    assignmentsTo,
    assignmentsToRecord,
    assignmentsToGlobal,
    constructorOf,
    callsOfMethod: (name) => byMethodName.get(name) ?? [],
  };
  return callers;

  function callbackUseOf(fn: FunctionNode): CallbackUse | null {
    const inline = argumentPlace(fn);
    if (inline) return { ...inline, function: fn };
    const variable = variableNaming(fn);
    if (!variable) return null;
    const [only, ...others] = scopes.readsOf(variable);
    if (!only || others.length > 0) return null;
    const named = argumentPlace(only.identifier);
    return named && { ...named, function: fn };
  }

  function callbackUsesOf(fn: FunctionNode, evaluator: Evaluator): readonly CallbackUse[] {
    return argumentPlacesOf(fn).flatMap((place) => [{ ...place, function: fn }, ...handedOn(place, fn, evaluator, new Set())]);
  }

  function handedOn(place: ArgumentPlace, fn: FunctionNode, evaluator: Evaluator, seen: Set<FunctionNode>): readonly CallbackUse[] {
    const helper = evaluator.calleeOf(place.call);
    if (!helper || helper === fn || seen.has(helper)) return [];
    seen.add(helper);
    return readsOfParameter(helper, place.index).flatMap((identifier) => {
      const next = argumentPlace(identifier);
      return next ? [{ ...next, function: fn }, ...handedOn(next, fn, evaluator, seen)] : [];
    });
  }

  function readsOfParameter(fn: FunctionNode, position: number): readonly TSESTree.Node[] {
    const parameter = fn.params[position];
    const target = parameter?.type === 'AssignmentPattern' ? parameter.left : parameter?.type === 'TSParameterProperty' ? parameter.parameter : parameter;
    const variable = target?.type === 'Identifier' ? scopes.variableOf(target) : null;
    return variable ? scopes.readsOf(variable).map(({ identifier }) => identifier) : [];
  }

  function callSitesOf(fn: FunctionNode, evaluator: Evaluator): readonly CallSite[] {
    const known = sites.get(fn);
    if (known) return known;
    if (inProgress.has(fn)) return [];
    inProgress.add(fn);
    try {
      const found = [...directSites(fn), ...memberSites(fn, evaluator), ...callbackSites(fn, evaluator)].sort((a, b) => a.range[0] - b.range[0]);
      sites.set(fn, found);
      return found;
    } finally {
      inProgress.delete(fn);
    }
  }

  function directSites(fn: FunctionNode): CallSite[] {
    const variable = variableNaming(fn) ?? classVariableOfConstructor(fn);
    if (!variable) return [];
    return scopes.readsOf(variable).flatMap((reference): CallSite[] => {
      const { parent, child } = unwrappedParent(reference.identifier);
      if (parent?.type === 'CallExpression' && parent.callee === child && !isConstructor(fn)) return [parent];
      return parent?.type === 'NewExpression' && parent.callee === child && isConstructor(fn) ? [parent] : [];
    });
  }

  function memberSites(fn: FunctionNode, evaluator: Evaluator): CallSite[] {
    const owner = ownerOf(fn);
    if (!owner) return [];
    return (byMethodName.get(owner.name) ?? []).filter((call) => {
      const callee = unwrap(call.callee);
      if (callee.type !== 'MemberExpression') return false;
      const home = enclosingClass(callee);
      if (callee.object.type === 'ThisExpression' && owner.class) return home?.class === owner.class || (home !== null && extendsClass(home.class, owner.class, evaluator));
      const value = evaluator.valueOf(callee);
      return value.type === 'function' && value.node === fn;
    });
  }

  /** Calls of a local helper's parameter that this function is handed to: `body(tx)` inside `withLock(pool, body)`. */
  function callbackSites(fn: FunctionNode, evaluator: Evaluator): CallSite[] {
    const places = argumentPlacesOf(fn);
    return places.flatMap(({ call, index: position }) => {
      const helper = evaluator.calleeOf(call);
      if (!helper || helper === fn) return [];
      return callsOfParameter(helper, position, evaluator, new Set([fn]));
    });
  }

  function callsOfParameter(helper: FunctionNode, position: number, evaluator: Evaluator, seen: Set<FunctionNode>): CallSite[] {
    if (seen.has(helper)) return [];
    seen.add(helper);
    return readsOfParameter(helper, position).flatMap((identifier): CallSite[] => {
      const { parent, child } = unwrappedParent(identifier);
      if (parent?.type !== 'CallExpression') return [];
      if (parent.callee === child) return [parent];
      const next = evaluator.calleeOf(parent);
      const at = parent.arguments.findIndex((argument) => argument === child);
      return next && at >= 0 ? callsOfParameter(next, at, evaluator, seen) : [];
    });
  }

  function argumentsFor(fn: FunctionNode, position: number, evaluator: Evaluator): readonly (TSESTree.Expression | null)[] {
    return callSitesOf(fn, evaluator).flatMap((call): (TSESTree.Expression | null)[] => {
      const before = call.arguments.slice(0, position + 1);
      const argument = before[position];
      if (before.some((candidate) => candidate.type === 'SpreadElement') || argument?.type === 'SpreadElement') return [];
      return [argument ?? null];
    });
  }

  function hasUnknownCallers(fn: FunctionNode): boolean {
    const owner = ownerOf(fn);
    if (owner) return !owner.private || owner.class === null;
    const variable = variableNaming(fn);
    if (!variable) return argumentPlace(fn) === null;
    if (isExported(variable) || scopes.isVisibleToTemplate(variable)) return true;
    return scopes.readsOf(variable).some((reference) => {
      const { parent, child } = unwrappedParent(reference.identifier);
      return !(parent?.type === 'CallExpression' && parent.callee === child);
    });
  }

  function isExported(variable: Variable): boolean {
    return variable.defs.some((definition) => {
      const declaration = definition.node.type === 'VariableDeclarator' ? definition.node.parent : definition.node;
      return declaration.parent?.type === 'ExportNamedDeclaration' || declaration.parent?.type === 'ExportDefaultDeclaration';
    });
  }

  function assignmentsTo(node: ClassNode, name: string, isStatic: boolean): readonly TSESTree.AssignmentExpression[] {
    return (assignmentsByName.get(name) ?? []).flatMap(({ assignment, target }) => {
      if (target.object.type === 'ThisExpression') {
        const home = enclosingClass(target);
        return home?.class === node && home.static === isStatic ? [assignment] : [];
      }
      if (!isStatic || target.object.type !== 'Identifier') return [];
      const variable = scopes.variableOf(target.object);
      const definition = variable && scopes.definitionOf(variable);
      return definition?.kind === 'class' && definition.node === node ? [assignment] : [];
    });
  }

  function assignmentsToRecord(record: TSESTree.ObjectExpression, name: string, evaluator: Evaluator): readonly TSESTree.AssignmentExpression[] {
    return (assignmentsByName.get(name) ?? []).flatMap(({ assignment, target }) => {
      const value = evaluator.valueOf(target.object);
      return value.type === 'record' && value.node === record ? [assignment] : [];
    });
  }

  function assignmentsToGlobal(name: string, evaluator: Evaluator): readonly TSESTree.AssignmentExpression[] {
    return (assignmentsByName.get(name) ?? []).flatMap(({ assignment, target }) => (evaluator.valueOf(target.object).type === 'global' ? [assignment] : []));
  }

  function constructorOf(node: ClassNode): FunctionNode | null {
    for (const member of node.body.body) {
      if (member.type === 'MethodDefinition' && member.kind === 'constructor' && isFunction(member.value)) return member.value;
    }
    return null;
  }

  /** The variable a function is known by: its own name, or the constant it initialises. */
  function variableNaming(fn: FunctionNode): Variable | null {
    if (fn.type === 'FunctionDeclaration') return fn.id ? scopes.variableOf(fn.id) : null;
    const { parent, child } = unwrappedParent(fn);
    if (parent?.type !== 'VariableDeclarator' || parent.init !== child || parent.id.type !== 'Identifier') return null;
    const variable = scopes.variableOf(parent.id);
    return variable && scopes.writesOf(variable).length === 1 ? variable : null;
  }

  function classVariableOfConstructor(fn: FunctionNode): Variable | null {
    if (!isConstructor(fn)) return null;
    const home = fn.parent.parent?.parent;
    return isClass(home) && home.id ? scopes.variableOf(home.id) : null;
  }

  function argumentPlacesOf(fn: FunctionNode): readonly ArgumentPlace[] {
    const known = places.get(fn);
    if (known) return known;
    const inline = argumentPlace(fn);
    const variable = inline ? null : variableNaming(fn);
    const found = inline ? [inline] : variable ? scopes.readsOf(variable).flatMap((reference) => argumentPlace(reference.identifier) ?? []) : ownPlaces(fn);
    places.set(fn, found);
    return found;
  }

  /** `db.transaction(this.run)` in the class of the method. */
  function ownPlaces(fn: FunctionNode): readonly ArgumentPlace[] {
    const owner = ownerOf(fn);
    if (!owner?.class) return [];
    return (handedByMember.get(owner.name) ?? []).flatMap(({ member, place }) => {
      const home = member.object.type === 'ThisExpression' ? enclosingClass(member) : null;
      return home?.class === owner.class ? [place] : [];
    });
  }

  function extendsClass(node: ClassNode, ancestor: ClassNode, evaluator: Evaluator): boolean {
    const seen = new Set<ClassNode>();
    for (let current: ClassNode = node; !seen.has(current);) {
      seen.add(current);
      if (current === ancestor) return true;
      const parent = current.superClass ? evaluator.valueOf(current.superClass) : null;
      if (parent?.type !== 'class') return false;
      current = parent.node;
    }
    return false;
  }
}

interface ArgumentPlace {
  readonly call: TSESTree.CallExpression;
  readonly index: number;
}

interface MemberArgument {
  readonly member: TSESTree.MemberExpression;
  readonly place: ArgumentPlace;
}

/** By name, the members that are handed to calls: `run` in `db.transaction(this.run)` and `db.transaction(this.run.bind(this))`. */
function memberArgumentsIn(calls: readonly CallSite[]): ReadonlyMap<string, readonly MemberArgument[]> {
  const found = new Map<string, MemberArgument[]>();
  for (const call of calls) {
    if (call.type !== 'CallExpression') continue;
    for (const [index, argument] of call.arguments.entries()) {
      const member = boundMember(unwrap(argument));
      const name = member && memberName(member);
      if (!member || name === null) continue;
      const named = found.get(name);
      const handed = { member, place: { call, index } };
      if (named) named.push(handed);
      else found.set(name, [handed]);
    }
  }
  return found;
}

function boundMember(node: TSESTree.Node): TSESTree.MemberExpression | null {
  if (node.type === 'MemberExpression') return node;
  const callee = node.type === 'CallExpression' ? unwrap(node.callee) : null;
  if (callee?.type !== 'MemberExpression' || memberName(callee) !== 'bind') return null;
  const method = unwrap(callee.object);
  return method.type === 'MemberExpression' ? method : null;
}

function argumentPlace(node: TSESTree.Node): ArgumentPlace | null {
  const { parent, child } = unwrappedParent(node);
  if (parent?.type !== 'CallExpression') return null;
  const index = parent.arguments.findIndex((argument) => argument === child);
  return index >= 0 ? { call: parent, index } : null;
}

const isConstructor = (fn: FunctionNode): boolean => fn.parent.type === 'MethodDefinition' && fn.parent.kind === 'constructor';

/** The class member or object property a function is called by. */
function ownerOf(fn: FunctionNode): { name: string; class: ClassNode | null; private: boolean } | null {
  const { parent } = unwrappedParent(fn);
  if (parent?.type === 'MethodDefinition' && parent.kind === 'constructor') return null;
  if (parent?.type === 'MethodDefinition' || parent?.type === 'PropertyDefinition') {
    const name = keyName(parent);
    const home = parent.parent.parent;
    const isPrivate = parent.accessibility === 'private' || parent.key.type === 'PrivateIdentifier';
    return name !== null && isClass(home) ? { name, class: home, private: isPrivate } : null;
  }
  if (parent?.type === 'Property') {
    const name = keyName(parent);
    return name === null ? null : { name, class: null, private: false };
  }
  return null;
}
