import type { TSESTree } from '@typescript-eslint/utils';

/** A type written in a JSDoc comment, as far as it is read. */
export type DocumentedType =
  /** `import('pg').Pool`; `path` is what stands behind it. */
  | { readonly kind: 'import'; readonly module: string; readonly path: readonly string[] }
  /** `Pool`, `pg.Pool`. */
  | { readonly kind: 'name'; readonly path: readonly string[] }
  /** `{ pool: … }`, or a parameter whose properties are described one by one. */
  | { readonly kind: 'record'; readonly members: ReadonlyMap<string, DocumentedType> };

/** Comments are looked for so many characters before the code they describe. */
const longestComment = 4_000;

/** What a comment may stand before, on the way out from a function or name. */
const carriers: ReadonlySet<string> = new Set([
  'VariableDeclarator', 'VariableDeclaration', 'ExportNamedDeclaration', 'ExportDefaultDeclaration', 'AssignmentExpression', 'ExpressionStatement',
  'MethodDefinition', 'PropertyDefinition', 'Property',
]);

/** The `/** … *\/` comment directly before a function, field or declaration; null without one. */
export function docCommentOf(node: TSESTree.Node, text: string): string | null {
  for (let carrier: TSESTree.Node | undefined = node; carrier; carrier = carrier.parent) {
    if (carrier !== node && !carriers.has(carrier.type)) return null;
    const comment = commentBefore(carrier.range[0], text);
    if (comment !== null) return comment;
  }
  return null;
}

function commentBefore(offset: number, text: string): string | null {
  const before = text.slice(Math.max(0, offset - longestComment), offset).trimEnd();
  if (!before.endsWith('*/')) return null;
  const comment = before.slice(before.lastIndexOf('/*'));
  return comment.startsWith('/**') ? comment : null;
}

/** What the comment says of a parameter: `@param {import('pg').Pool} pool`, and `@param {…} deps.pool` of its properties. */
export function documentedParameter(comment: string, name: string): DocumentedType | null {
  const members = new Map<string, DocumentedType>();
  for (const { type, name: described } of tagsOf(comment, 'param')) {
    if (described === name) {
      const whole = typeIn(type);
      // `@param {Object} deps` only announces the properties.
      if (whole && !(whole.kind === 'name' && /^object$/i.test(whole.path.join('.')))) return whole;
    }
    const member = described.startsWith(`${name}.`) ? described.slice(name.length + 1) : '';
    const part = /^[\w$]+$/.test(member) ? typeIn(type) : null;
    if (part) members.set(member, part);
  }
  return members.size > 0 ? { kind: 'record', members } : null;
}

/** The names that a comment gives to the parameters, in their order: that of a destructured one is made up. */
export const documentedNames = (comment: string): readonly string[] => tagsOf(comment, 'param').flatMap(({ name }) => (name.includes('.') ? [] : [name]));

/** What `@type {…}` says. */
export function documentedType(comment: string): DocumentedType | null {
  const at = comment.search(/@type\s*\{/);
  const type = at < 0 ? null : bracedAt(comment, comment.indexOf('{', at));
  return type === null ? null : typeIn(type);
}

/** What `@typedef {…} Name` declares, wherever in the file it stands. */
export function documentedTypedefs(text: string): ReadonlyMap<string, DocumentedType> {
  const found = new Map<string, DocumentedType>();
  for (const match of text.matchAll(/@typedef\s*\{/g)) {
    const start = match.index + match[0].length - 1;
    const type = bracedAt(text, start);
    const name = type === null ? null : /^\s*([\w$]+)/.exec(text.slice(start + type.length + 2, start + type.length + 80))?.[1];
    const read = type !== null && name ? typeIn(type) : null;
    if (name && read) found.set(name, read);
  }
  return found;
}

/** The tags of one kind with a type in braces and a name, which may be optional: `[name=1]`. */
function tagsOf(comment: string, tag: string): readonly { readonly type: string; readonly name: string }[] {
  return [...comment.matchAll(new RegExp(`@${tag}\\s*\\{`, 'g'))].flatMap((match) => {
    const start = match.index + match[0].length - 1;
    const type = bracedAt(comment, start);
    const name = type === null ? null : /^\s*\[?\s*([\w$.]+)/.exec(comment.slice(start + type.length + 2))?.[1];
    return type !== null && name ? [{ type, name }] : [];
  });
}

/** What stands between the brace at an offset and the one that closes it. */
function bracedAt(text: string, open: number): string | null {
  let depth = 0;
  for (let at = open; at < text.length && at < open + longestComment; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}') depth--;
    if (depth === 0) return text.slice(open + 1, at);
  }
  return null;
}

function typeIn(written: string, depth = 0): DocumentedType | null {
  // A line of a comment begins with an asterisk.
  const text = written.replaceAll(/\n\s*\*/g, '\n').trim().replace(/^[?!]/, '').replace(/=$/, '').trim();
  const alternatives = partsOf(text, '|').map((part) => part.trim()).filter((part) => part !== 'null' && part !== 'undefined');
  const [only, ...others] = alternatives;
  if (only === undefined || others.length > 0 || depth > 4) return null;
  if (only !== text) return typeIn(only, depth + 1);
  const imported = /^import\(\s*(['"])([^'"]+)\1\s*\)((?:\s*\.\s*[\w$]+)*)$/.exec(text);
  if (imported) return { kind: 'import', module: imported[2] ?? '', path: names(imported[3] ?? '') };
  if (/^[\w$]+(?:\.[\w$]+)*$/.test(text)) return { kind: 'name', path: names(text) };
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  const members = new Map<string, DocumentedType>();
  for (const member of partsOf(text.slice(1, -1), ',').flatMap((part) => partsOf(part, ';'))) {
    const [, name, type] = /^\s*([\w$]+)\s*\??\s*:([^]*)$/.exec(member) ?? [];
    const read = name !== undefined && type !== undefined ? typeIn(type, depth + 1) : null;
    if (name !== undefined && read) members.set(name, read);
  }
  return { kind: 'record', members };
}

const names = (dotted: string): readonly string[] => dotted.split('.').map((name) => name.trim()).filter((name) => name !== '');

/** The text split at a character outside of brackets. */
function partsOf(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if ('({[<'.includes(character)) depth++;
    if (')}]>'.includes(character)) depth--;
    if (character === separator && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
