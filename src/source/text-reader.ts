import type { TSESTree } from '@typescript-eslint/utils';
import type { HoleKind } from '../sql/model.js';
import { isFunction, memberName, returnedExpressions, unwrap, type FunctionNode } from './ast.js';
import { writtenValues } from './alternatives.js';
import type { Choices } from './choices.js';
import type { FragmentSource, TextOptions } from './fragments.js';
import { literalPieces, quasiRange, type LiteralKind } from './literals.js';
import { dottedName } from './mutations.js';
import { elementsOf, memberOf, sourceOf, valuesOf, type PropertyLookup } from './objects.js';
import type { Scopes, Variable } from './scope.js';
import { TextBuilder, type SqlText } from './sql-text.js';
import { staticValue } from './static-value.js';
import { builtParts } from './text-building.js';
import { matchesOf, withoutFilter } from './text-methods.js';
import { isDedentTag, TextTest } from './text-test.js';

/** Variables, members and calls followed for one text; what lies beyond is a hole. */
const followLimit = 2_000;
const depthLimit = 100;
/** Constants are not pasted into a text beyond this length. */
const textLimit = 1_000_000;

/** Where in the reading a node is met. */
interface Place {
  /** Where this stands in the expression that is read; null while reading that expression itself. */
  home: readonly [number, number] | null;
  shared: boolean;
  /** The expression a hole here belongs to, when it was reached by following variables. */
  asked: TSESTree.Node | null;
  /** The call whose arguments a function's parameters stand for, for functions that are read through. */
  calls: ReadonlyMap<FunctionNode, { call: TSESTree.CallExpression; place: Place }>;
  depth: number;
}

const start: Place = { home: null, shared: false, asked: null, calls: new Map(), depth: 0 };

/** Reads one text. Every unknown part becomes a hole; nothing throws. */
export class TextReader {
  #builder = new TextBuilder();
  #followed = 0;
  readonly #text: TextTest;

  constructor(
    readonly scopes: Scopes,
    readonly options: TextOptions,
    readonly choices: Choices,
  ) {
    this.#text = new TextTest(scopes, options);
  }

  textOf(expression: TSESTree.Node): SqlText {
    this.#read(expression, start);
    return this.#builder.build(expression);
  }

  #read(expression: TSESTree.Node, place: Place): void {
    const node = unwrap(expression);
    if (place.depth > depthLimit) return this.#hole('unknown', node, place);
    const fragment = this.options.fragmentOf?.(node);
    if (fragment) return this.#readFragment(fragment, node, place);
    switch (node.type) {
      case 'Literal':
        return this.#readLiteral(node, place);
      case 'TemplateLiteral':
        return this.#readTemplate(node, 'template', place, (inner) => this.#readInner(inner, node, place));
      case 'TaggedTemplateExpression':
        return this.#readTagged(node, place);
      case 'BinaryExpression':
        return this.#readSum(node, place);
      case 'Identifier':
        return this.#readIdentifier(node, place);
      case 'MemberExpression':
        return this.#readMember(node, place);
      case 'CallExpression':
        return this.#readCall(node, place);
      case 'ConditionalExpression': {
        const test = staticValue(node.test, this.scopes);
        if (test) return this.#readNested(test.value ? node.consequent : node.alternate, place);
        return this.#readChoice(node, [node.consequent, node.alternate], node, place);
      }
      case 'LogicalExpression':
        return this.#readLogical(node, place);
      case 'SequenceExpression': {
        const last = node.expressions.at(-1);
        return last ? this.#readNested(last, place) : this.#hole('unknown', node, place);
      }
      case 'AssignmentExpression':
        return node.operator === '=' ? this.#readNested(node.right, place) : this.#hole('unknown', node, place);
      default:
        return this.#readStatic(node, place);
    }
  }

  /** A part of the expression at the same place: it has its own hole, and counts towards the depth. */
  #readNested(node: TSESTree.Node, place: Place): void {
    this.#read(node, { ...place, asked: null, depth: place.depth + 1 });
  }

  #hole(kind: HoleKind, node: TSESTree.Node, place: Place): void {
    const asked = place.asked && !this.#isParameter(node) ? place.asked : node;
    this.#builder.appendHole(kind, asked, { source: asked.range, home: place.home ?? asked.range, shared: place.shared });
  }

  #isParameter(node: TSESTree.Node): boolean {
    const variable = node.type === 'Identifier' ? this.scopes.variableOf(node) : null;
    return variable !== null && this.scopes.definitionOf(variable).kind === 'parameter';
  }

  #append(value: string, node: TSESTree.Node, source: readonly [number, number], verbatim: boolean, place: Place): void {
    this.#builder.append(value, { source, verbatim, origin: node, home: place.home ?? source, shared: place.shared });
  }

  #readStatic(node: TSESTree.Node, place: Place): void {
    const known = staticValue(node, this.scopes);
    if (known) this.#append(String(known.value), node, node.range, false, place);
    else this.#hole('unknown', node, place);
  }

  #readLiteral(node: TSESTree.Literal, place: Place): void {
    if (typeof node.value !== 'string') return this.#readStatic(node, place);
    const [from, to] = node.range;
    this.#appendSource(node.value, node, [from + 1, to - 1], 'string', place);
  }

  /** Appends a literal piece by piece; as a whole when its source does not give its value (JSX, other languages). */
  #appendSource(
    value: string,
    origin: TSESTree.Node,
    source: readonly [number, number],
    kind: LiteralKind,
    place: Place,
  ): void {
    const pieces = literalPieces(this.scopes.textOf(origin), source[0], source[1], kind);
    if (pieces.map((piece) => piece.value).join('') !== value) return this.#append(value, origin, source, false, place);
    for (const piece of pieces) this.#append(piece.value, origin, [piece.start, piece.end], piece.verbatim, place);
  }

  #readTemplate(
    template: TSESTree.TemplateLiteral,
    kind: 'template' | 'raw-template',
    place: Place,
    readInner: (inner: TSESTree.Expression) => void,
  ): void {
    for (const [index, quasi] of template.quasis.entries()) {
      const value = kind === 'template' ? (quasi.value.cooked ?? quasi.value.raw) : quasi.value.raw;
      this.#appendSource(value, quasi, quasiRange(template, quasi), kind, place);
      const inner = template.expressions[index];
      if (inner) readInner(inner);
    }
  }

  /** A tag that is sent, `` prisma.$queryRaw`…` ``, binds its values: of those that are text, the SQL does not show what they say. */
  #readInner(inner: TSESTree.Expression, template: TSESTree.TemplateLiteral, place: Place): void {
    const isBound = template.parent?.type === 'TaggedTemplateExpression' && template.parent.quasi === template && this.#text.isText(inner);
    return isBound ? this.#readBound(inner, { ...place, asked: null }) : this.#readNested(inner, place);
  }

  #readTagged(node: TSESTree.TaggedTemplateExpression, place: Place): void {
    const read = (inner: TSESTree.Expression): void => this.#readNested(inner, place);
    if (dottedName(node.tag) === 'String.raw') return this.#readTemplate(node.quasi, 'raw-template', place, read);
    if (isDedentTag(node.tag)) return this.#readTemplate(node.quasi, 'template', place, read);
    return this.#hole('unknown', node, place);
  }

  /** `a + b + 'x'`: what stands before the first sure text may be a sum of numbers, which is one value. */
  #readSum(node: TSESTree.BinaryExpression, place: Place): void {
    if (node.operator !== '+') return this.#readStatic(node, place);
    const spine: TSESTree.BinaryExpression[] = [node];
    let left: TSESTree.Node = unwrap(node.left);
    while (left.type === 'BinaryExpression' && left.operator === '+' && !this.options.fragmentOf?.(left)) {
      spine.push(left);
      left = unwrap(left.left);
    }
    spine.reverse();
    const operands: TSESTree.Node[] = [left, ...spine.map((sum) => sum.right)];
    const firstText = operands.findIndex((operand) => this.#text.isText(operand));
    if (firstText < 0) return this.#readStatic(node, place);
    const prefix = firstText >= 2 ? spine[firstText - 2] : undefined;
    if (prefix) this.#readStatic(prefix, { ...place, asked: null });
    for (const operand of prefix ? operands.slice(firstText) : operands) this.#readNested(operand, place);
  }

  /** Follows to a node that stands elsewhere. */
  #follow(node: TSESTree.Node, source: TSESTree.Node, place: Place, shared: boolean): void {
    this.#followed += 1;
    if (this.#followed > followLimit || this.#builder.length > textLimit) return this.#hole('unknown', node, place);
    this.#read(source, this.#placeOf(node, place, shared));
  }

  #placeOf(node: TSESTree.Node, place: Place, shared: boolean): Place {
    return {
      ...place,
      home: place.home ?? node.range,
      shared: place.shared || shared,
      asked: place.asked ?? node,
      depth: place.depth + 1,
    };
  }

  #readIdentifier(node: TSESTree.Identifier, place: Place): void {
    const variable = this.scopes.variableOf(node);
    if (!variable) return this.#readStatic(node, place);
    const definition = this.scopes.definitionOf(variable);
    switch (definition.kind) {
      case 'value': {
        const source = sourceOf(node, this.scopes);
        return source ? this.#follow(node, source, place, this.#isShared(variable)) : this.#hole('unknown', node, place);
      }
      case 'parameter': {
        const argument = this.#argumentOf(variable, place);
        if (argument) return this.#readArgument(argument.node, argument.place, place);
        const resolved = this.options.resolveParameter?.(variable);
        return resolved ? this.#follow(node, resolved, place, true) : this.#hole('unknown', node, place);
      }
      case 'unknown': {
        const parts = builtParts(variable, node, this.scopes);
        if (parts) return this.#readBuilt(node, variable, parts, place);
        return this.#readChoice(variable, writtenValues(variable, this.scopes) ?? [], node, place);
      }
      case 'element':
        return this.#readChoice(variable, writtenValues(variable, this.scopes) ?? [], node, place);
      default:
        return this.#readStatic(node, place);
    }
  }

  #isShared(variable: Variable): boolean {
    const exported = variable.defs.some((definition) => definition.node.parent?.parent?.type === 'ExportNamedDeclaration');
    return exported || variable.references.filter((reference) => reference.isReadOnly()).length > 1;
  }

  #readBuilt(node: TSESTree.Identifier, variable: Variable, parts: ReturnType<typeof builtParts>, place: Place): void {
    const inner = { ...this.#placeOf(node, place, this.#isShared(variable)), asked: null };
    for (const part of parts ?? []) {
      this.#followed += 1;
      if (part.kind === 'unknown' || this.#followed > followLimit) this.#hole('unknown', part.node, inner);
      else this.#read(part.node, inner);
    }
  }

  /** The argument a parameter stands for in a call that is read through. */
  #argumentOf(variable: Variable, place: Place): { node: TSESTree.Node; place: Place } | null {
    const definition = this.scopes.definitionOf(variable);
    if (definition.kind !== 'parameter' || definition.rest) return null;
    const binding = place.calls.get(definition.function);
    if (!binding) return null;
    const before = binding.call.arguments.slice(0, definition.index + 1);
    const argument = before[definition.index];
    if (before.some(({ type }) => type === 'SpreadElement')) return null;
    if (!argument) {
      const { node } = definition;
      return node.type === 'AssignmentPattern' && definition.path.length === 0 ? { node: node.right, place } : null;
    }
    let node: TSESTree.Node = argument;
    for (const step of definition.path) {
      const found: PropertyLookup | null = step.kind === 'property' ? memberOf(node, step.name, this.scopes) : null;
      if (found?.kind !== 'found') return null;
      node = found.node;
    }
    return { node, place: binding.place };
  }

  #readArgument(argument: TSESTree.Node, atCall: Place, place: Place): void {
    this.#followed += 1;
    if (this.#followed > followLimit) return this.#hole('unknown', argument, { ...place, asked: null });
    this.#read(argument, { ...atCall, asked: null, depth: place.depth + 1 });
  }

  #readMember(node: TSESTree.MemberExpression, place: Place): void {
    const source = sourceOf(node, this.scopes);
    if (source) return this.#follow(node, source, place, true);
    const value = staticValue(node, this.scopes);
    if (value) return this.#readStatic(node, place);
    const isLookup = node.computed && memberName(node) === null;
    return this.#readChoice(node, (isLookup ? valuesOf(node.object, this.scopes) : null) ?? [], node, place);
  }

  /** Takes one of the expressions the value can come from; a hole when this reading takes no branches. */
  #readChoice(at: TSESTree.Node | Variable, branches: readonly TSESTree.Node[], node: TSESTree.Node, place: Place): void {
    const index = branches.length > 8 ? null : this.choices.take(at, branches.length);
    const branch = index === null ? undefined : branches[index];
    if (!branch) return this.#hole('unknown', node, place);
    if (branch.range[0] >= node.range[0] && branch.range[1] <= node.range[1]) return this.#readNested(branch, place);
    return this.#follow(node, branch, place, true);
  }

  #readLogical(node: TSESTree.LogicalExpression, place: Place): void {
    const left = staticValue(node.left, this.scopes);
    if (left || node.operator === '&&') return this.#readStatic(node, place);
    return this.#readChoice(node, [node.left, node.right], node, place);
  }

  #readCall(call: TSESTree.CallExpression, place: Place): void {
    const callee = unwrap(call.callee);
    const [first] = call.arguments;
    const method = callee.type === 'MemberExpression' ? memberName(callee) : null;
    if (callee.type === 'MemberExpression' && method !== null) {
      if (this.#readMethod(method, callee.object, call, place)) return;
    }
    const isString = callee.type === 'Identifier' && callee.name === 'String' && this.scopes.variableOf(callee) === null;
    if (isString && first) return this.#readNested(first, place);
    const returned = this.#returnedBy(call, place);
    if (!returned) return this.#readStatic(call, place);
    this.#followed += 1;
    if (this.#followed > followLimit) return this.#hole('unknown', call, place);
    return this.#read(returned.node, returned.place);
  }

  /** The one expression a local function returns, with the call's arguments for its parameters. */
  #returnedBy(call: TSESTree.CallExpression, place: Place): { node: TSESTree.Expression; place: Place } | null {
    const fn = this.#functionOf(unwrap(call.callee));
    if (!isFunction(fn) || fn.async || fn.generator || place.calls.has(fn)) return null;
    const [returned, ...others] = returnedExpressions(fn);
    if (!returned || others.length > 0) return null;
    const calls = new Map(place.calls).set(fn, { call, place: { ...place, asked: null } });
    return { node: returned, place: { ...this.#placeOf(call, place, true), calls } };
  }

  #functionOf(callee: TSESTree.Node): TSESTree.Node | null {
    const variable = callee.type === 'Identifier' ? this.scopes.variableOf(callee) : null;
    const definition = variable && this.scopes.definitionOf(variable);
    if (definition?.kind === 'function') return definition.node;
    const source = sourceOf(callee, this.scopes);
    return source && unwrap(source);
  }

  /** Methods of text that keep most of it; false when the method is none of them. */
  #readMethod(method: string, receiver: TSESTree.Node, call: TSESTree.CallExpression, place: Place): boolean {
    switch (method) {
      case 'toString':
      case 'valueOf':
        if (call.arguments.length > 0 || !this.#text.isText(receiver)) return false;
        this.#readNested(receiver, place);
        return true;
      case 'trim':
      case 'trimStart':
      case 'trimEnd': {
        const whole = this.#apart(receiver, place);
        const from = method === 'trimEnd' ? 0 : whole.text.length - whole.text.trimStart().length;
        const to = method === 'trimStart' ? whole.text.length : whole.text.trimEnd().length;
        this.#builder.appendText(whole, from, Math.max(from, to));
        return true;
      }
      case 'concat':
        if (!this.#text.isText(receiver)) return false;
        this.#readNested(receiver, place);
        for (const argument of call.arguments) this.#readNested(argument, place);
        return true;
      case 'join':
        return this.#readJoin(receiver, call, place);
      case 'replace':
      case 'replaceAll':
        return this.#readReplace(method, receiver, call, place);
      default:
        return false;
    }
  }

  /** Reads into a text of its own. */
  #apart(node: TSESTree.Node, place: Place): SqlText {
    const outer = this.#builder;
    this.#builder = new TextBuilder();
    this.#readNested(node, place);
    const text = this.#builder.build(node);
    this.#builder = outer;
    return text;
  }

  #readJoin(receiver: TSESTree.Node, call: TSESTree.CallExpression, place: Place): boolean {
    const array = withoutFilter(receiver);
    const elements = array.type === 'ArrayExpression' ? array.elements : elementsOf(array, this.scopes);
    const separator = call.arguments[0] ? staticValue(call.arguments[0], this.scopes)?.value : ',';
    if (!elements) return this.#readMapped(array, call, place);
    if (typeof separator !== 'string') return false;
    const isHere = array.type === 'ArrayExpression';
    const inner = isHere ? place : this.#placeOf(array, place, true);
    for (const [index, element] of elements.entries()) {
      if (index > 0) this.#append(separator, call, call.range, false, place);
      if (element?.type === 'SpreadElement') this.#hole('unknown', element, { ...inner, asked: null });
      else if (element) this.#readNested(element, inner);
    }
    return true;
  }

  /** `ids.map((id) => `f(${id})`).join(', ')`: one element's text, and a hole for however many follow. */
  #readMapped(array: TSESTree.Node, call: TSESTree.CallExpression, place: Place): boolean {
    const callee = array.type === 'CallExpression' ? unwrap(array.callee) : null;
    if (array.type !== 'CallExpression' || callee?.type !== 'MemberExpression' || memberName(callee) !== 'map') return false;
    const callback = array.arguments[0] ? unwrap(array.arguments[0]) : null;
    const [element, ...others] = isFunction(callback) && !callback.async ? returnedExpressions(callback) : [];
    if (!element || others.length > 0) return false;
    this.#readNested(element, place);
    this.#hole('unknown', call, { ...place, asked: null });
    return true;
  }

  #readReplace(
    method: 'replace' | 'replaceAll',
    receiver: TSESTree.Node,
    call: TSESTree.CallExpression,
    place: Place,
  ): boolean {
    const [searched, replacement] = call.arguments;
    const search = searched && staticValue(searched, this.scopes)?.value;
    if (!replacement || isFunction(unwrap(replacement))) return false;
    if (typeof search !== 'string' && !(search instanceof RegExp)) return false;
    const known = staticValue(replacement, this.scopes)?.value;
    if (typeof known === 'string' && known.includes('$')) return false;
    const whole = this.#apart(receiver, place);
    if (whole.text.length > textLimit) return false;
    const matches = matchesOf(whole.text, search, method);
    if (!matches) return false;
    let copied = 0;
    for (const { index, length } of matches) {
      this.#builder.appendText(whole, copied, index);
      this.#readNested(replacement, place);
      copied = index + length;
    }
    this.#builder.appendText(whole, copied, whole.text.length);
    return true;
  }

  #readFragment(fragment: FragmentSource, node: TSESTree.Node, place: Place): void {
    switch (fragment.as) {
      case 'sql': {
        const text = unwrap(fragment.text);
        if (!fragment.binds || text.type !== 'TemplateLiteral') return this.#readNested(text, place);
        return this.#readTemplate(text, 'template', place, (inner) => this.#readBound(inner, { ...place, asked: null }));
      }
      case 'value':
      case 'identifier':
        return this.#hole(fragment.as, fragment.value ?? node, { ...place, asked: null });
      case 'list':
        return this.#readList(fragment.items, fragment.separator, node, place);
      case 'call':
        return this.#readNamedCall(fragment.name, fragment.values, node, place);
      case 'pieces':
        return this.#readPieces(fragment.pieces, fragment.values, node, place);
      case 'nothing':
        return;
      case 'unknown':
        return this.#hole('fragment', node, place);
      default:
        fragment satisfies never;
    }
  }

  #readList(items: TSESTree.Node, separator: TSESTree.Node | null, node: TSESTree.Node, place: Place): void {
    const elements = elementsOf(items, this.scopes);
    if (!elements) return this.#hole('fragment', node, place);
    for (const [index, element] of elements.entries()) {
      if (index > 0 && separator) this.#readNested(separator, place);
      else if (index > 0) this.#append(', ', node, node.range, false, place);
      this.#readBound(element, { ...place, asked: null });
    }
  }

  #readNamedCall(name: TSESTree.Node, values: readonly TSESTree.Node[], node: TSESTree.Node, place: Place): void {
    this.#readNested(name, place);
    this.#append('(', node, node.range, false, place);
    for (const [index, value] of values.entries()) {
      if (index > 0) this.#append(', ', node, node.range, false, place);
      this.#readBound(value, { ...place, asked: null });
    }
    this.#append(')', node, node.range, false, place);
  }

  #readPieces(pieces: TSESTree.Node, values: TSESTree.Node | null, node: TSESTree.Node, place: Place): void {
    const texts = elementsOf(pieces, this.scopes);
    if (!texts) return this.#hole('fragment', node, place);
    const bound = values && elementsOf(values, this.scopes);
    for (const [index, text] of texts.entries()) {
      const value = bound?.[index - 1];
      if (value) this.#readBound(value, { ...place, asked: null });
      else if (index > 0) this.#hole('value', node, place);
      this.#readNested(text, place);
    }
  }

  /** A value in a template that binds its values: a hole, unless it is SQL itself. */
  #readBound(expression: TSESTree.Node, place: Place): void {
    const node = unwrap(expression);
    const found = this.#fragmentBehind(node, place);
    if (found) return this.#read(found.node, found.place);
    if (node.type === 'ConditionalExpression' || node.type === 'LogicalExpression') {
      const branches = node.type === 'ConditionalExpression' ? [node.consequent, node.alternate] : [node.left, node.right];
      const isFragment = branches.some((branch) => this.#fragmentBehind(unwrap(branch), place));
      if (isFragment) return this.#readBoundChoice(node, branches, place);
    }
    const variable = node.type === 'Identifier' ? this.scopes.variableOf(node) : null;
    const argument = variable && this.#argumentOf(variable, place);
    if (!argument || place.depth > depthLimit) return this.#hole('value', node, place);
    return this.#readBound(argument.node, { ...argument.place, depth: place.depth + 1 });
  }

  #readBoundChoice(
    node: TSESTree.ConditionalExpression | TSESTree.LogicalExpression,
    branches: readonly TSESTree.Node[],
    place: Place,
  ): void {
    const index = node.type === 'ConditionalExpression' ? this.choices.take(node, branches.length) : null;
    const branch = index === null ? undefined : branches[index];
    return branch ? this.#readBound(branch, { ...place, depth: place.depth + 1 }) : this.#hole('fragment', node, place);
  }

  /** The fragment an expression stands for, through variables, parameters of functions read through, and local calls. */
  #fragmentBehind(expression: TSESTree.Node, at: Place): { node: TSESTree.Node; place: Place } | null {
    let node = expression;
    let place = at;
    while (place.depth <= depthLimit && this.options.fragmentOf) {
      if (this.options.fragmentOf(node)) return { node, place };
      const next = this.#behind(node, place);
      if (!next) return null;
      this.#followed += 1;
      if (this.#followed > followLimit) return null;
      node = unwrap(next.node);
      place = { ...next.place, depth: place.depth + 1 };
    }
    return null;
  }

  #behind(node: TSESTree.Node, place: Place): { node: TSESTree.Node; place: Place } | null {
    if (node.type === 'CallExpression') return this.#returnedBy(node, place);
    const variable = node.type === 'Identifier' ? this.scopes.variableOf(node) : null;
    const argument = variable && this.#argumentOf(variable, place);
    if (argument) return argument;
    const source = sourceOf(node, this.scopes) ?? (variable && this.options.resolveParameter?.(variable));
    return source ? { node: source, place: this.#placeOf(node, place, true) } : null;
  }
}
