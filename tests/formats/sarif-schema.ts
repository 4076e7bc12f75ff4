import Ajv from 'ajv-draft-04';
import type { Log } from 'sarif';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRequire } from '../built.js';

/** Brings no "exports" that lead to its schema, hence the path. */
const schemaPath = join(dirname(projectRequire.resolve('@microsoft/jest-sarif/package.json')), 'lib/schemas/sarif-2.1.0-rtm.5.json');

const validate = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false, formats: { uri: isUri, 'uri-reference': isUriReference, 'date-time': true } }).compile<Log>(
  JSON.parse(readFileSync(schemaPath, 'utf8')) as object,
);

/** SARIF, if it is valid by its schema. */
export function parseSarif(text: string): Log {
  const log: unknown = JSON.parse(text);
  if (!validate(log)) throw new Error(JSON.stringify(validate.errors, null, 2));
  return log;
}

function isUri(text: string): boolean {
  return URL.canParse(text) && isUriReference(text);
}

/** By the characters that RFC 3986 allows, and without a scheme where a colon in the first segment would be one. */
function isUriReference(text: string): boolean {
  return /^(?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9A-F]{2})*$/.test(text);
}
