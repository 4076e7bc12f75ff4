import { ConfigCommentParser, Directive, TextSourceCodeBase, VisitNodeStep } from '@eslint/plugin-kit';
import type { OwnUnit, Unit } from '../pass.js';
import type { Settings } from '../settings.js';
import { sqlProgram, type SqlProgram } from './sql-program.js';
import { sqlUnit } from './sql-unit.js';
import { lineBreak, type SqlComment, type SqlFile, type SqlStatementNode } from './sql-tree.js';

interface Options {
  LangOptions: Record<string, unknown>;
  RootNode: SqlFile;
  SyntaxElementWithLoc: SqlFile | SqlStatementNode | SqlComment;
  ConfigNode: SqlComment;
}

const directiveName = /^\s*(?:eslint(?:-enable|-disable(?:-(?:next-)?line)?)?)(?:\s|$)/;
const comments = new ConfigCommentParser();

/** What ESLint and rules ask of a `.sql` file: its text and places, the comments that turn rules off, and its unit. */
export class SqlSourceCode extends TextSourceCodeBase<Options> implements OwnUnit {
  /** ESLint 9 looks these up without asking whether a language has them. */
  readonly visitorKeys: Record<string, string[]> = { SqlFile: ['body'], SqlStatement: [] };
  readonly #file: SqlFile;
  readonly #program: SqlProgram;

  constructor(text: string, file: SqlFile) {
    super({ text, ast: file, lineEndingPattern: lineBreak });
    this.#file = file;
    this.#program = sqlProgram(file);
  }

  unitFor(settings: Settings, filename: string): Unit {
    return sqlUnit(this.text, this.#file, this.#program, settings, filename);
  }

  getInlineConfigNodes(): SqlComment[] {
    return this.#file.comments.filter(({ value }) => directiveName.test(value));
  }

  getDisableDirectives(): { problems: { ruleId: null; message: string; loc: SqlComment['loc'] }[]; directives: Directive[] } {
    const problems: { ruleId: null; message: string; loc: SqlComment['loc'] }[] = [];
    const directives: Directive[] = [];
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
    return node.type === 'SqlFile' ? undefined : this.#file;
  }

  override *traverse(): Iterable<VisitNodeStep> {
    yield new VisitNodeStep({ target: this.#file, phase: 1, args: [this.#file, undefined] });
    for (const statement of this.#file.body) {
      yield new VisitNodeStep({ target: statement, phase: 1, args: [statement, this.#file] });
      yield new VisitNodeStep({ target: statement, phase: 2, args: [statement, this.#file] });
    }
    yield new VisitNodeStep({ target: this.#file, phase: 2, args: [this.#file, undefined] });
  }
}

const directiveTypes = ['disable', 'enable', 'disable-next-line', 'disable-line'] as const;
