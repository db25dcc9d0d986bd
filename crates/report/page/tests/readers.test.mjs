// What a reader sees first. For each of five studies, careful pieces of work that each turned on something that nobody had noticed, a
// small record has the same in it (`specimens/`); its page says so, in the study's own terms, on the first screen of a laptop, and a
// phone needs no sideways scrolling for it.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const workspace = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-readers-'));
const SCREEN = { width: 1440, height: 900 };
let browser;

/** The specimen, what the study turned on as it stands in words, and what its chart says to who cannot see it. */
const STUDIES = [
  {
    name: 'missing-zero',
    study: 'a zero was missing: ranges of 10 rows beside ranges of 100',
    words: [/range_size is 100 in oltp\.mixed \(c001\) but 10 in oltp\.simple_ranges/, /differ by exactly one zero/, /None of 6 numbers stands/],
    chart: /QPS ÷ oltp\.mixed; .*oltp\.simple_ranges: 1\.26 ×, struck/,
  },
  {
    name: 'view-per-get',
    // The machine ran at three quarters of its speed below the older build, so the two builds are not compared.
    study: 'gets over the plugin are transactions of their own, and grow with the users',
    words: [/grows 6\.67-fold from 1 to 64 users/, /every get is a transaction of its own/, /2 of 4 numbers stand; 2 are struck because the machine changed its speed/],
    chart: /kv\.memcached: QPS over users; mysql-5\.6\.14: .*; mysql-8\.0\.33: /,
  },
  {
    name: 'open-snapshot',
    study: 'a transaction left open keeps history, and the rate falls until it ends',
    words: [/open 0\.53 × before/, /after 0\.70 ×/, /Tinted: while something was done to the server/, /None of 3 numbers stands/],
    chart: /statements per second and latency over time; open_snapshot from 2 s to 5 s/,
  },
  {
    name: 'refused-orders',
    study: 'every New-Order was aborted by a NOT NULL, and nobody saw it',
    words: [/Not one new_order of 174 was done \(error 1048 .*Column 'ol_delivery_d' cannot be null/, /None of 2 numbers stands; both are struck because operations failed/],
    chart: /QPS ÷ shown; shown: .*; swallowed: 1\.42 ×, struck/,
  },
  {
    name: 'outgrown-pool',
    study: 'an iteration outgrew the buffer pool, and no trend leads over it',
    words: [/iteration 1 is cached .* and iteration 2 is io-bound .*no trend holds over both/, /Tinted: not all of it came from memory/],
    chart: /read: rate over iterations/,
  },
];

before(async () => {
  for (const { name } of STUDIES) {
    execFileSync('tar', ['--extract', '--xz', '--file', join(workspace, 'specimens', `${name}.tar.xz`), '--directory', folder]);
    const command = ['run', '--quiet', '--locked', '-p', 'assay', '--', 'report', join(folder, name)];
    const { status, stderr } = spawnSync('cargo', command, { cwd: workspace, encoding: 'utf8' });
    assert.ok(status === 0 || status === 1, `${name}: ${stderr}`);
  }
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function open(t, name, viewport) {
  const context = await browser.newContext({ viewport, offline: true });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(folder, name, 'report.html')).href);
  await page.waitForSelector('html[data-ready=yes]');
  await page.waitForSelector('#answer .chart svg path', { state: 'attached' });
  return page;
}

/** The text of paragraphs, items and headings that end on the first screen. */
const onScreen = (page, height) =>
  page.$$eval(
    'main h1, main p, main li, main h2',
    (all, end) =>
      all
        .filter((e) => {
          const { bottom, height: own } = e.getBoundingClientRect();
          return own > 0 && bottom <= end;
        })
        .map((e) => e.textContent)
        .join('\n'),
    height,
  );

for (const { name, study, words, chart } of STUDIES) {
  test(`the first screen says that ${study}`, async (t) => {
    const page = await open(t, name, SCREEN);
    const text = await onScreen(page, SCREEN.height);
    for (const pattern of words) assert.match(text, pattern);
    const drawn = page.locator('#answer .chart').first();
    assert.match(await drawn.getAttribute('aria-label'), chart);
    const { y, height } = await drawn.boundingBox();
    assert.ok(y + height <= SCREEN.height, `the chart ends at ${y + height}`);
  });

  test(`${name} is read on a phone without scrolling sideways`, async (t) => {
    const page = await open(t, name, { width: 390, height: 844 });
    for (const id of ['', ...(await page.$$eval('main > section[id]', (all) => all.map((e) => e.id)))]) {
      if (id) await page.evaluate((part) => document.querySelector(`#${part} > details`)?.setAttribute('open', ''), id);
      await page.waitForTimeout(50);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(over, 0, `${id || 'the first screen'} is wider by ${over} pixels`);
    }
  });
}

test('a cell has a page of its own: checks, how its runs went, latency, counters per operation, plans', async (t) => {
  const page = await open(t, 'view-per-get', SCREEN);
  await page.evaluate(() => {
    location.hash = 'cell=c002';
  });
  await page.waitForSelector('dialog[open] .chart svg path', { state: 'attached' });
  const titles = await page.$$eval('dialog[open] h3', (all) => all.map((e) => e.textContent));
  for (const title of ['Checks', 'How its runs went', 'Latency', 'Counters per operation', 'Metrics', 'Runs', 'Operations'])
    assert.ok(titles.includes(title), `${title} is not among ${titles.join(', ')}`);
  const costs = await page.locator('dialog[open] section', { hasText: 'Counters per operation' }).last().textContent();
  assert.match(costs, /server\.switches\.voluntary[\d.]+/);
});
