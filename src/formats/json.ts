import type { FileReport, Finding, Report } from './finding.js';

const severities = { warning: 1, error: 2 } as const;

/**
 * ESLint's own JSON, so that whatever reads that reads this, with one addition: every message's `witness`, the steps
 * that lead to the finding.
 */
export const json = ({ files }: Report): string => `${JSON.stringify(files.map(resultOf), null, 2)}\n`;

function resultOf({ path, findings, failure }: FileReport): object {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return {
    filePath: path,
    messages: [
      ...(failure
        ? [{ ruleId: null, fatal: true, severity: 2, message: failure.message, line: failure.line, column: failure.column }]
        : []),
      ...findings.map((finding) => messageOf(path, finding)),
    ],
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
  };
}
