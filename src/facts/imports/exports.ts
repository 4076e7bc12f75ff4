import type { TSESTree } from '@typescript-eslint/utils';
import { definePass } from '../../pass.js';
import { memberName, unwrap } from '../../source/ast.js';

/** What stands behind an exported name, before anything is evaluated. */
export type Exported =
  /** A name of the file: `export { pool as db }`. */
  | { readonly kind: 'local'; readonly identifier: TSESTree.Identifier }
  | { readonly kind: 'expression'; readonly node: TSESTree.Node }
  /** `export { x } from`; the whole module for the name `*`. */
  | { readonly kind: 'elsewhere'; readonly module: string; readonly name: string };

export interface ExportTable {
  readonly names: ReadonlyMap<string, Exported>;
  /** Modules of `export * from`, in order. */
  readonly stars: readonly string[];
  /** `module.exports = …`, `export = …`. */
  readonly whole: TSESTree.Node | null;
}

/** The names a file exports, by ES modules, CommonJS and TypeScript's `export =`. */
export const exportTable = definePass('export table', [], (_, { program }): ExportTable => {
  const names = new Map<string, Exported>();
  const stars: string[] = [];
  let whole: TSESTree.Node | null = null;

  for (const statement of program.body) {
    switch (statement.type) {
      case 'ExportNamedDeclaration':
        if (statement.declaration) addDeclaration(statement.declaration);
        for (const { local, exported } of statement.specifiers) {
          const name = nameOf(exported);
          if (statement.source) names.set(name, { kind: 'elsewhere', module: statement.source.value, name: nameOf(local) });
          else if (local.type === 'Identifier') names.set(name, { kind: 'local', identifier: local });
        }
        break;
      case 'ExportDefaultDeclaration':
        addDefault(statement.declaration);
        break;
      case 'ExportAllDeclaration':
        if (statement.exported) names.set(nameOf(statement.exported), { kind: 'elsewhere', module: statement.source.value, name: '*' });
        else stars.push(statement.source.value);
        break;
      case 'TSExportAssignment':
        whole = statement.expression;
        break;
      case 'ExpressionStatement':
        addAssignment(statement.expression);
        break;
      default:
    }
  }
  return { names, stars, whole };

  function addDeclaration(declaration: TSESTree.NamedExportDeclarations): void {
    if (declaration.type === 'VariableDeclaration') {
      for (const { id } of declaration.declarations) for (const identifier of identifiersIn(id)) names.set(identifier.name, { kind: 'local', identifier });
    } else if ('id' in declaration && declaration.id?.type === 'Identifier') {
      names.set(declaration.id.name, { kind: 'local', identifier: declaration.id });
    }
  }

  function addDefault(declaration: TSESTree.DefaultExportDeclarations): void {
    const isNamed = 'id' in declaration && declaration.id?.type === 'Identifier' && declaration.type !== 'FunctionExpression' && declaration.type !== 'ClassExpression';
    if (isNamed && declaration.id?.type === 'Identifier') names.set('default', { kind: 'local', identifier: declaration.id });
    else names.set('default', { kind: 'expression', node: declaration });
  }

  /** `module.exports = …`, `exports.a = …`, `exports.a = exports.b = …`. */
  function addAssignment(expression: TSESTree.Expression): void {
    let value: TSESTree.Expression = expression;
    const targets: TSESTree.Expression[] = [];
    while (value.type === 'AssignmentExpression' && value.operator === '=') {
      targets.push(value.left);
      value = value.right;
    }
    for (const target of targets) {
      if (target.type !== 'MemberExpression') continue;
      if (isModuleExports(target)) whole = value;
      else if (isModuleExports(target.object) || isExports(target.object)) {
        const name = memberName(target);
        if (name !== null) names.set(name, { kind: 'expression', node: value });
      }
    }
  }
});

const nameOf = (name: TSESTree.Identifier | TSESTree.StringLiteral): string => (name.type === 'Identifier' ? name.name : name.value);

const isExports = (node: TSESTree.Node): boolean => node.type === 'Identifier' && node.name === 'exports';

function isModuleExports(node: TSESTree.Node): boolean {
  const member = unwrap(node);
  return member.type === 'MemberExpression' && member.object.type === 'Identifier' && member.object.name === 'module' && memberName(member) === 'exports';
}

function identifiersIn(pattern: TSESTree.Node): TSESTree.Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => identifiersIn(property.type === 'Property' ? property.value : property.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? identifiersIn(element) : []));
    case 'AssignmentPattern':
      return identifiersIn(pattern.left);
    case 'RestElement':
      return identifiersIn(pattern.argument);
    default:
      return [];
  }
}
