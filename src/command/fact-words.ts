import { relative } from 'node:path';
import type { TSESTree } from '@typescript-eslint/utils';
import type { Role } from '../drivers/driver.js';
import type { LinkedFiles } from '../facts/imports/linked-files.js';
import type { Query, QueryLock } from '../facts/query.js';
import type { Evidence, Handle } from '../facts/values.js';
import type { Use } from '../source/uses.js';
import { HOLE, type SqlExpression } from '../sql/model.js';

/** Says in words what the analyzer knows. The words are for the person who asked; nothing reads them. */
export interface FactWords {
  /** The file, relative to the working folder, and line of a node, whichever file it stands in. */
  place(node: TSESTree.Node): string;
  sql(query: Query): string;
  lock(lock: QueryLock): string;
  handle(handle: Handle): string;
  use(use: Use): string;
  sent(query: Query): string;
}

const roles: Readonly<Record<Role, string>> = {
  pool: 'pool (each statement may run on another connection)',
  http: 'HTTP (each statement is a session of its own)',
  single: 'single (one connection that all callers share)',
  connection: 'connection (one session until it is given back)',
  transaction: 'transaction (on one connection)',
  unknown: 'unknown (nothing shows which connection)',
};

const reasons: Readonly<Record<Evidence['because'], string>> = {
  constructor: 'constructed',
  factory: 'made by a call',
  'taken-from-pool': 'given by a method',
  'callback-parameter': 'given to a callback',
  annotation: 'annotated',
  injection: 'handed out by a dependency-injection container',
  comment: 'said by a comment',
  caller: 'passed by the caller',
  'module-import': 'imported or held at module level, its file does not show what it is',
  'given-back': 'sent statements and released',
  accessor: 'handed out by a function whose file does not show what it is',
  type: 'said by the type checker',
  setting: "said by settings['advisory-lock']",
  option: 'passed as an option',
  batch: 'one of a batch',
  export: "exported by the driver's package",
  none: 'no evidence',
};

const longestText = 300;

export function createFactWords(links: LinkedFiles, cwd: string): FactWords {
  return { place, sql, lock, handle, use, sent };

  function place(node: TSESTree.Node): string {
    const { filename } = links.unitOf(node);
    const path = relative(cwd, filename);
    return `${path.startsWith('..') ? filename : path}:${node.loc.start.line}`;
  }

  function sourceOf(node: TSESTree.Node): string {
    return shortened(links.unitOf(node).text.slice(...node.range));
  }

  function sql({ sql: text, builder, locks }: Query): string {
    if (!text) return builder ? `made by a query builder, with ${locks.map((each) => shortened(each.text.text)).join(' and ') || 'no text'}` : 'not shown by the code';
    const holes = text.holes.values();
    return shortened(text.text.replaceAll(HOLE, () => `\${${sourceOf(holes.next().value?.node ?? text.node)}}`));
  }

  function lock(each: QueryLock): string {
    const { operation } = each;
    const keys = operation.keys.map((key) => keyWords(key, each));
    const parts = [
      `${operation.name}: ${operation.action}, ${operation.level} level, ${operation.mode}`,
      keys.length > 0 ? `key ${keys.join(', ')}` : null,
      `in ${operation.clause}`,
      operation.guarded ? 'only under a condition' : null,
    ];
    return parts.filter((part) => part !== null).join('; ');
  }

  function keyWords(key: SqlExpression, each: QueryLock): string {
    const bound = each.boundValue(key);
    const written = shortened(each.text.text.slice(key.range.start, key.range.end)).replaceAll(HOLE, '${…}');
    return bound ? `${written} = ${sourceOf(bound)}` : written;
  }

  function handle({ role, driver, evidence, pool, lifetime, moduleLevel, assumed }: Handle): string {
    const parts = [
      `${role === 'pool' && assumed ? 'pool or one shared connection (assumed)' : roles[role]}, ${driver.name}`,
      `${reasons[evidence.because]}, ${place(evidence.node)}`,
      pool ? `of the pool ${pool.evidence.because === 'none' ? '' : `at ${place(pool.evidence.node)}`}`.trim() : null,
      lifetime ? `until the callback at ${place(lifetime)} ends` : null,
      moduleLevel ? 'lives as long as its module' : null,
    ];
    return parts.filter((part) => part !== null).join('; ');
  }

  function use({ path, sink, node, negated, rejection }: Use): string {
    const steps = path.map((step) => ('name' in step ? `.${step.name}` : 'index' in step ? `[${step.index}]` : step.kind === 'await' || step.kind === 'then' ? 'await ' : `<${step.kind}>`)).join('');
    const way = `${steps.trim() === '' ? 'the call' : steps.trim()} is ${negated ? 'negated and ' : ''}${sinkWords(sink)} at ${place(node)}`;
    return rejection === 'propagates' ? way : `${way}; a rejection is ${rejection}`;
  }

  function sent({ sent: isSent }: Query): string {
    switch (isSent) {
      case 'always':
        return 'yes';
      case 'never':
        return 'never: nobody awaits the lazy query';
      case 'unknown':
        return 'not known: depends on what the caller does with it';
      default:
        return isSent satisfies never;
    }
  }
}

function sinkWords(sink: Use['sink']): string {
  switch (sink.kind) {
    case 'discarded':
      return 'dropped';
    case 'never-read':
      return 'bound to a variable that nothing reads';
    case 'compared':
      return `compared by ${sink.operator}`;
    case 'argument':
      return 'passed as an argument';
    case 'escaped':
      return 'used in a way that is not followed';
    case 'operand':
      return `an operand of ${sink.operator}`;
    default:
      return sink.kind;
  }
}

/** On one line, and not too long. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}
