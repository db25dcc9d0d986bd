// The page in a real browser, without a network: a report of a made-up record is written by the crate's example and
// opened from disk, as a reader would open it. CHROMIUM names the browser; the distribution's is the default.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];
const workspace = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-page-'));
const report = pathToFileURL(join(folder, 'report.html')).href;
let browser;

before(async () => {
  assert.ok(existsSync(new URL('../dist/index.html', import.meta.url)), 'the page is not built: run `make page`');
  execFileSync('cargo', ['run', '--quiet', '--locked', '-p', 'report', '--example', 'sample', '--', folder], {
    cwd: workspace,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Opens the report and holds it to what every view must keep: nothing in the console, nothing from the network. */
async function open(t, { fragment = '', width = 1440, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on(
    'request',
    (request) => !request.url().startsWith(report) && !request.url().startsWith('data:') && complaints.push(`asked for ${request.url()}`),
  );
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(report + fragment);
  if (options.javaScriptEnabled !== false) await page.waitForSelector('html[data-ready=yes]');
  return page;
}

/** The browser tells of a closed dialog and a changed fragment in tasks of their own: what follows from them is waited for. */
const addressed = (page, part) => page.waitForFunction((text) => location.hash.includes(text), part);

/** Unfolds parts of the page, as a reader does. */
async function unfold(page, ...ids) {
  for (const id of ids) {
    if (!(await page.locator(`#${id} > details`).evaluate((e) => e.open))) await page.click(`#${id} > details > summary`);
    await page.waitForFunction((part) => document.querySelector(`#${part} .inside > div`).childElementCount > 0, id);
  }
}

/** Every part unfolded, so that nothing is passed over. */
async function unfoldAll(page) {
  await unfold(page, ...(await page.$$eval('details.part', (all) => all.map((e) => e.parentElement.id))));
}

const ratios = (page) => page.$$eval('.matrix .ratio', (all) => all.map((e) => e.textContent));

test('the answer comes first, in words and with the chart that shows it', async (t) => {
  const page = await open(t);
  assert.match(await page.textContent('#answer p'), /utf8mb4-unicode costs 41 % of the throughput of latin1/);
  assert.equal(await page.locator('#answer .chart').count(), 4);
  for (const part of ['#answer p >> nth=0', '#answer .chart >> nth=3', '.health', '.found']) {
    const { y, height } = await page.locator(part).boundingBox();
    assert.ok(y + height <= 900, `${part} is on the first screen: it ends at ${y + height}`);
  }
  assert.match(await page.textContent('.health'), /\d+ of \d+ numbers stand; \d+ are struck because other processes used the CPU\..*stop who else runs here/s);
  assert.match(await page.textContent('.found'), /open snapshot keeps old versions.*quantitatively sufficient.*explains 83 %/s);
});

test('everything else is folded until it is asked for, and the address remembers what was', async (t) => {
  const page = await open(t);
  assert.equal(await page.locator('details.part[open]').count(), 0);
  assert.equal(await page.locator('.matrix').count(), 0, 'not even drawn');
  await page.click('nav a:has-text("Matrix")');
  await page.waitForSelector('.matrix');
  await page.locator('#checks > details > summary').press('Enter');
  await addressed(page, 'open=matrix,checks');
  const again = await open(t, { fragment: await page.evaluate(() => location.hash) });
  assert.deepEqual(await again.$$eval('details.part[open]', (all) => all.map((e) => e.parentElement.id)), ['matrix', 'checks']);
});

test('the verdict has a sentence per claim, what was not measured and how to repeat it', async (t) => {
  const page = await open(t);
  await unfold(page, 'verdict');
  const claims = await page.$$eval('.claims li', (all) => all.map((e) => e.textContent));
  assert.equal(claims.length, 3, 'the answer stands on the first screen');
  assert.match(claims[0], /fail.*oltp\.point_selects at 64 users say more about the client/);
  const beside = await page.locator('.beside').textContent();
  assert.match(beside, /no collation utf8mb4_0900_ai_ci/);
  assert.match(beside, /assay run read-only-charsets\.toml --scale smoke --set load\.measure=20s --set .axes\.users=\[1, 16\]. --on mariadb-10\.11/);
  assert.equal(await page.title(), 'read-only-charsets · assay report');
});

test('every chart is drawn', async (t) => {
  const page = await open(t);
  await unfold(page, 'findings', 'curves', 'latency', 'timeline', 'repetitions');
  await page.waitForFunction(() => [...document.querySelectorAll('.chart')].every((c) => c.querySelectorAll('svg path').length > 3));
  assert.equal(await page.locator('#curves .chart').count(), 9);
  for (const id of ['latency', 'timeline', 'repetitions']) assert.equal(await page.locator(`#${id} .chart svg`).count(), 1, id);
});

test('a cell of the matrix opens its evidence, and Escape closes it again', async (t) => {
  const page = await open(t);
  await unfold(page, 'matrix');
  await page.click('.matrix [data-cell=c028]');
  const drawer = page.locator('dialog[open]');
  const text = await drawer.textContent();
  assert.match(text, /oltp\.point_selects · latin1 · users 64/);
  assert.match(text, /client_had_headroom.*94 %, limit 80 %/);
  assert.ok((await drawer.locator('a[href="runs/c028-1/run.json"]').count()) > 0, 'each figure leads to its file');
  await addressed(page, 'cell=c028');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('dialog[open]') && !location.hash.includes('cell='));
});

test('a number that failed a check is struck, and a cell without a number says so', async (t) => {
  const page = await open(t);
  await unfold(page, 'matrix');
  const line = (cell) => page.$eval(`[data-cell=${cell}] .ratio`, (e) => getComputedStyle(e).textDecorationLine);
  assert.equal(await line('c028'), 'line-through');
  assert.equal(await line('c027'), 'none');
  assert.equal(await page.textContent('[data-cell=c107] .ratio'), 'skipped');
  assert.equal(await page.textContent('[data-cell=c108] .ratio'), 'failed');
});

test('another reference or metric changes the matrix, and the address leads back to it', async (t) => {
  const page = await open(t);
  await unfold(page, 'matrix');
  const before = await ratios(page);
  await page.selectOption('#matrix .pick:nth-of-type(3) select', 'utf8mb4-unicode');
  const after = await ratios(page);
  assert.notDeepEqual(after, before);
  await page.selectOption('#matrix .pick:nth-of-type(1) select', 'latency_us_p99');
  assert.notDeepEqual(await ratios(page), after);
  await addressed(page, 'metric=latency_us_p99');
  await addressed(page, 'ref=utf8mb4-unicode');
  const again = await open(t, { fragment: await page.evaluate(() => location.hash) });
  assert.deepEqual(await ratios(again), await ratios(page));
});

test('the arrow keys walk the matrix and Enter opens a cell', async (t) => {
  const page = await open(t);
  await unfold(page, 'matrix');
  await page.focus('[data-cell=c001]');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), 'c006');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('dialog[open]').getAttribute('aria-label'), 'Cell c006');
});

test('the ledger is filtered by status and by check', async (t) => {
  const page = await open(t);
  await unfold(page, 'checks');
  const rows = () => page.locator('#checks .ledger tbody tr').count();
  await page.click('.chip.warn');
  await page.click('.chip.not_evaluable');
  assert.equal(await rows(), 3);
  await page.click('.chip.pass');
  await page.selectOption('#checks select', 'littles_law');
  await page.click('.more');
  assert.equal(await rows(), 107);
  assert.deepEqual(await page.$$eval('#checks .ledger tbody tr', (all) => [...new Set(all.map((r) => r.className))]), ['pass']);
});

test('what does not apply is told to who asks, and nowhere else', async (t) => {
  const page = await open(t);
  await unfold(page, 'matrix', 'checks');
  assert.doesNotMatch(await page.locator('.counts').textContent(), /not applicable/);
  assert.doesNotMatch(await page.locator('#checks .ledger tbody').textContent(), /network_had_room/);
  await page.click('.matrix [data-cell=c001]');
  const folded = page.locator('dialog[open] details', { hasText: 'not applicable here' });
  assert.match(await folded.textContent(), /1 not applicable here.*Users come over a Unix socket/s);
  await page.keyboard.press('Escape');
  await page.click('.chip.not_applicable');
  await page.selectOption('#checks select', 'network_had_room');
  const rows = await page.$$eval('#checks .ledger tbody tr', (all) => [...new Set(all.map((r) => r.className))]);
  assert.deepEqual(rows, ['not_applicable']);
});

test('a claim leads to the check that it rests on', async (t) => {
  const page = await open(t);
  await unfold(page, 'verdict');
  await page.click('.claims li:first-child a');
  await page.waitForFunction(() => {
    const codes = [...document.querySelectorAll('#checks .ledger tbody code')].map((e) => e.textContent);
    return [...new Set(codes.filter((c) => !c.includes('/')))].join() === 'client_had_headroom';
  });
});

test('a table is copied as Markdown or as TSV, struck cells marked in both', async (t) => {
  const page = await open(t);
  await unfold(page, 'tables');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const table = page.locator('#tables figure').first();
  assert.ok((await table.locator('td s').count()) > 0, 'the sample has a struck cell');
  const copy = async (label) => {
    await table.getByRole('button', { name: `Copy ${label}` }).click();
    await page.waitForFunction((told) => document.querySelector('#tables [role=status]').textContent === told, `copied as ${label}`);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const markdown = await copy('Markdown');
  assert.match(markdown, /\| \*\*point\*\* \|/);
  assert.match(markdown, /~~[≥≤? ]*[\d. ]+~~/);
  const tsv = await copy('TSV');
  assert.match(tsv, /^group\ttest, by charset\tlatin1 \(statements\/s\)\t/);
  assert.match(tsv, / struck/);
});

test('curves can be drawn relative to the reference', async (t) => {
  const page = await open(t);
  await unfold(page, 'curves');
  const label = () => page.getAttribute('#curves .chart', 'aria-label');
  assert.match(await label(), /latin1: [\d.\u202f]+ statements\/s/);
  await page.click('#curves .toggle button:has-text("relative")');
  assert.match(await label(), /latin1: 1\.00 ×/);
});

test('any counter becomes a lane of the timeline, several at a time, by keyboard alone', async (t) => {
  const page = await open(t);
  await unfold(page, 'timeline');
  const names = () => page.$$eval('#timeline .lanes button', (all) => all.map((e) => e.textContent));
  assert.deepEqual(await names(), ['history list length ×'], 'the one that its row puts first');
  const height = async () => (await page.locator('#timeline .chart').boundingBox()).height;
  const before = await height();
  await page.locator('#timeline .lanes input').focus();
  await page.keyboard.type('db.checkpoint_age');
  await page.keyboard.press('Enter');
  await addressed(page, 'series=db.history_list_length,db.checkpoint_age');
  assert.deepEqual(await names(), ['history list length ×', 'checkpoint age, bytes ×']);
  assert.ok((await height()) > before, 'each has a lane of its own');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'INPUT', 'one more can be named at once');
  await page.locator('#timeline .lanes button').first().press('Enter');
  await addressed(page, 'series=db.checkpoint_age');
  await page.locator('#timeline .lanes button').first().press('Enter');
  await addressed(page, 'series=none');
  assert.deepEqual(await names(), []);
});

test('one cursor reads the timeline, and a click on a run opens its cell', async (t) => {
  const page = await open(t);
  await unfold(page, 'timeline');
  const chart = page.locator('#timeline .chart');
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.waitForFunction(() => [...document.querySelectorAll('.tip')].some((e) => /c\d{3}-\d|between runs/.test(e.textContent)));
  let opened = 0;
  for (let x = 500; opened === 0 && x < 520; x += 2) {
    await page.mouse.click(box.x + x, box.y + 60);
    opened = await page.locator('dialog[open]').count();
  }
  assert.equal(opened, 1);
});

/** Rectangles and paths in the tint of what was done to the server, that have an area. */
const tinted = (page, id) =>
  page.waitForFunction(
    (part) =>
      [...document.querySelectorAll(`#${part} .chart svg path, #${part} .chart svg rect`)].some((e) => {
        const [fill, size] = [getComputedStyle(e), e.getBBox()];
        return Number(fill.fillOpacity) * Number(fill.opacity) === 0.09 && size.width > 0 && size.height > 20;
      }),
    id,
  );

test('the timeline is shaded where something was done to the server, and says what', async (t) => {
  const page = await open(t);
  await unfold(page, 'timeline');
  await page.locator('#timeline .chart').scrollIntoViewIfNeeded();
  await tinted(page, 'timeline');
  const told = page.locator('#timeline .inside details:has(code)');
  assert.match(await told.textContent(), /Shaded: 1 phases? in which something was done.*cpu_hog in c\d{3}-\d, measure: 1 CPU was kept busy\./);
});

test('what arithmetic expects is drawn dashed beside what was measured, over the tint of its phase', async (t) => {
  const page = await open(t);
  await unfold(page, 'findings');
  const figure = page.locator('#findings figure');
  assert.match(await figure.textContent(), /Line, left: further logical reads per list; dashed, right: stale entries .* Mean of 3 runs\..*36\.4 expected for each one measured/);
  await figure.scrollIntoViewIfNeeded();
  await tinted(page, 'findings');
  const names = await page.$$eval('#findings .chart svg text', (all) => all.map((e) => e.textContent));
  for (const axis of ['further logical reads per list', 'stale entries expected per list']) assert.ok(names.includes(axis), axis);
  const lines = await page.$$eval('#findings .chart svg path[fill=none], #findings .chart svg path[fill=transparent]', (all) =>
    all.filter((e) => e.getBBox().width > 100 && e.getBBox().height > 20).map((e) => getComputedStyle(e).strokeDasharray),
  );
  assert.deepEqual(lines.map((dashes) => dashes !== 'none').sort(), [false, true]);
  assert.match(readFileSync(join(folder, 'report.md'), 'utf8'), /## Forecast\n\nc001, mean of 3 runs; 36\.4 expected for each one measured[^]*\| open \| 19 \| 3\.3 \| 120 \|/);
});

test('functions are drawn as a flame graph, found by name, and held against another cell', async (t) => {
  const page = await open(t);
  await unfold(page, 'functions');
  const frames = page.locator('#functions .flame div');
  assert.match(await page.textContent('#functions .caption'), /c001: .* µs of CPU per operation .*1\.20 % not unwound/);
  const width = async (name) => (await frames.filter({ hasText: name }).first().boundingBox()).width;
  assert.ok((await width('row_search_mvcc')) > (await width('JOIN::optimize')), 'as wide as its time');
  const before = await width('row_search_mvcc');
  await frames.filter({ hasText: 'JOIN::exec' }).first().click();
  assert.ok((await width('row_search_mvcc')) > before, 'a frame that is selected is widened');
  await page.fill('#functions input[type=search]', 'uca');
  assert.match(await page.textContent('#functions tbody, #functions .inside'), /No function is named so|uca/);
  await page.selectOption('#functions .pick:has-text("against") select', 'c002');
  await page.selectOption('#functions .pick:has-text("cell") select', 'c002');
  await page.selectOption('#functions .pick:has-text("against") select', 'c001');
  const row = page.locator('#functions tbody tr', { hasText: 'my_uca_scanner_next_utf8mb4' });
  assert.match(await row.textContent(), /\+12\.0.*new.*sure/);
  await page.fill('#functions input[type=search]', '');
  const background = (name) => frames.filter({ hasText: name }).last().evaluate((e) => e.style.background);
  assert.match(await background('my_uca_scanner_next_utf8mb4'), /--worse/);
  assert.match(await background('JOIN::optimize'), /--shade/, 'what may be chance is grey');
  assert.match(await page.locator('#functions tbody tr', { hasText: 'JOIN::optimize' }).textContent(), /by chance/);

  await page.selectOption('#functions .pick:has-text("time") select', 'waiting');
  assert.match(await page.textContent('#functions .caption'), /c002: .* µs of waiting per operation/);
  assert.match(await background('fdatasync'), /--better/);
  assert.equal(await frames.filter({ hasText: 'JOIN::optimize' }).count(), 0);
});

for (const width of [1440, 800, 390]) {
  test(`nothing is wider than a screen of ${width} pixels`, async (t) => {
    const page = await open(t, { width });
    await unfoldAll(page);
    for (const fragment of ['', '#cell=c046']) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, fragment);
      await page.waitForFunction((open) => document.querySelector('dialog').open === open, fragment.includes('cell='));
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    }
    assert.equal(
      await page.evaluate(() => {
        const d = document.querySelector('dialog');
        return d.scrollWidth - d.clientWidth;
      }),
      0,
    );
  });
}

test('dark follows the system until the reader chooses', async (t) => {
  const page = await open(t, { colorScheme: 'dark' });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(), 'rgb(20, 23, 27)');
  await page.click('.theme');
  assert.equal(await paper(), 'rgb(255, 255, 255)');
});

test('without JavaScript the report is there as text', async (t) => {
  const page = await open(t, { javaScriptEnabled: false });
  const text = await page.textContent('noscript');
  assert.match(text, /## Checks that did not pass/);
});

for (const [name, options] of [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['a phone', { width: 390 }],
]) {
  test(`axe finds nothing to complain of, ${name}`, async (t) => {
    const page = await open(t, options);
    const broken = async () => {
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document));
      return violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => `${v.id}: ${n.target.join(' ')}: ${n.failureSummary}`));
    };
    assert.deepEqual(await broken(), [], 'the first screen');
    await page.locator('#answer .tools summary').first().click();
    await page.locator('#answer .tools button:has-text("Show table")').first().click();
    await unfoldAll(page);
    assert.deepEqual(await broken(), [], 'every part');
    await page.evaluate(() => {
      location.hash = 'cell=c001';
    });
    await page.waitForSelector('dialog[open] .chart svg');
    assert.deepEqual(await broken(), [], 'a cell');
  });
}

test('every chart is copied as SVG, as PNG and as a table, and shows its table', async (t) => {
  const page = await open(t);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await unfold(page, 'findings', 'curves', 'latency', 'timeline', 'repetitions');
  const charts = page.locator('.drawn');
  assert.ok((await charts.count()) > 15);
  const clipboard = () =>
    page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const read = async (type) => {
        const blob = await item.getType(type);
        if (!type.startsWith('image/png')) return blob.text();
        const { width, height } = await createImageBitmap(blob);
        return [width, height];
      };
      return Object.fromEntries(await Promise.all(item.types.map(async (type) => [type, await read(type)])));
    });
  for (let i = 0; i < (await charts.count()); i += 4) {
    const chart = charts.nth(i);
    const box = await chart.locator('.chart').boundingBox();
    const ask = async (label, told) => {
      if (!(await chart.locator('.tools').evaluate((e) => e.open))) await chart.locator('.tools summary').click();
      await chart.getByRole('button', { name: label }).click();
      if (!told) return;
      await page.waitForFunction(([e, text]) => e.querySelector('.tools [role=status]').textContent === text, [await chart.elementHandle(), told]);
    };
    await ask('Copy SVG', 'copied as SVG');
    const svg = (await clipboard())['text/plain'];
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<title>.*measured by assay: read-only-charsets.*<\/svg>$/s);
    assert.doesNotMatch(svg, /var\(--/, 'a picture has no style sheet');
    await ask('Copy PNG', 'copied as PNG');
    const [width, height] = (await clipboard())['image/png'];
    assert.ok(Math.abs(width - 2 * box.width) <= 2 && height > 2 * box.height, `${width} x ${height} of ${box.width} x ${box.height}`);
    await ask('Copy table', 'copied as table');
    const rows = (await clipboard())['text/plain'].replace(/\n$/, '').split('\n');
    assert.ok(rows.length > 1 && rows.every((r) => r.split('\t').length === rows[0].split('\t').length), rows.slice(0, 3).join('\n'));
    await ask('Show table');
    assert.equal(await chart.locator('table.told tbody tr').count(), rows.length - 1, 'the table that is shown is the one that is copied');
  }
});

test('a dotted line says where users wait for their answers in another way', async (t) => {
  const page = await open(t);
  assert.match(await page.textContent('#answer'), /Dotted: .*: up to 4 users a blocking thread for each user, for more io_uring on a thread per CPU/);
  const dotted = await page.$$eval('#answer .chart svg path', (all) => all.filter((e) => getComputedStyle(e).strokeDasharray === '2px, 3px').map((e) => [e.getBBox().width, e.getBBox().height]));
  assert.equal(dotted.length, 4, 'one in each chart');
  assert.ok(dotted.every(([width, height]) => height > 100 && width < 2), dotted.join());
  await unfold(page, 'provenance');
  await page.click('#provenance summary:has-text("Canary")');
  const table = page.locator('#provenance table', { hasText: 'blocking' });
  assert.match(await table.textContent(), /mariadb-10\.11a blocking thread for each user31.000\/s66.000\/s/);
});

test('the keyboard goes from the skip link over the parts to a chart, and comes back from a cell to where it was', async (t) => {
  const page = await open(t);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the report');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  const order = [];
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press('Tab');
    order.push(await page.evaluate(() => document.activeElement.closest('.tools, .health, .found, main > section')?.className || document.activeElement.closest('main > section')?.id));
    if (order.at(-1) === 'provenance') break;
  }
  const first = (name) => order.indexOf(name);
  assert.ok(first('tools') === 0 && first('tools') < first('health') && first('health') < first('found') && first('found') < first('matrix'), order.join());
  await unfold(page, 'matrix');
  await page.focus('[data-cell=c001]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.dataset.cell === 'c001');
});

test('nothing moves by itself for who asked for less motion', async (t) => {
  const scrolling = async (reducedMotion) =>
    (await open(t, { reducedMotion })).evaluate(() => getComputedStyle(document.documentElement).scrollBehavior);
  assert.equal(await scrolling('reduce'), 'auto');
  assert.equal(await scrolling('no-preference'), 'smooth');
});

test('on paper there is the first screen, and what the reader unfolded', async (t) => {
  const page = await open(t, { colorScheme: 'dark' });
  await unfold(page, 'matrix');
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const shown = await page.$$eval('main section[id]', (all) => all.filter((e) => e.getClientRects().length > 0).map((e) => e.id));
  assert.deepEqual(shown, ['answer', 'matrix']);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
});

test('a page of 330 runs is at most 3 MB', async (t) => {
  const size = readFileSync(join(folder, 'report.html')).length;
  const page = await open(t);
  const runs = Number(/(\d+) runs/.exec(await page.textContent('.facts'))[1]);
  assert.ok(runs >= 320, `${runs} runs`);
  t.diagnostic(`${size} bytes for ${runs} runs`);
  assert.ok((size / runs) * 330 <= 3_000_000, `${size} bytes for ${runs} runs`);
});
