import { run } from '../../src/command/run.js';
import { createPlugin } from '../../src/plugin.js';

export interface Execution {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Rules = Parameters<typeof createPlugin>[1];

/** Runs the command with the plugin's own rules. */
export const execute = (cwd: string, ...commandLine: string[]): Promise<Execution> => executeWith(undefined, cwd, ...commandLine);

/** Runs the command with other rules; without any, with the plugin's own. */
export async function executeWith(rules: Rules, cwd: string, ...commandLine: string[]): Promise<Execution> {
  let [stdout, stderr] = ['', ''];
  const status = await run(commandLine, {
    cwd,
    color: false,
    progress: { show: () => undefined, clear: () => undefined },
    createPlugin: (observe) => createPlugin(observe, rules),
    print: (text) => (stdout += text),
    complain: (text) => (stderr += text),
  });
  return { status, stdout, stderr };
}
