import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import type { Frontier } from './frontier.js';
import { isFlowUnit, isFunction } from './nodes.js';
import type { FlowUnit, Node } from './nodes.js';

/** A function, initialiser or static block comes into being; its body is not entered here. */
export function buildFunction(builder: Builder, node: FlowUnit, at: Frontier): Frontier {
  return builder.pass({ kind: 'function', node, inlined: isFunction(node) && builder.inlined.has(node) }, at);
}

/**
 * What a class runs where it stands: decorators, the superclass, computed keys. Methods, initialisers and static blocks
 * are units of their own, the static ones too, although they run at once.
 */
export function buildClass(
  builder: Builder,
  node: TSESTree.ClassDeclaration | TSESTree.ClassExpression,
  at: Frontier,
): Frontier {
  const decorated = builder.evaluate(node.superClass, builder.evaluateAll(node.decorators ?? [], at));
  return node.body.body.reduce((end, member) => buildMember(builder, member, end), decorated);
}

function buildMember(builder: Builder, member: TSESTree.ClassElement, at: Frontier): Frontier {
  switch (member.type) {
    case 'StaticBlock':
      return buildFunction(builder, member, at);
    case 'MethodDefinition': {
      const named = buildName(builder, member, at);
      if (member.value.type !== 'FunctionExpression') return named;
      const decorated = member.value.params.reduce((end, parameter) => {
        return builder.evaluateAll(decoratorsOf(parameter), end);
      }, named);
      return buildFunction(builder, member.value, decorated);
    }
    case 'PropertyDefinition':
    case 'AccessorProperty': {
      const named = buildName(builder, member, at);
      return isFlowUnit(member) ? buildFunction(builder, member, named) : named;
    }
    case 'TSAbstractMethodDefinition':
    case 'TSAbstractPropertyDefinition':
    case 'TSAbstractAccessorProperty':
      return buildName(builder, member, at);
    default:
      return at;
  }
}

type NamedMember = Exclude<TSESTree.ClassElement, TSESTree.StaticBlock | TSESTree.TSIndexSignature>;

function buildName(builder: Builder, member: NamedMember, at: Frontier): Frontier {
  const decorated = builder.evaluateAll(member.decorators ?? [], at);
  return member.computed ? builder.evaluate(member.key, decorated) : decorated;
}

function decoratorsOf(parameter: Node): readonly TSESTree.Decorator[] {
  return 'decorators' in parameter ? (parameter.decorators ?? []) : [];
}
