import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../pass.js';
import { memberName, unwrap } from '../source/ast.js';
import { staticValue } from '../source/constants.js';
import { scopes } from '../source/scope.js';
import { configuration } from './configuration.js';
import { readKind } from './kinds.js';
import type { Handle } from './values.js';

/** What the file says of a transaction pooler between a handle and the server. */
export type PoolerEvidence =
  /** A port on which poolers listen, and PostgreSQL does not. */
  | { readonly says: 'port'; readonly text: string; readonly node: TSESTree.Node }
  /** `pgbouncer=true` in the connection string. */
  | { readonly says: 'parameter'; readonly text: string; readonly node: TSESTree.Node }
  /** A host name that a provider gives its pooler. */
  | { readonly says: 'host'; readonly text: string; readonly node: TSESTree.Node }
  /** Every statement is a request of its own. */
  | { readonly says: 'http' }
  /** The library connects to a pooler only. */
  | { readonly says: 'library' }
  /** A connection string, port or variable that leads to the server itself. */
  | { readonly says: 'direct' }
  | { readonly says: 'nothing' };

export interface Poolers {
  evidenceFor(handle: Handle): PoolerEvidence;
}

/** Stands for what a template inserts. */
const unknownPart = '…';

export const poolers = definePass('poolers', [scopes, configuration], ([scopesOfFile, configured]): Poolers => {
  return { evidenceFor };

  function evidenceFor(handle: Handle): PoolerEvidence {
    if (handle.role === 'http') return { says: 'http' };
    const found = configured.urlsOf(handle).flatMap((node) => textsIn(node, new Set()).map((text) => ({ node, text })));
    const evidence = found.map(({ node, text }) => evidenceIn(text, node));
    const pooled = evidence.find(({ says }) => says !== 'direct' && says !== 'nothing');
    if (pooled) return pooled;
    if (evidence.some(({ says }) => says === 'direct')) return { says: 'direct' };
    const isBehindPooler = [handle, ...(handle.underlying ? [handle.underlying] : [])].some(
      ({ driver, kind }) => readKind(driver, kind, ({ behindPooler }) => behindPooler) === true,
    );
    return { says: isBehindPooler ? 'library' : 'nothing' };
  }

  /** The constant parts of a connection string, host or port; a variable of the environment is its name. */
  function textsIn(expression: TSESTree.Node, seen: Set<TSESTree.Node>): readonly string[] {
    const node = unwrap(expression);
    if (seen.has(node)) return [];
    seen.add(node);
    const constant = staticValue(node, scopesOfFile);
    if (constant) return typeof constant.value === 'string' || typeof constant.value === 'number' ? [String(constant.value)] : [];
    switch (node.type) {
      case 'TemplateLiteral':
        return [node.quasis.map(({ value }) => value.cooked ?? '').join(unknownPart)];
      case 'BinaryExpression':
      case 'LogicalExpression':
        return [...textsIn(node.left, seen), ...textsIn(node.right, seen)];
      case 'ConditionalExpression':
        return [...textsIn(node.consequent, seen), ...textsIn(node.alternate, seen)];
      case 'MemberExpression': {
        const name = memberName(node);
        return name === null ? [] : [`$${name}`];
      }
      case 'CallExpression':
      case 'NewExpression':
        return node.arguments.slice(0, 1).flatMap((argument) => textsIn(argument, seen));
      case 'Identifier': {
        const variable = scopesOfFile.variableOf(node);
        const definition = variable && scopesOfFile.definitionOf(variable);
        if (definition?.kind !== 'value') return [];
        const [step] = definition.path;
        return step?.kind === 'property' ? [`$${step.name}`] : textsIn(definition.init, seen);
      }
      default:
        return [];
    }
  }
});

const poolerPorts: readonly string[] = ['6432', '6543'];

function evidenceIn(text: string, node: TSESTree.Node): PoolerEvidence {
  if (text.startsWith('$')) return { says: /direct|unpooled|non_?pool/i.test(text) ? 'direct' : 'nothing' };
  if (/[?&]pgbouncer=true\b/i.test(text)) return { says: 'parameter', text: 'pgbouncer=true', node };
  const { isUrl, host, port } = addressIn(text);
  if (port !== null && poolerPorts.includes(port)) return { says: 'port', text: port, node };
  // Supabase's pooler keeps one session per client on port 5432.
  const keepsSessions = port === '5432' && /\.pooler\.supabase\./i.test(host);
  if (/(?:^|[.-])pooler\./i.test(host) && !keepsSessions) return { says: 'host', text: host, node };
  const isWrittenOut = isUrl && host !== '' && !host.includes(unknownPart);
  return { says: isWrittenOut || port === '5432' ? 'direct' : 'nothing' };
}

/** A connection string, or a host or port that stands alone. */
function addressIn(text: string): { isUrl: boolean; host: string; port: string | null } {
  if (/^\d+$/.test(text)) return { isUrl: false, host: '', port: text };
  const isUrl = /^postgres(?:ql)?:\/\//i.test(text);
  const authority = text.replace(/^\w+:\/\//, '').split(/[/?#]/)[0] ?? '';
  const address = authority.slice(authority.lastIndexOf('@') + 1);
  const port = /:(\d+)$/.exec(address)?.[1] ?? null;
  return { isUrl, host: port === null ? address : address.slice(0, -port.length - 1), port };
}
