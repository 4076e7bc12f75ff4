import { rmSync } from 'node:fs';
import { inventoryOf } from '../src/command/locks/inventory.js';
import { readProject } from '../src/command/locks/project.js';
import { createPlugin } from '../src/plugin.js';
import { writeProject } from './generated-project.js';

const nameOf = (kind: string, paths: readonly string[]): string => `${kind} ${[...paths].sort().join(' ')}`;

/** The subcommand locks over a large project: how long it takes, and whether it finds what was put in, and nothing else. */
export async function locksOfProject(): Promise<void> {
  const { folder, files: written, seeded, sites } = writeProject({ files: 5_000, sites: 200, copies: 4 });
  try {
    const startedAt = performance.now();
    const before = process.cpuUsage();
    const { files, complaints } = await readProject(['.'], { from: 'nowhere' }, {
      cwd: folder,
      color: false,
      progress: { show: () => undefined, clear: () => undefined },
      createPlugin: (observe) => createPlugin(observe),
      print: () => undefined,
      complain: () => undefined,
    });
    const { problems } = inventoryOf(files, complaints.length === 0);
    const took = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    const found = new Set(problems.map(({ kind, places }) => nameOf(kind, places.map(({ path }) => path.slice(folder.length + 1)))));
    const expected = new Set(seeded.map((each) => nameOf(each.kind, each.files)));
    const right = [...found].filter((each) => expected.has(each)).length;
    console.log(`\nlocks of a project: ${written} files, ${sites} places that take a lock, ${files.length} files analysed`);
    console.log(`  ${(took / 1_000).toFixed(1)} s, of which ${((user + system) / 1e6).toFixed(1)} s computing; ${right} of ${expected.size} problems that were put in, ${found.size - right} others`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
