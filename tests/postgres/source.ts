import ts from 'typescript';

/** What an example exports, and the JavaScript it becomes. */
export interface Source {
  /** CommonJS, in which `await` may stand at the top. */
  readonly javascript: string;
  readonly functions: readonly ExportedFunction[];
  readonly classes: readonly string[];
}

export interface ExportedFunction {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** What it says to return, without `Promise<…>`; null when it does not say. */
  readonly returns: string | null;
}

export interface Parameter {
  readonly name: string;
  /** `pg#PoolClient` for a type that is imported; type arguments are left out. Otherwise the annotation as it is written. */
  readonly type: string;
}

export function sourceOf(code: string): Source {
  const file = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true);
  const imported = new Map<string, string>();
  const functions: ExportedFunction[] = [];
  const classes: string[] = [];
  const declared = (name: string, node: ts.SignatureDeclaration): void => {
    functions.push({
      name,
      parameters: node.parameters.map((parameter) => ({
        name: parameter.name.getText(file),
        type: parameter.type ? typeName(parameter.type, imported, file) : '',
      })),
      returns: node.type ? node.type.getText(file).replace(/^Promise<(.*)>$/s, '$1') : null,
    });
  };
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) readImport(statement, imported);
    if (!ts.canHaveModifiers(statement) || !ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isFunctionDeclaration(statement) && statement.name) declared(statement.name.text, statement);
    if (ts.isClassDeclaration(statement) && statement.name) classes.push(statement.name.text);
    if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (initializer && ts.isArrowFunction(initializer)) declared(name.getText(file), initializer);
      }
    }
  }
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
  });
  return { javascript: outputText, functions, classes };
}

function readImport({ moduleSpecifier, importClause }: ts.ImportDeclaration, imported: Map<string, string>): void {
  if (!ts.isStringLiteral(moduleSpecifier) || !importClause) return;
  const from = moduleSpecifier.text;
  if (importClause.name) imported.set(importClause.name.text, `${from}#`);
  const bindings = importClause.namedBindings;
  if (bindings && ts.isNamedImports(bindings)) {
    for (const { name, propertyName } of bindings.elements) imported.set(name.text, `${from}#${(propertyName ?? name).text}`);
  }
}

function typeName(type: ts.TypeNode, imported: ReadonlyMap<string, string>, file: ts.SourceFile): string {
  if (!ts.isTypeReferenceNode(type)) return type.getText(file).replaceAll(/\s+/g, ' ');
  const [head = '', ...members] = type.typeName.getText(file).split('.');
  const origin = imported.get(head);
  if (origin === undefined) return type.getText(file);
  // `postgres.TransactionSql` and an imported `TransactionSql` are one.
  return origin.endsWith('#') ? `${origin}${members.join('.')}` : [origin, ...members].join('.');
}
