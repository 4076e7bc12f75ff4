import { folderWith } from '../temporary-folder.js';
import { execute } from './execute.js';

const limited = 'SELECT pg_advisory_xact_lock(id) FROM jobs LIMIT 5;\n';

describe('.sql files', () => {
  it('are analysed by the rules that need only SQL', async () => {
    const folder = folderWith({ 'migrations/1.sql': `CREATE TABLE jobs (id bigint);\n${limited}`, 'migrations/2.sql': 'SELECT 1;\n' });
    const { status, stdout, stderr } = await execute(folder, '--format', 'json');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject([{ messages: [{ ruleId: 'advisory-lock/no-lock-with-limit', line: 2, column: 8, endLine: 2, endColumn: 33 }] }]);
  });

  it('obey comments that turn rules off', async () => {
    const folder = folderWith({ 'a.sql': `-- eslint-disable-next-line advisory-lock/no-lock-with-limit\n${limited}` });
    expect(await execute(folder)).toMatchObject({ status: 0, stderr: '' });
  });

  it('obey the configuration of the project, whether it knows the language or not', async () => {
    const config = "export default [{ settings: { 'advisory-lock': { lockFunctions: [{ name: 'app.take', action: 'acquire', level: 'transaction' }] } } }];";
    const folder = folderWith({ 'eslint.config.mjs': config, 'a.sql': 'SELECT app.take(id) FROM jobs LIMIT 5;\n' });
    expect(await execute(folder, 'a.sql')).toMatchObject({ status: 1, stderr: '' });
  });
});
