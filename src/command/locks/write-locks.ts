import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { Invocation } from '../arguments.js';
import type { ExitStatus, Surroundings } from '../run.js';
import { UsageError } from '../usage-error.js';
import type { LocksFormat } from './formats/format.js';
import { html } from './formats/html/page.js';
import { json } from './formats/json.js';
import { mermaid } from './formats/mermaid.js';
import { formatOfFile, type LocksFormatName } from './formats/names.js';
import { table } from './formats/table.js';
import { count } from './formats/words.js';
import { inventoryOf } from './inventory.js';
import { readProject } from './project.js';

const formats: Readonly<Record<LocksFormatName, LocksFormat>> = { table, json, mermaid, html };

/** Lists the locks of a project, and says what no single file shows. 1 when there is a problem, 2 when files are missing. */
export async function writeLocks({ paths, format, output, config }: Extract<Invocation, { do: 'locks' }>, surroundings: Surroundings): Promise<ExitStatus> {
  const { cwd, color, print, complain } = surroundings;
  const name = format ?? (output === null ? null : formatOfFile(output)) ?? 'table';
  const { files, complaints } = await readProject(paths, config, surroundings);
  const inventory = inventoryOf(files, complaints.length === 0);
  const text = formats[name]({ inventory, version: manifest.version, cwd, color: color && output === null });
  if (output === null) {
    print(text);
  } else {
    await write(resolve(cwd, output), text, output);
    print(`${count(inventory.locks.length, 'lock')}, ${count(inventory.problems.length, 'problem')}: written to ${output}\n`);
  }
  for (const complaint of complaints) complain(`${complaint}\n`);
  if (complaints.length > 0) return 2;
  return inventory.problems.length > 0 ? 1 : 0;
}

async function write(path: string, text: string, given: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new UsageError(`--output is ${JSON.stringify(given)}, which cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
