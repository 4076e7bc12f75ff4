import { fork, type ChildProcess } from 'node:child_process';
import { built } from '../built.js';
import { hostileFiles } from './hostile.js';

/** Far more than any of them takes: what is looked for is time that explodes. */
const tooLongMs = 10_000;

interface Answer {
  readonly took: number;
  readonly failures: readonly string[];
}

const runner = new URL('hostile-runner.mjs', import.meta.url);
let child: ChildProcess | null = null;

afterAll(() => {
  child?.kill();
});

/** A process of its own, so that an analysis that never ends fails instead of hanging the test run. */
function lint(message: object): Promise<Answer> {
  child ??= fork(runner, { serialization: 'advanced' });
  const current = child;
  return new Promise((resolve, reject) => {
    const give = (answer: unknown): void => {
      clearTimeout(timer);
      current.off('exit', fail);
      resolve(answer as Answer);
    };
    const fail = (): void => {
      clearTimeout(timer);
      child = null;
      reject(new Error('the process that lints has ended'));
    };
    const timer = setTimeout(() => {
      current.off('exit', fail);
      current.kill('SIGKILL');
      child = null;
      reject(new Error(`no end after ${tooLongMs} ms`));
    }, tooLongMs);
    current.once('message', give);
    current.once('exit', fail);
    current.send(message);
  });
}

describe.each([
  ["ESLint's parser", false, hostileFiles.filter(({ typed }) => typed !== true)],
  ['typescript-eslint', true, hostileFiles],
] as const)('under %s', (_, typescript, files) => {
  it.each(files)('no rule crashes over $name', async ({ code, jsx = false }) => {
    built('index.cjs');
    expect((await lint({ code, jsx, typescript })).failures).toEqual([]);
  });
});
