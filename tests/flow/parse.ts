import * as typescriptParser from '@typescript-eslint/parser';
import type { TSESTree } from '@typescript-eslint/utils';
import { childNodes, isFlowUnit } from '../../src/flow/nodes.js';
import type { FlowUnit, Node } from '../../src/flow/nodes.js';

/** A module in TypeScript or JavaScript, as `@typescript-eslint/parser` gives it. */
export function parse(text: string, jsx = false): TSESTree.Program {
  return typescriptParser.parseForESLint(text, { range: true, loc: true, sourceType: 'module', ecmaFeatures: { jsx } }).ast;
}

/** Every unit of a program that has a graph of its own, the program first. */
export function unitsOf(program: Node): readonly FlowUnit[] {
  const units: FlowUnit[] = [];
  const pending: Node[] = [program];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (isFlowUnit(node)) units.push(node);
    pending.push(...[...childNodes(node)].reverse());
  }
  return units;
}

/** The first function of a text, in source order. */
export function firstFunction(text: string): FlowUnit {
  const unit = unitsOf(parse(text)).at(1);
  if (unit === undefined) throw new Error(`No function in: ${text}`);
  return unit;
}
