import * as parser from '@typescript-eslint/parser';
import { dirname, join } from 'node:path/posix';
import { filesBelow, read } from './project.js';

interface Layer {
  /** A folder, a file without its ending, or several of them. */
  readonly of: readonly string[];
  /** Layers it may import from, besides itself. */
  readonly from?: readonly string[];
  /** Layers it may import types from. */
  readonly typesFrom?: readonly string[];
  readonly packages?: readonly string[];
  readonly typesOfPackages?: readonly string[];
}

const trees = ['@typescript-eslint/utils'];

/** Imports only go down this list. */
const layers: Readonly<Record<string, Layer>> = {
  // What the SQL layer says, for those who must not know how it finds out.
  'sql-model': { of: ['src/sql/model'] },
  sql: { of: ['src/sql'], from: ['sql-model'], packages: ['libpg-query', 'node:fs', 'node:module', 'node:path', 'node:vm'], typesOfPackages: ['@pgsql/types'] },
  drivers: { of: ['src/drivers'], typesFrom: ['sql-model'] },
  flow: { of: ['src/flow'], typesOfPackages: trees },
  settings: { of: ['src/settings', 'src/settings-shape', 'src/shape', 'src/did-you-mean'], typesFrom: ['drivers'] },
  pass: { of: ['src/pass'], typesFrom: ['settings'], typesOfPackages: trees },
  source: { of: ['src/source'], from: ['sql-model', 'pass'], typesOfPackages: trees },
  facts: {
    of: ['src/facts'],
    from: ['sql-model', 'sql', 'drivers', 'flow', 'pass', 'source'],
    typesFrom: ['settings'],
    packages: ['node:fs', 'node:path', 'node:module'],
    typesOfPackages: trees,
  },
  state: { of: ['src/state'], from: ['sql-model', 'flow', 'pass', 'source', 'facts'], typesFrom: ['drivers', 'settings'], typesOfPackages: trees },
  language: { of: ['src/language'], from: ['sql-model', 'sql', 'pass', 'facts'], typesFrom: ['drivers', 'settings', 'source'], packages: ['@eslint/plugin-kit', 'node:module'], typesOfPackages: [...trees, 'eslint'] },
  point: { of: ['src/point'], from: ['pass', 'source'], typesFrom: ['sql-model', 'facts', 'state', 'flow', 'rule'], typesOfPackages: trees },
  rule: { of: ['src/rule'], from: ['sql', 'settings', 'pass'], typesFrom: ['source'], typesOfPackages: [...trees, 'eslint'] },
  rules: { of: ['rules'], from: ['rule', 'point', 'source', 'facts', 'state'], typesFrom: ['sql-model', 'pass', 'flow', 'settings', 'drivers'], typesOfPackages: trees },
  list: { of: ['src/rules'], from: ['rules'], typesFrom: ['rule'] },
  plugin: { of: ['src/plugin', 'src/index'], from: ['list', 'language'], typesFrom: ['rule', 'drivers', 'settings'], typesOfPackages: ['eslint'] },
  formats: { of: ['src/formats'], packages: ['node:crypto', 'node:path'] },
  command: {
    of: ['src/command'],
    from: ['sql-model', 'sql', 'drivers', 'flow', 'settings', 'pass', 'source', 'facts', 'state', 'point', 'rule', 'plugin', 'formats'],
    packages: ['ignore', 'tinyglobby', 'node:child_process', 'node:crypto', 'node:fs', 'node:fs/promises', 'node:path', 'node:module', 'node:util', 'node:url'],
    typesOfPackages: ['eslint', ...trees],
  },
};

interface Import {
  readonly of: string;
  readonly typesOnly: boolean;
}

function importsOf(file: string): Import[] {
  const { body } = parser.parse(read(file));
  return body.flatMap((statement): Import[] => {
    switch (statement.type) {
      case 'ImportDeclaration': {
        const typesOnly =
          statement.importKind === 'type' ||
          (statement.specifiers.length > 0 &&
            statement.specifiers.every((specifier) => specifier.type === 'ImportSpecifier' && specifier.importKind === 'type'));
        return [{ of: statement.source.value, typesOnly }];
      }
      case 'ExportAllDeclaration':
        return [{ of: statement.source.value, typesOnly: statement.exportKind === 'type' }];
      case 'ExportNamedDeclaration':
        return statement.source ? [{ of: statement.source.value, typesOnly: statement.exportKind === 'type' }] : [];
      default:
        return [];
    }
  });
}

const layerOf = (path: string): string | null =>
  Object.keys(layers).find((name) =>
    layers[name]?.of.some((part) => path === part || path === `${part}.ts` || path.startsWith(`${part}/`)),
  ) ?? null;

const packageOf = (specifier: string): string => /^(?:node:.*|@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? specifier;

function mistakesIn(file: string): string[] {
  const name = layerOf(file);
  const layer = name === null ? undefined : layers[name];
  if (!layer) return [`${file} is in no layer`];
  return importsOf(file).flatMap(({ of, typesOnly }) => {
    if (of.endsWith('.json')) return [];
    if (!of.startsWith('.')) {
      const allowed = [...(layer.packages ?? []), ...(typesOnly ? (layer.typesOfPackages ?? []) : [])];
      return allowed.includes(packageOf(of)) ? [] : [`${file} imports ${typesOnly ? 'types of ' : ''}the package ${of}`];
    }
    const target = layerOf(join(dirname(file), of).replace(/\.js$/, '.ts'));
    const allowed = [name, ...(layer.from ?? []), ...(typesOnly ? (layer.typesFrom ?? []) : [])];
    return allowed.includes(target) ? [] : [`${file} imports ${of}, of the layer ${target ?? '(none)'}`];
  });
}

describe('the architecture', () => {
  it.each([...filesBelow('src', '.ts'), ...filesBelow('rules', '.ts')])('has imports that only go down: %s', (file) => {
    expect(mistakesIn(file)).toEqual([]);
  });

  it('is a list in which no layer imports from a later one', () => {
    const names = Object.keys(layers);
    for (const [position, name] of names.entries()) {
      for (const lower of layers[name]?.from ?? []) expect(names.indexOf(lower), `${name} imports ${lower}`).toBeLessThan(position);
    }
  });

  it('lets no rule import another one', () => {
    const rules = filesBelow('rules', '.ts').flatMap((file) => importsOf(file).flatMap(({ of }) => (of.startsWith('./') ? [`${file}: ${of}`] : [])));
    expect(rules).toEqual([]);
  });
});
