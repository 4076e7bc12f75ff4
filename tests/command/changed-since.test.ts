import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from './execute.js';
import { folderWith } from '../temporary-folder.js';
import { repositoryAt, repositoryWith, type Repository } from './repository.js';

/** A session lock through a pool, which is always a finding. */
const bad = `import { Pool } from 'pg';\nconst pool = new Pool();\nexport const take = () => pool.query('SELECT pg_advisory_lock(1)');\n`;
const fine = `export const words = 'pg_advisory_lock';\n`;

async function found(folder: string, ...commandLine: string[]): Promise<string[]> {
  const { stdout, stderr } = await execute(folder, '--format', 'json', ...commandLine);
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { filePath: string }[]).map(({ filePath }) => filePath.slice(folder.length + 1));
}

describe('--changed-since', () => {
  it('judges what is committed on the branch, staged, changed or untracked, and nothing else', async () => {
    const { folder, git, write, commit } = repositoryWith({ '.gitignore': 'ignored.mjs\n', 'old.mjs': bad, 'committed.mjs': fine, 'staged.mjs': fine, 'changed.mjs': fine, 'moved.mjs': bad, 'deleted.mjs': bad });
    git('switch', '--quiet', '--create', 'branch');
    write({ 'committed.mjs': bad });
    commit();
    git('mv', 'moved.mjs', 'new name ü.mjs');
    write({ 'staged.mjs': bad });
    git('add', 'staged.mjs');
    write({ 'changed.mjs': bad, 'sub/untracked.mjs': bad, 'ignored.mjs': bad, 'deleted.mjs': null });
    expect(await found(folder, '--changed-since', 'main')).toEqual(['changed.mjs', 'committed.mjs', 'new name ü.mjs', 'staged.mjs', 'sub/untracked.mjs']);
    expect(await found(folder, '--changed-since=HEAD')).toEqual(['changed.mjs', 'new name ü.mjs', 'staged.mjs', 'sub/untracked.mjs']);
    expect(await found(join(folder, 'sub'), '--changed-since', 'main')).toEqual(['untracked.mjs']);
    expect(await found(folder, 'staged.mjs', 'old.mjs', '--changed-since', 'main')).toEqual(['staged.mjs']);
  });

  it('does not count what others did after the branch left', async () => {
    const { folder, git, write, commit } = repositoryWith({ 'a.mjs': bad, 'b.mjs': bad });
    git('switch', '--quiet', '--create', 'branch');
    write({ 'a.mjs': `${bad}// changed\n` });
    commit();
    git('switch', '--quiet', 'main');
    write({ 'b.mjs': `${bad}// changed\n` });
    commit();
    git('switch', '--quiet', 'branch');
    expect(await found(folder, '--changed-since', 'main')).toEqual(['a.mjs']);
  });

  it('finds nothing where nothing changed', async () => {
    const { folder } = repositoryWith({ 'a.mjs': bad });
    expect(await execute(folder, '--changed-since', 'main')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('is not confused by settings of Git, nor by a way through a symbolic link', async () => {
    const { folder, git, write } = repositoryWith({ 'src/a.mjs': fine, 'src/b.mjs': bad });
    git('config', 'diff.relative', 'true');
    git('config', 'diff.noprefix', 'true');
    git('config', 'diff.external', 'false');
    git('config', 'status.relativePaths', 'true');
    write({ 'src/a.mjs': bad });
    const link = join(folderWith({}), 'link');
    symlinkSync(folder, link);
    expect(await found(join(link, 'src'), '--changed-since', 'main')).toEqual(['a.mjs']);
    expect(await found(link, 'src', '--changed-since', 'main')).toEqual(['src/a.mjs']);
  });

  it('finds the repository by the files, whatever a hook was told', async () => {
    const { folder, write } = repositoryWith({ 'src/a.mjs': fine, 'src/b.mjs': fine });
    write({ 'src/a.mjs': bad });
    vi.stubEnv('GIT_DIR', '.git');
    vi.stubEnv('GIT_INDEX_FILE', '.git/index');
    try {
      expect(await found(folder, 'src', '--changed-since', 'HEAD')).toEqual(['src/a.mjs']);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('judges a submodule as a whole', async () => {
    const inner = repositoryWith({ 'a.mjs': bad });
    const { folder, git, commit } = repositoryWith({ 'b.mjs': bad });
    git('submodule', '--quiet', 'add', inner.folder, 'inner');
    expect(await found(folder, '--changed-since', 'main')).toEqual(['inner/a.mjs']);
    commit();
    expect(await found(folder, '--changed-since', 'main')).toEqual([]);
  });
});

describe('--changed-since also judges a file whose meaning a change elsewhere decides', () => {
  const pool = `import { Pool } from 'pg';\nexport const db = new Pool();\n`;
  const client = `import { Client } from 'pg';\nexport const connect = () => new Client();\nexport const db = null;\n`;
  const job = `import { db } from './db.js';\nexport async function take() { await db.query('SELECT pg_advisory_lock(1)'); }\n`;

  /** The files that are reported after some are changed. */
  async function after(files: Readonly<Record<string, string>>, changed: Readonly<Record<string, string | null>>): Promise<string[]> {
    const { folder, write } = repositoryWith(files);
    write(changed);
    return found(folder, '--changed-since', 'main');
  }

  it.each<[string, Record<string, string>, Record<string, string | null>, string[]]>([
    ['the imported handle', { 'db.js': client, 'job.js': job, 'other.js': bad }, { 'db.js': pool }, ['job.js']],
    ['a handle behind other files', { 'pool.js': client, 'middle.js': "export * from './pool.js';\n", 'db.js': "export { db } from './middle.js';\n", 'job.js': job }, { 'pool.js': pool }, ['job.js']],
    ['a handle that is required', { 'db.cjs': 'module.exports = {};\n', 'job.cjs': "const { db } = require('./db.cjs');\nexports.take = () => db.query('SELECT pg_advisory_lock(1)');\n" }, { 'db.cjs': "const { Pool } = require('pg');\nmodule.exports = { db: new Pool() };\n" }, ['job.cjs']],
    ['a new file that is in the way', { 'db/index.js': client, 'job.js': job.replace('db.js', 'db') }, { 'db.js': pool }, ['job.js']],
    ['a file that goes, so that another is meant', { 'db.js': client, 'db/index.js': pool, 'job.js': job.replace('db.js', 'db') }, { 'db.js': null }, ['job.js']],
    ['path aliases', { 'tsconfig.json': '{ "compilerOptions": { "paths": { "#db": ["./one.ts"] } } }', 'one.ts': client, 'two.ts': pool, 'job.ts': job.replace('./db.js', '#db') }, { 'tsconfig.json': '{ "compilerOptions": { "paths": { "#db": ["./two.ts"] } } }' }, ['job.ts']],
    ['the ESLint configuration', { 'eslint.config.mjs': 'export default [];\n', 'job.js': bad }, { 'eslint.config.mjs': 'export default [{}];\n' }, ['job.js']],
    ['a file that the configuration imports', { 'package.json': '{ "type": "module" }', 'facts.js': 'export default {};\n', 'eslint.config.js': "import facts from './facts.js';\nexport default [{ settings: { 'advisory-lock': facts } }];\n", 'sub/job.js': bad }, { 'facts.js': "export default { pooler: 'none' };\n" }, ['sub/job.js']],
    ['a file of data that the configuration reads', { 'facts.json': '{}', 'eslint.config.cjs': "const facts = require('./facts.json');\nmodule.exports = [{ settings: { 'advisory-lock': facts } }];\n", 'job.js': bad }, { 'facts.json': '{ "pooler": "none" }' }, ['job.js']],
  ])('by %s', async (_, files, changed, expected) => {
    expect(await after(files, changed)).toEqual(expected);
  });

  it.each<[string, Record<string, string>, Record<string, string | null>]>([
    ['it imports something else', { 'log.js': 'export const log = console.log;\n', 'db.js': pool, 'job.js': `import { log } from './log.js';\n${job}` }, { 'log.js': 'export const log = () => {};\n' }],
    ['nothing imports it', { 'db.js': pool, 'other.js': pool, 'job.js': job }, { 'other.js': client }],
    ['it is not parsed', { 'db.js': pool, 'job.js': `${job}const = 1;` }, { 'db.js': client }],
    ['the aliases lie elsewhere', { 'one/tsconfig.json': '{}', 'two/job.js': bad }, { 'one/tsconfig.json': '{ "compilerOptions": { "baseUrl": "." } }' }],
  ])('but not where %s', async (_, files, changed) => {
    expect(await after(files, changed)).toEqual([]);
  });

  it('as far as imports that lead in circles reach', async () => {
    const circle = { 'a.js': `import './b.js';\nexport * from './db.js';\n`, 'b.js': `import './a.js';\n`, 'db.js': client, 'job.js': job.replace('./db.js', './a.js') };
    expect(await after(circle, { 'db.js': pool })).toEqual(['job.js']);
  });

  it('also when the changed file says nothing any more', async () => {
    const { folder, write } = repositoryWith({ 'db.js': client, 'middle.js': "export { db } from './db.js';\n", 'job.js': `${job.replace('./db.js', './middle.js')}${bad.replace('take', 'other')}` });
    write({ 'db.js': 'export const db = null;\n' });
    expect(await found(folder, '--changed-since', 'main')).toEqual(['job.js']);
  });
});

describe('--changed-since explains what is missing', () => {
  const isExplained = async (folder: string, revision: string, message: RegExp): Promise<void> => {
    const { status, stdout, stderr } = await execute(folder, `--changed-since=${revision}`);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  };

  it('outside of a repository', async () => {
    await isExplained(folderWith({ 'a.mjs': bad }), 'main', /^--changed-since compares with Git, but .* is in no Git repository/);
  });

  it.each(['nosuch', 'HEAD~99', '-x', '--output=x', 'main^{tree}', '', ' '])('for the unknown revision %j', async (revision) => {
    const { folder } = repositoryWith({ 'a.mjs': bad });
    const message = revision === '' ? /^--changed-since needs a value/ : /^--changed-since is ".*", which this repository does not have\. Allowed: a branch, tag or commit/;
    await isExplained(folder, revision, message);
  });

  function clone({ folder }: Repository, ...options: string[]): Repository {
    const target = join(folderWith({}), 'clone');
    repositoryAt(folder).git('clone', '--quiet', ...options, `file://${folder}`, target);
    return repositoryAt(target);
  }

  it('for a branch that is known only under the name of its remote', async () => {
    const origin = repositoryWith({ 'a.mjs': bad });
    origin.git('branch', 'release');
    await isExplained(clone(origin).folder, 'release', /Did you mean origin\/release\?/);
  });

  it('in a shallow clone that lacks the revision, or the commit at which the branch left it', async () => {
    const origin = repositoryWith({ 'a.mjs': bad });
    const first = origin.git('rev-parse', 'HEAD');
    origin.git('switch', '--quiet', '--create', 'branch');
    origin.write({ 'a.mjs': fine });
    origin.commit();
    origin.git('switch', '--quiet', 'main');
    origin.write({ 'b.mjs': fine });
    origin.commit();
    const shallow = clone(origin, '--depth=1', '--no-single-branch', '--branch=branch');
    await isExplained(shallow.folder, first, /This is a shallow clone: fetch the whole history first: git fetch --unshallow .*fetch-depth: 0/);
    await isExplained(shallow.folder, 'origin/main', /this shallow clone does not reach back to where the current branch left it; fetch the whole/);
  });

  it('for histories that have nothing in common', async () => {
    const { folder, git, commit } = repositoryWith({ 'a.mjs': bad });
    git('switch', '--quiet', '--orphan', 'lonely');
    commit();
    await isExplained(folder, 'main', /has no commit in common with the current branch/);
  });

  it('where Git is not installed', async () => {
    const { folder } = repositoryWith({ 'a.mjs': bad });
    vi.stubEnv('PATH', folder);
    try {
      await isExplained(folder, 'main', /there is no program git on the PATH\. Install Git/);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
