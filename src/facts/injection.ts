import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingClass, isClass, keyName, memberName, unwrap, type ClassNode } from '../source/ast.js';
import type { Definition, Scopes } from '../source/scope.js';
import type { Callers } from './callers.js';

type ParameterDefinition = Extract<Definition, { kind: 'parameter' }>;
type Field = TSESTree.PropertyDefinition | TSESTree.AccessorProperty;

/**
 * Tells what a dependency-injection container hands out: there is one of it for the whole application, so it is neither a
 * transaction nor somebody's own connection.
 */
export interface Injection {
  /** Is it a parameter of a constructor that a container calls? */
  ofParameter(definition: ParameterDefinition): boolean;
  /** Does the parameter itself say what is passed, `@Inject(TOKEN)`, so that it need not be an object of the type that is written? */
  isByToken(definition: ParameterDefinition): boolean;
  /** Does the field carry a decorator by which a container fills it? */
  ofField(field: Field): boolean;
  /** Does the expression, `this.db`, read such a field or one that keeps such a parameter? */
  ofExpression(expression: TSESTree.Node): boolean;
}

/** Decorators of classes that a container constructs: NestJS, TypeDI, tsyringe, InversifyJS, routing-controllers, Midway. */
const classDecorators =
  /^(?:injectable|service|(?:rest|json)?controller|resolver|singleton|provide|component|processor|command(?:handler)?|queryhandler|eventshandler|websocketgateway|catch)$/i;

/** Decorators of what it passes: `@Inject(TOKEN)`, `@InjectRepository(User)`, `@inject('db')`. */
const memberDecorators = /^[iI]nject(?:[A-Z_]|$)/;

/** Names, types and tokens of what is a transaction, or leads to the one that is open; a repository of transactions is none. */
const transactional = /\b_?tx(?![a-z])|[a-z_]Tx(?![a-z])|_TX\b|[tT]rx|TRX|[tT]ransact|TRANSACT|[uU]nit_?[oO]f_?[wW]ork|\buow\b/;
const repositories = /<[^<>]*>|\bInject(?:Repository|Model)\([^()]*\)|\w+(?:Repo|Repository|Model|Service)\b/g;

export function createInjection(scopes: Scopes, callers: Pick<Callers, 'assignmentsTo'>): Injection {
  return { ofParameter, isByToken, ofField, ofExpression };

  function isByToken({ node }: ParameterDefinition): boolean {
    return decoratorNames(node).some((name) => memberDecorators.test(name));
  }

  function ofParameter({ function: fn, node }: ParameterDefinition): boolean {
    const { parent } = fn;
    const home = parent.type === 'MethodDefinition' && parent.kind === 'constructor' ? parent.parent.parent : null;
    return isClass(home) && isInjected(node, home);
  }

  function isInjected(parameter: TSESTree.Parameter, home: ClassNode): boolean {
    const isByContainer = decoratorNames(parameter).some((name) => memberDecorators.test(name)) || decoratorNames(home).some((name) => classDecorators.test(name));
    return isByContainer && isApplicationWide(parameter, home);
  }

  function ofField(field: Field): boolean {
    return decoratorNames(field).some((name) => memberDecorators.test(name)) && isApplicationWide(field, field.parent.parent);
  }

  /** What a request gets for itself may carry the request's transaction. */
  function isApplicationWide(place: TSESTree.Node, home: ClassNode): boolean {
    const text = scopes.textOf(place).slice(...place.range);
    return !transactional.test(text.replace(repositories, '')) && !isRequestScoped(home);
  }

  /** `@Injectable({ scope: Scope.REQUEST })`. */
  function isRequestScoped(home: ClassNode): boolean {
    return decoratorsOf(home).some(({ expression }) => {
      const [options] = expression.type === 'CallExpression' ? expression.arguments : [];
      if (options?.type !== 'ObjectExpression') return false;
      return options.properties.some((property) => property.type === 'SpreadElement' || (keyName(property) === 'scope' && !isDefaultScope(property.value)));
    });
  }

  function ofExpression(expression: TSESTree.Node): boolean {
    const node = unwrap(expression);
    const name = node.type === 'MemberExpression' && node.object.type === 'ThisExpression' ? memberName(node) : null;
    const home = name === null ? null : enclosingClass(node);
    return name !== null && home !== null && !home.static && isFieldInjected(home.class, name);
  }

  function isFieldInjected(home: ClassNode, name: string): boolean {
    return home.body.body.some((member) => {
      if (member.type === 'PropertyDefinition' || member.type === 'AccessorProperty') return !member.static && keyName(member) === name && ofField(member);
      if (member.type !== 'MethodDefinition' || member.kind !== 'constructor') return false;
      return member.value.params.some((parameter) => keeps(home, parameter, name) && isInjected(parameter, home));
    });
  }

  /** `constructor(private db: Db)`, `constructor(db: Db) { this.db = db; }`. */
  function keeps(home: ClassNode, parameter: TSESTree.Parameter, name: string): boolean {
    const identifier = identifierOf(parameter);
    if (!identifier) return false;
    if (parameter.type === 'TSParameterProperty') return identifier.name === name;
    const [only, ...others] = callers.assignmentsTo(home, name, false);
    return others.length === 0 && only?.right.type === 'Identifier' && scopes.variableOf(only.right) === scopes.variableOf(identifier);
  }
}

/** The name a parameter binds; null for a pattern. */
export function identifierOf(parameter: TSESTree.Parameter): TSESTree.Identifier | null {
  const pattern = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  const target = pattern.type === 'AssignmentPattern' ? pattern.left : pattern;
  return target.type === 'Identifier' ? target : null;
}

function isDefaultScope(value: TSESTree.Node): boolean {
  return value.type === 'MemberExpression' && /^(?:DEFAULT|Singleton)$/i.test(memberName(value) ?? '');
}

/** ESLint's own parser knows no decorators. */
const decoratorsOf = (node: TSESTree.Node): readonly TSESTree.Decorator[] => ('decorators' in node ? node.decorators : []);

/** `Injectable` in `@Injectable()` and `@nest.Injectable`. */
function decoratorNames(node: TSESTree.Node): readonly string[] {
  return decoratorsOf(node).flatMap(({ expression }) => {
    const callee = expression.type === 'CallExpression' ? expression.callee : expression;
    if (callee.type === 'Identifier') return [callee.name];
    return callee.type === 'MemberExpression' ? [memberName(callee) ?? ''] : [];
  });
}
