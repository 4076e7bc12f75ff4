export interface Heading {
  readonly level: number;
  readonly text: string;
  /** What stands between this heading and the next one of any level. */
  readonly body: string;
}

/** The headings of a Markdown document, in order; `#` lines inside code blocks are none. */
export function headingsOf(markdown: string): Heading[] {
  const headings: { level: number; text: string; body: string }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const match = isCode ? null : /^(#+) (.*)$/.exec(line);
    if (match) headings.push({ level: match[1]?.length ?? 0, text: match[2] ?? '', body: '' });
    const current = headings.at(-1);
    if (current && !match) current.body += `${line}\n`;
  }
  return headings;
}
