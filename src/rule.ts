import type { TSESLint, TSESTree } from '@typescript-eslint/utils';
import type { Rule as EslintRule } from 'eslint';
import type { JSONSchema4 } from '@typescript-eslint/utils/json-schema';
import type { Edit } from './source/edit.js';
import { resultsOf, type OwnUnit, type Pass, type Unit } from './pass.js';
import { readSettings } from './settings.js';
import { mentionsLock } from './sql/lock-functions.js';

export type Tier = 'recommended' | 'strict' | 'all';

export interface Suggestion<MessageId extends string> {
  readonly messageId: MessageId;
  readonly data?: Readonly<Record<string, string | number>>;
  readonly edits: readonly Edit[];
}

/** One step of the path that leads to a finding, in order: acquire, what fails, where the lock is lost. */
export interface WitnessStep {
  readonly node: TSESTree.Node;
  readonly text: string;
}

/** One finding, as plain data: where it stands, what it says, what would cure it. */
export interface Problem<MessageId extends string> {
  readonly node: TSESTree.Node;
  /** What to underline, when it is less than the node: absolute UTF-16 offsets into the file. */
  readonly range?: readonly [number, number];
  readonly messageId: MessageId;
  readonly data?: Readonly<Record<string, string | number>>;
  readonly suggestions?: readonly Suggestion<MessageId>[];
  /** An automatic fix: only where behaviour provably stays the same. */
  readonly fix?: readonly Edit[];
  readonly witness?: readonly WitnessStep[];
}

type Results<P extends readonly Pass<unknown>[]> = { [K in keyof P]: P[K] extends Pass<infer T> ? T : never };

export interface RuleOptions<Options extends object> {
  /** The properties of the rule's one options object. */
  readonly schema: Readonly<Record<string, JSONSchema4>>;
  readonly defaults: Options;
}

export interface RuleSpecification<
  MessageId extends string,
  P extends readonly Pass<unknown>[],
  Options extends object,
> {
  readonly name: string;
  /** One sentence, imperative, without a full stop at the end. */
  readonly summary: string;
  readonly tier: Tier;
  readonly kind?: 'problem' | 'suggestion';
  readonly messages: Readonly<Record<MessageId, string>>;
  readonly options?: RuleOptions<Options>;
  readonly hasSuggestions?: boolean;
  readonly fixable?: boolean;
  readonly requires: P;
  /** It asks for nothing but statements, locks and the transactions around them, and so judges `.sql` files as well. */
  readonly inSqlFiles?: true;
  /** It also looks at files whose text mentions no lock. */
  readonly inEveryFile?: true;
  /** A pure generator: from facts to problems. */
  readonly check: (
    results: Results<P>,
    options: Options,
    unit: Unit,
  ) => Iterable<Problem<NoInfer<MessageId>>>;
}

/** A rule as the plugin lists it, its type parameters hidden. */
export interface Rule {
  readonly name: string;
  readonly tier: Tier;
  readonly summary: string;
  /** It judges `.sql` files as well. */
  readonly inSqlFiles: boolean;
  readonly toEslint: (observe?: Observer) => EslintRule.RuleModule;
}

/** Called with every problem a rule reports, before disable comments are applied. */
export type Observer = (report: ObservedProblem) => void;

export interface ObservedProblem {
  readonly rule: string;
  readonly filename: string;
  readonly node: TSESTree.Node;
  readonly range: readonly [number, number];
  readonly messageId: string;
  readonly data: Readonly<Record<string, string | number>>;
  readonly witness: readonly WitnessStep[];
}

const docsUrl = (name: string): string =>
  `https://github.com/eslint-plugin-advisory-lock/eslint-plugin-advisory-lock/blob/main/docs/rules/${name}.md`;

/**
 * Turns a specification into a rule. The rule registers no visitor for a file whose text mentions no lock, nor for a
 * source that is not a JavaScript program (ESLint's JSON, CSS and Markdown languages).
 */
export function createRule<
  const MessageId extends string,
  const P extends readonly Pass<unknown>[],
  Options extends object = object,
>(specification: RuleSpecification<MessageId, P, Options>): Rule {
  const { name, summary, tier, options } = specification;
  return {
    name,
    tier,
    summary,
    inSqlFiles: specification.inSqlFiles === true,
    toEslint: (observe) => ({
      meta: {
        type: specification.kind ?? 'problem',
        docs: { description: summary, url: docsUrl(name) },
        messages: specification.messages,
        schema: options
          ? [{ type: 'object', properties: options.schema, additionalProperties: false }]
          : [],
        ...(options && { defaultOptions: [options.defaults] }),
        ...(specification.hasSuggestions && { hasSuggestions: true }),
        ...(specification.fixable && { fixable: 'code' as const }),
      },
      create(context) {
        const { sourceCode } = context;
        const root: unknown = sourceCode.ast;
        const isSql = hasOwnUnit(sourceCode);
        if (isSql ? !specification.inSqlFiles : !isJavaScriptProgram(root)) return {};
        const settings = readSettings(context.settings);
        if (!specification.inEveryFile && !mentionsLock(sourceCode.text, settings.triggerWords)) return {};
        return {
          [isSql ? 'SqlFile' : 'Program']() {
            const unit = isSql ? sourceCode.unitFor(settings, context.filename) : unitOf(root as TSESTree.Program, context, settings);
            const merged = { ...options?.defaults, ...(context.options[0] as object | undefined) } as Options;
            // A text with several alternatives is one call: what it says twice of the same place is one defect.
            const reported = new Set<string>();
            for (const problem of specification.check(resultsOf(specification.requires, unit), merged, unit)) {
              const identity = JSON.stringify([problem.range ?? problem.node.range, problem.messageId, problem.data]);
              if (reported.has(identity)) continue;
              reported.add(identity);
              report(problem);
            }
          },
        };

        function report(problem: Problem<MessageId>): void {
          const range = problem.range ?? problem.node.range;
          observe?.({
            rule: name,
            filename: context.filename,
            node: problem.node,
            range,
            messageId: problem.messageId,
            data: problem.data ?? {},
            witness: problem.witness ?? [],
          });
          context.report({
            loc: { start: sourceCode.getLocFromIndex(range[0]), end: sourceCode.getLocFromIndex(range[1]) },
            messageId: problem.messageId,
            ...(problem.data && { data: problem.data }),
            ...(problem.fix && { fix: applyEdits(problem.fix) }),
            suggest: (problem.suggestions ?? []).map((suggestion) => ({
              messageId: suggestion.messageId,
              ...(suggestion.data && { data: suggestion.data }),
              fix: applyEdits(suggestion.edits),
            })),
          });
        }
      },
    }),
  };
}

const applyEdits =
  (edits: readonly Edit[]) =>
  (fixer: EslintRule.RuleFixer): EslintRule.Fix[] =>
    edits.map((edit) => fixer.replaceTextRange([edit.range[0], edit.range[1]], edit.text));

/** The language for `.sql` files brings a unit of its own. */
function hasOwnUnit(sourceCode: object): sourceCode is OwnUnit {
  return 'unitFor' in sourceCode;
}

/** ESLint's other languages hand over trees of their own; only a `Program` is JavaScript or TypeScript. */
function isJavaScriptProgram(ast: unknown): ast is TSESTree.Program {
  return typeof ast === 'object' && ast !== null && 'type' in ast && ast.type === 'Program';
}

function unitOf(
  program: TSESTree.Program,
  context: EslintRule.RuleContext,
  settings: Unit['settings'],
): Unit {
  const { sourceCode } = context;
  return {
    program,
    text: sourceCode.text,
    scopes: sourceCode.scopeManager as unknown as TSESLint.Scope.ScopeManager,
    visitorKeys: sourceCode.visitorKeys,
    parserServices: sourceCode.parserServices,
    parser: (context.languageOptions as { parser?: unknown } | undefined)?.parser,
    languageOptions: context.languageOptions,
    filename: context.filename,
    settings,
  };
}
