import type { TSESTree } from '@typescript-eslint/utils';
import { evaluation } from '../facts/evaluation.js';
import { events } from '../facts/events.js';
import { helpers } from '../facts/summaries.js';
import type { FlowUnit } from '../flow/nodes.js';
import { definePass, resultOf, type Pass } from '../pass.js';
import { scopes } from '../source/scope.js';
import { nodes } from '../source/walk.js';
import { createAbroad } from './abroad.js';
import { analyse, type Analysis, type FileParts } from './analysis.js';
import { escapes } from './escapes.js';
import { createInventory } from './inventory.js';
import { Numbering } from './state.js';

/** What the analysis of a file's functions shares. Functions of other files are analysed by the parts of their own file. */
export const fileParts: Pass<FileParts> = definePass(
  'file parts',
  [scopes, nodes, evaluation, events, helpers, escapes],
  ([scopesOfFile, nodesOfFile, evaluated, eventsOfFile, helpersOfFile, escapesOfFile]): FileParts => {
    const { links, backends } = evaluated;
    const analyses = new Map<FlowUnit, Analysis | null>();
    const running = new Set<FlowUnit>();
    const abroad = createAbroad(links, backends);
    const partsOf = (node: TSESTree.Node): FileParts => resultOf(fileParts, links.unitOf(node));
    const parts: FileParts = {
      scopes: scopesOfFile,
      evaluated,
      events: eventsOfFile,
      helpers: helpersOfFile,
      inventory: createInventory({ events: eventsOfFile, helpers: helpersOfFile, calls: nodesOfFile.calls, evaluated, abroad, elsewhere: (fn) => partsOf(fn).inventory }),
      escapes: escapesOfFile,
      abroad,
      // Variables go by the same names in all files that are read together.
      numbering: links.home === links.root ? new Numbering() : resultOf(fileParts, links.root).numbering,
      analysisOf,
    };
    return parts;

    function analysisOf(candidate: FlowUnit): Analysis | null {
      if (!links.isOwn(candidate)) return partsOf(candidate).analysisOf(candidate);
      const known = analyses.get(candidate);
      if (known !== undefined) return known;
      if (running.has(candidate)) return null;
      running.add(candidate);
      const analysis = analyse(candidate, parts);
      running.delete(candidate);
      analyses.set(candidate, analysis);
      return analysis;
    }
  },
);
