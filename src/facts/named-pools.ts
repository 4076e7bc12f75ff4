import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingClass, keyName, memberName, unwrap, type ClassNode, type FunctionNode } from '../source/ast.js';
import { docCommentOf, documentedParameter } from '../source/doc-comments.js';
import type { Definition, Variable } from '../source/scope.js';
import type { Core } from './core.js';
import { identifierOf } from './injection.js';
import { wordsOf } from './name-words.js';

type ParameterDefinition = Extract<Definition, { kind: 'parameter' }>;

/**
 * Tells what is a pool by its name, where nothing else tells what it is: a parameter `pool` without a type, a part of one
 * (`options.pool`), and a field that keeps either. A facade over a transaction that goes by that name is handed to a callback:
 * parameters of callbacks say nothing. Neither does a parameter for which a call in the file passes something of another name.
 */
export function createNamedPools(core: Core): { isPool(expression: TSESTree.Node): boolean } {
  const { scopes, callers } = core.parts;
  return { isPool: (expression) => isPool(expression, new Set()) };

  function isPool(expression: TSESTree.Node, asked: Set<Variable>): boolean {
    const node = unwrap(expression);
    if (node.type === 'Identifier') {
      const variable = scopes.variableOf(node);
      return variable !== null && isPoolName(variable.name) && isOpenParameter(variable, asked);
    }
    const name = node.type === 'MemberExpression' ? memberName(node) : null;
    if (node.type !== 'MemberExpression' || name === null) return false;
    const object = unwrap(node.object);
    if (object.type === 'ThisExpression') return isKept(node, name, asked);
    const holder = object.type === 'Identifier' ? scopes.variableOf(object) : null;
    return holder !== null && isPoolName(name) && isOpenParameter(holder, asked);
  }

  /** A parameter of which only its name is known, and for which every call of this file passes what is called a pool, too. */
  function isOpenParameter(variable: Variable, asked: Set<Variable>): boolean {
    const definition = scopes.definitionOf(variable);
    if (definition.kind !== 'parameter' || definition.rest || definition.path.length > 1 || asked.has(variable)) return false;
    asked.add(variable);
    if (isCallback(definition.function) || !isUntyped(definition) || scopes.writesOf(variable).length > 0) return false;
    const passed = callers.argumentsFor(definition.function, definition.index, core.evaluator);
    return passed.every((argument) => argument !== null && definition.path.length === 0 && isPool(argument, asked));
  }

  function isUntyped({ function: fn, node }: ParameterDefinition): boolean {
    const pattern = node.type === 'TSParameterProperty' ? node.parameter : node;
    if (pattern.type !== 'Identifier' && pattern.type !== 'ObjectPattern') return false;
    const annotation = pattern.typeAnnotation?.typeAnnotation;
    if (annotation) return annotation.type === 'TSAnyKeyword';
    const comment = docCommentOf(fn, scopes.textOf(fn));
    if (comment === null || /\b(?:client|connection|transaction)\b/i.test(comment)) return comment === null;
    const type = pattern.type === 'Identifier' ? documentedParameter(comment, pattern.name) : null;
    return type === null || (type.kind === 'name' && type.path.join('.') === 'any');
  }

  /** `this.pool`, which the constructor alone sets: `constructor(pool) { this.pool = pool; }`, `this.pool = options.pool`. */
  function isKept(node: TSESTree.MemberExpression, name: string, asked: Set<Variable>): boolean {
    const home = enclosingClass(node);
    if (home === null || home.static) return false;
    const property = parameterProperty(home.class, name);
    const variable = property && scopes.variableOf(property);
    if (variable) return isPoolName(name) && isOpenParameter(variable, asked);
    const [only, ...others] = callers.assignmentsTo(home.class, name, false);
    return only?.operator === '=' && others.length === 0 && isPool(only.right, asked);
  }
}

/** `pool`, `pgPool`, `db_pool`; `getPool` and `withPool` are functions, and workers, threads and sockets have pools of their own. */
const others = /^(?:get|with|use|create|make|new|open|is|has|set|on|in|worker|thread|task|process|object|browser|socket|agent)$/;

function isPoolName(name: string): boolean {
  const words = wordsOf(name);
  return words.at(-1) === 'pool' && !words.some((word) => others.test(word));
}

/** A function that is handed to a call: `inTransaction(pool, async (pool) => …)`, `test('…', async ({ pool }) => …)`. */
const isCallback = ({ type, parent }: FunctionNode): boolean =>
  type !== 'FunctionDeclaration' && (parent.type === 'CallExpression' || parent.type === 'NewExpression');

/** `constructor(private pool: any)`. */
function parameterProperty(home: ClassNode, name: string): TSESTree.Identifier | null {
  for (const member of home.body.body) {
    if (member.type !== 'MethodDefinition' || member.kind !== 'constructor' || keyName(member) !== 'constructor') continue;
    const found = member.value.params.find((parameter) => parameter.type === 'TSParameterProperty' && identifierOf(parameter)?.name === name);
    if (found) return identifierOf(found);
  }
  return null;
}
