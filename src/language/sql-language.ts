import type { ESLint } from 'eslint';
import { createSqlSourceCode, sqlVisitorKeys } from './sql-source-code.js';
import { sqlFile, type SqlFile } from './sql-tree.js';

export type Language = NonNullable<ESLint.Plugin['languages']>[string];

const dialects = ['postgres', 'mysql'] as const;

/** `language: 'advisory-lock/sql'`: files of SQL statements, for the rules that need nothing else. Any text is such a file. */
export const sql: Language = {
  fileType: 'text',
  lineStart: 1,
  columnStart: 0,
  nodeTypeKey: 'type',
  visitorKeys: sqlVisitorKeys,

  /** Other options are meant for other languages: a project may set them for all of its files. */
  validateLanguageOptions(options: object): void {
    const { dialect } = { dialect: undefined, ...options };
    if (dialect !== undefined && !isDialect(dialect)) throw new Error(`languageOptions.dialect is ${JSON.stringify(dialect)}; allowed: "postgres", "mysql".`);
  },

  parse({ body }, { languageOptions }) {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const { dialect } = { dialect: undefined, ...languageOptions };
    return { ok: true, ast: sqlFile(text, isDialect(dialect) ? dialect : dialectIn(text)) };
  },

  createSourceCode({ body }, { ast }) {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    return createSqlSourceCode(text, isSqlFile(ast) ? ast : sqlFile(text, dialectIn(text)));
  },
};

const isDialect = (value: unknown): value is (typeof dialects)[number] => dialects.some((dialect) => dialect === value);

const isSqlFile = (ast: unknown): ast is SqlFile => typeof ast === 'object' && ast !== null && 'type' in ast && ast.type === 'SqlFile';

/** MySQL's lock functions and quotes give it away. */
const dialectIn = (text: string): 'postgres' | 'mysql' =>
  /\b(?:get_lock|release_lock|release_all_locks|is_free_lock|is_used_lock)\s*\(|`/i.test(text) && !/\bpg_/i.test(text) ? 'mysql' : 'postgres';
