import type { TSESTree } from '@typescript-eslint/utils';
import type { ConditionStep as Condition, Edge } from '../flow/model.js';
import type { Scopes } from '../source/scope.js';
import { nullness, tellsOf, truthOf, type Known, type Truth } from './known.js';
import { withLocks } from './locks.js';
import { askedPlace, equalityOf, type Places } from './places.js';
import type { Reader } from './reader.js';
import { withEntry, type State } from './state.js';

/**
 * What a condition makes of a state on each of its edges: nothing where the answer is known to be the other one, else the
 * state with what the path has found out. With `isHelper`, what the function's callers know better is remembered as assumed.
 */
export function createDecisions(scopes: Scopes, places: Places, reader: Reader, isHelper: boolean): (step: Condition, state: State, edge: Edge) => readonly State[] {
  return decide;

  function decide(step: Condition, state: State, edge: Edge): readonly State[] {
    const value = reader.read(step.test, state);
    const subject = step.subject && reader.read(step.subject, state);
    const truth = answerTo(step.asks, value, subject);
    const isYes = edge.label === 'true' || edge.label === 'nullish' || edge.label === 'undefined';
    if (truth !== 'unknown') return (truth === 'true') === isYes ? [tested(state, value, subject)] : [];
    const place = step.asks === 'truthy' ? askedPlace(step.test, scopes, reader.placeOf) : null;
    const found = place === null ? undefined : state.variables.get(place);
    if (found && truthOf(found) !== 'unknown') return (truthOf(found) === 'true') === isYes ? [state] : [];
    const doubted = learnEquality(step, isYes, assumedAt(step.test, isYes, place, doubt(state, value, subject)));
    if (place === null || !places.askedAgain.has(place) || (!place.startsWith('test ') && !places.kept.has(place))) return [doubted];
    const learnt: Known = { kind: isYes ? 'truthy' : 'falsy', tells: value && tellsOf(value) };
    return [{ ...doubted, variables: withEntry(doubted.variables, place, learnt) }];
  }

  /** A helper that lets a parameter, field or outer variable decide does so for its caller to know. */
  function assumedAt(test: TSESTree.Node, isYes: boolean, place: string | null, state: State): State {
    if (!isHelper || place === null || state.variables.has(place) || state.assumed.has(place) || state.assumed.size >= 4) return state;
    const variable = test.type === 'Identifier' ? scopes.variableOf(test) : null;
    const isGiven = place.startsWith('outer ') || place.startsWith('this.') || (variable !== null && scopes.definitionOf(variable).kind === 'parameter');
    if (!isGiven) return state;
    const truth = isYes ? ('true' as const) : ('false' as const);
    const learnt: Known = { kind: isYes ? 'truthy' : 'falsy', tells: null };
    return { ...state, assumed: withEntry(state.assumed, place, { truth, test }), variables: withEntry(state.variables, place, learnt) };
  }

  /** `mode === 'shared'`, or `case 'shared':`, where it is so, says what `mode` is. */
  function learnEquality({ asks, test, subject }: Condition, isYes: boolean, state: State): State {
    const compared = equalityOf(asks, test, subject);
    if (!compared || !isYes) return state;
    const place = reader.placeOf(compared.variable);
    if (place === null || !places.kept.has(place) || !places.askedAgain.has(place)) return state;
    const value = reader.read(compared.constant, state);
    return value?.kind === 'constant' ? { ...state, variables: withEntry(state.variables, place, { ...value, tells: null }) } : state;
  }

  /** The path has found out whether the lock was got. */
  function tested(state: State, ...values: readonly (Known | null)[]): State {
    return values.reduce((after, value) => {
      const lock = value && tellsOf(value);
      if (!lock || !after.refused.some(({ held, tested: known }) => held.lock === lock && !known)) return after;
      return { ...after, refused: after.refused.map((refused) => (refused.held.lock === lock ? { ...refused, tested: true } : refused)) };
    }, state);
  }

  /** The answer was asked about in a way that is not understood. */
  function doubt(state: State, ...values: readonly (Known | null)[]): State {
    return values.reduce((after, value) => {
      const lock = value && tellsOf(value);
      if (!lock) return after;
      const doubted = withLocks(after, (taken) => (taken.held.lock === lock && !taken.doubtful ? { ...taken, doubtful: true } : taken));
      return doubted.refused.some(({ held }) => held.lock === lock) ? { ...doubted, refused: doubted.refused.filter(({ held }) => held.lock !== lock) } : doubted;
    }, state);
  }
}

function answerTo(asks: Condition['asks'], value: Known | null, subject: Known | null): Truth {
  switch (asks) {
    case 'truthy':
      return truthOf(value);
    case 'nullish':
      return nullness(value);
    case 'undefined':
      if (value?.kind === 'constant') return value.value === undefined ? 'true' : 'false';
      return nullness(value) === 'false' && value?.kind !== 'result' ? 'false' : 'unknown';
    case 'equals':
      return value?.kind === 'constant' && subject?.kind === 'constant' ? (value.value === subject.value ? 'true' : 'false') : 'unknown';
    default:
      return asks satisfies never;
  }
}
