import type { TSESTree } from '@typescript-eslint/utils';
import { docCommentOf, documentedNames, documentedParameter, documentedType, documentedTypedefs, type DocumentedType } from '../source/doc-comments.js';
import type { Definition, PatternStep, Variable } from '../source/scope.js';
import { declared, opennessOf } from './annotations.js';
import type { Core } from './core.js';
import { kindOf } from './kinds.js';
import type { KnownExport } from './modules.js';
import { unknown, type Value } from './values.js';

/** Says what JSDoc comments, the annotations of plain JavaScript, make of parameters, variables and fields. */
export function createDocumentedTypes(core: Core) {
  const { modules, scopes } = core.parts;
  const typedefs = new Map<string, ReadonlyMap<string, DocumentedType>>();
  return { ofParameter, ofName };

  /** `@param {import('pg').Pool} pool`; a destructured parameter goes by its position. */
  function ofParameter(variable: Variable, { function: fn, index, path, node }: Extract<Definition, { kind: 'parameter' }>): Value {
    const comment = docCommentOf(fn, scopes.textOf(fn));
    if (comment === null) return unknown;
    const pattern = node.type === 'AssignmentPattern' ? node.left : node;
    const name = pattern.type === 'Identifier' ? pattern.name : documentedNames(comment)[index];
    const type = name === undefined ? null : documentedParameter(comment, name);
    return type ? valueAt(type, path, variable, fn) : unknown;
  }

  /** `@type {import('pg').Pool}` before a declaration, a field or an assignment; `scope` is one in which its names are known. */
  function ofName(node: TSESTree.Node, scope: Variable | null): Value {
    const comment = docCommentOf(node, scopes.textOf(node));
    const type = comment === null ? null : documentedType(comment);
    return type ? valueAt(type, [], scope, node) : unknown;
  }

  function valueAt(type: DocumentedType, path: readonly PatternStep[], variable: Variable | null, at: TSESTree.Node): Value {
    const [step, ...rest] = path;
    if (step) {
      const member = step.kind === 'property' && type.kind === 'record' ? type.members.get(step.name) : undefined;
      return member ? valueAt(member, rest, variable, at) : unknown;
    }
    switch (type.kind) {
      case 'import':
        return ofExport(modules.exportOf(type.module, type.path), at);
      case 'name':
        return ofNamed(type.path, variable, at);
      case 'record':
        return unknown;
      default:
        return type satisfies never;
    }
  }

  /** A name that the file imports, declares by `@typedef`, or leaves to the name of the package: `pg.Pool`. */
  function ofNamed(path: readonly string[], variable: Variable | null, at: TSESTree.Node): Value {
    const [head = '', ...rest] = path;
    const found = variable && variableNamed(head, variable);
    if (found) {
      const value = rest.reduce((object, name) => core.memberOf(object, name, at), core.valueOfVariable(found));
      if (value.type === 'class') return { type: 'instance', class: value.node, created: null };
      return value.type === 'export' ? ofExport({ driver: value.driver, entry: value.entry }, at) : unknown;
    }
    const typedef = rest.length === 0 ? typedefsOf(scopes.textOf(at)).get(head) : undefined;
    if (typedef) return typedef.kind === 'import' ? ofExport(modules.exportOf(typedef.module, typedef.path), at) : unknown;
    return rest.length > 0 ? ofExport(modules.exportOf(head, rest), at) : unknown;
  }

  function typedefsOf(text: string): ReadonlyMap<string, DocumentedType> {
    const known = typedefs.get(text);
    if (known) return known;
    const found = documentedTypedefs(text);
    typedefs.set(text, found);
    return found;
  }

  function ofExport(known: KnownExport | null, at: TSESTree.Node): Value {
    if (!known) return unknown;
    const { driver, entry } = known;
    const open = opennessOf(entry.type, at);
    const kind = typeof entry.type === 'object' ? entry.type.kind : (entry.type ?? (entry.new === undefined ? null : kindOf(entry.new)));
    // Nothing checks a comment, and what it calls a pool may be its caller's transaction.
    return kind === null ? unknown : declared(driver, kind, at, open === 'none' ? 'or-transaction' : open, 'comment');
  }
}

function variableNamed(name: string, from: Variable): Variable | null {
  for (let scope: Variable['scope'] | null = from.scope; scope; scope = scope.upper) {
    const found = scope.set.get(name);
    if (found && found.defs.length > 0) return found;
  }
  return null;
}
