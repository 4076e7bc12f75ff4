import type { TSESTree } from '@typescript-eslint/utils';
import type { Events } from '../facts/events.js';
import { enclosingClass, keyName, memberName, unwrap, type ClassNode } from '../source/ast.js';
import type { Inventory } from './inventory.js';
import type { FunctionState, GiveBackWhileHeld, Leak } from './model.js';

/**
 * Adds the give-backs of connections that an object keeps in a private field with a lock that another function of the file
 * put on them: where nothing in the file unlocks it or ends the session, whoever calls the method gives the lock back, too.
 */
export function withKeptConnections(states: readonly FunctionState[], program: TSESTree.Program, events: Events, inventory: Inventory): readonly FunctionState[] {
  const { backends, keys } = events;
  const kept = states.flatMap(({ leaks }) => leaks.filter((leak) => leak.handedOver && leak.exit === 'return' && isLeftLocked(leak)));
  if (kept.length === 0) return states;
  const known = new Set(states.flatMap(({ giveBacksWhileHeld }) => giveBacksWhileHeld.map(({ node }) => node)));
  return states.map((state) => {
    const added = state.giveBacks.flatMap((back): GiveBackWhileHeld[] => {
      if (back.destroys !== 'no' || known.has(back.node) || !isPrivateField(back.node)) return [];
      const leak = kept.find(({ held }) => backends.relation(held.handle, back.handle) === 'same');
      if (!leak) return [];
      known.add(back.node);
      const text = `line ${back.node.loc.start.line} gives the connection back`;
      return [{ held: leak.held, node: back.node, call: back.call, how: 'call', why: 'no-unlock', unlock: null, witness: [...leak.witness.slice(0, 1), { node: back.node, text }] }];
    });
    return added.length === 0 ? state : { ...state, giveBacksWhileHeld: [...state.giveBacksWhileHeld, ...added] };
  });

  function isLeftLocked({ held }: Leak): boolean {
    const unlocks = inventory.releasesIn(program).some(
      ({ lock, handle, frames }) => backends.relation(handle, held.handle) !== 'different' && keys.compare(held.key, keys.keyOf(lock, frames)).is !== 'different',
    );
    const ends = events.places.some((place) => events.of(place).some((event) => (event.kind === 'close' || (event.kind === 'give-back' && event.destroys !== 'no')) && backends.relation(event.handle, held.handle) !== 'different'));
    return !unlocks && !ends;
  }
}

/** `this.#client.release()`, or of a field that is declared private: nobody else can unlock on it. */
function isPrivateField(node: TSESTree.Node): boolean {
  const callee = node.type === 'CallExpression' ? unwrap(node.callee) : null;
  const object = callee?.type === 'MemberExpression' ? unwrap(callee.object) : null;
  if (object?.type !== 'MemberExpression' || object.object.type !== 'ThisExpression') return false;
  const name = memberName(object);
  const home = enclosingClass(object);
  return name !== null && (name.startsWith('#') || (home !== null && isDeclaredPrivate(home.class, name)));
}

function isDeclaredPrivate({ body }: ClassNode, name: string): boolean {
  return body.body.some((member) => {
    if (member.type === 'PropertyDefinition') return keyName(member) === name && member.accessibility === 'private';
    if (member.type !== 'MethodDefinition' || member.kind !== 'constructor') return false;
    return member.value.params.some((parameter) => {
      if (parameter.type !== 'TSParameterProperty' || parameter.accessibility !== 'private') return false;
      const target = parameter.parameter.type === 'AssignmentPattern' ? parameter.parameter.left : parameter.parameter;
      return target.type === 'Identifier' && target.name === name;
    });
  });
}
