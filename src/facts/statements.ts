import type { TSESTree } from '@typescript-eslint/utils';
import type { DriverDescriptor, Result, Sends } from '../drivers/driver.js';
import type { Unit } from '../pass.js';
import { unwrap, unwrappedParent, type FunctionNode } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';
import { settles } from '../source/uses.js';
import { alternativesOfText, textOf, type SqlText, type TextOptions } from '../source/text.js';
import { analyzeSql } from '../sql/analyze.js';
import { createCatalogue } from '../sql/lock-functions.js';
import type { LockOperation, PlaceholderStyle, QueryLevel, SessionOperation, SqlAnalysis, SqlInput } from '../sql/model.js';
import { createBoundValues } from './bound-values.js';
import type { BuilderFragment, Builders, BuiltStatement } from './builders.js';
import type { CallMeaning } from './evaluator.js';
import type { Evaluation } from './evaluation.js';
import type { Fragments } from './fragments.js';
import type { Frame } from './frames.js';
import { createForwarding } from './imports/forwarding.js';
import { createOwnQueries } from './imports/own-queries.js';
import { createNamedFunctions } from './named-functions.js';
import type { CallNode, Query, QueryLock } from './query.js';
import { createResultUses } from './result-uses.js';
import { createSending } from './sending.js';
import type { Handle } from './values.js';

export interface StatementParts {
  readonly unit: Unit;
  readonly scopes: Scopes;
  readonly evaluated: Evaluation;
  readonly fragments: Fragments;
  readonly builders: Builders;
  readonly constantOf: (expression: TSESTree.Node) => { readonly value: unknown } | null;
}

/** A wrapper may forward its SQL to another wrapper; deeper than this nothing is followed. */
const maximumFrames = 4;

/** Finds the statements that a call or tagged template sends, by itself or through the functions that call it. */
export function createStatements(parts: StatementParts) {
  const { unit, scopes, evaluated, fragments, builders } = parts;
  const { evaluator, callers, frames: frameReader } = evaluated;
  const catalogue = createCatalogue(unit.settings.lockFunctions);
  const namedFunctions = createNamedFunctions(parts);
  const sendings = createSending(parts);
  const resultUses = createResultUses(parts);
  const boundValues = createBoundValues(parts);
  const ownQueries = createOwnQueries(evaluated.links);
  const forwarding = createForwarding({ links: evaluated.links, evaluator, queriesOf, forwardingFunction: functionForwardedBy });
  return { at, forwardedBy, sentAs: (node: CallNode, meaning: CallMeaning): readonly Query[] => queriesOf(node, meaning, []) };

  /** Which of its arguments a function sends as SQL, and over what. */
  function forwardedBy(fn: FunctionNode): readonly { readonly argument: number; readonly handle: Handle }[] {
    return forwarding.routesOf(fn).flatMap(({ sending, meaning, frames }) => {
      const { sends } = meaning.call;
      const argument = sends ? textsOf(sending, sends, frames).flatMap(({ holes }) => holes.flatMap(({ node }) => parameterIndex(node, fn) ?? []))[0] : undefined;
      return sends && argument !== undefined ? [{ argument, handle: sendings.handleOf(sending, meaning, sends, frames, null).certain }] : [];
    });
  }

  function parameterIndex(node: TSESTree.Node, fn: FunctionNode): number | null {
    const root = rootIdentifier(node);
    const variable = root && scopes.variableOf(root);
    const definition = variable && scopes.definitionOf(variable);
    return definition?.kind === 'parameter' && definition.function === fn ? definition.index : null;
  }

  function at(node: CallNode): readonly Query[] {
    const forwarded = forwarding.queriesAt(node);
    if (forwarded.length > 0) return forwarded;
    const built = builders.statementAt(node);
    if (built) return [builtQuery(built)];
    const meaning = evaluator.meaningOf(node);
    if (!meaning?.call.sends) return [];
    if (isIntermediate(node, meaning.call.sends) || fragments.isPart(node)) return [];
    // A tag of unknown origin sends only if somebody waits for it; otherwise it may make a piece for something else.
    const isAssumedTag = node.type === 'TaggedTemplateExpression' && meaning.receiver?.handle?.assumed === true;
    if (isAssumedTag && !isWaitedFor(node)) return [];
    return queriesOf(node, meaning, []);
  }

  /** A lazy query that a further method sends: `` sql`…`.execute() `` is one statement, found at the outer call. */
  function isIntermediate(node: CallNode, sends: Sends): boolean {
    if (sends.lazy === undefined) return false;
    const { parent, child } = unwrappedParent(node);
    if (parent?.type !== 'MemberExpression' || parent.object !== child) return false;
    const call = unwrappedParent(parent).parent;
    if (call?.type !== 'CallExpression' || unwrap(call.callee) !== parent) return false;
    return evaluator.meaningOf(call)?.call.sends?.sql.some((position) => 'receiver' in position) === true;
  }

  function isWaitedFor(node: CallNode): boolean {
    const settlement = settles(node, scopes);
    return settlement === 'awaited' || settlement === 'chained' || settlement === 'returned';
  }

  function queriesOf(sending: CallNode, meaning: CallMeaning, frames: readonly Frame[]): Query[] {
    const { sends } = meaning.call;
    if (!sends) return [];
    const texts = textsOf(sending, sends, frames);
    const shown = texts.filter(({ text }) => /[^\uE000\s]/.test(text));
    const made = (shown.length > 0 ? shown : [null]).map((text, index) => sentQuery(sending, meaning, sends, frames, text, index > 0));
    if (made.some((query) => query.locks.length > 0) || frames.length >= maximumFrames) return made;
    const forwarded = forwardedIn(sending, sends, texts, frames);
    if (!forwarded) return made;
    const through = callers.callSitesOf(forwarded, evaluator).flatMap((call) => {
      const isRecursive = frames.some((frame) => frame.call === call);
      return call.type === 'CallExpression' && !isRecursive ? queriesOf(sending, meaning, [...frames, { function: forwarded, call }]) : [];
    });
    if (frames.length === 0) return [...made, ...through];
    return through.length > 0 ? through : made;
  }

  function functionForwardedBy(sending: CallNode, { call }: CallMeaning, frames: readonly Frame[]): FunctionNode | null {
    return call.sends ? forwardedIn(sending, call.sends, textsOf(sending, call.sends, frames), frames) : null;
  }

  /** The function that forwards SQL: its parameter stands in the text as text, names the function, or is spread. */
  function forwardedIn(sending: CallNode, sends: Sends, texts: readonly SqlText[], frames: readonly Frame[]): FunctionNode | null {
    const named = namedFunctions.nameFor(sending, sends, frames);
    const open = named ? [named] : texts.flatMap(({ holes }) => holes.flatMap(({ kind, node }) => (kind === 'value' ? [] : [node])));
    for (const node of open) {
      const root = rootIdentifier(node);
      const variable = root && scopes.variableOf(root);
      const definition = variable && scopes.definitionOf(variable);
      if (definition?.kind === 'parameter' && !frames.some((frame) => frame.function === definition.function)) return definition.function;
    }
    return frameReader.spreadFrom(sending, frames);
  }

  function textsOf(sending: CallNode, sends: Sends, frames: readonly Frame[]): readonly SqlText[] {
    if (sends.functionName || sends.runs !== undefined) return namedFunctions.textsOf(sending, sends, frames);
    const place = fragments.firstOf(sending, sends.sql, frames);
    if (place.kind !== 'found') return [];
    const texts = alternativesOfText(place.node, evaluated.constants, textOptions(frames));
    return evaluated.links.isOwn(sending) ? texts.map((text) => ownQueries.textOf(text, place.node)) : texts;
  }

  function textOptions(frames: readonly Frame[]): TextOptions {
    return {
      fragmentOf: (node) => fragments.sourceOf(node),
      resolveParameter: (variable) => argumentOf(variable, frames) ?? fragments.preparedFor(variable),
    };
  }

  function argumentOf(variable: Variable, frames: readonly Frame[]): TSESTree.Node | null {
    const [identifier] = variable.identifiers;
    if (!identifier || frames.length === 0) return null;
    const argument = frameReader.argumentFor(identifier, frames);
    return argument && argument.node !== identifier ? argument.node : null;
  }

  function sentQuery(sending: CallNode, meaning: CallMeaning, sends: Sends, frames: readonly Frame[], sql: SqlText | null, isAlternative: boolean): Query {
    const last = frames.at(-1)?.call;
    const node = last?.type === 'CallExpression' ? last : sending;
    const placeholders = sql && fragments.fragmentBehind(sql.node)?.fragment.placeholders;
    const analysis = sql && analyse(sql, meaning.driver, placeholders ?? sends.placeholders, 'statement');
    const locks = sql && analysis ? locksIn(analysis) : [];
    return assemble({ node, isAlternative, sending, meaning, sends, frames, sql, analysis }, (query) =>
      locks.map((operation) => lockOf(operation, query, query.sql ?? emptyText(node), operation.query)),
    );
  }

  function builtQuery(built: BuiltStatement): Query {
    const { meaning, sends, node } = built;
    const level = builders.levelOf(built);
    const pieces = builders.fragmentsOf(built);
    const base: Assembled = { node, isAlternative: false, sending: node, meaning, sends, frames: [], sql: null, analysis: null, built };
    return assemble(base, (query) => pieces.flatMap((piece) => locksOfPiece(piece, query, meaning.driver, level)));
  }

  function locksOfPiece(piece: BuilderFragment, query: Query, driver: DriverDescriptor, level: QueryLevel): QueryLock[] {
    const text = textOf(piece.node, evaluated.constants, textOptions([]));
    if (!text) return [];
    const fragment = fragments.fragmentOf(piece.node)?.fragment;
    const analysis = analyse(text, driver, fragment?.placeholders, 'either');
    return locksIn(analysis).map((operation) => {
      if (operation.query) return lockOf(operation, query, text, operation.query);
      const column = (piece.clause === 'select' || piece.clause === 'returning') && piece.alias !== null ? { index: operation.column?.index ?? 0, name: piece.alias, direct: !operation.usedInSql } : operation.column;
      const isFilter = piece.clause !== 'select' && piece.clause !== 'returning';
      const placed: LockOperation = { ...operation, clause: piece.clause, query: level, column: isFilter ? null : column, usedInSql: operation.usedInSql || isFilter };
      return lockOf(placed, query, text, level);
    });
  }

  interface Assembled {
    readonly node: CallNode;
    readonly isAlternative: boolean;
    readonly sending: CallNode;
    readonly meaning: CallMeaning;
    readonly sends: Sends;
    readonly frames: readonly Frame[];
    readonly sql: SqlText | null;
    readonly analysis: SqlAnalysis | null;
    readonly built?: BuiltStatement;
  }

  function assemble(parts: Assembled, locksOf: (query: Query) => readonly QueryLock[]): Query {
    const { node, isAlternative, sending, meaning, sends, frames, sql, analysis, built } = parts;
    const steps = built?.steps ?? null;
    const handle = sendings.handleOf(sending, meaning, sends, frames, steps);
    const dispatch = resultUses.dispatchOf(sending, meaning, sends, frames);
    const locks: QueryLock[] = [];
    const query: Query = ownQueries.queryOf({
      node,
      isAlternative,
      isElsewhere: false,
      sending,
      route: [...frames.map((frame) => frame.call).filter((call) => call.type === 'CallExpression').reverse(), sending],
      frames,
      driver: meaning.driver,
      call: meaning.call,
      sends,
      method: meaning.name,
      handle: handle.certain,
      otherHandles: handle.others,
      sql,
      analysis,
      locks,
      session: (analysis?.operations ?? []).filter((operation): operation is SessionOperation => operation.kind !== 'lock'),
      result: dialectOf(dispatch.result, analysis),
      renamesColumns: sendings.renamesColumns(handle.certain),
      uses: dispatch.uses,
      sent: dispatch.sent,
      signal: sendings.signalOf(sending, sends, handle.certain, frames),
      isOnReplica: sendings.isOnReplica(sending, sends, handle.certain),
      clientTimeout: sendings.clientTimeoutOf(sending, sends, handle.certain, frames, steps),
      mayJoinBatch: dispatch.mayJoinBatch,
      builder: steps,
      boundValue: (expression) => (sql ? boundValues.valueOf(expression, sql, sending, sends, frames) : null),
    });
    locks.push(...locksOf(query));
    return query;
  }

  function lockOf(operation: LockOperation, query: Query, text: SqlText, level: QueryLevel | null): QueryLock {
    return {
      operation,
      query,
      text,
      level,
      sourceOf: (range) => text.toSource(range.start, range.end),
      boundValue: query.sql === text ? query.boundValue : (expression) => boundValues.valueOf(expression, text, query.sending, query.sends, query.frames),
    };
  }

  function analyse(sql: SqlText, driver: DriverDescriptor, placeholders: readonly PlaceholderStyle[] | undefined, form: SqlInput['form']): SqlAnalysis {
    return analyzeSql(
      {
        text: sql.text,
        holes: sql.holes.map((hole) => hole.kind),
        dialect: driver.dialect === 'either' ? dialectIn(sql.text) : driver.dialect,
        placeholders: placeholders ?? driver.placeholders ?? [],
        form,
      },
      catalogue,
    );
  }

  function emptyText(node: TSESTree.Node): SqlText {
    return { text: '', holes: [], node, segments: [], toSource: () => node.range, editable: () => null };
  }
}

/** Locks the statement takes or gives when it runs; a function body that it merely stores does neither. */
const locksIn = (analysis: SqlAnalysis): LockOperation[] =>
  analysis.operations.filter((operation): operation is LockOperation => operation.kind === 'lock' && operation.body !== 'function');

/** A library that speaks both dialects: MySQL's lock functions and quotes give it away. */
const dialectIn = (text: string): 'postgres' | 'mysql' => (/\b(?:get_lock|release_lock|release_all_locks|is_free_lock|is_used_lock)\b|`/i.test(text) && !/pg_/i.test(text) ? 'mysql' : 'postgres');

/** Of results that depend on the dialect, those of the dialect the statement's own functions have. */
function dialectOf(result: Result, analysis: SqlAnalysis | null): Result {
  if (result.shape !== 'one-of') return result;
  const lock = analysis?.operations.find((operation) => operation.kind === 'lock');
  if (!lock) return result;
  const results = result.results.filter((candidate) => !('dialect' in candidate) || candidate.dialect === undefined || candidate.dialect === lock.dialect);
  const [only, ...others] = results;
  return only && others.length === 0 ? only : { shape: 'one-of', results };
}

function rootIdentifier(expression: TSESTree.Node): TSESTree.Identifier | null {
  let node = unwrap(expression);
  while (node.type === 'MemberExpression') node = unwrap(node.object);
  return node.type === 'Identifier' ? node : null;
}
