import { wordsOf } from './name-words.js';

const senders: ReadonlySet<string> = new Set('query queries sql execute exec run fetch select row rows one many any all none raw db pg'.split(' '));
/** What these do with SQL text ends before it is sent. */
const readers: ReadonlySet<string> = new Set(
  'log parse format build explain print trace debug describe assert expect validate lint split tag compile analyze mock prepare escape quote text string audit'.split(' '),
);

/** Is it the name of a function that does something with SQL text but send it: `logQuery`, `prepare`? */
export const isAboutText = (name: string): boolean => wordsOf(name).some((word) => readers.has(word));

/** Is it the name of a function that sends the SQL it is given: `queryOne`, `dbRun`? */
export const isSaidToSend = (name: string): boolean => !isAboutText(name) && wordsOf(name).some((word) => senders.has(word));
