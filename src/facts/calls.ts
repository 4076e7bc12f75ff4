import type { TSESTree } from '@typescript-eslint/utils';
import type { Give } from '../drivers/driver.js';
import { isFunction, memberName, returnedExpressions, unwrap, type FunctionNode } from '../source/ast.js';
import { calleeOfCall } from './imports/elsewhere.js';
import { accessorNamed, accessorStep, leavesRoom } from './accessors.js';
import { isDecided, unify, unifyPresent } from './agreement.js';
import type { Core } from './core.js';
import type { CallMeaning } from './evaluator.js';
import { readKind } from './kinds.js';
import { signalGiven } from './given-signal.js';
import { createOpenedConnections } from './opened-connections.js';
import { circular, unknown, type Evidence, type Value } from './values.js';

type CallNode = TSESTree.CallExpression | TSESTree.TaggedTemplateExpression;

/** Says what calls and constructions give: drivers' methods, functions of this file, and what the language itself hands through. */
export function createCalls(core: Core) {
  const { scopes, modules, constantOf } = core.parts;
  const results = new Map<FunctionNode, object>();
  const connections = createOpenedConnections(core);
  return { resultOfCall, constructed, returnedBy };

  /** What a function returns is another question than what the function is. */
  function resultOf(fn: FunctionNode): object {
    const known = results.get(fn);
    if (known) return known;
    const question = {};
    results.set(fn, question);
    return question;
  }

  function resultOfCall(node: CallNode): Value {
    if (isCircular(node)) return circular;
    const read = calledElsewhere(node) ?? accessed(node);
    if (read) return read;
    const meaning = core.meaningOf(node);
    if (meaning) return resultOfMeaning(meaning, node);
    if (node.type === 'TaggedTemplateExpression') return unknown;
    const callee = unwrap(node.callee);
    if (callee.type === 'Identifier' && callee.name === 'require' && !scopes.variableOf(callee)) return required(node);
    if (callee.type === 'MemberExpression') {
      const handed = handedThrough(node, callee);
      if (handed) return handed;
    }
    const method = promisified(node);
    if (method) return method;
    const value = core.valueOf(callee);
    if (value.type === 'function') return connections.givenBy(node, value.node, returnedBy(value.node));
    if (value.type !== 'unknown') return unknown;
    if (value === circular) return circular;
    const functions = value.alternatives.filter((alternative) => alternative.type === 'function');
    return functions.length > 0 ? unify(functions.map((alternative) => returnedBy(alternative.node))) : unknown;
  }

  function isCircular(node: CallNode): boolean {
    return core.valueOf(unwrap(node.type === 'CallExpression' ? node.callee : node.tag)) === circular;
  }

  /** A function of another file whose result is known there. */
  function calledElsewhere(node: CallNode): Value | null {
    const callee = core.valueOf(calleeOfCall(node));
    if (callee.type !== 'elsewhere') return null;
    const value = core.elsewhere.called(callee, node);
    return isDecided(value) ? value : null;
  }

  /** `getPool()` of a file that was not read: what its module keeps, without waiting for it or saying which. */
  function accessed(node: CallNode): Value | null {
    if (node.type !== 'CallExpression') return null;
    const callee = calledName(node);
    const name = callee.type === 'MemberExpression' ? memberName(callee) : callee.type === 'Identifier' ? callee.name : null;
    const accessor = name === null ? null : accessorNamed(name);
    // A pool is a pool, whichever of several the arguments choose.
    if (name === null || accessor === null || (accessor !== 'pool' && node.arguments.length > 0)) return null;
    const value = core.valueOf(callee);
    const chosen = node.arguments.map(({ range }) => scopes.textOf(node).slice(...range)).join(', ');
    if (value.type === 'foreign') return { type: 'foreign', module: value.module, path: [...value.path, accessorStep(name, chosen)] };
    const service = value.type === 'unknown' && value.alternatives.length === 0 ? serviceOf(callee) : null;
    return service === null ? null : { type: 'foreign', module: service, path: [accessorStep(name, chosen)] };
  }

  /** `this.database` of `this.database.getKnex`, if a container hands it out: one for the whole application, like a module of another file. */
  function serviceOf(callee: TSESTree.Node): string | null {
    const service = callee.type === 'MemberExpression' ? unwrap(callee.object) : null;
    const name = service?.type === 'MemberExpression' ? memberName(service) : null;
    if (!service || name === null || leavesRoom(name) || !core.parts.injection.ofExpression(service)) return null;
    return `this.${name}`;
  }

  function resultOfMeaning(meaning: CallMeaning, node: CallNode): Value {
    const { call, driver, receiver } = meaning;
    const because: Evidence['because'] = receiver ? 'taken-from-pool' : 'factory';
    const make = (give: Give): Value =>
      core.make(give, driver, receiver, node, { evidence: { because, node }, identity: node, signal: signalGiven(core, node, call.signal) });
    const isGiven = !hasCallback(meaning, node) || call.clause !== undefined;
    if (isGiven && call.gives !== undefined) return make(call.gives);
    if (isGiven && call.resolves !== undefined) return { type: 'promise', of: make(call.resolves) };
    // A builder's methods that say nothing else give the builder itself.
    const isFluent = receiver && readKind(driver, receiver.kind, (kind) => kind.fluent) === true;
    return isFluent && !call.sends ? receiver : unknown;
  }

  /** `pool.connect((error, client) => …)` gives nothing. */
  function hasCallback({ call }: CallMeaning, node: CallNode): boolean {
    if (!call.callback) return false;
    const place = core.placed(node, { argument: call.callback.argument });
    if (place.kind !== 'found') return false;
    return isFunction(unwrap(place.node)) || core.valueOf(place.node).type === 'function';
  }

  function required(node: TSESTree.CallExpression): Value {
    const [argument] = node.arguments;
    const source = argument ? constantOf(argument) : null;
    return typeof source?.value === 'string' ? core.exportOf(source.value, [], node) : unknown;
  }

  /** Calls of the language and its library that hand values through; null for other calls. */
  function handedThrough(node: TSESTree.CallExpression, callee: TSESTree.MemberExpression): Value | null {
    const name = memberName(callee);
    const object = unwrap(callee.object);
    const [first] = node.arguments;
    if (object.type === 'Identifier' && !scopes.variableOf(object) && first) {
      const known = ofGlobal(object.name, name, first);
      if (known) return known;
    }
    switch (name) {
      case 'bind': {
        const target = core.valueOf(object);
        return target.type === 'method' || target.type === 'function' || target.type === 'elsewhere' ? target : null;
      }
      case 'then':
      case 'catch':
      case 'finally': {
        const receiver = core.valueOf(object);
        if (receiver.type !== 'promise') return null;
        if (name !== 'then' || !first) return receiver;
        const handler = core.valueOf(first);
        return handler.type === 'function' ? { type: 'promise', of: core.awaited(returnedBy(handler.node)) } : unknown;
      }
      default:
        return null;
    }
  }

  function ofGlobal(object: string, method: string | null, first: TSESTree.CallExpressionArgument): Value | null {
    switch (`${object}.${String(method)}`) {
      case 'Promise.all': {
        const list = core.valueOf(first);
        if (list.type !== 'list') return unknown;
        return { type: 'promise', of: { type: 'list', elements: list.elements.map((element) => element && core.awaited(element)) } };
      }
      case 'Promise.resolve':
        return { type: 'promise', of: core.awaited(core.valueOf(first)) };
      case 'Object.freeze':
      case 'Object.seal':
      case 'Object.assign':
        return core.valueOf(first);
      default:
        return null;
    }
  }

  /** `util.promisify(pool.query)`: the method, whose answer comes as a promise. */
  function promisified(node: TSESTree.CallExpression): Value | null {
    const callee = calledName(node);
    const name = callee.type === 'MemberExpression' ? memberName(callee) : callee.type === 'Identifier' ? callee.name : null;
    const [argument] = node.arguments;
    const method = name === 'promisify' && argument ? core.valueOf(argument) : unknown;
    const sends = method.type === 'method' ? method.call.sends : undefined;
    if (method.type !== 'method' || !sends?.callback) return null;
    const { callback, ...rest } = sends;
    return { ...method, call: { ...method.call, variants: [], sends: { ...rest, result: callback.result } } };
  }

  function returnedBy(fn: FunctionNode): Value {
    if (fn.generator) return unknown;
    return core.guarded(resultOf(fn), () => {
      const value = unifyPresent(returnedExpressions(fn).map((expression) => core.valueOf(expression)));
      const annotation = fn.returnType?.typeAnnotation;
      const declared = !isDecided(value) && annotation ? core.declaredAs(annotation, fn, fn) : null;
      if (declared) return declared;
      return fn.async ? { type: 'promise', of: core.awaited(value) } : value;
    });
  }

  function constructed(node: TSESTree.NewExpression): Value {
    const callee = core.valueOf(node.callee);
    switch (callee.type) {
      case 'class':
        return { type: 'instance', class: callee.node, created: node };
      case 'elsewhere':
        return core.elsewhere.constructed(callee, node);
      case 'object': {
        const made = readKind(callee.driver, callee.kind, (kind) => kind.new);
        return made === undefined ? unknown : core.make(made, callee.driver, callee, node, { evidence: { because: 'constructor', node }, identity: node });
      }
      case 'export':
      case 'namespace': {
        // `const Sequelize = require('sequelize')`: the module is the class.
        const known = callee.type === 'export' ? callee : modules.exportOf(callee.module, callee.path);
        if (known?.entry.new === undefined) return unknown;
        return core.make(known.entry.new, known.driver, null, node, { evidence: { because: 'constructor', node }, identity: node });
      }
      default:
        return unknown;
    }
  }
}

/** What is called; compilers write `(0, db_1.getPool)()`. */
function calledName(node: TSESTree.CallExpression): TSESTree.Node {
  const callee = unwrap(node.callee);
  return callee.type === 'SequenceExpression' ? unwrap(callee.expressions.at(-1) ?? callee) : callee;
}
