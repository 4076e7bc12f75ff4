#!/usr/bin/env node
import { createPlugin } from '../plugin.js';
import { createProgress } from './progress.js';
import { run } from './run.js';

let outputFailed = false;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the pipe early; there is then nobody left to tell, but the status still counts.
    if (error.code === 'EPIPE') return;
    // A full disk must not look like a complete report.
    if (!outputFailed && stream === process.stdout) process.stderr.write(`The output cannot be written: ${error.message}\n`);
    outputFailed = true;
    process.exitCode = 2;
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
    process.exitCode = outputFailed ? 2 : status;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 2;
  },
);
