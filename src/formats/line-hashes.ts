/** Characters that a line's hash covers, blanks not counted: the line and what follows it. */
const windowLength = 100;
const factor = 37n;
const endOfText = 0xffffn;
const lineFeed = 10;
const carriageReturn = 13;

const asUnsigned = (value: bigint): bigint => BigInt.asUintN(64, value);

/** `factor` to the power of the window's length: what a character weighs when it leaves the window. */
const leavingWeight = asUnsigned(factor ** BigInt(windowLength));

/**
 * GitHub's `primaryLocationLineHash` of some lines of a file, by line from 1. It is what GitHub's upload action computes
 * itself, and it complains about other values: a rolling 64-bit hash of the 100 characters from the beginning of the line
 * on that are no blanks, any line break counting as `\n`; then, after a colon, how many lines up to this one have that hash.
 * `text` is the file as it is, a byte order mark included. Linear in the text.
 */
export function lineHashes(text: string, lines: ReadonlySet<number>): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const counts = new Map<string, number>();
  const window = new Array<bigint>(windowLength).fill(0n);
  /** The line that begins at a place of the window, 0 for none. */
  const begins = new Array<number>(windowLength).fill(0);
  let hash = 0n;
  let index = 0;
  let line = 0;
  let atLineStart = true;

  const finishLine = (): void => {
    const finished = begins[index] ?? 0;
    if (finished === 0) return;
    const digits = hash.toString(16);
    const count = (counts.get(digits) ?? 0) + 1;
    counts.set(digits, count);
    if (lines.has(finished)) found.set(finished, `${digits}:${count}`);
    begins[index] = 0;
  };
  const push = (unit: bigint): void => {
    hash = asUnsigned(hash * factor + unit - leavingWeight * (window[index] ?? 0n));
    window[index] = unit;
    index = (index + 1) % windowLength;
  };
  const add = (unit: bigint, endsLine: boolean): void => {
    finishLine();
    if (atLineStart) begins[index] = ++line;
    atLineStart = endsLine;
    push(unit);
  };

  let afterReturn = false;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    const isSecondHalf = afterReturn && code === lineFeed;
    afterReturn = code === carriageReturn;
    if (code === 32 || code === 9 || isSecondHalf) continue;
    const isBreak = code === lineFeed || code === carriageReturn;
    add(BigInt(isBreak ? lineFeed : code), isBreak);
  }
  add(endOfText, false);
  for (let rest = 0; rest < windowLength; rest++) {
    finishLine();
    push(0n);
  }
  return found;
}
