import { headingsOf, read, type Heading } from './meta/project.js';

/** A block of code on a page of the documentation. */
export interface DocumentedExample {
  readonly section: string;
  readonly code: string;
  /** What the comments before the block say, by their first word: `<!-- settings: {…} -->`, `<!-- shows: … -->`. */
  readonly comments: ReadonlyMap<string, string>;
}

/** The blocks of JavaScript and TypeScript below one heading, in order. */
export function examplesUnder({ text: section, body }: Heading): DocumentedExample[] {
  return [...body.matchAll(/((?:<!-- .*? -->\s*)*)```(?:ts|tsx|js)\n(.*?)```/gs)].map(([, comments = '', code = '']) => ({
    section,
    code,
    comments: new Map([...comments.matchAll(/<!-- ([^:]+?): (.*?) -->/gs)].map(([, name = '', value = '']) => [name, value.trim()])),
  }));
}

/** One example of a rule's page as the laboratory sees it. */
export interface RuleExample extends DocumentedExample {
  readonly rule: string;
  /** Bad code stands under "Bad", and under "Options", where an option makes the rule report it. */
  readonly kind: 'bad' | 'good';
  /** Counts the rule's examples of this kind from 1, in the order of the page. */
  readonly number: number;
}

/** All examples of a rule's page, in order. */
export function examplesOf(rule: string): RuleExample[] {
  const counts = { bad: 0, good: 0 };
  let chapter = '';
  return headingsOf(read(`docs/rules/${rule}.md`)).flatMap((heading) => {
    if (heading.level <= 2) chapter = heading.text;
    const kind = chapter === 'Bad' || chapter === 'Options' ? 'bad' : 'good';
    return examplesUnder({ ...heading, text: chapter }).map((example) => ({ ...example, rule, kind, number: ++counts[kind] }) as const);
  });
}
