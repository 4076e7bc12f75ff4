import { run, type ExitStatus } from '../../../src/command/run.js';
import { createPlugin } from '../../../src/plugin.js';

/** Runs the subcommand in a folder. */
export async function locks(folder: string, ...commandLine: string[]): Promise<{ status: ExitStatus; stdout: string; stderr: string }> {
  let stdout = '';
  let stderr = '';
  const status = await run(['locks', ...(commandLine.includes('--config') ? [] : ['--no-config']), ...commandLine], {
    cwd: folder,
    color: false,
    progress: { show: () => undefined, clear: () => undefined },
    createPlugin: (observe) => createPlugin(observe),
    print: (text) => (stdout += text),
    complain: (text) => (stderr += text),
  });
  return { status, stdout, stderr };
}

/** What the JSON format says. */
export interface Report {
  version: number;
  locks: readonly Row[];
  order: readonly { first: { key: string; path: string; line: number }; then: { key: string; path: string; line: number } }[];
  problems: readonly { kind: string; message: string; locks: readonly string[]; cycle: readonly string[]; places: readonly { path: string; line: number; text: string }[] }[];
}

interface Row {
  id: string;
  key: { text: string; kind: string; names: readonly string[] };
  dialect: string;
  level: string;
  mode: string;
  acquires: readonly Site[];
  releases: readonly Site[];
}

interface Site {
  path: string;
  line: number;
  function: string | null;
  sql: string;
  connection: string;
  through: readonly { name: string; path: string; line: number }[];
  waits?: boolean;
  timeout?: { kind: string; milliseconds?: number | null; seconds?: string };
}

export async function reportOf(folder: string, ...commandLine: string[]): Promise<Report> {
  const { stdout, stderr } = await locks(folder, '--format', 'json', ...commandLine);
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as Report;
}
