import { headingsOf, type Heading } from './headings.js';

export interface Example {
  readonly section: string;
  readonly code: string;
  /** Taken from `<!-- settings: {…} -->` and `<!-- options: {…} -->` before the code. */
  readonly settings: unknown;
  readonly options: unknown;
  /** What the comments before the block say, by their first word: `<!-- shows: … -->`, `<!-- not run: … -->`. */
  readonly comments: ReadonlyMap<string, string>;
}

/** One example of a rule's page, as the laboratory sees it. */
export interface RuleExample extends Example {
  readonly rule: string;
  /** Bad code stands under "Bad", and under "Options", where an option makes the rule report it. */
  readonly kind: 'bad' | 'good';
  /** Counts the rule's examples of this kind from 1, in the order of the page. */
  readonly number: number;
}

/** The code blocks of a section in a language that is linted. */
export function examplesIn({ text: section, body }: Heading): Example[] {
  return [...body.matchAll(/((?:<!-- .*? -->\s*)*)```(?:ts|tsx|js)\n(.*?)```/gs)].map(([, before = '', code = '']) => {
    const comments = new Map([...before.matchAll(/<!-- ([^:]+?): (.*?) -->/gs)].map(([, name = '', value = '']) => [name, value.trim()]));
    const said = (name: string): unknown => {
      const json = comments.get(name);
      return json === undefined ? undefined : JSON.parse(json);
    };
    return { section, code, settings: said('settings'), options: said('options'), comments };
  });
}

/** All examples on a rule's page, whose text is given, in order. */
export function examplesOnPage(rule: string, page: string): RuleExample[] {
  const counts = { bad: 0, good: 0 };
  let chapter = '';
  return headingsOf(page).flatMap((heading) => {
    if (heading.level <= 2) chapter = heading.text;
    const kind = chapter === 'Bad' || chapter === 'Options' ? 'bad' : 'good';
    return examplesIn({ ...heading, text: chapter }).map((example) => ({ ...example, rule, kind, number: ++counts[kind] }) as const);
  });
}
