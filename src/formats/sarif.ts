import type { FileReport, Finding, Report, RuleDescription, Step, SuggestedEdit, Suppression } from './finding.js';
import { jsonList, jsonText } from './json-text.js';
import { lineHashes } from './line-hashes.js';
import { fileUriOf, pathWithin, uriOf } from './paths.js';
import { createPositions, type Region } from './positions.js';
import { failureWords, identityOf, toolName, toolUrl } from './words.js';

const schema = 'https://json.schemastore.org/sarif-2.1.0.json';

/** GitHub takes relative URIs to count from here. */
const rootId = '%SRCROOT%';

/**
 * SARIF 2.1.0 with what GitHub's code scanning asks for: rules with their pages, regions with all four ends, stable
 * fingerprints, and the steps of a finding as its code flow.
 */
export function* sarif(report: Report): Iterable<string> {
  const { files, root, includeSuppressed } = report;
  const rules = report.rules();
  const ruleIndexes = new Map(rules.map(({ id }, index) => [id, index]));
  const run = {
    tool: {
      driver: {
        name: toolName,
        semanticVersion: report.version,
        informationUri: toolUrl,
        rules: rules.map(ruleObject),
      },
    },
    invocations: [invocation(report)],
    originalUriBaseIds: { [rootId]: { uri: withSlash(fileUriOf(root)), description: { text: 'The root of the repository.' } } },
    columnKind: 'utf16CodeUnits',
    newlineSequences: ['\r\n', '\n'],
  };
  yield `{\n  "$schema": ${jsonText(schema)},\n  "version": "2.1.0",\n  "runs": [\n    {\n`;
  for (const [key, value] of Object.entries(run)) yield `      ${jsonText(key)}: ${jsonText(value, '      ')},\n`;
  yield '      "results": ';
  yield* jsonList(results(), '      ');
  yield '\n    }\n  ]\n}\n';

  function* results(): Iterable<object> {
    for (const file of files) yield* resultsOf(file, { root, ruleIndexes, includeSuppressed });
  }
}

const withSlash = (uri: string): string => (uri.endsWith('/') ? uri : `${uri}/`);

/** How sure a rule of a tier is, and how grave what it finds, in the words that GitHub sorts by. */
const tiers = {
  recommended: { precision: 'very-high', severity: 'error' },
  strict: { precision: 'high', severity: 'warning' },
  all: { precision: 'medium', severity: 'recommendation' },
} as const;

function ruleObject({ id, summary, url, tier, help }: RuleDescription): object {
  const { precision, severity } = tiers[tier];
  const text = `${summary}.`;
  return {
    id,
    name: id.slice(id.indexOf('/') + 1),
    shortDescription: { text },
    fullDescription: { text },
    ...(url !== null && { helpUri: url }),
    help: { text: url === null ? text : `${text} See ${url}`, ...(help !== null && { markdown: help }) },
    defaultConfiguration: { level: 'error' },
    properties: { tags: ['correctness', 'concurrency', 'database', tier], precision, 'problem.severity': severity },
  };
}

/** What could not be analysed is no result: it is said of the run. */
function invocation({ files, problems, cwd, root, exitStatus }: Report): object {
  const notifications = [
    ...files.flatMap(({ path, failure }) => {
      if (!failure) return [];
      const { line, column } = failure;
      const region = line === null ? {} : { region: { startLine: Math.max(line, 1), startColumn: Math.max(column ?? 1, 1) } };
      return [{ level: 'error', message: { text: failureWords(failure) }, locations: [{ physicalLocation: { artifactLocation: artifact(path, root), ...region } }] }];
    }),
    ...problems.map((text) => ({ level: 'error', message: { text } })),
  ];
  return {
    executionSuccessful: exitStatus < 2,
    exitCode: exitStatus,
    workingDirectory: { uri: withSlash(fileUriOf(cwd)) },
    ...(notifications.length > 0 && { toolExecutionNotifications: notifications }),
  };
}

interface Context {
  readonly root: string;
  readonly ruleIndexes: ReadonlyMap<string, number>;
  readonly includeSuppressed: boolean;
}

function* resultsOf(file: FileReport, { root, ruleIndexes, includeSuppressed }: Context): Iterable<object> {
  const told = includeSuppressed ? [...file.findings, ...file.suppressed].sort((one, other) => one.range[0] - other.range[0]) : file.findings;
  if (told.length === 0) return;
  const positions = createPositions(file.text);
  const lines = new Set(told.map(({ range }) => positions.at(range[0]).line));
  const hashes = lineHashes(file.hasByteOrderMark ? `\uFEFF${file.text}` : file.text, lines);
  const location = (range: Finding['range']): object => ({
    artifactLocation: artifact(file.path, root),
    region: regionObject(positions.region(range)),
  });

  for (const finding of told) {
    const { line } = positions.at(finding.range[0]);
    const lineHash = hashes.get(line);
    yield {
      ruleId: finding.ruleId,
      ...(ruleIndexes.has(finding.ruleId) && { ruleIndex: ruleIndexes.get(finding.ruleId) }),
      level: finding.severity,
      message: { text: finding.message },
      locations: [{ physicalLocation: location(finding.range), ...logicalLocations(finding) }],
      partialFingerprints: { ...(lineHash !== undefined && { primaryLocationLineHash: lineHash }), 'advisoryLock/v1': identityOf(finding) },
      ...(finding.witness.length > 0 && { codeFlows: [codeFlow(finding.witness)] }),
      ...(finding.suggestions.length > 0 && { fixes: finding.suggestions.map(fixObject) }),
      ...(includeSuppressed && { suppressions: finding.suppressions.map(suppressionObject) }),
    };
  }

  function codeFlow(steps: readonly Step[]): object {
    const locations = steps.map((step, index) => ({
      executionOrder: index + 1,
      importance: index === 0 || index === steps.length - 1 ? 'essential' : 'important',
      location: { physicalLocation: location(step.range), message: { text: step.text } },
    }));
    return { threadFlows: [{ locations }] };
  }

  function fixObject({ message, fix }: SuggestedEdit): object {
    const replacement = { deletedRegion: regionObject(positions.region(fix.range)), insertedContent: { text: fix.text } };
    return { description: { text: message }, artifactChanges: [{ artifactLocation: artifact(file.path, root), replacements: [replacement] }] };
  }
}

const logicalLocations = ({ scope }: Finding): object => (scope === null ? {} : { logicalLocations: [{ fullyQualifiedName: scope, kind: 'function' }] });

const kinds = { comment: 'inSource', baseline: 'external' } as const;

const suppressionObject = ({ by, justification }: Suppression): object => ({
  kind: kinds[by],
  ...(justification !== null && justification !== '' && { justification }),
});

const regionObject = ({ start, end }: Region): object => ({
  startLine: start.line,
  startColumn: start.column,
  endLine: end.line,
  endColumn: end.column,
});

function artifact(path: string, root: string): object {
  const inside = pathWithin(root, path);
  return inside === null ? { uri: fileUriOf(path) } : { uri: uriOf(inside), uriBaseId: rootId };
}
