import { rules } from '../../src/rules.js';
import { namesIn, read } from './project.js';

describe('the matrix of rules and drivers', () => {
  it.each(rules.map(({ name }) => name))('has a row for %s', (name) => {
    const files = namesIn('tests/rules', '.test.ts').filter((file) => file.split('.')[0] === name);
    // With this field the rule tester asks for a bad and a good case of every driver, or a reason.
    expect(files.some((file) => read(`tests/rules/${file}.test.ts`).includes('notApplicable:'))).toBe(true);
  });
});
