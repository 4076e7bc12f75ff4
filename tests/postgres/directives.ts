import type { RuleExample } from '../meta/example-blocks.js';

/** Everything that bad code may do, as `<!-- shows: … -->` in front of it says. `statement refused` is followed by a SQLSTATE in parentheses. */
export const harms = [
  'lock left on an idle backend',
  'unlock answered false',
  'two callers inside',
  'waiter hangs until lock_timeout',
  'more locks than rows',
  'no lock taken',
  'late grant to nobody',
  'pool starved',
  'deadlock 40P01',
  '25P02 hides the first error',
  'stale read',
  'two keys are one',
  'statement refused',
  'setting had no effect',
  'process crashes',
] as const;
export type Harm = (typeof harms)[number];

/** Every reason for which an example may go unrun, as `<!-- not run: … -->` says. */
export const reasons = [
  'needs a hosted service',
  'needs another runtime',
  'needs a replica',
  "needs Prisma's engine",
  'reported because the manual does not guarantee it',
] as const;
export type Reason = (typeof reasons)[number];

export type Directive =
  | { readonly run: true; readonly harm: Harm | null; readonly sqlState: string | null }
  | { readonly run: false; readonly reason: Reason };

/** @throws on words that are not in the lists, on bad code that says nothing, and on good code that shows a harm. */
export function directiveOf({ rule, kind, number, comments }: RuleExample): Directive {
  const where = `docs/rules/${rule}.md, ${kind} example ${number}`;
  const stated = comments.get('not run');
  const unrun = reasons.find((reason) => reason === stated);
  if (stated !== undefined && !unrun) throw new Error(`${where}: "not run: ${stated}" is no reason; the reasons are ${reasons.join('; ')}.`);
  const shows = comments.get('shows');
  if (unrun) {
    if (shows !== undefined) throw new Error(`${where} says what it shows, and that it is not run.`);
    return { run: false, reason: unrun };
  }
  if (kind === 'good') {
    if (shows !== undefined) throw new Error(`${where} is good code, and shows nothing.`);
    return { run: true, harm: null, sqlState: null };
  }
  const [, name, sqlState = null] = /^(.*?)(?: \((\w{5})\))?$/.exec(shows ?? '') ?? [];
  const harm = harms.find((known) => known === name);
  if (!harm) throw new Error(`${where} has to say what it does: "shows: …", one of ${harms.join('; ')}; it says ${JSON.stringify(shows)}.`);
  return { run: true, harm, sqlState };
}
