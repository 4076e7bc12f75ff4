import { createHash } from 'node:crypto';
import type { Lock, LockSite, Problem } from '../../model.js';
import { shownPlace, type LocksFormat, type LocksReport } from '../format.js';
import { connectionsOf, count, problemNames, timeoutsOf } from '../words.js';
import { orderSection } from './graph.js';
import { Markup, markup } from './markup.js';
import { script } from './script.js';
import { style } from './style.js';

/**
 * One file to look at and to hand on: nothing in it comes from outside. The policy in its head lets the browser run this script
 * and no other, should anything of the analysed code ever be taken for markup.
 */
export const html: LocksFormat = (report) => {
  const { inventory, version, cwd } = report;
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`;
  return `${markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Advisory locks</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header>
<h1>Advisory locks</h1>
${counts(report)}
</header>
<main>
${problemSection(inventory.problems, cwd)}
${orderSection(inventory.order, inventory.problems, cwd)}
${lockSection(report)}
</main>
<footer><p>Written by eslint-plugin-advisory-lock ${version}. What the columns and problems mean is in its docs/locks.md.</p></footer>
<script>${new Markup(script)}</script>
</body>
</html>`.text}\n`;
};

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

function counts({ inventory: { locks, problems } }: LocksReport): Markup {
  const files = new Set(locks.flatMap(({ acquires, releases }) => [...acquires, ...releases].map(({ place }) => place.path)));
  const sites = locks.reduce((sum, { acquires }) => sum + acquires.length, 0);
  const item = (number: number, one: string, several?: string): Markup => markup`<li><strong>${number}</strong>${count(number, one, several).replace(/^\d+ /, '')}</li>`;
  return markup`<ul class="counts">
${item(locks.length, 'lock')}
${item(sites, 'place that takes one', 'places that take one')}
${item(files.size, 'file')}
<li${problems.length > 0 ? new Markup(' class="bad"') : ''}><strong>${problems.length}</strong>${problems.length === 1 ? 'problem' : 'problems'}</li>
</ul>`;
}

function problemSection(problems: readonly Problem[], cwd: string): Markup {
  return markup`<section aria-labelledby="problems-title">
<h2 id="problems-title">Problems</h2>
${problems.length === 0 ? markup`<p class="quiet">None found.</p>` : ''}
${problems.map(
  ({ kind, message, places, locks }, index) => markup`<article class="problem" id="P${index + 1}">
<h3>${problemNames[kind]}</h3>
<p>${message}</p>
<ul>${places.map((place) => markup`<li><code>${shownPlace(place, cwd)}</code> <span>${place.text}</span></li>`)}</ul>
<p class="quiet">${locks.length > 0 ? markup`Rows: ${locks.map((id, position) => markup`${position > 0 ? ', ' : ''}<a href="#${id}">${id}</a>`)}` : ''}</p>
</article>`,
)}
</section>`;
}

function lockSection({ inventory: { locks, problems }, cwd }: LocksReport): Markup {
  const headings = ['Row', 'Key', 'Problems', 'Level', 'Mode', 'Connection', 'Timeout', 'Taken at', 'Released at'];
  return markup`<section aria-labelledby="locks-title">
<h2 id="locks-title">Locks</h2>
<div class="tools"><label for="search">Search</label><input id="search" type="search" autocomplete="off" placeholder="key, file, function, level …"><span id="shown" class="quiet" role="status">${count(locks.length, 'lock')}</span></div>
<div class="scroll"><table>
<caption hidden>Every lock of the project</caption>
<thead><tr>${headings.map((heading) => markup`<th scope="col"><button type="button">${heading}</button></th>`)}</tr></thead>
<tbody>
${locks.map((lock) => row(lock))}
</tbody>
</table></div>
</section>`;

  function row(lock: Lock): Markup {
    const { id, key, level, mode, acquires, releases } = lock;
    const own = problems.flatMap((problem, index) => (problem.locks.includes(id) ? [{ problem, index }] : []));
    return markup`<tr id="${id}">
<td>${id}</td>
<th scope="row"><code>${key.text}</code>${key.names.length > 0 ? markup`<br>${key.names.join(', ')}` : ''}</th>
<td data-sort="${String(1000 - own.length)}">${own.map(({ problem, index }) => markup`<a class="badge" href="#P${index + 1}">${problemNames[problem.kind]}</a> `)}</td>
<td>${level}</td><td>${mode}</td><td>${connectionsOf(lock)}</td><td>${acquires.length > 0 ? timeoutsOf(lock) : '–'}</td>
<td>${sites(acquires)}</td><td>${level === 'transaction' && releases.length === 0 ? markup`<span class="quiet">with its transaction</span>` : sites(releases)}</td>
</tr>
`;
  }

  function sites(list: readonly LockSite[]): Markup {
    if (list.length === 0) return markup`–`;
    return markup`<ul>${list.map(
      ({ place, sql, ownerName, through }) =>
        markup`<li><span class="place">${shownPlace(place, cwd)}</span><span class="by" title="${[sql, ...through.map((step) => `through ${step.name}, ${shownPlace(step.place, cwd)}`)].join('\n')}">${[ownerName ?? 'top level', ...through.map(({ name }) => `through ${name}`)].join(', ')}</span></li>`,
    )}</ul>`;
  }
}
