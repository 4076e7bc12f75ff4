import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { locks } from '../command/locks/execute.js';
import { folderWith } from '../temporary-folder.js';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const hasChromium = existsSync(executablePath);
const options = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const hostile = '</script><img src=x onerror="window.pwned = true">';

const helper = `import { Pool } from 'pg';
const pool = new Pool();
export async function withLock(key: number, work: () => Promise<void>) {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [key]);
    try { await work(); } finally { await client.query('SELECT pg_advisory_unlock($1)', [key]); }
  } finally { client.release(); }
}
`;

const nested = (name: string, first: string, then: string): string =>
  `import { withLock } from './with-lock';\nimport { ${first}, ${then} } from './keys';\nexport const ${name} = () => withLock(${first}, () => withLock(${then}, async () => undefined));\n`;

const files = {
  'package.json': '{}',
  'with-lock.ts': helper,
  'keys.ts': 'export const JOBS = 9;\nexport const MAIL = 43;\nexport const LAST = 100;\n',
  'a.ts': nested('a', 'JOBS', 'MAIL'),
  'b.ts': nested('b', 'MAIL', 'JOBS'),
  'c.ts': nested('c', 'MAIL', 'LAST'),
  'hostile.js': `import mysql from 'mysql2/promise';
const c = await mysql.createConnection({});
await c.query('SELECT GET_LOCK(?, 10)', ['${hostile}']);
await c.query('SELECT RELEASE_LOCK(?)', ['${hostile}']);
`,
};

describe.skipIf(!hasChromium)(hasChromium ? 'the page of the subcommand locks' : `the page of the subcommand locks (skipped: there is no ${executablePath}; apt-get install chromium)`, () => {
  let browser: Browser;
  let address: string;
  beforeAll(async () => {
    const folder = folderWith(files);
    const { stdout } = await locks(folder, '--format', 'html');
    writeFileSync(join(folder, 'page.html'), stdout);
    address = pathToFileURL(join(folder, 'page.html')).href;
    browser = await chromium.launch({ executablePath, args: options });
  });
  afterAll(() => browser.close());

  /** Opens the page; `trouble` gathers what a page should not do. */
  async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<{ page: Page; trouble: string[] }> {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
    const trouble: string[] = [];
    page.on('console', (message) => trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('dialog', (dialog) => trouble.push(dialog.message()));
    page.on('request', (request) => {
      if (request.url() !== address) trouble.push(request.url());
    });
    await page.goto(address);
    return { page, trouble };
  }

  const keysShown = (page: Page): Promise<string[]> => page.locator('tbody tr:visible th code').allInnerTexts();

  it('shows the rows and takes nothing of the code for markup', async () => {
    const { page, trouble } = await open();
    expect(await keysShown(page)).toEqual([`'${hostile}'`, '9', '43', '100']);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(trouble).toEqual([]);
    await page.close();
  });

  it('lets no other script run, should there ever be one', async () => {
    const { page, trouble } = await open();
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<button onclick="window.pwned = true">x</button>')`);
    await page.locator('button', { hasText: /^x$/ }).click();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(trouble.join()).toContain('Content Security Policy');
    await page.close();
  });

  it('searches', async () => {
    const { page, trouble } = await open();
    await page.getByLabel('Search').fill('mail with');
    expect(await keysShown(page)).toEqual(['43']);
    expect(await page.getByRole('status').innerText()).toBe('1 of 4 locks');
    await page.getByLabel('Search').fill('');
    expect(await page.getByRole('status').innerText()).toBe('4 locks');
    expect(trouble).toEqual([]);
    await page.close();
  });

  it('sorts by keyboard, numbers as numbers', async () => {
    const { page, trouble } = await open();
    const heading = page.getByRole('columnheader', { name: 'Key' });
    await heading.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    expect((await keysShown(page)).slice(1)).toEqual(['9', '43', '100']);
    await page.keyboard.press('Space');
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    expect((await keysShown(page)).slice(0, 3)).toEqual(['100', '43', '9']);
    await page.getByRole('columnheader', { name: 'Problems' }).getByRole('button').press('Enter');
    expect((await keysShown(page)).slice(0, 2).sort()).toEqual(['43', '9']);
    expect(trouble).toEqual([]);
    await page.close();
  });

  it('draws the order, with its circle', async () => {
    const { page } = await open();
    expect(await page.locator('svg .node text').allTextContents()).toEqual(expect.arrayContaining(['JOBS (9)', 'MAIL (43)', 'LAST (100)']));
    expect(await page.locator('svg .edge').count()).toBe(3);
    expect(await page.locator('svg .edge.circle').count()).toBe(2);
    expect(await page.locator('svg').getAttribute('aria-labelledby')).toBe(await page.locator('svg > title').getAttribute('id'));
    // Boxes must not lie on each other, and their texts must fit in.
    const overlaps = await page.evaluate<number>(`(() => {
      const boxes = [...document.querySelectorAll('svg .node rect')].map((node) => node.getBoundingClientRect());
      const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      return boxes.filter((box, index) => boxes.slice(index + 1).some((other) => overlap(box, other))).length;
    })()`);
    expect(overlaps).toBe(0);
    const tooLong = await page.evaluate<number>(`[...document.querySelectorAll('svg .node')].filter((node) => {
      const [box, text] = ['rect', 'text'].map((name) => node.querySelector(name).getBoundingClientRect());
      return text.left < box.left || text.right > box.right;
    }).length`);
    expect(tooLong).toBe(0);
    await page.close();
  });

  it('leads from a problem to its rows and back', async () => {
    const { page } = await open();
    await page.locator('#P1 a').first().click();
    expect(await page.evaluate(`document.querySelector(':target').tagName`)).toBe('TR');
    await page.locator('tr:target .badge').first().click();
    expect(await page.evaluate(`document.querySelector(':target').id`)).toBe('P1');
    await page.close();
  });

  it('is light and dark, and readable in both', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await open(scheme);
      const colors = await page.evaluate<[string, string][]>(`['.problem p', '.problem h3', '.quiet', 'td', 'a'].map((selector) => {
        const element = document.querySelector(selector);
        return [getComputedStyle(element).color, getComputedStyle(element.closest('section')).backgroundColor];
      })`);
      for (const [ink, paper] of colors) expect(contrast(ink, paper), `${scheme}: ${ink} on ${paper}`).toBeGreaterThanOrEqual(4.5);
      await page.close();
    }
  });

  it('fits a narrow window', async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 420, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(420);
    await page.close();
  });
});

/** The contrast ratio of WCAG 2, of two colours as browsers compute them. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).slice(0, 3).map((each) => {
      const value = Number(each) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}
