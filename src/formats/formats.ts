import type { Report } from './finding.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { json } from './json.js';
import { rdjson } from './rdjson.js';
import { sarif } from './sarif.js';
import { stylish } from './stylish.js';

export type FormatName = 'stylish' | 'json' | 'sarif' | 'github' | 'gitlab' | 'rdjson';

/** Turns a report into what goes to standard output, piece by piece; nothing for nothing to say. */
export type Format = (report: Report) => Iterable<string>;

export const formats: readonly { readonly name: FormatName; readonly format: Format; readonly showsSuppressed?: true }[] = [
  { name: 'stylish', format: stylish },
  { name: 'json', format: json, showsSuppressed: true },
  { name: 'sarif', format: sarif, showsSuppressed: true },
  { name: 'github', format: github },
  { name: 'gitlab', format: gitlab },
  { name: 'rdjson', format: rdjson },
];
