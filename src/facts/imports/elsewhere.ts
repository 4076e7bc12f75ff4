import type { TSESTree } from '@typescript-eslint/utils';
import type { Unit } from '../../pass.js';
import { isInside, unwrap, type FunctionNode } from '../../source/ast.js';
import type { Core } from '../core.js';
import { unknown, type Handle, type MakingNode, type Value } from '../values.js';
import { createAdoption, type Elsewhere, type Name } from './adoption.js';
import type { LinkedFiles, Origin } from './linked-files.js';

export interface ElsewhereReader {
  /** What a module of the project exports at a path; null where that is not read or says nothing. */
  exportOf(module: string, path: readonly string[], from: TSESTree.Node): Value | null;
  memberOf(value: Elsewhere, name: string, at: TSESTree.Node): Value;
  /** What a file exports under a name, as the file itself knows it. */
  memberOfModule(unit: Unit, name: string): Value;
  /** What a call of another file's function gives to this caller. */
  called(value: Elsewhere, call: MakingNode): Value;
  constructed(value: Elsewhere, call: TSESTree.NewExpression): Value;
  /** The value as the file of `from` may know it: what belongs to other files is marked as such. */
  adopt(value: Value, from: TSESTree.Node, named?: Name): Value;
}

/**
 * Brings values from the files that make them into those that import them. Handles come as they are; functions, classes and
 * objects come marked, so that nobody takes their nodes for nodes of the file that is linted.
 */
export function createElsewhere(core: Core, links: LinkedFiles): ElsewhereReader {
  const adopt = createAdoption(links);
  return { exportOf, memberOf, memberOfModule, called, constructed, adopt };

  function exportOf(module: string, path: readonly string[], from: TSESTree.Node): Value | null {
    const [name = '*', ...rest] = path;
    const origin = links.originOf(module, name, from);
    if (origin?.kind === 'package' && origin.module === module) return null;
    const exported = origin ? valueAt(origin) : memberOfWhole(module, name, from);
    const value = rest.reduce((object, member) => core.memberOf(object, member, from), exported);
    const adopted = adopt(value, from, { module, path });
    return adopted.type === 'unknown' && adopted.alternatives.length === 0 ? null : adopted;
  }

  /** `import { pool } from './db.cjs'` of what is assigned to `module.exports` as a whole. */
  function memberOfWhole(module: string, name: string, from: TSESTree.Node): Value {
    if (name === '*') return unknown;
    const whole = links.originOf(module, '*', from);
    if (whole?.kind === 'expression') return core.memberOf(core.valueOf(whole.node), name, whole.node);
    // Compilers give a CommonJS module's names to its default import.
    return whole?.kind === 'module' && name === 'default' && !hasModuleSyntax(whole.unit) ? { type: 'module', unit: whole.unit } : unknown;
  }

  function valueAt(origin: Origin): Value {
    switch (origin.kind) {
      case 'variable':
        return core.valueOfVariable(origin.variable);
      case 'expression':
        return core.valueOf(origin.node);
      case 'module':
        return { type: 'module', unit: origin.unit };
      case 'package':
        return core.exportOf(origin.module, origin.name === '*' ? [] : [origin.name]);
      default:
        return origin satisfies never;
    }
  }

  function memberOf({ of, named }: Elsewhere, name: string, at: TSESTree.Node): Value {
    const longer = named && { module: named.module, path: [...named.path, name] };
    const value = adopt(core.memberOf(of, name, at), at, longer);
    if (value.type !== 'unknown' || value.alternatives.length > 0 || !longer) return value;
    // Its file does not say what this is, so it is as good as a file that was not read.
    return { type: 'foreign', ...longer };
  }

  function memberOfModule(unit: Unit, name: string): Value {
    const origin = links.exportOf(unit, name);
    return origin ? valueAt(origin) : unknown;
  }

  function called({ of }: Elsewhere, call: MakingNode): Value {
    if (of.type !== 'function') return unknown;
    return adopt(madeAnew(core.returnedBy(of.node), of.node, call), call);
  }

  function constructed({ of }: Elsewhere, call: TSESTree.NewExpression): Value {
    return of.type === 'class' ? { type: 'elsewhere', of: { type: 'instance', class: of.node, created: call }, named: null } : unknown;
  }

  /** A connection that the function takes is another one for every call. */
  function madeAnew(value: Value, fn: FunctionNode, call: MakingNode): Value {
    switch (value.type) {
      case 'promise':
        return { type: 'promise', of: madeAnew(value.of, fn, call) };
      case 'list':
        return { type: 'list', elements: value.elements.map((element) => element && madeAnew(element, fn, call)) };
      case 'object': {
        const { handle } = value;
        const isOwn = handle && !handle.moduleLevel && (handle.role === 'connection' || handle.role === 'transaction') && isMadeIn(handle, fn);
        return isOwn ? { ...value, handle: { ...handle, identity: call, evidence: { because: 'factory', node: call } } } : value;
      }
      default:
        return value;
    }
  }

  function isMadeIn({ identity }: Handle, fn: FunctionNode): boolean {
    return typeof identity === 'object' && 'type' in identity && links.unitOf(identity) === links.unitOf(fn) && isInside(identity, fn);
  }
}

const hasModuleSyntax = ({ program }: Unit): boolean =>
  program.body.some(({ type }) => type === 'ExportNamedDeclaration' || type === 'ExportDefaultDeclaration' || type === 'ExportAllDeclaration' || type === 'ImportDeclaration');

export const calleeOfCall = (call: MakingNode): TSESTree.Node => unwrap(call.type === 'TaggedTemplateExpression' ? call.tag : call.callee);
