import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../built.js';
import { folderWith } from '../temporary-folder.js';
import { badExamples } from '../meta/documented-examples.js';
import { read } from '../meta/project.js';

/** A folder with the bad examples of all pages, in TypeScript and with their types taken out; packages are those of this project. */
export function exampleFolder(): string {
  const folder = folderWith({ 'tsconfig.json': read('tests/hosts/fixtures/tsconfig.json') });
  mkdirSync(join(folder, 'source'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.Preserve };
  for (const [rule, examples] of badExamples()) {
    for (const [index, { code }] of examples.entries()) {
      writeFileSync(join(folder, 'source', `${rule}-${index}.ts`), code);
      writeFileSync(join(folder, 'source', `${rule}-${index}-plain.js`), ts.transpileModule(code, { compilerOptions }).outputText);
    }
  }
  return folder;
}
