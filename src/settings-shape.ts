import type {
  Binding,
  BuilderClause,
  Call,
  Callback,
  Condition,
  Dialect,
  DriverDescriptor,
  Effect,
  Example,
  ExampleStatement,
  Export,
  Fragment,
  GiveDetails,
  ImplicitTransaction,
  Kind,
  Position,
  Result,
  Sends,
} from './drivers/driver.js';
import type { AdvisoryLockSettings, HandleSetting, LockFunctionSetting, Specifier, WrapperSetting } from './settings.js';
import { boolean, either, index, lazy, list, number, object, oneOf, record, string, tagged, type Shape } from './shape.js';

/** The member of a union of objects whose `Key` may be `Tag`. */
type Member<Union, Key extends string, Tag> = Union extends Readonly<Record<Key, infer Own>> ? (Tag extends Own ? Union : never) : never;

const dialects: readonly (Dialect | 'either')[] = ['postgres', 'mysql', 'either'];
const role = oneOf('pool', 'http', 'single', 'connection', 'transaction', 'unknown');
const placeholders = list(oneOf('question-mark', 'colon', 'dollar-name', 'at', 'pg-promise', 'pg-format'));
const strings = list(string);

const argument = either(index, oneOf('last'));
const position = object<Position>([], {
  argument,
  property: string,
  template: oneOf(true),
  receiver: oneOf(true),
  rest: index,
});
const positions = list(position);
const condition = object<Condition>(['at'], {
  at: position,
  equals: either(string, number, boolean, oneOf(null, '')),
  member: string,
  present: boolean,
  absent: boolean,
});
const conditions = list(condition);

const giveDetails = object<GiveDetails>(['kind'], {
  kind: string,
  same: boolean,
  wraps: positions,
  unwraps: boolean,
  sameAsParameter: index,
  singleWhen: conditions,
  replicaWhen: conditions,
  renamesColumnsWhen: conditions,
  resetsOnReleaseWhen: conditions,
  lockTimeout: positions,
  url: positions,
  clientTimeout: positions,
  transactionTimeout: positions,
  owned: boolean,
});
const give = either(string, giveDetails);

const path = { shape: string, at: strings };
const resultOf = {
  rows: object<Member<Result, 'shape', 'rows'>>(['at'], { ...path, dialect: oneOf('postgres', 'mysql') }),
  path: object<Member<Result, 'shape', 'row-arrays' | 'row'>>(['at'], path),
  value: object<Member<Result, 'shape', 'value'>>(['at'], { ...path, beside: strings }),
  plain: object<Member<Result, 'shape', 'count' | 'any-row' | 'nothing' | 'unknown'>>([], { shape: string }),
};
const result: Shape = tagged('shape', {
  rows: resultOf.rows,
  'row-arrays': resultOf.path,
  row: resultOf.path,
  value: resultOf.value,
  count: resultOf.plain,
  'any-row': resultOf.plain,
  nothing: resultOf.plain,
  unknown: resultOf.plain,
  'one-of': object<Member<Result, 'shape', 'one-of'>>(['results'], { shape: string, results: list(lazy(() => result)) }),
});

const sends = object<Sends>(['sql', 'result'], {
  sql: positions,
  functionName: position,
  runs: string,
  values: positions,
  on: object<NonNullable<Sends['on']>>(['at'], { at: positions, required: boolean }),
  over: role,
  result,
  callback: object<NonNullable<Sends['callback']>>(['argument', 'parameter', 'result'], { argument, parameter: index, result }),
  lazy: oneOf('memoized', 'resent', 'needs-call'),
  placeholders,
  signal: object<NonNullable<Sends['signal']>>(['at'], { at: positions, ignored: boolean, refusedAt: positions, safeWhen: conditions }),
  clientTimeout: positions,
  replicaWhen: conditions,
  multipleStatements: boolean,
  rejectsVoid: boolean,
  rejectsRows: boolean,
  tolerantMethod: string,
});

const fragment = object<Fragment>(['sql', 'as'], {
  sql: positions,
  values: positions,
  as: oneOf('sql', 'value', 'identifier', 'list'),
  functionName: position,
  result,
  placeholders,
});

const callback = object<Callback>(['argument', 'parameters'], {
  argument,
  parameters: record(give),
  lastParameter: give,
  runs: oneOf('once', 'later'),
  returnsBatch: boolean,
});

const plainEffect = object<Member<Effect, 'does', 'begins' | 'commits' | 'rolls-back' | 'commits-and-gives-back' | 'listens'>>([], {
  does: string,
});
const effect = tagged('does', {
  'gives-back': object<Member<Effect, 'does', 'gives-back'>>([], {
    does: string,
    of: position,
    destroysWhen: oneOf('truthy-argument', 'always'),
    rollsBack: boolean,
  }),
  closes: object<Member<Effect, 'does', 'closes'>>([], { does: string, of: position }),
  begins: plainEffect,
  commits: plainEffect,
  'rolls-back': plainEffect,
  'commits-and-gives-back': plainEffect,
  listens: plainEffect,
});

const plainClause = object<Member<BuilderClause, 'is', 'select' | 'limit-one' | 'distinct' | 'row-locking'>>([], { is: string });
const placedClause = object<Member<BuilderClause, 'is', 'limit' | 'handle'>>(['at'], { is: string, at: position });
const clause = tagged('is', {
  select: plainClause,
  where: plainClause,
  having: plainClause,
  'join-on': plainClause,
  'order-by': plainClause,
  'group-by': plainClause,
  returning: plainClause,
  from: plainClause,
  set: plainClause,
  'distinct-on': plainClause,
  'limit-one': plainClause,
  distinct: plainClause,
  'row-locking': plainClause,
  limit: placedClause,
  offset: placedClause,
  handle: placedClause,
});

const call: Shape = object<Call>([], {
  sends,
  fragment,
  gives: give,
  resolves: give,
  callback,
  effect,
  batch: position,
  clause,
  alias: position,
  signal: object<NonNullable<Call['signal']>>(['at'], { at: positions, ignored: boolean, refusedAt: positions, safeWhen: conditions }),
  clientTimeout: positions,
  usesConnection: boolean,
  when: conditions,
  variants: list(lazy(() => call)),
  isolation: positions,
  isolates: oneOf('read uncommitted', 'read committed', 'repeatable read', 'serializable'),
  transactionTimeout: object<NonNullable<Call['transactionTimeout']>>(['at', 'default'], { at: positions, default: number }),
});

const kind = object<Kind>([], {
  role,
  extends: string,
  injectedAs: string,
  joinsUnseen: boolean,
  notInTransactions: strings,
  methods: record(call),
  properties: record(give),
  call,
  tag: call,
  new: give,
  otherMembers: oneOf('use-connection'),
  otherProperties: give,
  fluent: boolean,
  awaits: sends,
  resolves: give,
  behindPooler: oneOf(true),
  dispose: effect,
});

const exported = object<Export>(['names'], {
  names: strings,
  modules: strings,
  anyModule: boolean,
  global: boolean,
  new: give,
  call,
  tag: call,
  is: give,
  fragment,
  type: either(string, object<{ kind: never; ambiguous: never }>(['kind', 'ambiguous'], { kind: string, ambiguous: oneOf(true, 'in-migrations', 'or-transaction') })),
});

const example = object<Example>(['code'], {
  code: string,
  sends: list(object<ExampleStatement>(['over'], { over: role, sql: string, cell: string, sent: oneOf(false) })),
  effects: strings,
});

/** A driver as `settings['advisory-lock'].drivers` takes it. */
export const driverShape = object<DriverDescriptor>(['name', 'dialect', 'modules', 'exports', 'kinds', 'examples'], {
  name: string,
  dialect: oneOf(...dialects),
  modules: strings,
  defaultIsNamespace: boolean,
  placeholders,
  exports: list(exported),
  kinds: record(kind),
  distinctiveMethods: record(string),
  distinctiveProperties: record(string),
  importedHandle: object<NonNullable<DriverDescriptor['importedHandle']>>(['kind', 'methods'], { kind: string, methods: strings, calledToo: boolean }),
  errorEventEndsProcess: boolean,
  resetsOnRelease: boolean,
  untypedRows: boolean,
  implicitTransactions: list(object<ImplicitTransaction>([], { module: string, call: string, everywhere: boolean })),
  binding: object<Binding>([], {
    undefined: oneOf('null', 'throws', 'dropped'),
    null: oneOf('null', 'throws'),
    number: oneOf('untyped', 'bigint', 'integer'),
    bigint: oneOf('untyped', 'bigint'),
  }),
  examples: list(example, 1),
});

const specifier = either(
  string,
  object<Exclude<Specifier, string>>(['from', 'name'], {
    from: oneOf('file', 'package'),
    name: string,
    package: string,
    path: string,
  }),
);

const level = oneOf('session', 'transaction');

const wrapper: Shape = (value, path) => {
  const doesIt = typeof value === 'object' && value !== null && 'does' in value;
  return (doesIt ? lockingWrapper : sqlWrapper)(value, path);
};
const sqlWrapper = object<Extract<WrapperSetting, { sql: number }>>(['call', 'sql'], {
  call: specifier,
  sql: index,
  on: oneOf('pool', 'connection', 'transaction'),
});
const lockingWrapper = object<Extract<WrapperSetting, { does: string }>>(['call', 'does', 'level'], {
  call: specifier,
  does: oneOf('acquire', 'try', 'release', 'hold'),
  level,
  key: index,
  handle: index,
  callback: index,
});

/** `settings['advisory-lock']` as a whole. */
export const settingsShape = object<AdvisoryLockSettings>([], {
  pooler: oneOf('none', 'session', 'transaction'),
  lockTimeout: oneOf('none', 'role'),
  handles: list(
    object<HandleSetting>(['is', 'role', 'driver'], {
      is: specifier,
      role: oneOf('pool', 'single', 'connection', 'transaction'),
      driver: string,
    }),
  ),
  wrappers: list(wrapper),
  lockFunctions: list(
    object<LockFunctionSetting>(['name', 'action', 'level'], {
      name: string,
      action: oneOf('acquire', 'try', 'release'),
      level,
      mode: oneOf('shared', 'exclusive'),
    }),
  ),
  drivers: list(driverShape),
  followImports: boolean,
});
