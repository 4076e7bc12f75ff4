import type { Report } from './finding.js';
import { json } from './json.js';
import { stylish } from './stylish.js';

export type FormatName = 'stylish' | 'json';

/** Turns a report into what goes to standard output; empty for nothing to say. */
export type Format = (report: Report) => string;

export const formats: readonly { readonly name: FormatName; readonly format: Format }[] = [
  { name: 'stylish', format: stylish },
  { name: 'json', format: json },
];
