export { alternatives } from './alternatives.js';
export type { Constant } from './evaluate.js';
export { staticValue, type StaticValue } from './static-value.js';
