/** The page's one script: searching and sorting. Without it the page shows all the same. */
export const script = `
'use strict';
const table = document.querySelector('table');
const body = table && table.tBodies[0];
const rows = body ? [...body.rows] : [];
const search = document.getElementById('search');
const status = document.getElementById('shown');

function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  status.textContent = shown === rows.length ? rows.length + ' locks' : shown + ' of ' + rows.length + ' locks';
}

function sortBy(heading) {
  const ascending = heading.getAttribute('aria-sort') !== 'ascending';
  for (const other of table.querySelectorAll('thead th')) other.removeAttribute('aria-sort');
  heading.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
  const column = heading.cellIndex;
  const key = (row) => row.cells[column].dataset.sort || row.cells[column].textContent.trim();
  const collator = new Intl.Collator('en', { numeric: true });
  const sorted = [...rows].sort((one, other) => collator.compare(key(one), key(other)) * (ascending ? 1 : -1));
  body.append(...sorted);
}

if (body) {
  search.addEventListener('input', filter);
  for (const heading of table.querySelectorAll('thead th')) heading.firstElementChild.addEventListener('click', () => sortBy(heading));
}
`;
