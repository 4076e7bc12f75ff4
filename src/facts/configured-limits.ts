import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { isFunction, keyName, unwrap } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { mutationsOf } from '../source/mutations.js';
import { scopes } from '../source/scope.js';
import { childrenOf } from '../source/walk.js';
import { configuration } from './configuration.js';
import type { Handle } from './values.js';

export interface ConfiguredLimits {
  /**
   * Do the options or the connection string with which the handle, its pool or its client was made limit how long a
   * statement waits? Looks for the server's names wherever they stand in the call, since drivers nest them differently.
   */
  areSetFor(handle: Handle): boolean;
}

/** The server's own limits on a statement, and node-postgres' name for the client's. */
const names: ReadonlySet<string> = new Set(['lock_timeout', 'statement_timeout', 'query_timeout']);
/** In `options=-c lock_timeout=5s` of a connection string, in `options`, or in a SET that prepares connections. */
const inText = /(?:lock|statement|query)_timeout(?!\s*(?:=|TO)\s*'?0(?:us|ms|s|min|h|d)?\b)/i;
const depthLimit = 6;

export const configuredLimits = definePass('configuredLimits', [scopes, configuration], ([scopesOfFile, options], { visitorKeys }): ConfiguredLimits => {
  const memo = new WeakMap<TSESTree.Node, boolean>();
  return { areSetFor };

  function areSetFor(handle: Handle): boolean {
    const option = options.lockTimeoutOf(handle);
    return (option !== null && !isZero(option)) || handle.configured.some(({ call }) => isSetIn(call));
  }

  function isSetIn(call: TSESTree.Node): boolean {
    const known = memo.get(call);
    if (known !== undefined) return known;
    // A function among the options prepares connections; one beside them is work on the connection, and comes later.
    const parts = call.type === 'CallExpression' || call.type === 'NewExpression' ? call.arguments : [];
    const found = parts.some((part) => !isFunction(unwrap(part)) && mentions(part, 0));
    memo.set(call, found);
    return found;
  }

  function mentions(node: TSESTree.Node, depth: number): boolean {
    if (depth > depthLimit) return false;
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' && inText.test(decoded(node.value));
      case 'TemplateElement':
        return inText.test(decoded(node.value.cooked ?? node.value.raw));
      case 'Property': {
        const name = keyName(node);
        if (name !== null && names.has(name)) return !isZero(node.value);
        return mentions(node.value, depth);
      }
      case 'Identifier':
        return isMentionedBy(node, depth);
      default:
        return childrenOf(node, visitorKeys).some((child) => mentions(child, isFunction(node) ? depth + 1 : depth));
    }
  }

  function isMentionedBy(identifier: TSESTree.Identifier, depth: number): boolean {
    const variable = scopesOfFile.variableOf(identifier);
    if (!variable) return false;
    const { properties } = mutationsOf(variable);
    if ([...names].some((name) => properties.has(name))) return true;
    const definition = scopesOfFile.definitionOf(variable);
    if (definition.kind === 'function') return mentions(definition.node, depth + 1);
    return definition.kind === 'value' && definition.declaration?.init !== identifier && mentions(unwrap(definition.init), depth + 1);
  }

  function isZero(node: TSESTree.Node): boolean {
    const constant = staticValue(node, scopesOfFile);
    return constant !== null && (!constant.value || constant.value === '0');
  }
});

/** Connection strings are percent-encoded; what is no valid encoding is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
