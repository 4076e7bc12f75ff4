import { HOLE } from './model.js';

/** Stands for a driver's placeholder inside a string or a quoted identifier, where the driver puts text of its own. */
export const VARYING = '\uE001';

/** Whether a name or a string from the parser is what the server will see: no hole and no placeholder stands in it. */
export function isKnownText(text: string): boolean {
  return !text.includes(HOLE) && !text.includes(VARYING);
}
