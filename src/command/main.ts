#!/usr/bin/env node
import { createPlugin } from '../plugin.js';
import { createProgress } from './progress.js';
import { run } from './run.js';

// A reader such as `head` may close the pipe early; there is then nobody left to tell, but the status still counts.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const { NO_COLOR, FORCE_COLOR } = process.env;
const isWished = FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0';

run(process.argv.slice(2), {
  cwd: process.cwd(),
  color: isWished || (process.stdout.isTTY && (NO_COLOR ?? '') === ''),
  progress: createProgress(process.stderr),
  createPlugin: (observe) => createPlugin(observe),
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
}).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 2;
  },
);
