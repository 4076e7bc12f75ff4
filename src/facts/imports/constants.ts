import { mutationsOf } from '../../source/mutations.js';
import type { Definition, Scopes, Variable } from '../../source/scope.js';
import type { LinkedFiles } from './linked-files.js';

/**
 * Scope questions that see through imports: a name that another file gives to a constant, function or enum is defined by what
 * stands there. For those who read values and text; whoever asks what something does wants to know that it is imported.
 */
export function createConstants({ scopes, originOf }: LinkedFiles): Scopes {
  const known = new Map<Variable, Definition>();
  return { ...scopes, definitionOf };

  function definitionOf(variable: Variable): Definition {
    const own = scopes.definitionOf(variable);
    if (own.kind !== 'import' || own.name === '*') return own;
    const before = known.get(variable);
    if (before) return before;
    const there = definitionBehind(own);
    const changes = mutationsOf(variable);
    const definition = there && changes.properties.size === 0 && !changes.unknownProperties ? there : own;
    known.set(variable, definition);
    return definition;
  }

  function definitionBehind({ module, name, node }: Definition & { kind: 'import' }): Definition | null {
    const origin = originOf(module, name, node, 'all');
    switch (origin?.kind) {
      case 'variable': {
        const definition = scopes.definitionOf(origin.variable);
        return definition.kind === 'value' || definition.kind === 'function' || definition.kind === 'enum' ? definition : null;
      }
      case 'expression': {
        const init = origin.node;
        const isShown = init.type === 'ObjectExpression' || init.type === 'Literal' || init.type === 'TemplateLiteral';
        return isShown ? { kind: 'value', init, path: [], defaultValue: null, declaration: null } : null;
      }
      default:
        return null;
    }
  }
}
