import { nodeVersions } from '../hosts/node-versions.js';
import { exists, namesIn, read } from './project.js';
import { projectRequire } from '../built.js';

const folder = '.github/workflows';
const workflows = namesIn(folder, '.yml').map((name) => [name, read(`${folder}/${name}.yml`)] as const);

describe('the workflows', () => {
  it('are one for every change and one for releases', () => {
    expect(workflows.map(([name]) => name)).toEqual(['ci', 'release']);
  });

  it.each(workflows)('call what there is: %s', (_, text) => {
    const { scripts } = projectRequire('./package.json') as { scripts: Record<string, string> };
    const called = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(called).not.toEqual([]);
    expect(called.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
    expect(text).toMatch(/run: \.ci\/run\n/);
    expect(exists('.ci/run')).toBe(true);
  });

  it('test the hosts under every supported version of Node', () => {
    expect(read(`${folder}/ci.yml`)).toContain(`node: [${nodeVersions.map((version) => `'${version}'`).join(', ')}]`);
  });

  it('publish with a statement of where the package was built, which needs to know the repository', () => {
    const release = read(`${folder}/release.yml`);
    expect(release).toMatch(/^ {6}id-token: write$/m);
    expect(release).toMatch(/^ {10}NPM_CONFIG_PROVENANCE: 'true'$/m);
    const { repository } = projectRequire('./package.json') as { repository?: { url: string } };
    expect(repository?.url).toMatch(/^git\+https:/);
  });
});
