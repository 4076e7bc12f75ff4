import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rules } from '../../src/rules.js';
import { built, projectRequire } from '../built.js';
import { folderWith } from '../temporary-folder.js';
import { offsetOf, placeOf, sorted, textOf, type Finding } from './findings.js';
import { LanguageClient, type CodeAction, type Diagnostic, type TextEdit } from './language-client.js';
import { output, type Run } from './run.js';

const program = join(dirname(projectRequire.resolve('oxlint/package.json')), 'bin/oxlint');

/** A copy of a folder with a configuration of oxlint that turns on our rules, and nothing else. */
export function oxlintFolder(source: string): string {
  const folder = folderWith({});
  cpSync(source, folder, { recursive: true });
  const configuration = {
    jsPlugins: [built('index.mjs')],
    plugins: [],
    categories: { correctness: 'off' },
    rules: Object.fromEntries(rules.map(({ name }) => [`advisory-lock/${name}`, 'error'])),
  };
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(configuration));
  return folder;
}

const ruleOf = (code: string): string => /^advisory-lock\((.*)\)$/.exec(code)?.[1] ?? code;

interface Printed {
  readonly diagnostics: readonly {
    readonly message: string;
    readonly code: string;
    readonly filename: string;
    /** Bytes of the file, a byte order mark included. */
    readonly labels: readonly { readonly span: { readonly offset: number; readonly length: number } }[];
  }[];
}

/** The findings of oxlint's command in the folder `source`; its JSON leaves suggestions out. */
export async function oxlint(folder: string, run: Omit<Run, 'folder'> = {}): Promise<Finding[]> {
  const { diagnostics } = JSON.parse(await output({ ...run, folder }, program, '--format', 'json', 'source')) as Printed;
  const findings = diagnostics.map(({ message, code, filename, labels }): Finding => {
    const bytes = readFileSync(join(folder, filename));
    const unitsBefore = (offset: number): number => bytes.toString('utf8', 0, offset).replace(/^\uFEFF/, '').length;
    const { offset = 0, length = 0 } = labels[0]?.span ?? {};
    const place = placeOf(textOf(folder, filename), unitsBefore(offset), unitsBefore(offset + length));
    return { file: filename.replaceAll('\\', '/'), rule: ruleOf(code), message, suggestions: [], ...place };
  });
  return sorted(findings);
}

/**
 * The findings of oxlint's language server in these files. It offers every quick fix for the range that it lies in, whatever
 * diagnostic was asked about: where findings overlap, each has the suggestions of all.
 */
export async function oxlintServer(folder: string, files: readonly string[]): Promise<Finding[]> {
  const client = await LanguageClient.start(process.execPath, [program, '--lsp'], { folder, configuration: { run: 'onType' } });
  try {
    const findings: Finding[] = [];
    for (const file of files) {
      const diagnostics = await client.open(file, /\.[cm]?tsx?$/.test(file) ? 'typescript' : 'javascript');
      for (const diagnostic of diagnostics) findings.push(await findingOf(client, folder, file, diagnostic));
    }
    return sorted(findings);
  } finally {
    await client.stop();
  }
}

async function findingOf(client: LanguageClient, folder: string, file: string, diagnostic: Diagnostic): Promise<Finding> {
  const text = textOf(folder, file);
  const rangeOf = ({ start, end }: Diagnostic['range']): [number, number] => [offsetOf(text, start), offsetOf(text, end)];
  const fixes = (await client.quickFixes(file, diagnostic)).filter(({ title }) => !title.startsWith('Disable '));
  return {
    file,
    rule: ruleOf(String(diagnostic.code)),
    message: diagnostic.message,
    ...placeOf(text, ...rangeOf(diagnostic.range)),
    suggestions: fixes.flatMap((fix) => editsOf(fix).map((edit) => ({ description: fix.title, range: rangeOf(edit.range), text: edit.newText }))),
  };
}

const editsOf = ({ edit }: CodeAction): TextEdit[] => Object.values(edit?.changes ?? {}).flat();
