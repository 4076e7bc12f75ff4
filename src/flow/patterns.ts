import type { TSESTree } from '@typescript-eslint/utils';
import type { Builder } from './builder.js';
import { after } from './frontier.js';
import type { Frontier } from './frontier.js';
import { unwrap } from './nodes.js';
import type { Node } from './nodes.js';

/** What a pattern runs while it takes a value apart: computed keys, defaults, the objects of member targets. */
export function bindPattern(builder: Builder, pattern: Node, at: Frontier): Frontier {
  switch (pattern.type) {
    case 'Identifier':
      return at;
    case 'ObjectPattern':
      return pattern.properties.reduce((end, property) => {
        if (property.type === 'RestElement') return bindPattern(builder, property.argument, end);
        return bindPattern(builder, property.value, property.computed ? builder.evaluate(property.key, end) : end);
      }, at);
    case 'ArrayPattern':
      return pattern.elements.reduce((end, element) => (element === null ? end : bindPattern(builder, element, end)), at);
    case 'RestElement':
      return bindPattern(builder, pattern.argument, at);
    case 'TSParameterProperty':
      return bindPattern(builder, pattern.parameter, at);
    case 'AssignmentPattern':
      return bindDefault(builder, pattern, at);
    default:
      return builder.evaluate(pattern, at);
  }
}

/** A member that is assigned to is evaluated before the default, a pattern inside is taken apart after it. */
function bindDefault(builder: Builder, node: TSESTree.AssignmentPattern, at: Frontier): Frontier {
  const { left, right } = node;
  const target = unwrap(left);
  const isPattern = target.type === 'ObjectPattern' || target.type === 'ArrayPattern';
  const asks = builder.step(
    { kind: 'condition', node, test: target, asks: 'undefined', subject: null },
    isPattern ? at : builder.evaluate(target, at),
  );
  const assigned = builder.pass(
    { kind: 'assign', node, target, value: right, operator: '=', takes: 'value' },
    builder.evaluate(right, after(asks, 'undefined')),
  );
  const end = builder.join(node, assigned, after(asks, 'defined'));
  return isPattern ? bindPattern(builder, target, end) : end;
}
