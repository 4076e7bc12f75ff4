import type { DriverDescriptor } from '../drivers/driver.js';
import { drivers } from '../drivers/index.js';
import unknownDriver from '../drivers/unknown-driver.js';
import { definePass } from '../pass.js';
import { staticValue } from '../source/constants.js';
import { propertyOf } from '../source/objects.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { createTypeReader } from './annotations.js';
import { createCallers, type Callers } from './callers.js';
import { createCheckedReader } from './checker.js';
import { createEvaluator, type Evaluator } from './evaluator.js';
import { createFrameReader, type FrameReader } from './frames.js';
import { createModules } from './modules.js';

export interface Evaluation {
  readonly evaluator: Evaluator;
  readonly callers: Callers;
  readonly frames: FrameReader;
  readonly drivers: readonly DriverDescriptor[];
}

/** What expressions of this file are: the evaluator and its helpers, set up with the built-in and the user's drivers. */
export const evaluation = definePass('evaluation', [scopes, nodes], ([scopesOfFile, nodesOfFile], unit): Evaluation => {
  const known = [...drivers, ...unit.settings.drivers];
  const modules = createModules(known, unknownDriver);
  const calls = [...nodesOfFile.calls, ...nodesOfFile.news];
  const callers = createCallers(unit.program, { calls, assignments: nodesOfFile.assignments }, scopesOfFile);
  const property = (expression: Parameters<typeof propertyOf>[0], path: string) => propertyOf(expression, path, scopesOfFile);
  const evaluator = createEvaluator({
    scopes: scopesOfFile,
    modules,
    callers,
    propertyOf: property,
    constantOf: (expression) => staticValue(expression, scopesOfFile),
    typeValue: createTypeReader(scopesOfFile, modules),
    typed: createCheckedReader(unit.parserServices, modules),
  });
  return { evaluator, callers, frames: createFrameReader(scopesOfFile, evaluator, property), drivers: known };
});
