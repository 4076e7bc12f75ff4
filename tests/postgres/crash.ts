import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../built.js';
import type { Laboratory } from './laboratory.js';
import type { Source } from './source.js';

/** How a process ended whose session the server ended while it held a lock. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly printed: string;
}

/** Runs an example in a process of its own, so that it may crash; stops the work when the example's own signal says so. */
const program = `
  const { createRequire } = require('node:module');
  process.once('message', async ({ root, javascript, name }) => {
    const exported = {};
    const evaluate = new (async () => {}).constructor('exports', 'require', javascript);
    await evaluate(exported, createRequire(root + '/noop.js'));
    const work = (lost) => new Promise((_, reject) => {
      process.send('inside');
      lost?.addEventListener('abort', () => reject(lost.reason));
    });
    await exported[name](work).catch((error) => console.log('the caller was told: ' + error.message));
    process.disconnect();
  });
`;

/** @returns how the process ended after the server had ended its session in the middle of the work. */
export async function endSessionDuringWork(laboratory: Laboratory, { javascript, functions }: Source): Promise<ProcessEnd> {
  const tap = await laboratory.openTap(async () => {});
  const { user, database } = laboratory.account('alone');
  const child = spawn(process.execPath, ['--eval', program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, PGHOST: '127.0.0.1', PGPORT: String(tap.port), PGUSER: user, PGDATABASE: database },
  });
  try {
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (printed += text.toString()));
    const exited = once(child, 'exit');
    const inside = once(child, 'message');
    child.send({ root, javascript, name: functions[0]?.name });
    await Promise.race([inside, exited]);
    await laboratory.clear();
    await Promise.race([exited, pause(10_000)]);
    return { exitCode: child.exitCode, printed };
  } finally {
    child.kill('SIGKILL');
    await tap.close();
  }
}
