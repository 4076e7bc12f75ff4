import type { TSESTree } from '@typescript-eslint/utils';
import type { Effect } from '../drivers/driver.js';
import { definePass } from '../pass.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { evaluation } from './evaluation.js';
import { readKind } from './kinds.js';
import type { Handle } from './values.js';

/** Something other than sending SQL that is done to a connection or transaction. */
export interface ConnectionEffect {
  /** The call; for `using`, the declaration, though the effect comes at the end of its block. */
  readonly node: TSESTree.CallExpression | TSESTree.VariableDeclarator;
  readonly effect: Effect;
  /** The connection, pool or transaction it is done to; null when that is not known. */
  readonly handle: Handle | null;
  /** For a give-back: does the pool end the session instead of keeping it? */
  readonly destroys: 'yes' | 'no' | 'unknown';
}

/** Give-backs, closes, and begins and ends of transactions through methods or `using`, in the order of the places they happen at. */
export const effects = definePass('effects', [scopes, nodes, evaluation], ([scopesOfFile, nodesOfFile, { evaluator }], unit): readonly ConnectionEffect[] => {
  const called = nodesOfFile.calls.flatMap((call) => effectOfCall(call) ?? []);
  return [...called, ...disposals()].sort((a, b) => happensAt(a) - happensAt(b));

  function effectOfCall(node: TSESTree.CallExpression): ConnectionEffect | null {
    const meaning = evaluator.meaningOf(node);
    const effect = meaning?.call.effect;
    if (!meaning || !effect) return null;
    const place = 'of' in effect && effect.of ? evaluator.placed(node, effect.of) : null;
    if (!place) return { node, effect, handle: meaning.receiver?.handle ?? null, destroys: destroys(node, effect) };
    const value = place.kind === 'found' ? evaluator.valueOf(place.node) : null;
    return { node, effect, handle: value?.type === 'object' ? value.handle : null, destroys: destroys(node, effect) };
  }

  /** `using` and `await using` declarations of objects that Symbol.dispose does something to. */
  function disposals(): ConnectionEffect[] {
    const variables = unit.scopes.scopes.flatMap((scope) => scope.variables);
    return variables.flatMap((variable): ConnectionEffect[] => {
      const declarator = variable.defs[0]?.node;
      if (declarator?.type !== 'VariableDeclarator') return [];
      const { kind } = declarator.parent;
      if (kind !== 'using' && kind !== 'await using') return [];
      const value = evaluator.valueOfVariable(variable);
      const effect = value.type === 'object' ? readKind(value.driver, value.kind, (described) => described.dispose) : undefined;
      if (value.type !== 'object' || !effect) return [];
      return [{ node: declarator, effect, handle: value.handle, destroys: effect.does === 'closes' ? 'yes' : 'no' }];
    });
  }

  /** node-postgres ends the session when `release` gets anything truthy. */
  function destroys(call: TSESTree.CallExpression, effect: Effect): ConnectionEffect['destroys'] {
    if (effect.does === 'closes') return 'yes';
    if (effect.does !== 'gives-back' || effect.destroysWhen === undefined) return 'no';
    if (effect.destroysWhen === 'always') return 'yes';
    const [argument] = call.arguments;
    if (!argument) return 'no';
    if (argument.type === 'NewExpression' || argument.type === 'ObjectExpression') return 'yes';
    const constant = argument.type === 'SpreadElement' ? null : staticValue(argument, scopesOfFile);
    if (constant) return constant.value ? 'yes' : 'no';
    return 'unknown';
  }
});

/** What is disposed of goes at the end of its block. */
function happensAt({ node }: ConnectionEffect): number {
  return node.type === 'VariableDeclarator' ? node.parent.parent.range[1] : node.range[0];
}
