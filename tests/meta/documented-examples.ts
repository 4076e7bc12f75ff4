import { examplesIn, examplesOnPage, type Example, type RuleExample } from './example-blocks.js';
import { headingsOf, namesIn, read } from './project.js';

export { examplesIn, type Example, type RuleExample } from './example-blocks.js';

/** All examples on a rule's page, in order. */
export const examplesOf = (rule: string): RuleExample[] => examplesOnPage(rule, read(`docs/rules/${rule}.md`));

/** The bad examples on the page of every rule, by rule. */
export function badExamples(): [rule: string, examples: Example[]][] {
  return namesIn('docs/rules', '.md').map((rule) => [
    rule,
    headingsOf(read(`docs/rules/${rule}.md`))
      .filter(({ level, text }) => level === 2 && text === 'Bad')
      .flatMap(examplesIn),
  ]);
}
