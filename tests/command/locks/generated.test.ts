import { rmSync } from 'node:fs';
import { writeProject } from '../../../bench/generated-project.js';
import { reportOf } from './execute.js';

describe('a generated project', () => {
  it('shows every problem that was put in, and no other', async () => {
    const { folder, seeded, sites } = writeProject({ files: 260, sites: 70, copies: 2 });
    try {
      const { problems, locks } = await reportOf(folder);
      const found = problems.map(({ kind, places }) => ({ kind, files: places.map(({ path }) => path).sort() }));
      const expected = seeded.map(({ kind, files }) => ({ kind, files: [...files].sort() }));
      const inOrder = (list: readonly { kind: string; files: string[] }[]): string[] => list.map((each) => JSON.stringify(each)).sort();
      expect(inOrder(found)).toEqual(inOrder(expected));
      expect(locks.reduce((sum, { acquires }) => sum + acquires.length, 0)).toBe(sites);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
