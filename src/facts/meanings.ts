import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, DriverDescriptor } from '../drivers/driver.js';
import { memberName, unwrap } from '../source/ast.js';
import { settles } from '../source/uses.js';
import { mentionsLock } from '../sql/lock-functions.js';
import { accessorNamed, accessorOn } from './accessors.js';
import { isToldApart } from './application-wide.js';
import type { Core } from './core.js';
import type { CallMeaning } from './evaluator.js';
import { methodOfKind, readKind } from './kinds.js';
import { isModuleConstant } from './making.js';
import { wordsOf } from './name-words.js';
import { createPositions } from './positions.js';
import { createReceiverIdentity } from './receiver-identity.js';
import { isAboutText, isSaidToSend } from './sending-names.js';
import { bareHandle, type DriverObject, type Handle, type MakingNode, type Unknown, type Value } from './values.js';

/** Says what a driver's descriptor makes of a call. */
export function createMeanings(core: Core) {
  const { modules, scopes, declaredWrappers } = core.parts;
  const { variantOf } = createPositions(core);
  const identityOf = createReceiverIdentity(core.parts.links);
  return { meaningOf };

  function meaningOf(node: MakingNode): CallMeaning | null {
    if (node.type === 'NewExpression') return null;
    const callee = unwrap(node.type === 'CallExpression' ? node.callee : node.tag);
    const isTag = node.type === 'TaggedTemplateExpression';
    const name = callee.type === 'MemberExpression' ? (memberName(callee) ?? '') : callee.type === 'Identifier' ? callee.name : '';
    const value = isTag ? core.evaluator.typedValueOf(callee) : core.valueOf(callee);
    const setting = node.type === 'CallExpression' ? declaredWrappers.sqlAt(node, value) : null;
    if (setting) return setting;
    switch (value.type) {
      case 'method':
        // A method used as a tag is described like the method; its positions say `template`.
        return meaning(value.call, value.receiver.driver, value.receiver, value.name);
      case 'export': {
        const call = isTag ? value.entry.tag : value.entry.call;
        return call ? meaning(call, value.driver, null, name) : null;
      }
      case 'namespace': {
        const known = modules.exportOf(value.module, value.path);
        const call = isTag ? known?.entry.tag : known?.entry.call;
        return known && call ? meaning(call, known.driver, null, name) : null;
      }
      case 'object': {
        const call = readKind(value.driver, value.kind, (kind) => (isTag ? kind.tag : kind.call));
        return call ? meaning(call, value.driver, value, name) : null;
      }
      case 'delegate':
        return meaning({ usesConnection: true }, value.receiver.driver, value.receiver, name);
      case 'foreign':
        return ofForeign(value, callee);
      case 'elsewhere': {
        // A function that its file does not explain is as good as one that was not read, as far as it sends.
        const assumption = value.named && ofForeign({ type: 'foreign', ...value.named }, callee);
        return assumption?.call.sends ? assumption : null;
      }
      case 'unknown':
        return ofAlternatives(value) ?? ofUnknownReceiver(callee);
      default:
        return null;
    }

    function meaning(call: Call, driver: DriverDescriptor, receiver: DriverObject | null, called: string): CallMeaning {
      return { call: variantOf(call, node), driver, receiver, name: called, otherReceivers: [] };
    }

    /** A method of something imported from a file that was not read, or an imported function. */
    function ofForeign(foreign: Value & { type: 'foreign' }, expression: TSESTree.Node): CallMeaning | null {
      if (!isTag && accessorOn(foreign.path) === 'tag') return ofUnknownReceiver(expression);
      const at = expression.type === 'MemberExpression' ? expression.object : expression;
      const owner = expression.type === 'MemberExpression' ? modules.ownerOfMethod(name) : null;
      const method = owner && methodOfKind(owner.driver, owner.kind, name);
      if (owner && method) {
        return meaning(method, owner.driver, assumed(owner.driver, owner.kind, assumedPool(owner.driver, owner.kind, foreign, foreign.path.slice(0, -1), at)), name);
      }
      const { driver, kind } = modules.assumedOwner();
      if (owner === null && node.type === 'CallExpression' && isMethodOfHandle(node, expression)) {
        const call = readKind(driver, kind, (described) => described.call);
        return call ? meaning(call, driver, assumed(driver, kind, assumedPool(driver, kind, foreign, foreign.path.slice(0, -1), at)), name) : null;
      }
      const isSending = isTag || (node.type === 'CallExpression' && isNamedForSending(node, expression)) || [foreign.path.at(-1), name].some((candidate) => candidate !== undefined && modules.isSendingFunction(candidate));
      const call = isSending ? readKind(driver, kind, (described) => (isTag ? described.tag : described.call)) : undefined;
      return call ? meaning(call, driver, assumed(driver, kind, assumedPool(driver, kind, foreign, foreign.path, at)), name) : null;
    }

    /** Callers or branches bring different objects: the first stands for the method's meaning, none for the role. */
    function ofAlternatives({ alternatives, from }: Unknown): CallMeaning | null {
      const [first, ...others] = alternatives.filter((alternative) => alternative.type === 'method');
      if (!first) return null;
      const { receiver } = first;
      const open: DriverObject = receiver.handle ? { ...receiver, handle: { ...receiver.handle, role: 'unknown' } } : receiver;
      return { ...meaning(first.call, receiver.driver, open, first.name), otherReceivers: from === 'callers' ? [first, ...others].map((other) => other.receiver) : [] };
    }

    /** A method called on something of which the file shows nothing, or such a thing as the tag of a lock statement. */
    function ofUnknownReceiver(expression: TSESTree.Node): CallMeaning | null {
      const object = expression.type === 'MemberExpression' ? expression.object : isTag && expression.type === 'Identifier' ? expression : null;
      if (!object || isBuiltIn(object) || !isOpen(core.valueOf(object))) return null;
      const isInjected = core.parts.injection.ofExpression(object);
      const isShared = isModuleConstant(object, scopes) || isInjected;
      const isNamed = !isShared && modules.isDistinctive(name) && isNamedAfterLibrary(object);
      const assumedKind = isShared || isNamed ? 'pool' : 'session';
      const owner = object === expression ? { driver: modules.assumedOwner().driver, kind: assumedKind } : modules.ownerOfMethod(name, assumedKind);
      const call = owner && (object === expression ? lockTag(owner.driver, owner.kind) : methodOfKind(owner.driver, owner.kind, name));
      if (!owner || !call) return null;
      const { driver, kind } = owner;
      const ownRole = readKind(driver, kind, (described) => described.role);
      const handle = bareHandle({
        // What speaks HTTP has no other role.
        role: ownRole === 'http' ? 'http' : isShared || isNamed ? 'pool' : 'unknown',
        driver,
        kind,
        identity: identityOf(object),
        evidence: { because: isInjected ? 'injection' : isShared ? 'module-import' : 'none', node: object },
      });
      return meaning(call, driver, assumed(driver, kind, { ...handle, moduleLevel: isShared, assumed: !modules.isDistinctive(name), mayBeTransaction: isInjected || isNamed }), name);
    }

    /**
     * `prisma.$queryRaw` of a parameter: what is called after a library that hands out no connection of one's own is its client, or a
     * transaction of it, and a session lock is wrong on both.
     */
    function isNamedAfterLibrary(object: TSESTree.Node): boolean {
      const named = unwrap(object);
      const owner = modules.ownerOfMethod(name, 'pool');
      if (named.type !== 'Identifier' || !owner || Object.values(owner.driver.kinds).some(({ role }) => role === 'connection')) return false;
      return accessorNamed(named.name) !== null && wordsOf(named.name).includes(owner.driver.name) && !isAskedFor(owner.driver, object);
    }

    /** Does the file ask whether an object is a client or a transaction? */
    function isAskedFor(driver: DriverDescriptor, object: TSESTree.Node): boolean {
      return [...modules.provingMethods].some(([method, proven]) => proven.driver === driver && isToldApart(scopes.textOf(object), method));
    }

    function lockTag(driver: DriverDescriptor, kind: string): Call | null {
      if (node.type !== 'TaggedTemplateExpression' || !mentionsLock(scopes.textOf(node).slice(...node.quasi.range))) return null;
      return readKind(driver, kind, ({ tag }) => tag) ?? null;
    }
  }

  /** `await db.q('SELECT pg_advisory_lock(1)')`: whatever the method is called, a handle is given a lock statement. */
  function isMethodOfHandle(node: TSESTree.CallExpression, callee: TSESTree.Node): boolean {
    if (callee.type !== 'MemberExpression') return false;
    const object = unwrap(callee.object);
    const receiver = object.type === 'MemberExpression' ? memberName(object) : object.type === 'Identifier' ? object.name : null;
    const method = memberName(callee);
    return receiver !== null && method !== null && accessorNamed(receiver) !== null && !isAboutText(method) && isGivenLockStatement(node);
  }

  /** `await queryOne('SELECT pg_try_advisory_lock(1)')`: a function whose name says that it sends is given a lock statement. */
  function isNamedForSending(node: TSESTree.CallExpression, callee: TSESTree.Node): boolean {
    return callee.type === 'Identifier' && isSaidToSend(callee.name) && isGivenLockStatement(node);
  }

  function isGivenLockStatement(node: TSESTree.CallExpression): boolean {
    const [argument] = node.arguments;
    if (!argument || !mentionsLock(scopes.textOf(node).slice(...argument.range))) return false;
    const settlement = settles(node, scopes);
    return settlement === 'awaited' || settlement === 'chained' || settlement === 'returned';
  }

  /** Does nothing in the file tell what the object is? */
  function isOpen(object: Value): boolean {
    switch (object.type) {
      case 'shape':
      case 'elsewhere':
        return true;
      case 'foreign':
        return accessorOn(object.path) === 'tag';
      case 'unknown':
        return object.alternatives.every(({ type }) => type === 'unknown' || type === 'foreign');
      default:
        return false;
    }
  }

  /**
   * A handle imported from a file that was not read. At module level it cannot be a transaction or somebody's own
   * connection; a pool is the better of the two things it can be.
   */
  function assumedPool(driver: DriverDescriptor, kind: string, value: Value & { type: 'foreign' }, path: readonly string[], node: TSESTree.Node): Handle {
    const handle = bareHandle({
      role: 'pool',
      driver,
      kind,
      identity: core.parts.links.nameOf(value.module, path, node),
      evidence: { because: accessorOn(path) === 'handle' || accessorOn(path) === 'tag' ? 'accessor' : 'module-import', node },
    });
    return { ...handle, moduleLevel: true, assumed: true };
  }

  function assumed(driver: DriverDescriptor, kind: string, handle: Handle): DriverObject {
    return { type: 'object', driver, kind, node: handle.evidence.node, handle };
  }

  /** `Promise.any`, `/lock/.exec`: a global that the file does not declare, or a value without a library. */
  function isBuiltIn(expression: TSESTree.Node): boolean {
    const node = unwrap(expression);
    if (node.type === 'Identifier') return scopes.variableOf(node) === null;
    return node.type === 'Literal' || node.type === 'TemplateLiteral' || node.type === 'ArrayExpression';
  }
}
