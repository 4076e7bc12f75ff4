import type { TSESTree } from '@typescript-eslint/utils';
import { unknown, type Value } from '../values.js';
import type { LinkedFiles } from './linked-files.js';
import { createPortable } from './portable-handles.js';

export type Elsewhere = Extract<Value, { type: 'elsewhere' }>;

/** How the asking file names what it has from another one; null for what calls give. */
export type Name = Elsewhere['named'];

/**
 * Turns a value as one file knows it into what the file of `from` may know: functions, classes and objects of other files are
 * marked, so that nobody takes their nodes for nodes of his own file, and handles get identities that all files agree on.
 */
export function createAdoption(links: LinkedFiles): (value: Value, from: TSESTree.Node, named?: Name) => Value {
  const portable = createPortable(links);
  return adopt;

  function adopt(value: Value, from: TSESTree.Node, named: Name = null): Value {
    switch (value.type) {
      case 'object':
        return value.handle ? { ...value, handle: portable(value.handle) } : value;
      case 'promise':
        return { type: 'promise', of: adopt(value.of, from, named) };
      case 'list':
        return { type: 'list', elements: value.elements.map((element) => element && adopt(element, from)) };
      case 'method':
      case 'delegate': {
        const { receiver } = value;
        return receiver.handle ? { ...value, receiver: { ...receiver, handle: portable(receiver.handle) } } : value;
      }
      case 'function':
      case 'class':
      case 'instance':
      case 'record':
      case 'shape':
      case 'module':
        return isAtHome(value, from) ? value : { type: 'elsewhere', of: value, named };
      case 'elsewhere':
        return isAtHome(value.of, from) ? value.of : { ...value, named: named ?? value.named };
      case 'unknown':
        return value.alternatives.length > 0 ? { ...value, alternatives: value.alternatives.map((alternative) => adopt(alternative, from)) } : value;
      case 'foreign':
        // A path counts from the file that writes it.
        return value.module.startsWith('.') ? unknown : value;
      case 'export':
      case 'namespace':
      case 'global':
      case 'nothing':
        return value;
      default:
        return value satisfies never;
    }
  }

  function isAtHome(value: Elsewhere['of'], from: TSESTree.Node): boolean {
    const home = links.unitOf(from);
    switch (value.type) {
      case 'module':
        return false;
      case 'function':
      case 'class':
      case 'record':
        return links.unitOf(value.node) === home;
      case 'instance':
        return links.unitOf(value.class) === home;
      case 'shape': {
        const [member] = value.members;
        return !member || links.unitOf(member) === home;
      }
      default:
        return value satisfies never;
    }
  }
}
