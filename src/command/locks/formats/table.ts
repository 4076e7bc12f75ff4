import type { Lock, LockSite, Problem } from '../model.js';
import { shownPlace, type LocksFormat } from './format.js';
import { connectionsOf, count, doneBy, keyWords, problemNames, timeoutsOf } from './words.js';

const width = 100;
const mostSites = 8;
const longestKey = 44;

/** For people at a terminal: a line for each lock, its places below it, then the problems. */
export const table: LocksFormat = ({ inventory: { locks, problems }, cwd, color }) => {
  const bold = (text: string): string => (color ? `\u001b[1m${text}\u001b[22m` : text);
  const dim = (text: string): string => (color ? `\u001b[2m${text}\u001b[22m` : text);
  const red = (text: string): string => (color ? `\u001b[31m${text}\u001b[39m` : text);
  if (locks.length === 0) return 'No locks.\n';

  const heads = ['KEY', 'LEVEL', 'MODE', 'CONNECTION', 'TIMEOUT'];
  const rows = locks.map((lock) => [keyWords(lock.key), lock.level, lock.mode, connectionsOf(lock), lock.acquires.length > 0 ? timeoutsOf(lock) : '–']);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  widths[0] = Math.min(widths[0] ?? 0, longestKey);
  const lines = [dim(lineOf(heads, widths)), ...locks.flatMap((lock, index) => [bold(lineOf(rows[index] ?? [], widths)), ...placesOf(lock)])];
  const files = new Set(locks.flatMap(({ acquires, releases }) => [...acquires, ...releases].map(({ place }) => place.path)));
  const summary = `${count(locks.length, 'lock')} in ${count(files.size, 'file')}, ${count(problems.length, 'problem')}`;
  return `${[...lines, '', ...problems.flatMap(problemLines), problems.length > 0 ? red(`✖ ${summary}`) : summary].join('\n')}\n`;

  function placesOf({ acquires, releases }: Lock): readonly string[] {
    return [...siteLines('taken', acquires), ...siteLines('released', releases)];
  }

  function siteLines(label: string, sites: readonly LockSite[]): readonly string[] {
    const shown = sites.slice(0, mostSites).flatMap((site) => [
      `${shownPlace(site.place, cwd)}  ${dim(doneBy(site))}`,
      ...site.through.map(({ name, place }) => dim(`  through ${name}, ${shownPlace(place, cwd)}`)),
    ]);
    const more = sites.length > mostSites ? [dim(`and ${sites.length - mostSites} more (--format json lists all)`)] : [];
    return [...shown, ...more].map((text, index) => `  ${(index === 0 ? label : '').padEnd(9)}${text}`);
  }

  function problemLines({ kind, message, places }: Problem): readonly string[] {
    return [`${red(kind)}  ${bold(problemNames[kind])}`, ...wrapped(message, width - 2).map((line) => `  ${line}`), ...places.map((place) => `  ${shownPlace(place, cwd)}  ${dim(place.text)}`), ''];
  }
};

/** A first cell that is too long gets a line of its own. */
function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const [first = '', ...others] = cells;
  const [firstWidth = 0, ...otherWidths] = widths;
  const rest = others.map((cell, index) => (index === others.length - 1 ? cell : cell.padEnd(otherWidths[index] ?? 0))).join('  ');
  return first.length > firstWidth ? `${first}\n${''.padEnd(firstWidth)}  ${rest}`.trimEnd() : `${first.padEnd(firstWidth)}  ${rest}`.trimEnd();
}

function wrapped(text: string, limit: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > limit) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
