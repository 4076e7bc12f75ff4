import type { TSESTree } from '@typescript-eslint/utils';
import type { Role, Sends } from '../drivers/driver.js';
import { unwrap, unwrappedParent } from '../source/ast.js';
import { ambientTransactionAround } from './ambient-transactions.js';
import { createBatches } from './batches.js';
import { createConfiguration } from './configuration.js';
import type { CallMeaning } from './evaluator.js';
import type { Frame } from './frames.js';
import { signalGiven } from './given-signal.js';
import { createImplicitTransactions } from './implicit-transactions.js';
import { isModuleConstant } from './making.js';
import type { BuilderStep, CallNode, Query } from './query.js';
import { createReceiverIdentity } from './receiver-identity.js';
import type { StatementParts } from './statements.js';
import { bareHandle, type DriverObject, type Handle, type HandleIdentity, type Value } from './values.js';

export interface HandleChoice {
  readonly certain: Handle;
  readonly others: readonly Handle[];
}

/** Says over which handle a statement goes, and what else its call carries. */
export function createSending({ evaluated, fragments, scopes, unit }: StatementParts) {
  const { evaluator, frames: frameReader, drivers } = evaluated;
  const configuration = createConfiguration(evaluator);
  const batches = createBatches(evaluated, scopes);
  const identityOf = createReceiverIdentity(evaluated.links);
  const mayJoinTransaction = createImplicitTransactions(unit, drivers);
  return { handleOf, signalOf, clientTimeoutOf, isOnReplica, renamesColumns: (handle: Handle) => configuration.renamesColumns(handle) };

  function handleOf(sending: CallNode, meaning: CallMeaning, sends: Sends, frames: readonly Frame[], steps: readonly BuilderStep[] | null): HandleChoice {
    const chosen = tokenOf(sending, meaning, sends, frames) ?? chainToken(steps, meaning, frames) ?? receiverOf(sending, meaning, frames);
    const isImplicit = chosen.certain.role === 'pool' && (mayJoinTransaction(chosen.certain) || joinsAmbientTransaction(sending, chosen.certain, frames));
    const certain: Handle = isImplicit ? { ...chosen.certain, role: 'unknown' } : chosen.certain;
    if (sends.over !== undefined) return { certain: inRole(sends.over, certain), others: [] };
    const batch = batches.batchOf(sending);
    return batch ? { certain: inTransaction(certain, batch), others: [] } : { ...chosen, certain };
  }

  /** What another file makes may look for the transaction in which it is used. */
  function joinsAmbientTransaction(sending: CallNode, { assumed }: Handle, frames: readonly Frame[]): boolean {
    return assumed && [sending, ...frames.map(({ call }) => call)].some((node) => ambientTransactionAround(node, evaluator, scopes) !== null);
  }

  /** A handle passed as an argument or option: `{ transaction: t }`. */
  function tokenOf(sending: CallNode, meaning: CallMeaning, sends: Sends, frames: readonly Frame[]): HandleChoice | null {
    if (!sends.on) return null;
    for (const position of sends.on.at) {
      const place = frameReader.placed(sending, position, frames);
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
      const place = frameReader.placed(call, clause.at, frames);
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
        return { certain: sharedHandle(evaluated.links.nameOf(value.module, value.path, node), meaning, node), others: [] };
      case 'unknown':
        if (value.alternatives.length === 0 && isModuleConstant(node, scopes)) return { certain: sharedHandle(identityOf(node), meaning, node), others: [] };
        return { certain: unknownHandle(meaning, node), others: value.from === 'callers' ? handlesIn(value.alternatives) : [] };
      default:
        return { certain: unknownHandle(meaning, node), others: [] };
    }
  }

  function receiverOf(sending: CallNode, meaning: CallMeaning, frames: readonly Frame[]): HandleChoice {
    const chained = chainedToken(sending, meaning, frames);
    if (chained) return chained;
    const framed = frames.length > 0 ? receiverThrough(sending, frames) : null;
    const receiver = framed ?? meaning.receiver;
    const others = framed ? [] : handlesIn(meaning.otherReceivers);
    return { certain: receiver?.handle ?? unknownHandle(meaning, sending), others };
  }

  /** A lazy statement whose handle is set by a later call of its chain: `knex.raw(…).transacting(trx)`. */
  function chainedToken(sending: CallNode, meaning: CallMeaning, frames: readonly Frame[]): HandleChoice | null {
    for (const step of laterSteps(sending)) {
      const choice = chainToken([step], meaning, frames);
      if (choice) return choice;
    }
    return null;
  }

  /** The calls of a chain that follow a statement's own call, also where a constant holds the statement in between. */
  function* laterSteps(statement: TSESTree.Node): Generator<BuilderStep & { readonly meaning: CallMeaning }> {
    let node = statement;
    for (;;) {
      const { parent, child } = unwrappedParent(node);
      if (parent?.type === 'VariableDeclarator' && parent.init === child && parent.id.type === 'Identifier') {
        const variable = scopes.variableOf(parent.id);
        for (const { identifier } of variable ? scopes.readsOf(variable) : []) yield* laterSteps(identifier);
        return;
      }
      if (parent?.type !== 'MemberExpression' || parent.object !== child) return;
      const call = unwrappedParent(parent).parent;
      if (call?.type !== 'CallExpression' || unwrap(call.callee) !== parent) return;
      const meaning = evaluator.meaningOf(call);
      if (!meaning) return;
      yield { call, clause: meaning.call.clause ?? null, name: meaning.name, meaning };
      node = call;
    }
  }

  function receiverThrough(sending: CallNode, frames: readonly Frame[]): DriverObject | null {
    const callee = unwrap(sending.type === 'CallExpression' ? sending.callee : sending.tag);
    const value = frameReader.valueOf(callee.type === 'MemberExpression' ? callee.object : callee, frames);
    switch (value.type) {
      case 'object':
        return value;
      // `const run = client.query.bind(client)`.
      case 'method':
        return value.receiver;
      default:
        return null;
    }
  }

  /** A call that leaves the connection or transaction it is made on: Lucid's `trx.getAdvisoryLock`. */
  function inRole(role: Role, handle: Handle): Handle {
    const isOwn = handle.role === 'connection' || handle.role === 'transaction';
    return { ...(isOwn && handle.pool ? handle.pool : handle), role };
  }

  function inTransaction(handle: Handle, batch: TSESTree.Node): Handle {
    if (handle.role === 'transaction' || handle.role === 'connection') return handle;
    return { ...handle, role: 'transaction', pool: handle, identity: batch, evidence: { because: 'batch', node: batch }, moduleLevel: false };
  }

  function unknownHandle(meaning: CallMeaning, node: TSESTree.Node): Handle {
    return bareHandle({ role: 'unknown', driver: meaning.driver, kind: meaning.receiver?.kind ?? '', identity: node, evidence: { because: 'none', node } });
  }

  /** What lives as long as a module, here or in another file, is never a transaction, whatever it is. */
  function sharedHandle(identity: HandleIdentity, meaning: CallMeaning, node: TSESTree.Node): Handle {
    return {
      ...unknownHandle(meaning, node),
      role: 'pool',
      identity,
      evidence: { because: 'module-import', node },
      moduleLevel: true,
      assumed: true,
    };
  }

  /** The statement's own signal, one that a later call of its chain gives, or the one its handle obeys. */
  function signalOf(sending: CallNode, sends: Sends, handle: Handle, frames: readonly Frame[]): Query['signal'] {
    const own = signalGiven(evaluator, sending, sends.signal, (position) => frameReader.placed(sending, position, frames));
    if (own) return own;
    for (const { call, meaning } of laterSteps(sending)) {
      const given = signalGiven(evaluator, call, meaning.call.signal ?? meaning.call.sends?.signal);
      if (given) return given;
    }
    return handle.signal;
  }

  function clientTimeoutOf(sending: CallNode, sends: Sends, handle: Handle, frames: readonly Frame[], steps: readonly BuilderStep[] | null): TSESTree.Node | null {
    const own = sends.clientTimeout ? fragments.firstOf(sending, sends.clientTimeout, frames) : null;
    if (own?.kind === 'found') return frameReader.resolved(own.node, frames);
    const calls = [...(steps ?? []).map(({ call }) => call), ...[...laterSteps(sending)].map(({ call }) => call)];
    for (const call of calls) {
      const limit = evaluator.meaningOf(call)?.call.clientTimeout;
      const place = limit && fragments.firstOf(call, limit, frames);
      if (place?.kind === 'found') return place.node;
    }
    return configuration.clientTimeoutOf(handle);
  }

  /** Is the statement certainly read from a replica? */
  function isOnReplica(sending: CallNode, sends: Sends, handle: Handle): boolean {
    const { created, give } = handle;
    // A connection to a replica sends everything there: TypeORM's `createQueryRunner('slave')`.
    if (handle.role === 'connection') return created !== null && give?.replicaWhen?.some((condition) => evaluator.holds(created, condition)) === true;
    if (handle.role !== 'pool' || !configuration.hasReplicas(handle)) return false;
    return sends.replicaWhen?.every((condition) => evaluator.holds(sending, condition)) === true;
  }
}

const handlesIn = (values: readonly Value[]): readonly Handle[] => values.flatMap((value) => (value.type === 'object' && value.handle ? [value.handle] : []));
