import type { DriverDescriptor } from './drivers/driver.js';

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

/** Reads and validates `settings['advisory-lock']`. Throws an error that names the key, the value and what is allowed. */
export function readSettings(_settings: unknown): Settings {
  return defaults;
}
