import { describe, expect, test } from 'vitest';
import { tracesOfExecution } from './execution.js';
import { randomProgram } from './random-program.js';
import type { Flavour } from './random-program.js';
import { tracesOfText } from './traces.js';

/** So many programs of each flavour are run with every sequence of outcomes, up to so many events. */
const PROGRAMS = 120;
const MAX_EVENTS = 7;

describe('the graph allows exactly the paths that running the function takes', () => {
  test.each<Flavour>(['plain', 'generator', 'async', 'chains'])('random functions, %s', async (flavour) => {
    for (let seed = 1; seed <= PROGRAMS; seed += 1) {
      const text = randomProgram(seed, flavour);
      const executed = [...(await tracesOfExecution(text, MAX_EVENTS))].sort();
      expect({ seed, text, traces: tracesOfText(text, MAX_EVENTS) }).toEqual({ seed, text, traces: executed });
    }
  });
});
