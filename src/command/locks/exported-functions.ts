import type { Evaluation } from '../../facts/evaluation.js';
import { exportTable } from '../../facts/imports/exports.js';
import type { Value } from '../../facts/values.js';
import { resultOf, type Unit } from '../../pass.js';
import { isFunction, keyName, type ClassNode, type FunctionNode } from '../../source/ast.js';
import { nameOfFunction } from '../../source/function-names.js';
import type { ExportedFunction, FunctionId } from './model.js';

/** Functions that other files can call, by the words they write for it. */
export function exportedFunctions(unit: Unit, { evaluator, scopes }: Evaluation, idOf: (fn: FunctionNode) => FunctionId): readonly ExportedFunction[] {
  const { names, whole } = resultOf(exportTable, unit);
  const found: ExportedFunction[] = [];
  for (const [name, exported] of names) {
    if (exported.kind === 'expression') add(name, evaluator.valueOf(exported.node));
    const variable = exported.kind === 'local' ? scopes.variableOf(exported.identifier) : null;
    if (variable) add(name, evaluator.valueOfVariable(variable));
  }
  if (whole) add('default', evaluator.valueOf(whole));
  return found;

  function add(word: string, value: Value): void {
    if (value.type === 'function') found.push({ id: idOf(value.node), word: wordFor(word, nameOfFunction(value.node)) });
    const home = value.type === 'class' ? value.node : value.type === 'instance' ? value.class : null;
    for (const [name, fn] of home ? methodsOf(home) : []) found.push({ id: idOf(fn), word: name === 'constructor' ? wordFor(word, home?.id?.name ?? null) : name });
    for (const property of value.type === 'record' ? value.node.properties : []) {
      const name = property.type === 'Property' ? keyName(property) : null;
      const fn = property.type === 'Property' ? evaluator.valueOf(property.value) : null;
      if (name !== null && fn?.type === 'function') found.push({ id: idOf(fn.node), word: name });
    }
  }
}

/** A default export goes by any name, mostly by its own. */
const wordFor = (word: string, ownName: string | null): string => (word === 'default' ? (ownName ?? word) : word);

function methodsOf(home: ClassNode): readonly (readonly [string, FunctionNode])[] {
  return home.body.body.flatMap((member): (readonly [string, FunctionNode])[] => {
    const name = 'key' in member ? keyName(member) : null;
    return name !== null && 'value' in member && isFunction(member.value) ? [[name, member.value]] : [];
  });
}
