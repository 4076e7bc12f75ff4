import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LanguageClient } from './language-client.js';

/** The answer of the extension to the server's question whether it may run the workspace's ESLint: yes. */
const approved = 4;

/**
 * The language server of VS Code's ESLint extension, as the extension starts it with its default settings. `resolve` finds
 * the project's packages, as `require.resolve` does.
 */
export function startEslintServer(folder: string, resolve: (file: string) => string): Promise<LanguageClient> {
  const server = join(dirname(resolve('vscode-langservers-extracted/package.json')), 'lib/eslint-language-server/eslintServer.js');
  const configuration = {
    validate: 'on',
    packageManager: 'npm',
    useESLintClass: true,
    useFlatConfig: true,
    experimental: { useFlatConfig: false },
    codeAction: { disableRuleComment: { enable: true, location: 'separateLine', commentStyle: 'line' }, showDocumentation: { enable: true } },
    codeActionOnSave: { enable: false, mode: 'all' },
    format: false,
    quiet: false,
    onIgnoredFiles: 'off',
    options: {},
    rulesCustomizations: [],
    run: 'onType',
    problems: { shortenToSingleLine: false },
    nodePath: null,
    workingDirectory: { mode: 'location' },
    workspaceFolder: { name: 'workspace', uri: pathToFileURL(folder).href },
  };
  return LanguageClient.start(process.execPath, [server, '--stdio'], { folder, configuration, answers: { 'eslint/confirmESLintExecution': approved } });
}

/** Makes packages known in a folder, each under its name, by links to where they are. */
export function linkPackages(folder: string, packages: Readonly<Record<string, string>>): void {
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link, 'junction');
  }
}
