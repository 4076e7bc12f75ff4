import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createContext, Script } from 'node:vm';

import type { ParseResult } from '@pgsql/types';

/** One lexical token of the server's own scanner; `start` and `end` are UTF-8 byte offsets. Comments are tokens too. */
export interface ScanToken {
  start: number;
  end: number;
  /** As written, quotes included. */
  text: string;
  /** `IDENT`, `SCONST`, `ICONST`, `FCONST`, `PARAM`, `Op`, `ASCII_40`, …; `UNKNOWN` for a keyword. */
  tokenName: string;
  /** 0: no keyword; 1–4: unreserved, column name, type or function name, reserved. */
  keywordKind: number;
}

/** The server's parser, behind an interface so that a browser build can bring an instance of its own. */
export interface SqlParser {
  /** The raw parse tree; its locations are UTF-8 byte offsets. Throws `SqlSyntaxError`. */
  parse(sql: string): ParseResult;
  /** All tokens. Throws `SqlSyntaxError` on an unterminated string, quoted identifier or comment. */
  scan(sql: string): readonly ScanToken[];
}

/** The text is not what the server's parser accepts, or more than it can digest. */
export class SqlSyntaxError extends Error {
  override readonly name = 'SqlSyntaxError';

  /**
   * @param character where the error is, counted in characters (code points, not UTF-16 units) from the start of the
   *   text; -1 when the parser gives no place
   */
  constructor(
    message: string,
    readonly character: number,
  ) {
    super(message);
  }
}

/** The SQL parser cannot run in this JavaScript engine. Linting without it would be silent, so this is never swallowed. */
export class SqlParserUnavailableError extends Error {
  override readonly name = 'SqlParserUnavailableError';
}

/** Longer texts are not handed to the parser: no hand-written statement comes near, and the cost stays bounded. */
export const MAXIMUM_SQL_LENGTH = 100_000;

/** The parts of the Emscripten module that are used here; internals of libpg-query, hence the exact version pin. */
export interface ParserModule {
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, pointer: number, size: number): void;
  UTF8ToString(pointer: number): string;
  getValue(pointer: number, type: 'i32'): number;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _wasm_parse_query_raw(pointer: number): number;
  _wasm_free_parse_result(pointer: number): void;
  _wasm_scan(pointer: number): number;
  _wasm_free_string(pointer: number): void;
}

/** Byte offsets in `PgQueryParseResult` and `PgQueryError` (libpg_query's pg_query.h, 32-bit pointers). */
export const PARSE_RESULT_LAYOUT = { tree: 0, error: 8, errorMessage: 0, errorCursor: 16 } as const;

/** Builds an `SqlParser` on a module that `load` delivers; it is called again after a crash of the module. */
export function createSqlParser(load: () => ParserModule): SqlParser {
  let instance: ParserModule | undefined;

  function withText<T>(sql: string, use: (module: ParserModule, pointer: number) => T): T {
    if (sql.length > MAXIMUM_SQL_LENGTH) throw new SqlSyntaxError('the text is too long to be parsed', -1);
    // The parser reads a C string and would not see what follows.
    if (sql.includes('\0')) throw new SqlSyntaxError('invalid byte sequence for encoding "UTF8": 0x00', -1);
    const module = (instance ??= load());
    try {
      const size = module.lengthBytesUTF8(sql) + 1;
      const pointer = module._malloc(size);
      try {
        module.stringToUTF8(sql, pointer, size);
        return use(module, pointer);
      } finally {
        module._free(pointer);
      }
    } catch (error) {
      if (error instanceof SqlSyntaxError) throw error;
      // A stack overflow or a WebAssembly trap leaves the module in an undefined state.
      instance = undefined;
      throw new SqlSyntaxError(`the parser gave up: ${error instanceof Error ? error.message : String(error)}`, -1);
    }
  }

  return {
    parse: (sql) =>
      withText(sql, (module, pointer) => {
        const layout = PARSE_RESULT_LAYOUT;
        const result = module._wasm_parse_query_raw(pointer);
        try {
          const error = module.getValue(result + layout.error, 'i32');
          if (error !== 0) {
            throw new SqlSyntaxError(
              module.UTF8ToString(module.getValue(error + layout.errorMessage, 'i32')),
              module.getValue(error + layout.errorCursor, 'i32') - 1,
            );
          }
          return JSON.parse(module.UTF8ToString(module.getValue(result + layout.tree, 'i32'))) as ParseResult;
        } finally {
          module._wasm_free_parse_result(result);
        }
      }),
    scan: (sql) =>
      withText(sql, (module, pointer) => {
        const result = module._wasm_scan(pointer);
        try {
          const text = module.UTF8ToString(result);
          // Success is a JSON object; anything else is the error message.
          if (!text.startsWith('{')) throw new SqlSyntaxError(text, -1);
          return (JSON.parse(text) as { tokens?: readonly ScanToken[] }).tokens ?? [];
        } finally {
          module._wasm_free_string(result);
        }
      }),
  };
}

/** The part of the WebAssembly namespace in use; TypeScript declares it only together with the browser's DOM. */
interface WebAssemblyNamespace {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: object };
}

function unavailable(reason: string): SqlParserUnavailableError {
  return new SqlParserUnavailableError(
    `eslint-plugin-advisory-lock cannot start its SQL parser: ${reason}. ` +
      'It needs WebAssembly and synchronous node:vm microtasks: run ESLint on Node.js 20.19 or newer without --jitless ' +
      '(or on Bun 1.4 or newer).',
  );
}

/**
 * Returns a function that starts libpg-query synchronously. The package's loader is asynchronous by shape only: given
 * the compiled module by the `instantiateWasm` hook, all it awaits is settled by microtasks, and a context with
 * `microtaskMode: 'afterEvaluate'` drains its own microtask queue before `runInContext` returns.
 */
function nodeLoader(): () => ParserModule {
  let compiled: { script: Script; wasm: object; folder: string; packageRequire: NodeJS.Require } | undefined;

  function compile(webAssembly: WebAssemblyNamespace): NonNullable<typeof compiled> {
    // Not called `require`: in a CommonJS bundle that name is needed to make sense of `import.meta.url`.
    const packageRequire = createRequire(import.meta.url);
    const folder = join(dirname(packageRequire.resolve('libpg-query/package.json')), 'wasm');
    const filename = join(folder, 'libpg-query.js');
    const source = readFileSync(filename, 'utf8');
    const script = new Script(
      '(() => { const module = { exports: {} }, exports = module.exports;' +
        // Functions of the context's own, since a job goes to the microtask queue of the realm its function belongs to.
        `${source}\nmodule.exports(loaderOptions).then((m) => { settled.module = m; }, (e) => { settled.failure = e; }); })()`,
      { filename },
    );
    const wasm = new webAssembly.Module(readFileSync(join(folder, 'libpg-query.wasm')));
    return { script, wasm, folder, packageRequire };
  }

  return () => {
    const { WebAssembly: webAssembly } = globalThis as { WebAssembly?: WebAssemblyNamespace };
    if (webAssembly === undefined) throw unavailable('this JavaScript engine has no WebAssembly');
    const settled: { module?: ParserModule; failure?: unknown } = {};
    try {
      const { script, wasm, folder, packageRequire } = (compiled ??= compile(webAssembly));
      const context = createContext(
        {
          loaderOptions: {
            print() {},
            printErr() {},
            instantiateWasm(imports: object, receive: (instance: object) => void) {
              const wasmInstance = new webAssembly.Instance(wasm, imports);
              receive(wasmInstance);
              return wasmInstance.exports;
            },
          },
          settled,
          __dirname: folder,
          __filename: join(folder, 'libpg-query.js'),
          require: packageRequire,
          process: { versions: process.versions, argv: [] },
          console,
          performance,
          TextDecoder,
          setTimeout,
          clearTimeout,
          WebAssembly: webAssembly,
        },
        { name: 'libpg-query', microtaskMode: 'afterEvaluate' },
      );
      script.runInContext(context);
    } catch (error) {
      settled.failure = error;
    }
    const { module, failure } = settled;
    if (module !== undefined) return module;
    if (failure !== undefined) throw unavailable(failure instanceof Error ? failure.message : 'libpg-query threw what is no error');
    throw unavailable('this JavaScript engine does not run the microtasks of a node:vm context synchronously');
  };
}

let shared: SqlParser | undefined;

/** The one parser of this process, started at its first use. Throws `SqlParserUnavailableError` where it cannot start. */
export function nodeSqlParser(): SqlParser {
  return (shared ??= createSqlParser(nodeLoader()));
}
