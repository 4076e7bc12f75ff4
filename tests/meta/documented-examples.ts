import { headingsOf, namesIn, read, type Heading } from './project.js';

export interface Example {
  readonly section: string;
  readonly code: string;
  /** Taken from `<!-- settings: {…} -->` and `<!-- options: {…} -->` before the code. */
  readonly settings: unknown;
  readonly options: unknown;
}

/** The code blocks of a section in a language that is linted. */
export function examplesIn({ text: section, body }: Heading): Example[] {
  return [...body.matchAll(/((?:<!-- .*? -->\s*)*)```(?:ts|tsx|js)\n(.*?)```/gs)].map(([, comments = '', code = '']) => {
    const said = (name: string): unknown => {
      const json = new RegExp(`<!-- ${name}: (.*?) -->`, 's').exec(comments)?.[1];
      return json === undefined ? undefined : JSON.parse(json);
    };
    return { section, code, settings: said('settings'), options: said('options') };
  });
}

/** The bad examples on the page of every rule, by rule. */
export function badExamples(): [rule: string, examples: Example[]][] {
  return namesIn('docs/rules', '.md').map((rule) => [
    rule,
    headingsOf(read(`docs/rules/${rule}.md`))
      .filter(({ level, text }) => level === 2 && text === 'Bad')
      .flatMap(examplesIn),
  ]);
}
