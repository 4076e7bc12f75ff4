import type { Lock, LockSite, OrderEdge, Place, Problem } from '../model.js';
import { shownPath, type LocksFormat } from './format.js';

/** Goes up when something that is there changes its meaning or goes away; what is added does not count. */
const schemaVersion = 1;

/** For other programs; `docs/locks.schema.json` describes it. */
export const json: LocksFormat = ({ inventory: { locks, order, problems }, version, cwd }) => {
  const placeOf = ({ path, line, column }: Place) => ({ path: shownPath(path, cwd), line, column });
  const keyOf = new Map(order.nodes.map(({ identity, text }) => [identity, text]));
  const idsOf = (identity: string): readonly string[] => locks.filter(({ key }) => key.identity === identity).map(({ id }) => id);

  return `${JSON.stringify(
    {
      version: schemaVersion,
      tool: { name: 'eslint-plugin-advisory-lock', version },
      locks: locks.map(lockOf),
      order: order.edges.map(edgeOf),
      problems: problems.map(problemOf),
    },
    null,
    2,
  )}\n`;

  function lockOf({ id, key, dialect, level, mode, acquires, releases }: Lock) {
    return { id, key: { text: key.text, kind: key.kind, names: key.names }, dialect, level, mode, acquires: acquires.map(acquireOf), releases: releases.map(siteOf) };
  }

  function acquireOf(site: LockSite) {
    return { ...siteOf(site), waits: site.action === 'acquire', timeout: site.timeout };
  }

  function siteOf({ place, ownerName, sql, connection, through }: LockSite) {
    return { ...placeOf(place), function: ownerName, sql, connection, through: through.map((step) => ({ name: step.name, ...placeOf(step.place) })) };
  }

  function edgeOf({ from, to, firstPlace, place }: OrderEdge) {
    return { first: { key: keyOf.get(from) ?? '…', locks: idsOf(from), ...placeOf(firstPlace) }, then: { key: keyOf.get(to) ?? '…', locks: idsOf(to), ...placeOf(place) } };
  }

  function problemOf({ kind, message, places, locks: ids, cycle }: Problem) {
    return { kind, message, locks: ids, cycle: cycle.map((identity) => keyOf.get(identity) ?? '…'), places: places.map((place) => ({ ...placeOf(place), text: place.text })) };
  }
};
