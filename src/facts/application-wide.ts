import type { TSESTree } from '@typescript-eslint/utils';
import { enclosingClass, memberName, unwrap, unwrappedParent, type ClassNode } from '../source/ast.js';
import type { Scopes, Variable } from '../source/scope.js';
import { readKind, roleOfKind } from './kinds.js';
import type { Value } from './values.js';

/** The value as the one object of its kind that the whole application shares: no transaction, nobody's own connection. */
export function applicationWide(value: Value): Value {
  if (value.type === 'promise') return { type: 'promise', of: applicationWide(value.of) };
  if (value.type !== 'object' || !value.handle) return value;
  const { driver, handle } = value;
  const joins = readKind(driver, value.kind, ({ joinsUnseen }) => joinsUnseen) === true;
  if (joins || (handle.role !== 'unknown' && !handle.mayBeTransaction)) return value;
  const kind = readKind(driver, value.kind, (described) => described.injectedAs) ?? value.kind;
  const role = roleOfKind(driver, kind);
  return role === undefined || role === 'unknown' ? value : { ...value, kind, handle: { ...handle, kind, role, mayBeTransaction: false } };
}

/** The same, as a dependency-injection container hands it out. */
export function handedOut(value: Value): Value {
  const shared = applicationWide(value);
  if (shared.type === 'promise') return { type: 'promise', of: handedOut(shared.of) };
  if (shared.type !== 'object' || !shared.handle) return shared;
  const { handle } = shared;
  return { ...shared, handle: { ...handle, evidence: { because: 'injection', node: handle.evidence.node } } };
}

/** Where a parameter or variable is read: under its own name, and in the fields that keep it. */
export interface Places {
  readonly variable: Variable;
  readonly fields: readonly { readonly class: ClassNode; readonly name: string }[];
}

/**
 * Is one of the methods called on what stands at these places? `callsOf` gives the calls of a method by its name; `counts`
 * leaves out those that prove nothing.
 */
export function isCalledOn(
  places: Places,
  methods: readonly string[],
  callsOf: (method: string) => readonly TSESTree.CallExpression[],
  scopes: Scopes,
  counts: (call: TSESTree.CallExpression) => boolean = () => true,
): boolean {
  return methods.some((method) =>
    callsOf(method).some((call) => {
      const member = unwrap(call.callee);
      return member.type === 'MemberExpression' && isAt(unwrap(member.object), places, scopes) && counts(call);
    }),
  );
}

/**
 * Does the code ask whether an object has the method, or is a transaction: `'$transaction' in db`, `db.isTransaction`? Then it
 * may be either, and the call proves nothing.
 */
export function isToldApart(text: string, method: string): boolean {
  const name = method.replaceAll('$', String.raw`\$`);
  return new RegExp(String.raw`['"]${name}['"]\s+in\b|\.${name}\s*(?:[?&|)!=]|\.(?!call|apply|bind))|\.isTransaction\b|\binstanceof\s+[\w.]*(?:Client|Transaction)\b`).test(text);
}

function isAt(node: TSESTree.Node, { variable, fields }: Places, scopes: Scopes): boolean {
  if (node.type === 'Identifier') return scopes.variableOf(node) === variable;
  if (node.type !== 'MemberExpression' || node.object.type !== 'ThisExpression') return false;
  const home = enclosingClass(node);
  return fields.some((field) => field.class === home?.class && field.name === memberName(node));
}

/** The names under which the file reads a parameter's value. */
export function placesOf(variable: Variable, scopes: Scopes): Places {
  const fields: { class: ClassNode; name: string }[] = [];
  for (const identifier of variable.identifiers) {
    const home = identifier.parent.type === 'TSParameterProperty' || identifier.parent.parent?.type === 'TSParameterProperty' ? enclosingClass(identifier) : null;
    if (home) fields.push({ class: home.class, name: variable.name });
  }
  for (const { identifier } of scopes.readsOf(variable)) {
    const { parent, child } = unwrappedParent(identifier);
    if (parent?.type !== 'AssignmentExpression' || parent.right !== child) continue;
    const target = unwrap(parent.left);
    const home = target.type === 'MemberExpression' && target.object.type === 'ThisExpression' ? enclosingClass(target) : null;
    const name = target.type === 'MemberExpression' ? memberName(target) : null;
    if (home && name !== null) fields.push({ class: home.class, name });
  }
  return { variable, fields };
}
