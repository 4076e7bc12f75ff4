import { readFileSync } from 'node:fs';
import type { RuleDescription } from '../formats/finding.js';
import type { AdvisoryLockPlugin } from '../plugin.js';

/** Describes rules, given by their full names, sorted. */
export function describeRules(ids: ReadonlySet<string>, plugin: AdvisoryLockPlugin): RuleDescription[] {
  const { recommended, strict } = plugin.configs;
  return [...ids].sort().flatMap((id): RuleDescription[] => {
    const name = id.slice(plugin.meta.namespace.length + 1);
    const docs = plugin.rules[name]?.meta?.docs;
    if (!docs) return [];
    const url = docs.url ?? null;
    const tier = id in (recommended.rules ?? {}) ? 'recommended' : id in (strict.rules ?? {}) ? 'strict' : 'all';
    return [{ id, summary: docs.description ?? name, url, tier, help: helpOf(name, url) }];
  });
}

/** Where the package keeps its pages, seen from the built command and from this file. */
const pages = ['../docs/rules/', '../../docs/rules/'];

function helpOf(name: string, url: string | null): string | null {
  for (const folder of pages) {
    try {
      return readablePage(readFileSync(new URL(`${folder}${name}.md`, import.meta.url), 'utf8'), url);
    } catch {
      // Not there.
    }
  }
  return null;
}

/** Links lead somewhere from wherever the page is shown, and what only the documentation's tests read is left out. */
function readablePage(markdown: string, url: string | null): string {
  const text = markdown.replace(/\r\n/g, '\n').replace(/<!--[^]*?-->\n*/g, '').trim();
  return url === null ? text : text.replace(/\]\((?!https?:|#|mailto:)([^)\s]+)\)/g, (_, link: string) => `](${new URL(link, url).href})`);
}
