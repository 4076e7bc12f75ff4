import type { Rule } from './rule.js';

/** Every rule of the plugin, in alphabetical order. */
export const rules: readonly Rule[] = [];
