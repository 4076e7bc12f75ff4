import type { TSESTree } from '@typescript-eslint/utils';
import { memberName, unwrap, type FunctionNode } from '../source/ast.js';
import { pathTo, type Definition, type Reference, type Variable } from '../source/scope.js';
import { identified, isDecided, ofModule, oneOf, unify, unifyPresent } from './agreement.js';
import type { CallbackUse } from './callers.js';
import type { Core } from './core.js';
import { accessorOn, namedPool } from './accessors.js';
import { declared as declaredKind } from './annotations.js';
import { applicationWide, handedOut, isCalledOn, isToldApart, placesOf } from './application-wide.js';
import { createDocumentedTypes } from './documented-types.js';
import { createCallbacks } from './imports/callbacks.js';
import { signalGiven } from './given-signal.js';
import { readKind } from './kinds.js';
import { lentConnection } from './lent-connections.js';
import { createLibraries } from './libraries.js';
import { circular, unknown, type DriverObject, type Value } from './values.js';

type ParameterDefinition = Extract<Definition, { kind: 'parameter' }>;
type ValueDefinition = Extract<Definition, { kind: 'value' }>;

/** Says what variables and parameters hold: from what is written to them, their annotations, and the calls in this file. */
export function createVariables(core: Core) {
  const { scopes, callers, modules } = core.parts;
  const callbacks = createCallbacks(core);
  const libraries = createLibraries(core);
  const documented = createDocumentedTypes(core);
  return { valueOfVariable };

  function valueOfVariable(variable: Variable): Value {
    return core.guarded(variable, () => {
      const value = core.parts.declaredHandles.ofThisFile(variable) ?? named(known(heldBy(variable), variable), variable);
      if (value.type === 'unknown' && value !== circular && value.alternatives.length === 0) return lentConnection(variable, scopes, core.parts.modules) ?? value;
      return scopes.isModuleLevel(variable) && scopes.definitionOf(variable).kind !== 'import' ? ofModule(applicationWide(value)) : value;
    });
  }

  /** What comes from a file that was not read may still show, by its use, whose handle it is. */
  function known(value: Value, variable: Variable): Value {
    if (value.type !== 'foreign' || accessorOn(value.path) === 'tag') return value;
    const owner = libraries.libraryOf(variable);
    return owner ? core.assumedObject(owner, value.module, value.path, variable.identifiers[0] ?? core.parts.callers.program) : value;
  }

  /** Where the code shows nothing, a setting may know the name. */
  function named(value: Value, variable: Variable): Value {
    return isDecided(value) && value.type !== 'foreign' ? value : (core.parts.declaredHandles.byName(variable) ?? value);
  }

  function heldBy(variable: Variable): Value {
    const definition = scopes.definitionOf(variable);
    switch (definition.kind) {
      case 'value':
        return declaredOr(initialised(definition), definition.path.length === 0 ? annotationOf(definition.declaration?.id) : null, variable);
      case 'parameter':
        return valueOfParameter(variable, definition);
      case 'import':
        return core.exportOf(definition.module, definition.name === '*' ? [] : [definition.name], definition.node);
      case 'function':
        return { type: 'function', node: definition.node, self: null };
      case 'class':
        return { type: 'class', node: definition.node };
      case 'element':
        return core.follow(core.elementsOf(core.valueOf(definition.of)), definition.path, definition.of);
      case 'unknown': {
        const required = requiredBy(variable);
        if (required !== null) return core.exportOf(required, [], variable.identifiers[0]);
        const written = unifyPresent(scopes.writesOf(variable).map(writtenBy), variable);
        return declaredOr(written, annotationOf(variable.identifiers[0]), variable);
      }
      case 'enum':
      case 'catch':
        return unknown;
      default:
        return definition satisfies never;
    }
  }

  function initialised({ init, path, defaultValue }: ValueDefinition): Value {
    const value = core.follow(core.valueOf(init), path, init);
    if (!defaultValue || isDecided(value)) return value;
    return oneOf([value, core.valueOf(defaultValue)]);
  }

  function declaredOr(value: Value, annotation: TSESTree.TypeNode | null, variable: Variable): Value {
    if (isDecided(value)) return value;
    if (annotation) return core.declaredAs(annotation, variable, annotation) ?? value;
    const declarator = variable.defs[0]?.node;
    const described = declarator?.type === 'VariableDeclarator' && declarator.id.type === 'Identifier' ? documented.ofName(declarator, variable) : unknown;
    return described.type === 'unknown' ? value : identified(described, variable);
  }

  /** One of several writes: `client = await pool.connect()`, `({ client } = await open())`. */
  function writtenBy(reference: Reference): Value {
    let pattern: TSESTree.Node = reference.identifier;
    while (pattern.parent && isPatternPart(pattern.parent)) pattern = pattern.parent;
    const written = pattern.parent;
    const path = pathTo(reference.identifier, pattern);
    if (!path) return unknown;
    if (written?.type === 'VariableDeclarator' && written.id === pattern && written.init) return core.follow(core.valueOf(written.init), path, written);
    if (written?.type !== 'AssignmentExpression' || written.left !== pattern) return unknown;
    return /^(?:=|\?\?=|\|\|=)$/.test(written.operator) ? core.follow(core.valueOf(written.right), path, written) : unknown;
  }

  /** The module in TypeScript's `import pg = require('pg')`. */
  function requiredBy(variable: Variable): string | null {
    const node = variable.defs[0]?.node;
    if (node?.type !== 'TSImportEqualsDeclaration' || node.moduleReference.type !== 'TSExternalModuleReference') return null;
    const { expression } = node.moduleReference;
    return expression.type === 'Literal' && typeof expression.value === 'string' ? expression.value : null;
  }

  function valueOfParameter(variable: Variable, definition: ParameterDefinition): Value {
    const places = callers.callbackUsesOf(definition.function, core.evaluator);
    const given = unify(places.map((place) => callbackParameter(place, definition)).filter(isDecided), variable);
    if (isDecided(given)) return given;
    const annotation = annotationOf(definition.node);
    const declared = annotation ? core.declaredAs(annotation, variable, definition.node) : null;
    const ofType = annotation ? (declared ? core.follow(declared, definition.path, definition.node) : unknown) : documented.ofParameter(variable, definition);
    const isInjected = core.parts.injection.ofParameter(definition) && callers.callSitesOf(definition.function, core.evaluator).length === 0;
    if (isInjected) return injected(ofType, variable, definition);
    const typed = isNoTransaction(ofType, variable) || isKept(ofType, definition) ? applicationWide(ofType) : ofType;
    if (isDecided(typed)) return identified(typed, variable);
    const passed = passedFor(variable, definition);
    if (isDecided(passed)) return passed;
    if (typed.type !== 'unknown') return identified(typed, variable);
    return passed.type === 'unknown' && passed.alternatives.length === 0 ? (proven(variable) ?? taken(definition, variable) ?? passed) : passed;
  }

  /** `({ prisma }) => …`: what is taken from an object of which nothing is known. */
  function taken({ path }: ParameterDefinition, variable: Variable): Value | null {
    const [identifier] = variable.identifiers;
    if (!identifier || path.length === 0) return null;
    const value = core.follow(unknown, path, identifier);
    return value.type === 'unknown' ? null : identified(value, variable);
  }

  /** A parameter on which a method is called that only one library's clients have, not its transactions. */
  function proven(variable: Variable): Value | null {
    const [identifier] = variable.identifiers;
    if (!identifier) return null;
    const places = placesOf(variable, scopes);
    for (const [method, { driver, kind }] of modules.provingMethods) {
      if (!isCalledOn(places, [method], (name) => callers.callsOfMethod(name, identifier), scopes) || isToldApart(scopes.textOf(identifier), method)) continue;
      return identified(declaredKind(driver, kind, identifier), variable);
    }
    return null;
  }

  /** What a container hands out, of the type that is written or, where that is unknown, of the library that its use shows. */
  function injected(ofType: Value, variable: Variable, definition: ParameterDefinition): Value {
    // A class of the project may have methods of these names, and keep its handle to itself.
    const owner = ofType.type === 'unknown' && core.parts.injection.isByToken(definition) ? libraries.libraryOf(variable) : null;
    const value = owner ? declaredKind(owner.driver, owner.kind, variable.identifiers[0] ?? callers.program) : ofType;
    return identified(handedOut(value.type === 'unknown' ? (proven(variable) ?? value) : value), variable);
  }

  /** An object that keeps a handle outlives transactions, so a type that is the pool's in the first place means the pool. */
  function isKept(value: Value, { function: fn }: ParameterDefinition): boolean {
    const isConstructor = fn.parent.type === 'MethodDefinition' && fn.parent.kind === 'constructor';
    return isConstructor && value.type === 'object' && value.handle?.mayBeTransaction === true;
  }

  /** Is a method called on it that its library's transactions do not have? */
  function isNoTransaction(value: Value, variable: Variable): boolean {
    if (value.type !== 'object' || !value.handle) return false;
    const methods = readKind(value.driver, value.kind, (kind) => kind.notInTransactions);
    const [identifier] = variable.identifiers;
    if (!methods || !identifier) return false;
    const proving = methods.filter((method) => !isToldApart(scopes.textOf(identifier), method));
    return isCalledOn(placesOf(variable, scopes), proving, (method) => callers.callsOfMethod(method, identifier), scopes);
  }

  /** What the calls in this file pass, the default value where they pass nothing. */
  function passedFor(variable: Variable, definition: ParameterDefinition): Value {
    const fallback = defaultOf(definition.node);
    const passed = callers.argumentsFor(definition.function, definition.index, core.evaluator).map((argument) => {
      const expression = argument ?? fallback;
      return expression ? core.follow(core.valueOf(expression), definition.path, expression) : unknown;
    });
    if (definition.rest) return unknown;
    if (passed.length > 0) return unify(passed, variable, 'callers');
    const absent = fallback ? core.follow(core.valueOf(fallback), definition.path, fallback) : unknown;
    return namedPool(variable.name, absent, variable) ?? oneOf([unknown, absent]);
  }

  /** The parameter of a function that is handed to a call: a driver's transaction callback, `.then`. */
  function callbackParameter(use: CallbackUse, definition: ParameterDefinition): Value {
    const { call, index } = use;
    const passed = callbacks.passedTo(call, index, definition.function, definition.index);
    if (isDecided(passed)) return core.follow(passed, definition.path, definition.node);
    const meaning = core.meaningOf(call);
    const callback = meaning?.call.callback;
    if (meaning && callback && (callback.argument === 'last' ? index === call.arguments.length - 1 : callback.argument === index)) {
      const parameterAt = (position: number, receiver: DriverObject | null): DriverObject | null => {
        const isLast = position === definition.function.params.length - 1;
        const give = isLast && callback.lastParameter !== undefined ? callback.lastParameter : callback.parameters[position];
        const node = definition.function.params[position];
        if (give === undefined || !node) return null;
        const bound = typeof give === 'string' || give.sameAsParameter === undefined ? null : parameterAt(give.sameAsParameter, receiver);
        return core.make(give, meaning.driver, bound ?? receiver, call, {
          evidence: { because: 'callback-parameter', node },
          identity: node,
          lifetime: callback.runs === 'later' ? null : definition.function,
          moduleLevel: false,
          signal: signalGiven(core, call, meaning.call.signal),
        });
      };
      const value = parameterAt(definition.index, meaning.receiver);
      return value ? core.follow(value, definition.path, definition.node) : unknown;
    }
    const callee = unwrap(call.callee);
    if (callee.type === 'MemberExpression' && memberName(callee) === 'then' && index === 0 && definition.index === 0) {
      return core.follow(core.awaited(core.valueOf(callee.object)), definition.path, call);
    }
    return unknown;
  }
}

const isPatternPart = ({ type }: TSESTree.Node): boolean =>
  type === 'ArrayPattern' || type === 'ObjectPattern' || type === 'AssignmentPattern' || type === 'RestElement' || type === 'Property';

/** The annotation written on a parameter, variable or field. */
export function annotationOf(node: TSESTree.Node | undefined): TSESTree.TypeNode | null {
  switch (node?.type) {
    case 'TSParameterProperty':
      return annotationOf(node.parameter);
    case 'AssignmentPattern':
      return annotationOf(node.left);
    case 'Identifier':
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'RestElement':
      return node.typeAnnotation?.typeAnnotation ?? null;
    default:
      return null;
  }
}

/** The expression after `=` in a parameter. */
export function defaultOf(parameter: FunctionNode['params'][number]): TSESTree.Expression | null {
  const pattern = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  return pattern.type === 'AssignmentPattern' ? pattern.right : null;
}
