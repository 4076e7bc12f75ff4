import { createHash } from 'node:crypto';
import type { FileReport, Report } from './finding.js';
import { jsonList } from './json-text.js';
import { portablePath } from './paths.js';
import { createPositions } from './positions.js';
import { failureWords, identityOf, toolName, wordsOf } from './words.js';

const severities = { warning: 'minor', error: 'major' } as const;

/** GitLab's Code Quality report: the fields that it reads, paths from the repository's root, one entry for each finding. */
export function* gitlab({ files, root }: Report): Iterable<string> {
  yield* jsonList(issues());
  yield '\n';

  function* issues(): Iterable<object> {
    for (const file of files) yield* issuesOf(file, root);
  }
}

function* issuesOf(file: FileReport, root: string): Iterable<object> {
  const { findings, failure, text } = file;
  const path = portablePath(root, file.path);
  if (failure) {
    yield {
      description: failureWords(failure),
      check_name: toolName,
      // Names a file once: whatever else is wrong there shows when it can be read.
      fingerprint: hashOf(path, toolName),
      severity: 'critical',
      location: { path, lines: { begin: failure.line ?? 1 } },
    };
  }
  const positions = createPositions(text);
  for (const finding of findings) {
    const { start, end } = positions.region(finding.range);
    yield {
      description: wordsOf(finding),
      check_name: finding.ruleId,
      fingerprint: hashOf(path, identityOf(finding)),
      severity: severities[finding.severity],
      location: { path, lines: { begin: start.line, end: end.line } },
    };
  }
}

/** Unique in the whole report, and the same in the next one: what GitLab compares branches by. */
const hashOf = (path: string, identity: string): string => createHash('sha256').update(JSON.stringify([path, identity])).digest('hex').slice(0, 32);
