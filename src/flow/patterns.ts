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
    case 'AssignmentPattern': {
      const { left, right } = pattern;
      const target = unwrap(left);
      const asks = builder.step({ kind: 'condition', node: pattern, test: target, asks: 'undefined', subject: null }, at);
      const assigned = builder.pass(
        { kind: 'assign', node: pattern, target, value: right, operator: '=', takes: 'value' },
        builder.evaluate(right, after(asks, 'undefined')),
      );
      return bindPattern(builder, left, builder.join(pattern, assigned, after(asks, 'defined')));
    }
    default:
      return builder.evaluate(pattern, at);
  }
}
