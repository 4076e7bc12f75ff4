/** HTML or SVG that is safe to write out: whatever was put into it was escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | readonly Part[];

/** Makes markup of a template; strings that are put in are text, whatever they look like. */
export function markup(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(template.reduce((text, written, index) => `${text}${textOf(parts[index - 1] ?? '')}${written}`));
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  return typeof part === 'string' || typeof part === 'number' ? escaped(String(part)) : part.map(textOf).join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Control characters have no place in a page, and would let a key look like something else. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '').replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\uFFFD');
