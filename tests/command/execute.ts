import { run } from '../../src/command/run.js';
import { createPlugin } from '../../src/plugin.js';

export interface Execution {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command with the plugin's own rules. */
export async function execute(cwd: string, ...commandLine: string[]): Promise<Execution> {
  let [stdout, stderr] = ['', ''];
  const status = await run(commandLine, {
    cwd,
    color: false,
    progress: { show: () => undefined, clear: () => undefined },
    createPlugin: (observe) => createPlugin(observe),
    print: (text) => (stdout += text),
    complain: (text) => (stderr += text),
  });
  return { status, stdout, stderr };
}
