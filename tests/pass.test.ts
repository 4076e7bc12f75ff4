import * as parser from '@typescript-eslint/parser';
import { definePass, resultOf, resultsOf, type Unit } from '../src/pass.js';
import { readSettings } from '../src/settings.js';

const settings = readSettings({});

function unitOf(text: string, own = settings): Unit {
  const { ast, scopeManager, visitorKeys, services } = parser.parseForESLint(text, { range: true, loc: true });
  return {
    program: ast,
    text,
    scopes: scopeManager,
    visitorKeys,
    parserServices: services,
    parser,
    languageOptions: {},
    filename: 'file.ts',
    settings: own,
  };
}

/** A pass that counts its runs, and answers with what `answer` makes. */
function countingPass<T>(answer: () => T) {
  const runs: Unit[] = [];
  const pass = definePass('counting', [], (_, unit): T => {
    runs.push(unit);
    return answer();
  });
  return { pass, runs };
}

describe('passes', () => {
  it('run once per file, however often they are asked for', () => {
    const { pass, runs } = countingPass(() => ({}));
    const unit = unitOf('a;');
    expect(resultOf(pass, unit)).toBe(resultOf(pass, unit));
    expect(runs).toHaveLength(1);
  });

  it.each([null, undefined, false, 0])('remember the answer %s', (answer) => {
    const { pass, runs } = countingPass(() => answer);
    const unit = unitOf('a;');
    resultOf(pass, unit);
    expect(resultOf(pass, unit)).toBe(answer);
    expect(runs).toHaveLength(1);
  });

  it('run again for another tree and for other settings over the same tree', () => {
    const { pass, runs } = countingPass(() => ({}));
    const unit = unitOf('a;');
    const results = [unit, unitOf('a;'), { ...unit, settings: { ...settings } }].map((each) => resultOf(pass, each));
    expect(new Set(results).size).toBe(3);
    expect(runs).toHaveLength(3);
  });

  it('share a result through a unit made anew over the same tree', () => {
    const { pass, runs } = countingPass(() => ({}));
    const unit = unitOf('a;');
    expect(resultOf(pass, { ...unit })).toBe(resultOf(pass, unit));
    expect(runs).toHaveLength(1);
  });

  it('get the results of what they require, in order', () => {
    const { pass: one, runs } = countingPass(() => 1);
    const two = definePass('two', [one], ([first]) => first + 1);
    const three = definePass('three', [two, one], ([second, first]) => second + first);
    expect(resultsOf([three, two, one], unitOf('a;'))).toEqual([3, 2, 1]);
    expect(runs).toHaveLength(1);
  });

  it('remember no failure as a result', () => {
    let fails = true;
    const { pass } = countingPass(() => {
      if (fails) throw new Error('once');
      return 'fine';
    });
    const unit = unitOf('a;');
    expect(() => resultOf(pass, unit)).toThrow('once');
    fails = false;
    expect(resultOf(pass, unit)).toBe('fine');
  });
});
