import type { RuleExample } from '../../examples-in-docs.js';
import type { HarmCheck } from '../harms.js';
import type { Scenario } from '../perform.js';

/** What a rule says about its own examples. */
export type RuleScenario = (example: RuleExample) => Scenario & { readonly harm?: HarmCheck };

const scenarios: Readonly<Record<string, RuleScenario>> = {};

export function scenarioFor(example: RuleExample): Scenario & { readonly harm?: HarmCheck } {
  return scenarios[example.rule]?.(example) ?? {};
}
