import { createRequire } from 'node:module';
import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import type { Unit } from '../../pass.js';

/** The syntax and scopes of a file that was read because another one imports it. */
export interface ParsedFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly program: TSESTree.Program;
  readonly scopes: TSESLint.Scope.ScopeManager;
  readonly visitorKeys: Unit['visitorKeys'];
}

/** Parses further files as the host parsed the linted one. */
export interface FileParser {
  /** What the result depends on besides path and text: equal for equal options. */
  readonly optionsKey: string;
  /** Null for a text that the parser refuses. */
  parse(path: string, text: string): ParsedFile | null;
}

type SourceType = 'module' | 'script' | 'commonjs';

interface ParseResult {
  readonly ast: unknown;
  readonly scopeManager?: unknown;
  readonly visitorKeys?: Unit['visitorKeys'];
}

/** Types are asked of the linted file only; a program for every file it imports would cost far more than it tells. */
const untyped = { project: undefined, projectService: undefined, EXPERIMENTAL_useProjectService: undefined, programs: undefined };

/** The parser of the run, for other files; null where the host gives none (oxlint). */
export function fileParserOf({ parser, languageOptions, visitorKeys }: Pick<Unit, 'parser' | 'languageOptions' | 'visitorKeys'>): FileParser | null {
  const run = parseFunctionOf(parser);
  if (!run) return null;
  const options = isObject(languageOptions) ? languageOptions : {};
  const ecmaVersion = 'ecmaVersion' in options && typeof options.ecmaVersion === 'number' ? options.ecmaVersion : 2022;
  const ownSourceType = 'sourceType' in options ? options.sourceType : undefined;
  const parserOptions = 'parserOptions' in options && isObject(options.parserOptions) ? options.parserOptions : {};
  const features = 'ecmaFeatures' in parserOptions && isObject(parserOptions.ecmaFeatures) ? parserOptions.ecmaFeatures : {};

  return { optionsKey: JSON.stringify([ecmaVersion, ownSourceType, features]), parse };

  function parse(path: string, text: string): ParsedFile | null {
    const preferred = sourceTypeOf(path, ownSourceType);
    return parseAs(preferred, path, text) ?? (preferred === 'module' ? null : parseAs('module', path, text));
  }

  function parseAs(sourceType: SourceType, path: string, text: string): ParsedFile | null {
    try {
      const result = run?.(text.replace(/^#!/, '//'), {
        ecmaVersion,
        ...parserOptions,
        ...untyped,
        sourceType,
        loc: true,
        range: true,
        tokens: false,
        comment: false,
        eslintVisitorKeys: true,
        eslintScopeManager: true,
        filePath: path,
      });
      if (!result || !isProgram(result.ast)) return null;
      const keys = result.visitorKeys ?? visitorKeys;
      linkParents(result.ast, keys);
      const scopes = isScopeManager(result.scopeManager)
        ? result.scopeManager
        : analyzeScopes(result.ast, { ecmaVersion, sourceType, childVisitorKeys: keys, ignoreEval: true, jsx: 'jsx' in features && features.jsx === true, fallback: 'iteration' });
      return scopes && { path, text, program: result.ast, scopes, visitorKeys: keys };
    } catch {
      // A parser throws for syntax that it does not know: ESLint's own for TypeScript, for one.
      return null;
    }
  }
}

function sourceTypeOf(path: string, own: unknown): SourceType {
  if (/\.[cm]?ts$|\.tsx$|\.mjs$/.test(path)) return 'module';
  if (path.endsWith('.cjs')) return 'commonjs';
  return own === 'script' || own === 'commonjs' ? own : 'module';
}

function parseFunctionOf(parser: unknown): ((text: string, options: object) => ParseResult) | null {
  if (hasMethod(parser, 'parseForESLint')) {
    return (text, options) => {
      const result = parser.parseForESLint(text, options);
      return isParseResult(result) ? result : { ast: null };
    };
  }
  return hasMethod(parser, 'parse') ? (text, options) => ({ ast: parser.parse(text, options) }) : null;
}

/** ESLint sets these while it walks the linted file; nobody walks this one. */
function linkParents(program: TSESTree.Program, visitorKeys: Unit['visitorKeys']): void {
  const pending: TSESTree.Node[] = [program];
  for (let node = pending.pop(); node; node = pending.pop()) {
    for (const key of visitorKeys[node.type] ?? []) {
      const value: unknown = Reflect.get(node, key);
      for (const child of Array.isArray(value) ? value : [value]) {
        if (!isNode(child)) continue;
        Reflect.set(child, 'parent', node);
        pending.push(child);
      }
    }
  }
}

interface ScopeOptions {
  readonly ecmaVersion: number;
  readonly sourceType: SourceType;
  readonly childVisitorKeys: Unit['visitorKeys'];
  readonly ignoreEval: boolean;
  readonly jsx: boolean;
  readonly fallback: 'iteration';
}

type Analyze = (program: TSESTree.Program, options: ScopeOptions) => unknown;

let analyze: Analyze | null | undefined;

/**
 * Scopes for parsers that give none, as ESLint makes them: by `eslint-scope`, looked up from ESLint itself, whose
 * dependency it is. Null where that cannot be found.
 */
function analyzeScopes(program: TSESTree.Program, options: ScopeOptions): TSESLint.Scope.ScopeManager | null {
  if (analyze === undefined) analyze = findAnalyze();
  const manager = analyze?.(program, options);
  return isScopeManager(manager) ? manager : null;
}

function findAnalyze(): Analyze | null {
  try {
    const eslint = createRequire(import.meta.url).resolve('eslint');
    const found: unknown = createRequire(eslint)('eslint-scope');
    return hasMethod(found, 'analyze') ? (program, options) => found.analyze(program, options) : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const hasMethod = <Name extends string>(value: unknown, name: Name): value is Record<Name, (...given: readonly unknown[]) => unknown> =>
  isObject(value) && typeof Reflect.get(value, name) === 'function';

const isParseResult = (value: unknown): value is ParseResult => isObject(value) && 'ast' in value;

const isProgram = (value: unknown): value is TSESTree.Program =>
  isObject(value) && 'type' in value && value.type === 'Program' && 'body' in value && Array.isArray(value.body);

const isNode = (value: unknown): value is TSESTree.Node => isObject(value) && 'type' in value && typeof value.type === 'string';

const isScopeManager = (value: unknown): value is TSESLint.Scope.ScopeManager => isObject(value) && 'scopes' in value && Array.isArray(value.scopes);
