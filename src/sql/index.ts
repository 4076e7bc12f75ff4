/** The SQL layer: text in, data out. */
export { analyzeSql } from './analyze.js';
export {
  builtInCatalogue,
  type Catalogue,
  createCatalogue,
  type CustomLockFunction,
  type LockFunction,
  mentionsLock,
} from './lock-functions.js';
export * from './model.js';
export { type ScanToken, type SqlParser, SqlParserUnavailableError, SqlSyntaxError } from './parser.js';
