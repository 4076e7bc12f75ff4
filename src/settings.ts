import type { DriverDescriptor } from './drivers/driver.js';
import { settingsShape } from './settings-shape.js';
import { explain, isRecord } from './shape.js';

/** Names a value or a type: by name alone, or by the file or package that declares it. */
export type Specifier = string | { from: 'file' | 'package'; name: string; package?: string; path?: string };

/** The role a handle plays for the statements sent over it. */
export type SettingRole = 'pool' | 'single' | 'connection' | 'transaction';

export interface HandleSetting {
  is: Specifier;
  role: SettingRole;
  driver: string;
}

export type WrapperSetting =
  | { call: Specifier; sql: number; on?: 'pool' | 'connection' | 'transaction' }
  | {
      call: Specifier;
      does: 'acquire' | 'try' | 'release' | 'hold';
      level: 'session' | 'transaction';
      key?: number;
      handle?: number;
      callback?: number;
    };

export interface LockFunctionSetting {
  name: string;
  action: 'acquire' | 'try' | 'release';
  level: 'session' | 'transaction';
  mode?: 'shared' | 'exclusive';
}

/** `settings['advisory-lock']`, as a user writes it: facts about the project that the code does not show. */
export interface AdvisoryLockSettings {
  pooler?: 'none' | 'session' | 'transaction';
  lockTimeout?: 'none' | 'role';
  handles?: readonly HandleSetting[];
  wrappers?: readonly WrapperSetting[];
  lockFunctions?: readonly LockFunctionSetting[];
  drivers?: readonly DriverDescriptor[];
  followImports?: boolean;
}

/** The settings after validation, with defaults filled in. */
export interface Settings {
  readonly pooler: 'none' | 'session' | 'transaction' | 'unknown';
  readonly lockTimeout: 'none' | 'role';
  readonly handles: readonly HandleSetting[];
  readonly wrappers: readonly WrapperSetting[];
  readonly lockFunctions: readonly LockFunctionSetting[];
  readonly drivers: readonly DriverDescriptor[];
  readonly followImports: boolean;
  /** Names of lock functions and wrappers that make a file worth analysing. */
  readonly triggerWords: readonly string[];
}

/**
 * Reads and validates `settings['advisory-lock']` out of a configuration's `settings` object.
 * Throws an error that names the key, the value and what is allowed. The result is one object per settings object, so
 * that passes over one tree are shared by all rules.
 */
export function readSettings(settings: unknown): Settings {
  const own = isRecord(settings) ? settings['advisory-lock'] : undefined;
  if (own === undefined) return defaults;
  if (typeof own !== 'object' || own === null) return validate(own);
  let result = validated.get(own);
  if (!result) {
    result = validate(own);
    validated.set(own, result);
  }
  return result;
}

const validated = new WeakMap<object, Settings>();

const defaults: Settings = {
  pooler: 'unknown',
  lockTimeout: 'none',
  handles: [],
  wrappers: [],
  lockFunctions: [],
  drivers: [],
  followImports: true,
  triggerWords: [],
};

function validate(own: unknown): Settings {
  assertSettings(own);
  const { wrappers = [], lockFunctions = [] } = own;
  return {
    ...defaults,
    ...withoutUndefined(own),
    triggerWords: [
      ...lockFunctions.map(({ name }) => lastPart(name)),
      ...wrappers.map(({ call }) => (typeof call === 'string' ? lastPart(call) : wordOf(call))),
    ],
  };
}

function assertSettings(own: unknown): asserts own is AdvisoryLockSettings {
  const mistake = settingsShape(own, "settings['advisory-lock']");
  if (mistake) throw new Error(explain(mistake));
}

/** A key that is written out as `undefined` means its default. */
const withoutUndefined = <T extends object>(value: T): Partial<T> => {
  const kept: Partial<T> = { ...value };
  for (const key in kept) if (kept[key] === undefined) Reflect.deleteProperty(kept, key);
  return kept;
};

/** A dotted name stands for a member of something: only its last part is sure to be written in the file that uses it. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** A default export has whatever name its importer likes, but the importer must name the module. */
function wordOf(call: Exclude<Specifier, string>): string {
  if (call.name !== 'default') return lastPart(call.name);
  const module = call.package ?? call.path ?? call.name;
  return module.slice(module.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
}
