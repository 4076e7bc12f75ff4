import type { TSESTree } from '@typescript-eslint/utils';
import type { Handle } from '../facts/values.js';
import type { Step } from '../flow/model.js';
import type { Analysis, FileParts } from './analysis.js';
import type { ConnectionLeak, FunctionState, GiveBackWhileHeld, HeldLock, Leak, LossCause } from './model.js';
import type { State, Taken } from './state.js';
import type { Path, Teller } from './witness.js';

/** What is still held, or open, where the function ends. */
export function lossesOf(analysis: Analysis, parts: FileParts, teller: Teller): Pick<FunctionState, 'leaks' | 'connectionLeaks' | 'giveBacksWhileHeld'> {
  const losses = new Losses(analysis, parts, teller);
  for (const exit of ['return', 'throw'] as const) {
    const step = analysis.graph.exits[exit];
    for (const state of analysis.solution.statesAt(step)) losses.exitIn(step, state, exit);
  }
  return losses;
}

class Losses {
  readonly leaks: Leak[] = [];
  readonly connectionLeaks: ConnectionLeak[] = [];
  readonly giveBacksWhileHeld: GiveBackWhileHeld[] = [];

  constructor(
    private readonly analysis: Analysis,
    private readonly parts: FileParts,
    private readonly teller: Teller,
  ) {}

  exitIn(step: Step, state: State, exit: 'return' | 'throw'): void {
    for (const taken of [...state.locks, ...state.lost]) {
      if (taken.held.lock.operation.level === 'session' && !taken.doubtful && taken.held.certain && taken.around === null) this.lockAtExit(step, state, taken, exit);
    }
    for (const refused of state.refused) {
      if (!refused.tested || !refused.held.certain) continue;
      const connection = state.connections.get(this.parts.events.backends.idOf(refused.held.handle));
      if (connection?.origin !== 'here' || connection.status !== 'open' || this.analysis.unit.type === 'Program') continue;
      if (this.connectionLeaks.some((leak) => leak.held === refused.held && leak.exit === exit)) continue;
      const path = this.analysis.solution.witness(step, state);
      if (!path) continue;
      const opened = openedAt(connection.handle, refused.held);
      const end = this.teller.endOf(path, this.analysis.unit);
      const isItself = exit === 'throw' && refused.because === 'rejected' && isSameCall(end, refused.held.call);
      const words = refused.because === 'refused' ? 'is refused' : 'fails';
      this.connectionLeaks.push({
        held: refused.held,
        opened,
        because: refused.because,
        exit,
        node: isItself ? opened : end,
        witness: [
          { node: opened, text: `the connection is opened on line ${opened.loc.start.line}` },
          { node: refused.held.call, text: `\`${refused.held.lock.operation.name}\` on line ${refused.held.call.loc.start.line} ${words}` },
          ...this.teller.toExit(path, refused.held).slice(-1),
        ],
      });
    }
  }

  private lockAtExit(step: Step, state: State, taken: Taken, exit: 'return' | 'throw'): void {
    const { held } = taken;
    const { unit, solution } = this.analysis;
    // An unlock whose rejection leaves the function counts as done.
    const isSwallowed = taken.status === 'failed' || taken.status === 'failing';
    if (isSwallowed && exit === 'throw') return;
    if (taken.status === 'unlocked' && taken.givenBack === null) return;
    // A module that throws ends the process, and every session with it.
    if (unit.type === 'Program' && (exit === 'throw' || (!taken.givenBack && !isSwallowed))) return;
    const cause = causeOf(taken, isSwallowed);
    const path = (): Path | null => solution.witness(step, state);
    if (taken.givenBack) this.addGiveBack(taken, isSwallowed, path);
    if (taken.status === 'unlocked' || this.leaks.some((leak) => leak.held === held && leak.exit === exit)) return;
    const found = path();
    if (!found) return;
    const connection = state.connections.get(this.parts.events.backends.idOf(held.handle));
    this.leaks.push({
      held,
      exit,
      node: this.teller.endOf(found, unit),
      failing: this.teller.failureOf(found, held),
      cause,
      owned: connection?.origin === 'here' && connection.status !== 'returned' && connection.status !== 'stored',
      handedOver: connection?.status === 'returned' || connection?.status === 'stored',
      inTransaction: taken.inTransaction,
      witness: this.teller.toExit(found, held),
    });
  }

  private addGiveBack(taken: Taken, isSwallowed: boolean, path: () => Path | null): void {
    const { held, givenBack } = taken;
    if (!givenBack || !this.isNewGiveBack(held, givenBack.node, whyOf(taken, isSwallowed))) return;
    const found = path();
    if (!found) return;
    const why = whyOf(taken, isSwallowed);
    this.giveBacksWhileHeld.push({ held, node: givenBack.node, call: givenBack.call, how: givenBack.how, why, unlock: taken.unlock, witness: this.teller.toExit(found, held) });
  }

  private isNewGiveBack(held: HeldLock, node: TSESTree.Node, why: GiveBackWhileHeld['why']): boolean {
    return !this.giveBacksWhileHeld.some((other) => other.held === held && other.node === node && other.why === why);
  }
}

function causeOf({ givenBack, problem, unlock }: Taken, isSwallowed: boolean): LossCause {
  if (isSwallowed && unlock) return { kind: 'unlock-swallowed', unlock, node: givenBack?.node ?? null };
  if (problem === 'never-sent' && unlock) return { kind: 'unlock-never-sent', unlock };
  if (problem === 'mismatched' && unlock) return { kind: 'unlock-mismatched', unlock };
  return givenBack ? { kind: 'given-back', node: givenBack.node } : { kind: 'not-unlocked' };
}

function whyOf({ held, status, problem }: Taken, isSwallowed: boolean): GiveBackWhileHeld['why'] {
  if (isSwallowed) return 'unlock-swallowed';
  if (status === 'unlocked') return 'before-unlock';
  if (problem === 'never-sent') return 'unlock-never-sent';
  if (problem === 'mismatched') return 'unlock-mismatched';
  return held.unlocks.length === 0 ? 'no-unlock' : 'path-misses-unlock';
}

const openedAt = ({ created, evidence }: Handle, held: HeldLock): TSESTree.Node => created ?? (evidence.node.loc ? evidence.node : held.call);

const isSameCall = (node: TSESTree.Node, call: TSESTree.Node): boolean => node === call || (node.range[0] <= call.range[0] && node.range[1] >= call.range[1] && node.type === 'AwaitExpression');
