import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../src/shape.js';
import { projectRequire, root } from '../built.js';

export interface Snippet {
  readonly language: string;
  readonly code: string;
  /** Where it stands in its document, from 1. */
  readonly line: number;
}

/** The fenced blocks of a document in `docs`. */
export function snippetsOf(document: string): Snippet[] {
  const text = readFileSync(join(root, 'docs', document), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(({ 1: language = '', 2: code = '', index }) => ({ language, code, line: text.slice(0, index).split('\n').length }));
}

/** lint-staged's own; throws for what is no YAML. */
export function parseYaml(text: string): unknown {
  const yaml = createRequire(projectRequire.resolve('lint-staged/package.json'))('yaml') as { parse(text: string, options: object): unknown };
  return yaml.parse(text, { strict: true, uniqueKeys: true });
}

/** Every value of a key, however deep. */
export function valuesOf(key: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesOf(key, each));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => [...(name === key ? [each] : []), ...valuesOf(key, each)]);
}
