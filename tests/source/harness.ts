import * as typescriptParser from '@typescript-eslint/parser';
import type { TSESTree } from '@typescript-eslint/utils';
import { Linter, type Rule } from 'eslint';
import { resultOf, type Unit } from '../../src/pass.js';
import { readSettings } from '../../src/settings.js';
import { scopes, type Scopes } from '../../src/source/scope.js';
import { nodes, type Nodes } from '../../src/source/walk.js';

export interface Parsed {
  unit: Unit;
  scopes: Scopes;
  nodes: Nodes;
}

export type Language = 'ts' | 'js';

const isUnit = (value: unknown): value is Unit => typeof value === 'object' && value !== null && 'program' in value;

/** Parses code as ESLint does, with typescript-eslint's parser or with espree, and runs the basic passes. */
export function parse(code: string, language: Language = 'ts'): Parsed {
  let unit: unknown = null;
  const capture: Rule.RuleModule = {
    create({ sourceCode }) {
      unit = {
        program: sourceCode.ast,
        text: sourceCode.text,
        scopes: sourceCode.scopeManager,
        visitorKeys: sourceCode.visitorKeys,
        parserServices: {},
        parser: undefined,
        languageOptions: {},
        filename: '<input>',
        settings: readSettings({}),
      };
      return {};
    },
  };
  const messages = new Linter().verify(
    code,
    [
      {
        files: ['**/*.ts', '**/*.js'],
        plugins: { test: { rules: { capture } } },
        rules: { 'test/capture': 'error' },
        languageOptions:
          language === 'ts' ? { parser: typescriptParser } : { parserOptions: { ecmaFeatures: { jsx: true } } },
        linterOptions: { reportUnusedDisableDirectives: 'off' },
      },
    ],
    { filename: language === 'ts' ? 'file.ts' : 'file.js' },
  );
  const fatal = messages.find((message) => message.fatal);
  if (fatal || !isUnit(unit)) throw new Error(`${fatal?.message ?? 'not parsed'} (line ${fatal?.line}):\n${code}`);
  return { unit, scopes: resultOf(scopes, unit), nodes: resultOf(nodes, unit) };
}

/** The calls of a function named `$`, in source order. */
export function marks({ nodes }: Parsed): readonly TSESTree.CallExpression[] {
  return nodes.calls.filter(({ callee }) => callee.type === 'Identifier' && callee.name === '$');
}

/** The first call of `$`. */
export function mark(parsed: Parsed): TSESTree.CallExpression {
  const [first] = marks(parsed);
  if (!first) throw new Error(`no $(…) in:\n${parsed.unit.text}`);
  return first;
}

/** The argument of the first `$(…)`. */
export function marked(parsed: Parsed): TSESTree.Node {
  const [argument] = mark(parsed).arguments;
  if (!argument) throw new Error(`$() without an argument in:\n${parsed.unit.text}`);
  return argument;
}
