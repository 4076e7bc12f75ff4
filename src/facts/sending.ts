import type { TSESTree } from '@typescript-eslint/utils';
import type { Role, Sends } from '../drivers/driver.js';
import { enclosingFunction, unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import type { CallMeaning } from './evaluator.js';
import type { Frame } from './frames.js';
import type { BuilderStep, CallNode, Query } from './query.js';
import type { StatementParts } from './statements.js';
import { bareHandle, type DriverObject, type Handle, type Value } from './values.js';

export interface HandleChoice {
  readonly certain: Handle;
  readonly others: readonly Handle[];
}

/** Says over which handle a statement goes, and what else its call carries. */
export function createSending({ evaluated, fragments, unit }: StatementParts) {
  const { evaluator, callers, frames: frameReader, drivers } = evaluated;
  const implicit = implicitDrivers();
  return { handleOf, signalOf, clientTimeoutOf, renamesColumns };

  function handleOf(sending: CallNode, meaning: CallMeaning, sends: Sends, frames: readonly Frame[], steps: readonly BuilderStep[] | null): HandleChoice {
    const chosen = tokenOf(sending, meaning, sends, frames) ?? chainToken(steps, meaning, frames) ?? receiverOf(sending, meaning, frames);
    const certain = implicit.has(chosen.certain.driver.name) && chosen.certain.role === 'pool' ? { ...chosen.certain, role: 'unknown' as const } : chosen.certain;
    if (sends.over !== undefined) return { certain: inRole(sends.over, certain), others: [] };
    return isInBatch(sending) ? { certain: inTransaction(certain, sending), others: [] } : { ...chosen, certain };
  }

  /** A handle passed as an argument or option: `{ transaction: t }`. */
  function tokenOf(sending: CallNode, meaning: CallMeaning, sends: Sends, frames: readonly Frame[]): HandleChoice | null {
    if (!sends.on) return null;
    for (const position of sends.on.at) {
      const place = evaluator.placed(sending, position);
      if (place.kind === 'absent') continue;
      if (place.kind === 'unknown') return { certain: unknownHandle(meaning, sending), others: [] };
      const choice = choiceOf(frameReader.valueOf(place.node, frames), meaning, place.node);
      if (choice) return choice;
    }
    return sends.on.required ? { certain: unknownHandle(meaning, sending), others: [] } : null;
  }

  /** In a builder's chain: `.transacting(trx)`. */
  function chainToken(steps: readonly BuilderStep[] | null, meaning: CallMeaning, frames: readonly Frame[]): HandleChoice | null {
    for (const { call, clause } of steps ?? []) {
      if (clause?.is !== 'handle') continue;
      const place = evaluator.placed(call, clause.at);
      if (place.kind === 'absent') continue;
      if (place.kind === 'unknown') return { certain: unknownHandle(meaning, call), others: [] };
      const choice = choiceOf(frameReader.valueOf(place.node, frames), meaning, place.node);
      if (choice) return choice;
    }
    return null;
  }

  /** Null when nothing is passed after all: `{ transaction: null }`. */
  function choiceOf(value: Value, meaning: CallMeaning, node: TSESTree.Node): HandleChoice | null {
    switch (value.type) {
      case 'nothing':
        return null;
      case 'object':
        return { certain: value.handle ?? unknownHandle(meaning, node), others: [] };
      case 'promise':
        return choiceOf(value.of, meaning, node);
      case 'foreign':
        return { certain: foreignHandle(value, meaning, node), others: [] };
      case 'unknown':
        return { certain: unknownHandle(meaning, node), others: value.alternatives.flatMap((alternative) => (alternative.type === 'object' && alternative.handle ? [alternative.handle] : [])) };
      default:
        return { certain: unknownHandle(meaning, node), others: [] };
    }
  }

  function receiverOf(sending: CallNode, meaning: CallMeaning, frames: readonly Frame[]): HandleChoice {
    const throughFrames = frames.length > 0 ? receiverThrough(sending, frames) : null;
    const receiver = throughFrames ?? meaning.receiver;
    const chained = chainedToken(sending, meaning, frames);
    if (chained) return chained;
    const others = throughFrames ? [] : meaning.otherReceivers.flatMap((other) => (other.handle ? [other.handle] : []));
    return { certain: receiver?.handle ?? unknownHandle(meaning, sending), others };
  }

  /** A lazy statement whose handle is set by a later call of its chain: `knex.raw(…).transacting(trx)`. */
  function chainedToken(sending: CallNode, meaning: CallMeaning, frames: readonly Frame[]): HandleChoice | null {
    let node: CallNode = sending;
    for (;;) {
      const { parent, child } = unwrappedParent(node);
      if (parent?.type !== 'MemberExpression' || parent.object !== child) return null;
      const call = unwrappedParent(parent).parent;
      if (call?.type !== 'CallExpression' || unwrap(call.callee) !== parent) return null;
      const step = evaluator.meaningOf(call);
      if (!step) return null;
      const choice = chainToken([{ call, clause: step.call.clause ?? null, name: step.name }], meaning, frames);
      if (choice) return choice;
      node = call;
    }
  }

  function receiverThrough(sending: CallNode, frames: readonly Frame[]): DriverObject | null {
    const callee = unwrap(sending.type === 'CallExpression' ? sending.callee : sending.tag);
    const receiver = callee.type === 'MemberExpression' && sending.type === 'CallExpression' ? callee.object : callee;
    const value = frameReader.valueOf(receiver, frames);
    return value.type === 'object' ? value : null;
  }

  /** An element of `$transaction([…])`, directly or through a local helper that returns the lazy statement. */
  function isInBatch(node: TSESTree.Node, seen: ReadonlySet<TSESTree.Node> = new Set()): boolean {
    if (seen.has(node)) return false;
    const { parent, child } = unwrappedParent(node);
    switch (parent?.type) {
      case 'ArrayExpression':
        return isBatch(parent) || isInBatch(parent, new Set([...seen, node]));
      case 'ArrowFunctionExpression':
      case 'ReturnStatement': {
        const fn = parent.type === 'ReturnStatement' ? enclosingFunction(parent) : parent.body === child ? parent : null;
        return fn !== null && !fn.async && isReturnedIntoBatch(fn, new Set([...seen, node]));
      }
      default:
        return false;
    }
  }

  function isBatch(list: TSESTree.ArrayExpression): boolean {
    const { parent, child } = unwrappedParent(list);
    if (parent?.type === 'CallExpression') {
      const batch = evaluator.meaningOf(parent)?.call.batch;
      const place = batch && evaluator.placed(parent, batch);
      return place?.kind === 'found' && unwrap(place.node) === unwrap(child);
    }
    const fn = parent?.type === 'ArrowFunctionExpression' ? parent : parent?.type === 'ReturnStatement' ? enclosingFunction(parent) : null;
    const use = fn && callers.callbackUseOf(fn);
    return use ? evaluator.meaningOf(use.call)?.call.callback?.returnsBatch === true : false;
  }

  function isReturnedIntoBatch(fn: FunctionNode, seen: ReadonlySet<TSESTree.Node>): boolean {
    const sites = callers.callSitesOf(fn, evaluator);
    return sites.length > 0 && sites.every((site) => isInBatch(site, seen));
  }

  /** A call that leaves the connection or transaction it is made on: Lucid's `trx.getAdvisoryLock`. */
  function inRole(role: Role, handle: Handle): Handle {
    const isOwn = handle.role === 'connection' || handle.role === 'transaction';
    return { ...(isOwn && handle.pool ? handle.pool : handle), role };
  }

  function inTransaction(handle: Handle, node: TSESTree.Node): Handle {
    if (handle.role === 'transaction' || handle.role === 'connection') return handle;
    return { ...handle, role: 'transaction', pool: handle, identity: node, evidence: { because: 'batch', node } };
  }

  function unknownHandle(meaning: CallMeaning, node: TSESTree.Node): Handle {
    return bareHandle({ role: 'unknown', driver: meaning.driver, kind: meaning.receiver?.kind ?? '', identity: node, evidence: { because: 'none', node } });
  }

  /** A module-level import is never a transaction, whatever its file says. */
  function foreignHandle(value: Value & { type: 'foreign' }, meaning: CallMeaning, node: TSESTree.Node): Handle {
    return {
      ...unknownHandle(meaning, node),
      role: 'pool',
      identity: `${value.module}#${value.path.join('.')}`,
      evidence: { because: 'module-import', node },
      moduleLevel: true,
      assumed: true,
    };
  }

  function signalOf(sending: CallNode, sends: Sends, frames: readonly Frame[]): Query['signal'] {
    if (!sends.signal) return null;
    const place = fragments.firstOf(sending, sends.signal.at);
    if (place.kind !== 'found') return null;
    const node = frameReader.argumentFor(place.node, frames)?.node ?? place.node;
    const stopsServer = sends.signal.safeWhen?.some((condition) => evaluator.holds(sending, condition)) === true;
    return { node, ignored: sends.signal.ignored === true, stopsServer };
  }

  function clientTimeoutOf(sending: CallNode, sends: Sends, handle: Handle, frames: readonly Frame[]): TSESTree.Node | null {
    const own = sends.clientTimeout ? fragments.firstOf(sending, sends.clientTimeout) : null;
    if (own?.kind === 'found') return frameReader.argumentFor(own.node, frames)?.node ?? own.node;
    const origin = originOf(handle);
    if (!origin.created || origin.created.type === 'TaggedTemplateExpression' || !origin.give?.clientTimeout) return null;
    const configured = fragments.firstOf(origin.created, origin.give.clientTimeout);
    return configured.kind === 'found' ? configured.node : null;
  }

  /** With such a plugin or option, a column's name in the result is not the one the SQL gives it. */
  function renamesColumns(handle: Handle): boolean {
    const made = [handle, ...(handle.pool ? [handle.pool] : [])];
    return made.some(({ created, give }) => created !== null && give?.renamesColumnsWhen?.some((condition) => evaluator.holds(created, condition)) === true);
  }

  /** Options stand where the pool was made, even for a connection taken from it. */
  function originOf(handle: Handle): Handle {
    return handle.pool && !handle.give?.clientTimeout ? handle.pool : handle;
  }

  /** Drivers whose handles may join a transaction unseen in this file, because it imports what makes them. */
  function implicitDrivers(): ReadonlySet<string> {
    const imported = new Set(
      unit.program.body.flatMap((statement) => (statement.type === 'ImportDeclaration' ? [statement.source.value] : [])),
    );
    const names = drivers.filter((driver) =>
      driver.implicitTransactions?.some(({ module, call }) => (module !== undefined && imported.has(module)) || (call !== undefined && unit.text.includes(`${call}(`))),
    );
    return new Set(names.map((driver) => driver.name));
  }
}
