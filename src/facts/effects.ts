import type { TSESTree } from '@typescript-eslint/utils';
import type { Effect } from '../drivers/driver.js';
import { definePass } from '../pass.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { evaluation } from './evaluation.js';
import type { Handle } from './values.js';

/** A call that does something to a connection or transaction other than sending SQL. */
export interface ConnectionEffect {
  readonly node: TSESTree.CallExpression;
  readonly effect: Effect;
  /** The connection, pool or transaction it is done to; null when that is not known. */
  readonly handle: Handle | null;
  /** For a give-back: does the pool end the session instead of keeping it? */
  readonly destroys: 'yes' | 'no' | 'unknown';
}

/** Give-backs, closes, and begins and ends of transactions through methods, in source order. */
export const effects = definePass('effects', [scopes, nodes, evaluation], ([scopesOfFile, nodesOfFile, { evaluator }]): readonly ConnectionEffect[] =>
  nodesOfFile.calls.flatMap((node): ConnectionEffect[] => {
    const meaning = evaluator.meaningOf(node);
    const effect = meaning?.call.effect;
    if (!meaning || !effect) return [];
    const place = 'of' in effect && effect.of ? evaluator.placed(node, effect.of) : null;
    const value = place?.kind === 'found' ? evaluator.valueOf(place.node) : null;
    const handle = place ? (value?.type === 'object' ? value.handle : null) : (meaning.receiver?.handle ?? null);
    return [{ node, effect, handle, destroys: destroys(node, effect) }];

    /** node-postgres ends the session when `release` gets anything truthy. */
    function destroys(call: TSESTree.CallExpression, does: Effect): ConnectionEffect['destroys'] {
      if (does.does === 'closes') return 'yes';
      if (does.does !== 'gives-back' || does.destroysWhen === undefined) return 'no';
      if (does.destroysWhen === 'always') return 'yes';
      const [argument] = call.arguments;
      if (!argument) return 'no';
      if (argument.type === 'NewExpression' || argument.type === 'ObjectExpression') return 'yes';
      const constant = argument.type === 'SpreadElement' ? null : staticValue(argument, scopesOfFile);
      if (constant) return constant.value ? 'yes' : 'no';
      return 'unknown';
    }
  }),
);
