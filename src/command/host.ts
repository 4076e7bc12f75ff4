import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ESLint, Linter } from 'eslint';

/** What the command takes from the linted project, or else from its own installation; loaded when first asked for. */
export interface Host {
  /** Throws a MissingHostError when there is no ESLint that can be used. */
  eslint(): typeof ESLint;
  /** `@typescript-eslint/parser`; null where it is not installed. */
  typescriptParser(): Linter.Parser | null;
}

/** Nothing to lint with; the message says what to install. */
export class MissingHostError extends Error {
  override name = 'MissingHostError';
}

/** Looks from `folder` first. */
export function createHost(folder: string): Host {
  const requires = [createRequire(join(folder, 'noop.js')), createRequire(import.meta.url)];
  return { eslint: once(() => findEslint(requires)), typescriptParser: once(() => findParser(requires)) };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function findEslint(requires: readonly NodeJS.Require[]): typeof ESLint {
  const unsupported: string[] = [];
  for (const require of requires) {
    const eslint = load(require, 'eslint');
    if (!isEslint(eslint)) continue;
    const { version } = eslint.ESLint;
    if (isSupported(version)) return eslint.ESLint;
    unsupported.push(version);
  }
  const found = unsupported.length > 0 ? `Found only ESLint ${unsupported.join(' and ')}` : 'Found no ESLint';
  throw new MissingHostError(`${found}; 9.15 or later is needed. Install it: npm install --save-dev eslint`);
}

function findParser(requires: readonly NodeJS.Require[]): Linter.Parser | null {
  for (const require of requires) {
    const parser = load(require, '@typescript-eslint/parser');
    if (isParser(parser)) return parser;
    // Package managers that do not hoist hide the parser behind the package that brings it.
    const umbrella = resolved(require, 'typescript-eslint');
    const behind = umbrella === null ? null : load(createRequire(umbrella), '@typescript-eslint/parser');
    if (isParser(behind)) return behind;
  }
  return null;
}

const isEslint = (value: unknown): value is { ESLint: typeof ESLint } =>
  typeof value === 'object' && value !== null && 'ESLint' in value && typeof value.ESLint === 'function';

const isParser = (value: unknown): value is Linter.Parser =>
  typeof value === 'object' && value !== null && 'parseForESLint' in value && typeof value.parseForESLint === 'function';

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 9 || (major === 9 && minor >= 15);
}

function resolved(require: NodeJS.Require, name: string): string | null {
  try {
    return require.resolve(name);
  } catch {
    return null;
  }
}

/** A module that is not installed, or that refuses to load (a parser without its TypeScript), is as good as absent. */
function load(require: NodeJS.Require, name: string): unknown {
  const path = resolved(require, name);
  if (path === null) return null;
  try {
    return require(path);
  } catch {
    return null;
  }
}
