import type { TSESTree } from '@typescript-eslint/utils';
import type { Evaluation } from '../../facts/evaluation.js';
import type { Frame } from '../../facts/frames.js';
import type { LockKey } from '../../facts/keys.js';
import type { Value } from '../../facts/values.js';
import { enclosingClass, isFunction, keyName, returnedExpressions, unwrap, memberName, type ClassNode, type FunctionNode } from '../../source/ast.js';
import { staticValue, type Constant } from '../../source/constants.js';
import { binary, unary } from '../../source/evaluate.js';
import { dottedName } from '../../source/mutations.js';
import { enumOf, memberOf, sourceOf } from '../../source/objects.js';
import { HOLE, type SqlExpression } from '../../sql/model.js';
import { insertedOrigin, type FunctionId, type Origin, type Place, type Term } from './model.js';
import { isKnown, textOf, unknownTerm } from './terms.js';

/** Reads key arguments of a file, following constants and functions into the files it imports. */
export interface KeyReader {
  /** The key of a lock, its parameters replaced by what the calls of the file's own helpers give. */
  partsOf(key: LockKey): readonly Term[];
  termOf(expression: TSESTree.Node, frames: readonly Frame[]): Term;
  idOf(fn: FunctionNode): FunctionId;
  placeOf(node: TSESTree.Node): Place;
}

/** Definitions followed for one key. */
const depthLimit = 30;
const longestText = 60;

export function createKeyReader({ evaluator, callers, frames: frameReader, scopes, links }: Evaluation): KeyReader {
  return { partsOf, termOf: (expression, frames) => read(expression, frames, 0), idOf, placeOf };

  function partsOf({ lock, parts, frames }: LockKey): readonly Term[] {
    const { query, text } = lock;
    return parts.map((part) => inSql(part));

    function inSql(part: SqlExpression): Term {
      switch (part.kind) {
        case 'integer':
        case 'string':
          return inserted(part.range, part.value) ?? constant(part.value, query.node);
        case 'boolean':
          return constant(part.value, query.node);
        case 'number':
          return constant(part.text, query.node);
        case 'null':
          return constant(null, query.node);
        case 'cast':
          return inSql(part.argument);
        case 'call':
          return { is: 'call', name: part.name, identity: `sql ${part.name.toLowerCase()}`, parts: part.arguments.map(inSql) };
        case 'operator':
          if (part.operator === '||') return textOf(part.arguments.map(inSql));
          return { is: 'call', name: part.operator, identity: `operator ${part.operator}`, parts: part.arguments.map(inSql) };
        case 'hole':
        case 'placeholder': {
          const bound = lock.boundValue(part);
          return bound ? read(bound, frames, 0) : unwritten(part);
        }
        default:
          return unwritten(part);
      }
    }

    /** A constant that the code inserts into the text, `${JOBS}`, is still that constant. */
    function inserted({ start, end }: SqlExpression['range'], value: string | bigint): Term | null {
      const index = text.segments.findLastIndex(({ at }) => at <= start);
      const segment = text.segments[index];
      const isWhole = segment?.at === start && (text.segments[index + 1]?.at ?? text.text.length) === end;
      if (!isWhole || segment.verbatim) return null;
      const terms = insertedExpressions(query.node).map((expression) => read(expression, [], 0));
      const found = terms.find((term) => term.is === 'constant' && String(term.value) === String(value));
      const known = constant(value, query.node);
      return found ?? (known.is === 'constant' ? { ...known, origin: { ...known.origin, id: insertedOrigin } } : known);
    }

    function unwritten({ range: { start, end } }: SqlExpression): Term {
      return unknownTerm(shortened(text.text.slice(start, end).replaceAll(HOLE, '…')), within(query.node));
    }
  }

  function read(expression: TSESTree.Node, frames: readonly Frame[], depth: number): Term {
    if (depth > depthLimit) return unknownAt(expression);
    const given = frameReader.argumentFor(expression, frames);
    if (!given) return unknownAt(expression);
    const node = unwrap(given.node);
    const inner = (part: TSESTree.Node): Term => read(part, given.frames, depth + 1);
    switch (node.type) {
      case 'Literal': {
        const known = staticValue(node, scopes);
        return known && isPlain(known.value) ? constant(known.value, node) : unknownAt(node);
      }
      case 'TemplateLiteral':
        return textOf(node.quasis.flatMap((quasi, index) => {
          const next = node.expressions[index];
          const written = quasi.value.cooked ?? quasi.value.raw;
          return [...(written === '' && node.quasis.length > 1 ? [] : [constant(written, node)]), ...(next ? [inner(next)] : [])];
        }));
      case 'Identifier':
        return variable(node, given.frames, depth);
      case 'MemberExpression':
        return memberTerm(node, given.frames, depth);
      case 'ObjectExpression':
        return {
          is: 'record',
          properties: Object.fromEntries(node.properties.flatMap((property) => {
            const name = property.type === 'Property' ? keyName(property) : null;
            return property.type === 'Property' && name !== null ? [[name, inner(property.value)]] : [];
          })),
        };
      case 'BinaryExpression':
        return combined(node, inner(node.left), inner(node.right));
      case 'UnaryExpression': {
        const argument = inner(node.argument);
        const result = argument.is === 'constant' ? unary(node.operator, argument.value) : null;
        return result && isPlain(result.value) ? constant(result.value, node) : fallback(node);
      }
      case 'AwaitExpression':
        return inner(node.argument);
      case 'CallExpression':
        return called(node, given.frames, depth);
      default:
        return fallback(node);
    }
  }

  function combined(node: TSESTree.BinaryExpression, left: Term, right: Term): Term {
    if (left.is === 'constant' && right.is === 'constant') {
      const result = binary(node.operator, left.value, right.value);
      return result && isPlain(result.value) ? constant(result.value, node) : fallback(node);
    }
    const isText = node.operator === '+' && [left, right].some((term) => term.is === 'text' || (term.is === 'constant' && typeof term.value === 'string'));
    return isText ? textOf([left, right]) : fallback(node);
  }

  function variable(node: TSESTree.Identifier, frames: readonly Frame[], depth: number): Term {
    const found = scopes.variableOf(node);
    if (!found) return fallback(node);
    const definition = scopes.definitionOf(found);
    switch (definition.kind) {
      case 'value': {
        const source = definition.path.length === 0 ? definition.init : sourceOf(node, scopes);
        const term = source ? read(source, frames, depth + 1) : unknownAt(node);
        return definition.declaration ? named(term, node.name, found.identifiers[0] ?? node) : term;
      }
      case 'parameter':
        return definition.rest ? unknownAt(node) : parameter(definition.function, definition.index, definition.path.flatMap((step) => (step.kind === 'property' ? [step.name] : [])), node);
      case 'import': {
        const home = originOf(node);
        return home && home !== node ? read(home, [], depth + 1) : unknownAt(node);
      }
      default:
        return fallback(node);
    }
  }

  function memberTerm(node: TSESTree.MemberExpression, frames: readonly Frame[], depth: number): Term {
    const name = memberName(node);
    const own = sourceOf(node, scopes);
    const writtenName = textAt(node);
    if (own) return named(read(own, frames, depth + 1), writtenName, own);
    const object = unwrap(node.object);
    const field = name !== null && object.type === 'ThisExpression' ? fieldOf(node, name) : null;
    if (field) return read(field, [], depth + 1);
    const definition = object.type === 'Identifier' ? definitionAt(object) : null;
    if (name !== null && definition?.kind === 'parameter' && !definition.rest && definition.path.length === 0) return parameter(definition.function, definition.index, [name], node);
    const home = name !== null && object.type === 'Identifier' ? memberElsewhere(object, name) : null;
    if (home) return named(read(home, [], depth + 1), writtenName, home);
    const enumeration = enumOf(originOf(object) ?? object, scopes);
    const member = enumeration?.body.members.find((each) => 'name' in each.id && each.id.name === name);
    const value = member && staticValue(member, scopes);
    if (member && value && isPlain(value.value)) return named(constant(value.value, member), writtenName, member);
    return fallback(node);
  }

  /** The parameter of the constructor that a field is given, and given nothing else. */
  function fieldOf(node: TSESTree.MemberExpression, name: string): TSESTree.Node | null {
    const home = enclosingClass(node);
    const constructor = home && !home.static ? constructorOf(home.class) : null;
    if (!home || !constructor) return null;
    const assignments = callers.assignmentsTo(home.class, name, false);
    const declared = constructor.params.flatMap((parameter) => (parameter.type === 'TSParameterProperty' ? [parameter.parameter.type === 'AssignmentPattern' ? parameter.parameter.left : parameter.parameter] : []));
    const property = declared.find((parameter) => parameter.type === 'Identifier' && parameter.name === name);
    if (property) return assignments.length === 0 ? property : null;
    const [only, ...others] = assignments;
    return only && others.length === 0 && unwrap(only.right).type === 'Identifier' ? only.right : null;
  }

  /** A member of an imported object or module. */
  function memberElsewhere(object: TSESTree.Identifier, name: string): TSESTree.Node | null {
    const definition = definitionAt(object);
    if (definition?.kind !== 'import') return null;
    if (definition.name === '*') {
      const origin = links.originOf(definition.module, name, object, 'all');
      return origin && 'unit' in origin ? nodeOf(origin) : null;
    }
    const home = originOf(object);
    const found = home && memberOf(home, name, scopes);
    return found?.kind === 'found' ? found.node : null;
  }

  function called(node: TSESTree.CallExpression, frames: readonly Frame[], depth: number): Term {
    const callee = unwrap(node.callee);
    const [first] = node.arguments;
    const converts = callee.type === 'Identifier' && ['String', 'Number', 'BigInt'].includes(callee.name) && !scopes.variableOf(callee);
    if (converts && first && first.type !== 'SpreadElement') return read(first, frames, depth + 1);
    if (callee.type === 'MemberExpression' && memberName(callee) === 'toString' && node.arguments.length === 0) return read(callee.object, frames, depth + 1);
    const known = staticValue(node, scopes);
    if (known && isPlain(known.value)) return constant(known.value, node);
    const value = evaluator.valueOf(callee);
    const fn = functionIn(value);
    const result = fn && !fn.async && !fn.generator ? returned(fn, node, frames, depth) : null;
    if (result && isKnown(result)) return result;
    const identity = fn ? idOf(fn) : value.type === 'foreign' ? `${value.module}#${value.path.join('.')}` : null;
    const isFunctionOfArguments = identity !== null && node.arguments.length > 0 && !node.arguments.some((argument) => argument.type === 'SpreadElement');
    if (!isFunctionOfArguments) return unknownAt(node);
    return { is: 'call', name: dottedName(callee) ?? '…', identity, parts: node.arguments.map((argument) => read(argument, frames, depth + 1)) };
  }

  function returned(fn: FunctionNode, call: TSESTree.CallExpression, frames: readonly Frame[], depth: number): Term | null {
    const [only, ...others] = returnedExpressions(fn);
    return only && others.length === 0 ? read(only, [{ function: fn, call }, ...frames], depth + 5) : null;
  }

  /** The node that declares what an imported name stands for; the node itself for a name of its own file. */
  function originOf(node: TSESTree.Node): TSESTree.Node | null {
    const definition = node.type === 'Identifier' ? definitionAt(node) : null;
    if (definition?.kind !== 'import') return node;
    const origin = links.originOf(definition.module, definition.name, definition.node, 'all');
    return origin ? nodeOf(origin) : null;
  }

  function nodeOf(origin: NonNullable<ReturnType<typeof links.originOf>>): TSESTree.Node | null {
    if (origin.kind === 'expression') return origin.node;
    return origin.kind === 'variable' ? (origin.variable.identifiers[0] ?? null) : null;
  }

  function definitionAt(node: TSESTree.Identifier) {
    const found = scopes.variableOf(node);
    return found && scopes.definitionOf(found);
  }

  function parameter(fn: FunctionNode, index: number, path: readonly string[], node: TSESTree.Node): Term {
    return { is: 'parameter', function: idOf(fn), index, path, text: node.type === 'Identifier' ? node.name : textAt(node) };
  }

  function fallback(node: TSESTree.Node): Term {
    const known = staticValue(node, scopes);
    return known && isPlain(known.value) ? constant(known.value, node) : unknownAt(node);
  }

  function unknownAt(node: TSESTree.Node): Term {
    return unknownTerm(textAt(node), within(node));
  }

  function constant(value: string | number | bigint | boolean | null | undefined, node: TSESTree.Node): Term {
    const origin: Origin = { id: `${links.unitOf(node).filename}:${node.range[0]}`, name: null, place: placeOf(node) };
    return { is: 'constant', value: value ?? null, origin };
  }

  /** A value that is written where a name is declared goes by that name. */
  function named(term: Term, name: string, declared: TSESTree.Node): Term {
    if (term.is !== 'constant' || term.origin.name !== null) return term;
    const path = links.unitOf(declared).filename;
    return { ...term, origin: { id: `${path}:${declared.range[0]}`, name, place: placeOf(declared) } };
  }

  function within(node: TSESTree.Node): string {
    const { filename } = links.unitOf(node);
    for (let outer = node.parent; outer; outer = outer.parent) if (outer.type === 'FunctionDeclaration' || outer.type === 'FunctionExpression') return `${filename}:${outer.range[0]}`;
    return filename;
  }

  function textAt(node: TSESTree.Node): string {
    return shortened(links.unitOf(node).text.slice(...node.range));
  }

  function idOf(fn: FunctionNode): FunctionId {
    return `${links.unitOf(fn).filename}:${fn.range[0]}`;
  }

  function placeOf(node: TSESTree.Node): Place {
    return { path: links.unitOf(node).filename, line: node.loc.start.line, column: node.loc.start.column + 1 };
  }
}

/** The project's function that a called value is, in this file or another one. */
export function functionIn(value: Value): FunctionNode | null {
  if (value.type === 'function') return value.node;
  return value.type === 'elsewhere' && value.of.type === 'function' ? value.of.node : null;
}

/** The constructor of the project's class that a value is. */
export function constructorIn(value: Value): FunctionNode | null {
  if (value.type === 'class') return constructorOf(value.node);
  return value.type === 'elsewhere' && value.of.type === 'class' ? constructorOf(value.of.node) : null;
}

function constructorOf(home: ClassNode): FunctionNode | null {
  const member = home.body.body.find((each) => each.type === 'MethodDefinition' && each.kind === 'constructor');
  return member?.type === 'MethodDefinition' && isFunction(member.value) ? member.value : null;
}

/** The expressions of the template that a call sends. */
function insertedExpressions(call: TSESTree.CallExpression | TSESTree.TaggedTemplateExpression): readonly TSESTree.Node[] {
  if (call.type === 'TaggedTemplateExpression') return call.quasi.expressions;
  return call.arguments.flatMap((argument) => (argument.type === 'TemplateLiteral' ? argument.expressions : argument.type === 'TaggedTemplateExpression' ? argument.quasi.expressions : []));
}

const isPlain = (value: Constant): value is Exclude<Constant, RegExp> => !(value instanceof RegExp);

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}
