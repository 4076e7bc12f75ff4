import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where packages put servers; an ordinary user's PATH may lack it. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin'];

/** The path of a program of this machine; undefined when it is not installed. */
export function installedProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...systemFolders];
  return folders.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
