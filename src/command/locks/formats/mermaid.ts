import { shownPlace, type LocksFormat } from './format.js';
import { keyWords, problemNames } from './words.js';

/** The order in which keys are taken, as a flowchart that GitHub and GitLab draw; circles are marked. */
export const mermaid: LocksFormat = ({ inventory: { locks, order, problems }, cwd }) => {
  const ids = new Map(order.nodes.map(({ identity }, index) => [identity, `k${index + 1}`]));
  const cyclic = new Set(problems.flatMap(({ cycle }) => cycle.map((from, index) => JSON.stringify([from, cycle[(index + 1) % cycle.length]]))));
  const lone = locks.filter(({ key }) => key.kind !== 'computed' && !ids.has(key.identity));
  for (const { key } of lone) if (!ids.has(key.identity)) ids.set(key.identity, `k${ids.size + 1}`);
  const names = new Map([...order.nodes, ...lone.map(({ key }) => key)].map((node) => [node.identity, keyWords(node)]));
  const isCircular = (from: string, to: string): boolean => cyclic.has(JSON.stringify([from, to]));
  const members = new Set(problems.flatMap(({ cycle }) => cycle));

  return `${[
    'flowchart LR',
    ...problems.map(({ kind, message }) => `  %% ${problemNames[kind]}: ${message.replaceAll(/[\s%{}]+/g, ' ')}`),
    ...[...ids].map(([identity, id]) => `  ${id}["${label(names.get(identity) ?? '…')}"]`),
    ...order.edges.map(({ from, to, place }) => `  ${ids.get(from) ?? ''} ${isCircular(from, to) ? '==>' : '-->'}|"${label(shownPlace(place, cwd))}"| ${ids.get(to) ?? ''}`),
    ...(members.size > 0 ? ['  classDef circle stroke:#c62828,stroke-width:3px', `  class ${[...members].map((identity) => ids.get(identity) ?? '').join(',')} circle`] : []),
  ].join('\n')}\n`;
};

/** Mermaid reads quotes, tags and its own entities in labels; all of them are written as entities. */
const label = (text: string): string => text.replaceAll(/[^\p{L}\p{N} .,:()_/…-]/gu, (character) => `#${character.codePointAt(0) ?? 0};`);
