import { definePass } from '../pass.js';
import { isFunction, memberName, unwrap, type FunctionNode } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import type { Backends } from './backends.js';
import { effects } from './effects.js';
import { evaluation } from './evaluation.js';
import { events } from './events.js';
import type { Handle } from './values.js';

export interface ConnectListeners {
  /** The functions that get every new connection of the pool before anybody else: `pool.on('connect', (client) => …)`. */
  of(pool: Handle): readonly FunctionNode[];
}

interface Listener {
  readonly pool: Handle;
  readonly function: FunctionNode;
}

const registering: ReadonlySet<string | null> = new Set(['on', 'addListener']);
const preparing: ReadonlySet<unknown> = new Set(['connect', 'acquire']);

/** Finds the listeners that prepare a pool's connections; `once` reaches the first connection only. */
export const connectListeners = definePass('connectListeners', [scopes, evaluation, effects, events], ([scopesOfFile, { evaluator }, effectsOfFile, { backends }]): ConnectListeners => {
  const listeners = effectsOfFile.flatMap(({ node, effect, handle }): Listener[] => {
    if (effect.does !== 'listens' || node.type !== 'CallExpression' || handle?.role !== 'pool') return [];
    const callee = unwrap(node.callee);
    const [event, listener] = node.arguments;
    if (callee.type !== 'MemberExpression' || !registering.has(memberName(callee)) || !event || !listener) return [];
    if (!preparing.has(staticValue(event, scopesOfFile)?.value)) return [];
    const written = unwrap(listener);
    if (isFunction(written)) return [{ pool: handle, function: written }];
    const value = evaluator.valueOf(written);
    return value.type === 'function' ? [{ pool: handle, function: value.node }] : [];
  });
  return { of: (pool) => listeners.filter((listener) => isSame(backends, listener.pool, pool)).map((listener) => listener.function) };
});

const isSame = (backends: Backends, one: Handle, other: Handle): boolean => backends.relation(one, other) === 'same';
