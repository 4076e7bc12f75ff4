import type { FileReport, Finding, Report } from './finding.js';
import { jsonList } from './json-text.js';
import { identityOf } from './words.js';

const severities = { warning: 1, error: 2 } as const;

/**
 * ESLint's own JSON, so that whatever reads that reads this, with two additions to every message: its `witness`, the steps
 * that lead to the finding, and its `fingerprint`, which stays when other lines change.
 */
export function* json({ files, includeSuppressed }: Report): Iterable<string> {
  yield* jsonList(results());
  yield '\n';

  function* results(): Iterable<object> {
    for (const file of files) {
      if (includeSuppressed || file.failure !== null || file.findings.length > 0) yield resultOf(file, includeSuppressed);
    }
  }
}

function resultOf({ path, findings, suppressed, failure }: FileReport, includeSuppressed: boolean): object {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return {
    filePath: path,
    messages: [
      ...(failure
        ? [{ ruleId: null, fatal: true, severity: 2, message: failure.message, line: failure.line, column: failure.column }]
        : []),
      ...findings.map((finding) => messageOf(path, finding)),
    ],
    ...(includeSuppressed && { suppressedMessages: suppressed.map((finding) => suppressedMessageOf(path, finding)) }),
    errorCount: errors + (failure ? 1 : 0),
    fatalErrorCount: failure ? 1 : 0,
    warningCount: findings.length - errors,
    fixableErrorCount: 0,
    fixableWarningCount: 0,
  };
}

function messageOf(file: string, finding: Finding): object {
  const { ruleId, severity, message, messageId, line, column, endLine, endColumn, range, url, suggestions, witness } = finding;
  return {
    ruleId,
    severity: severities[severity],
    message,
    messageId,
    line,
    column,
    endLine,
    endColumn,
    url,
    ...(suggestions.length > 0 && {
      suggestions: suggestions.map(({ message: desc, ...suggestion }) => ({ ...suggestion, desc })),
    }),
    witness: { file, range, steps: witness },
    fingerprint: identityOf(finding),
  };
}

function suppressedMessageOf(file: string, finding: Finding): object {
  const kinds = { comment: 'directive', baseline: 'file' } as const;
  const suppressions = finding.suppressions.map(({ by, justification }) => ({ kind: kinds[by], justification: justification ?? '' }));
  return { ...messageOf(file, finding), suppressions };
}
