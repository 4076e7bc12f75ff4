import type { FileReport, Finding, Report } from './finding.js';
import { jsonList, jsonText } from './json-text.js';
import { portablePath } from './paths.js';
import { createPositions, type TextPositions } from './positions.js';
import { failureWords, toolName, toolUrl, wordsOf } from './words.js';

const severities = { warning: 'WARNING', error: 'ERROR' } as const;

/**
 * The Reviewdog Diagnostic Format, with the fields that all its versions know, since reviewdog refuses others. Its columns
 * count bytes of UTF-8, ends are exclusive, and paths count from the folder it runs in.
 */
export function* rdjson({ files, cwd }: Report): Iterable<string> {
  yield `{\n  "source": ${jsonText({ name: toolName, url: toolUrl }, '  ')},\n  "diagnostics": `;
  yield* jsonList(diagnostics(), '  ');
  yield '\n}\n';

  function* diagnostics(): Iterable<object> {
    for (const file of files) yield* diagnosticsOf(file, cwd);
  }
}

function* diagnosticsOf(file: FileReport, cwd: string): Iterable<object> {
  const { text, hasByteOrderMark, findings, failure } = file;
  const path = portablePath(cwd, file.path);
  if (failure) {
    const place = failure.line === null ? {} : { range: { start: { line: failure.line, column: failure.column ?? 1 } } };
    yield { message: failureWords(failure), location: { path, ...place }, severity: 'ERROR' };
  }
  const positions = createPositions(text);
  const rangeOf = createRanges(positions, hasByteOrderMark);
  for (const finding of findings) {
    yield {
      message: wordsOf(finding),
      location: { path, range: rangeOf(finding.range) },
      severity: severities[finding.severity],
      code: { value: finding.ruleId, ...(finding.url !== null && { url: finding.url }) },
      ...(finding.suggestions.length > 0 && {
        suggestions: finding.suggestions.map(({ fix }) => ({ range: rangeOf(fix.range), text: fix.text })),
      }),
    };
  }
}

/** The mark is part of the file's first line for whoever counts its bytes. */
const byteOrderMarkLength = 3;

function createRanges(positions: TextPositions, hasByteOrderMark: boolean): (range: Finding['range']) => object {
  const positionAt = (offset: number): object => {
    const { line } = positions.at(offset);
    return { line, column: positions.byteColumn(offset) + (hasByteOrderMark && line === 1 ? byteOrderMarkLength : 0) };
  };
  return ([start, end]) => ({ start: positionAt(start), end: positionAt(end) });
}
