import type { Linter } from 'eslint';

/**
 * The code with every message under what it underlines, as compilers print it. A message over several lines underlines each
 * of them, from the first to the last character that is no white space, and is told under the last one.
 */
export function squiggled(code: string, messages: readonly Linter.LintMessage[]): string {
  return code
    .trimEnd()
    .split('\n')
    .flatMap((text, index) => {
      const here = messages.filter((message) => message.line <= index + 1 && (message.endLine ?? message.line) >= index + 1);
      return [text, ...here.flatMap((message) => underlined(text, index + 1, message))];
    })
    .join('\n');
}

function underlined(text: string, line: number, message: Linter.LintMessage): string[] {
  const { endLine = message.line, endColumn = message.column + 1 } = message;
  const start = line === message.line ? message.column - 1 : text.search(/\S|$/);
  const end = line === endLine ? endColumn - 1 : text.trimEnd().length;
  const told =
    line === endLine
      ? [message.message, ...(message.suggestions ?? []).map(({ desc }) => `suggestion: ${desc}`)].map((said) => `${' '.repeat(start)}${said}`)
      : [];
  return [`${' '.repeat(start)}${'~'.repeat(Math.max(end - start, 1))}`, ...told];
}
