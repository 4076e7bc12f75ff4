import { createRequire } from 'node:module';
import type * as PluginKit from '@eslint/plugin-kit';
import type { OwnUnit } from '../pass.js';
import { sqlProgram } from './sql-program.js';
import { lineBreak, type SqlComment, type SqlFile, type SqlStatementNode } from './sql-tree.js';
import { sqlUnit } from './sql-unit.js';

interface Options {
  LangOptions: Record<string, unknown>;
  RootNode: SqlFile;
  SyntaxElementWithLoc: SqlFile | SqlStatementNode | SqlComment;
  ConfigNode: SqlComment;
}

interface DirectiveProblem {
  ruleId: null;
  message: string;
  loc: SqlComment['loc'];
}

const inlineConfig = /^\s*eslint(?:-enable|-disable(?:-(?:next-)?line)?)?(?:\s|$)/;
const directiveTypes = ['disable', 'enable', 'disable-next-line', 'disable-line'] as const;

export const sqlVisitorKeys: Record<string, string[]> = { SqlFile: ['body'], SqlStatement: [] };

let loaded: ReturnType<typeof defineSourceCode> | null = null;

/** What ESLint and rules ask of a `.sql` file: its text and places, the comments that turn rules off, and its unit. */
export function createSqlSourceCode(text: string, file: SqlFile) {
  // Loaded with the first such file: most projects have none, and every run would pay for it.
  loaded ??= defineSourceCode(loadPluginKit());
  return new loaded(text, file);
}

function loadPluginKit(): typeof PluginKit {
  // Not called `require`: in a CommonJS bundle that name is needed to make sense of `import.meta.url`.
  const packageRequire = createRequire(import.meta.url);
  const kit: unknown = packageRequire('@eslint/plugin-kit');
  if (!isPluginKit(kit)) throw new TypeError('@eslint/plugin-kit is not what it was');
  return kit;
}

const isPluginKit = (value: unknown): value is typeof PluginKit => typeof value === 'object' && value !== null && 'TextSourceCodeBase' in value;

function defineSourceCode({ ConfigCommentParser, Directive, TextSourceCodeBase, VisitNodeStep }: typeof PluginKit) {
  const comments = new ConfigCommentParser();

  return class SqlSourceCode extends TextSourceCodeBase<Options> {
    /** ESLint 9 looks these up without asking whether a language has them. */
    readonly visitorKeys = sqlVisitorKeys;
    readonly file: SqlFile;
    readonly unitFor: OwnUnit['unitFor'];

    constructor(text: string, file: SqlFile) {
      super({ text, ast: file, lineEndingPattern: lineBreak });
      this.file = file;
      const program = sqlProgram(file);
      this.unitFor = (settings, filename) => sqlUnit(text, file, program, settings, filename);
    }

    getInlineConfigNodes(): SqlComment[] {
      return this.file.comments.filter(({ value }) => inlineConfig.test(value));
    }

    getDisableDirectives(): { problems: DirectiveProblem[]; directives: PluginKit.Directive[] } {
      const problems: DirectiveProblem[] = [];
      const directives: PluginKit.Directive[] = [];
      for (const node of this.getInlineConfigNodes()) {
        const directive = comments.parseDirective(node.value);
        if (!directive) continue;
        const { label, value, justification } = directive;
        if (label === 'eslint-disable-line' && node.loc.start.line !== node.loc.end.line) {
          problems.push({ ruleId: null, message: `${label} comment should not span multiple lines.`, loc: node.loc });
          continue;
        }
        const type = directiveTypes.find((candidate) => label === `eslint-${candidate}`);
        if (type) directives.push(new Directive({ type, node, value, justification }));
      }
      return { problems, directives };
    }

    override getParent(node: Options['SyntaxElementWithLoc']): SqlFile | undefined {
      return node.type === 'SqlFile' ? undefined : this.file;
    }

    override *traverse() {
      const { file } = this;
      yield new VisitNodeStep({ target: file, phase: 1, args: [file, undefined] });
      for (const statement of file.body) {
        yield new VisitNodeStep({ target: statement, phase: 1, args: [statement, file] });
        yield new VisitNodeStep({ target: statement, phase: 2, args: [statement, file] });
      }
      yield new VisitNodeStep({ target: file, phase: 2, args: [file, undefined] });
    }
  };
}
