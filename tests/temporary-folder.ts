import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Files by path, in a folder of their own outside this project; gone when the test is done, or the test file where no test runs yet. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'advisory-lock-')));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  whenDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A hook for the whole file has no effect once a test runs, and one for a test is refused before. */
function whenDone(remove: () => void): void {
  try {
    onTestFinished(remove);
  } catch {
    afterAll(remove);
  }
}
