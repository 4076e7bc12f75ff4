import type { TSESTree } from '@typescript-eslint/utils';
import type { DriverDescriptor } from '../drivers/driver.js';
import { drivers } from '../drivers/index.js';
import unknownDriver from '../drivers/unknown-driver.js';
import { definePass, resultOf, type Pass, type Unit } from '../pass.js';
import { staticValue, type StaticValue } from '../source/constants.js';
import { propertyOf } from '../source/objects.js';
import { scopes, type Scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { createTypeReader } from './annotations.js';
import { createBackends, type Backends } from './backends.js';
import type { Callers } from './callers.js';
import { createCheckedReader } from './checker.js';
import { createDeclaredHandles } from './declared/handles.js';
import { createDeclaredWrappers, type DeclaredWrappers } from './declared/wrappers.js';
import { createEvaluator, type Evaluator } from './evaluator.js';
import { createFrameReader, type FrameReader } from './frames.js';
import { createInjection } from './injection.js';
import { createConstants } from './imports/constants.js';
import { createLinkedCallers } from './imports/linked-callers.js';
import { createClassReader } from './imports/classes.js';
import { createLinkedFiles, type LinkedFiles } from './imports/linked-files.js';
import { createKeys, type Keys } from './keys.js';
import { createModules } from './modules.js';
import { unknown } from './values.js';

export interface Evaluation {
  readonly evaluator: Evaluator;
  readonly callers: Callers;
  readonly frames: FrameReader;
  readonly drivers: readonly DriverDescriptor[];
  /** Over this file and those it imports. */
  readonly scopes: Scopes;
  /** The same, seeing through imports of constants and functions. */
  readonly constants: Scopes;
  /** The value that an expression surely has; null where the files do not show it. */
  readonly constantOf: (expression: TSESTree.Node) => StaticValue | null;
  readonly links: LinkedFiles;
  readonly declaredWrappers: DeclaredWrappers;
  readonly backends: Backends;
  readonly keys: Keys;
}

/**
 * What expressions of this file are: the evaluator and its helpers, set up with the built-in and the user's drivers. The files
 * that it imports share them.
 */
export const evaluation: Pass<Evaluation> = definePass('evaluation', [scopes], ([scopesOfFile], unit): Evaluation => {
  const known = [...drivers, ...unit.settings.drivers];
  const modules = createModules(known, unknownDriver);
  const seenFrom = (home: Unit): Evaluation => ({ ...evaluated, links: links.seenFrom(home) });
  const links = createLinkedFiles(unit, scopesOfFile, [...known, unknownDriver], new Map([[evaluation, seenFrom]]));
  const declaredHandles = createDeclaredHandles(unit.settings, known, links, links.scopes);
  const declaredWrappers = createDeclaredWrappers(unit.settings, unknownDriver, links);
  const constants = createConstants(links);
  const constantOf = (expression: TSESTree.Node) => staticValue(expression, constants);
  const callers = createLinkedCallers(links);
  const property = (expression: Parameters<typeof propertyOf>[0], path: string) => propertyOf(expression, path, links.scopes);
  const checked = createCheckedReader(unit.parserServices, modules, createClassReader(links));
  const evaluator = createEvaluator({
    scopes: links.scopes,
    links,
    declaredHandles,
    declaredWrappers,
    modules,
    callers,
    injection: createInjection(links.scopes, callers),
    propertyOf: property,
    constantOf,
    typeValue: createTypeReader(links.scopes, modules, links, declaredHandles),
    typed: (expression) => (links.isOwn(expression) ? checked(expression) : unknown),
  });
  const frames = createFrameReader(links.scopes, evaluator, property);
  const evaluated: Evaluation = {
    constants,
    constantOf,
    evaluator,
    callers,
    frames,
    drivers: known,
    scopes: links.scopes,
    links,
    declaredWrappers,
    backends: createBackends(links, evaluator, frames, (home) => resultOf(nodes, home).news),
    keys: createKeys(links.scopes, frames, constantOf),
  };
  return evaluated;
});
