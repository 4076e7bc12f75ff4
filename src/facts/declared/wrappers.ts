import type { TSESTree } from '@typescript-eslint/utils';
import type { Call, DriverDescriptor, Position } from '../../drivers/driver.js';
import type { Settings, WrapperSetting } from '../../settings.js';
import { enclosingClass, keyName, memberName, unwrap, type FunctionNode } from '../../source/ast.js';
import type { CallMeaning } from '../evaluator.js';
import type { LinkedFiles } from '../imports/linked-files.js';
import { bareHandle, type Value } from '../values.js';
import { dottedName } from './handles.js';
import { means } from './specifiers.js';

type SqlWrapper = Extract<WrapperSetting, { sql: number }>;
export type LockWrapper = Exclude<WrapperSetting, SqlWrapper>;

/** What `settings.wrappers` says of calls. */
export interface DeclaredWrappers {
  /** A call of a function that sends its argument as SQL; `callee` is what the called expression is. */
  sqlAt(call: TSESTree.CallExpression, callee: Value): CallMeaning | null;
  /** A call of a function that takes or gives back a lock. */
  lockAt(call: TSESTree.CallExpression, callee: Value): LockWrapper | null;
}

const none: DeclaredWrappers = { sqlAt: () => null, lockAt: () => null };

/** `fallback` describes handles of libraries that are not known. */
export function createDeclaredWrappers({ wrappers }: Settings, fallback: DriverDescriptor, links: LinkedFiles): DeclaredWrappers {
  if (wrappers.length === 0) return none;
  return {
    sqlAt(call, callee) {
      const setting = wrappers.find((each): each is SqlWrapper => 'sql' in each && isCalled(each.call, call, callee));
      return setting ? sqlMeaning(setting, call) : null;
    },
    lockAt: (call, callee) => wrappers.find((each): each is LockWrapper => 'does' in each && isCalled(each.call, call, callee)) ?? null,
  };

  function isCalled(specifier: WrapperSetting['call'], call: TSESTree.CallExpression, callee: Value): boolean {
    const expression = unwrap(call.callee);
    const written = dottedName(expression);
    if (typeof specifier === 'string' && written !== null && isSpelled(written, specifier)) return true;
    if (callee.type === 'foreign' || (callee.type === 'elsewhere' && callee.named)) {
      const { module, path } = callee.type === 'foreign' ? callee : (callee.named ?? { module: '', path: [] });
      if (means(specifier, { name: path.join('.') || 'default', module, file: links.pathOf(module, call) })) return true;
    }
    // A function of this file is read in this file.
    const fn = callee.type === 'elsewhere' && callee.of.type === 'function' ? callee.of.node : null;
    const name = fn && nameOfFunction(fn);
    return fn !== null && name !== null && means(specifier, { name, module: null, file: links.unitOf(fn).filename });
  }

  function sqlMeaning({ call: specifier, sql, on }: SqlWrapper, call: TSESTree.CallExpression): CallMeaning {
    const kind = on ?? 'session';
    const sends = fallback.kinds['session']?.methods?.['query']?.sends;
    const described: Call = sends ? { sends: { ...sends, sql: places(sql), values: [{ argument: sql + 1 }] } } : {};
    const handle = bareHandle({ role: on ?? 'unknown', driver: fallback, kind, identity: `wrapper ${JSON.stringify(specifier)}`, evidence: { because: 'setting', node: call } });
    const receiver = { type: 'object', driver: fallback, kind, node: call, handle: { ...handle, moduleLevel: on === 'pool', assumed: on === undefined } } as const;
    return { call: described, driver: fallback, receiver, name: calledName(call), otherReceivers: [] };
  }
}

const places = (argument: number): readonly Position[] => [{ argument }, { argument, property: 'text' }, { argument, property: 'sql' }];

/** `query` means calls of a function `query`; `db.query` also those of a longer path that ends so. */
const isSpelled = (written: string, wanted: string): boolean => written === wanted || (wanted.includes('.') && written.endsWith(`.${wanted}`));

function calledName(call: TSESTree.CallExpression): string {
  const callee = unwrap(call.callee);
  return callee.type === 'MemberExpression' ? (memberName(callee) ?? '') : callee.type === 'Identifier' ? callee.name : '';
}

/** `run`, or `Database.run` for a method. */
function nameOfFunction(fn: FunctionNode): string | null {
  const { parent } = fn;
  if (parent.type === 'MethodDefinition' || parent.type === 'PropertyDefinition') {
    const home = enclosingClass(fn)?.class ?? (parent.parent.parent.type === 'ClassDeclaration' ? parent.parent.parent : null);
    const name = keyName(parent);
    return home?.id && name !== null ? `${home.id.name}.${name}` : null;
  }
  if (fn.type === 'FunctionDeclaration') return fn.id?.name ?? null;
  return parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? parent.id.name : null;
}
