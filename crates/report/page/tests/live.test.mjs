// The page of a lab at work, in a real browser: a recorded run is written anew, line by line, into a folder that `assay live` watches.
// The record is a specimen with a busy neighbour, so that a check is about to fail while there is time to stop.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
const workspace = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-live-'));
const record = join(folder, 'record');
const RUN = 'c001-1';
let browser;
let lab;
let address;

/** A file of the recorded lab, and its lines. */
const recorded = (name) => readFileSync(join(folder, 'cpu-hog', name), 'utf8');
const lines = (name) => recorded(name).split('\n').filter((line) => line !== '');
const write = (name, text) => appendFileSync(join(record, name), text);

before(async () => {
  execFileSync('tar', ['--extract', '--xz', '--file', join(workspace, 'specimens/cpu-hog.tar.xz'), '--directory', folder]);
  mkdirSync(join(record, 'runs', RUN), { recursive: true });
  for (const name of ['plan.json', 'experiment.toml', 'host.json', 'canary.json']) copyFileSync(join(folder, 'cpu-hog', name), join(record, name));
  execFileSync('cp', ['-r', join(folder, 'cpu-hog', 'instances'), join(folder, 'cpu-hog', 'datasets'), record]);
  writeFileSync(join(record, '.lock'), `${process.pid}\n`);
  const notes = lines('notes.jsonl');
  const begun = notes.findIndex((line) => line.includes('"run_started"'));
  write('notes.jsonl', `${notes.slice(0, begun + 1).join('\n')}\n`);
  execFileSync('cargo', ['build', '--quiet', '--locked', '-p', 'assay'], { cwd: workspace, stdio: ['ignore', 'ignore', 'inherit'] });
  lab = spawn('cargo', ['run', '--quiet', '--locked', '-p', 'assay', '--', 'live', record], { cwd: workspace, stdio: ['ignore', 'ignore', 'pipe'] });
  address = await new Promise((told) => {
    let text = '';
    lab.stderr.on('data', (part) => {
      text += part;
      const found = /watch it at (http:\S+)\n/.exec(text);
      if (found) told(found[1]);
    });
  });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS });
});

after(async () => {
  await browser?.close();
  lab?.kill('SIGINT');
  rmSync(folder, { recursive: true });
});

const fetched = (url) =>
  new Promise((told) =>
    get(url, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => told({ status: answer.statusCode, text }));
    }),
  );

test('nobody is answered who does not know the word in the address', async () => {
  const { origin } = new URL(address);
  for (const path of ['/', '/events', '/metrics', `/${'0'.repeat(32)}/`, `/${'0'.repeat(32)}/events`]) assert.equal((await fetched(origin + path)).status, 404, path);
  assert.equal((await fetched(`${address}../etc/passwd`)).status, 404);
});

test('a lab is watched: its run second by second, what is about to fail, what is over, and at the end its report', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  await page.waitForSelector('html[data-ready=yes]');
  const panel = page.locator('#live');
  assert.match(await panel.textContent(), /At work\s*0 of 1 run/);
  // A browser that sleeps on an open stream holds nobody up.
  const asleep = get(`${address}events`, (answer) => answer.pause());

  write(`runs/${RUN}/intervals.jsonl`, recorded(`runs/${RUN}/intervals.jsonl`));
  write(`runs/${RUN}/series.jsonl`, recorded(`runs/${RUN}/series.jsonl`));
  await page.waitForFunction(() => document.querySelectorAll('#live .lane path').length === 5);
  assert.match(await panel.textContent(), /c001-1 oltp\.point_selects, phase measure/);
  await page.waitForSelector('#live .ahead');
  assert.match(await panel.textContent(), /about to fail.*machine_was_quiet.*Somebody else used the CPUs.*stop who else runs here/s);
  const drawn = await page.$$eval('#live .lane path', (all) => all.map((path) => path.getAttribute('d')));
  assert.ok(drawn.every((path) => path.startsWith('M')), drawn.join('\n'));
  const told = await page.$$eval('#live .lane figcaption', (all) => all.map((e) => e.textContent));
  assert.match(told[0], /^statements[\d.\u202f]+ \/s$/);
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, 'live-1440.png') });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `nothing is wider than ${width}`);
  }
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, 'live-390.png') });
  await page.evaluate(axe.source);
  const faults = await page.evaluate(() => globalThis.axe.run('#live').then((found) => found.violations.map((v) => `${v.id}: ${v.nodes[0].html}`)));
  assert.deepEqual(faults, []);

  copyFileSync(join(folder, 'cpu-hog', 'runs', RUN, 'run.json'), join(record, 'runs', RUN, 'run.json'));
  const rest = lines('notes.jsonl').filter((line) => line.includes('"run_done"'));
  write('notes.jsonl', `${rest.join('\n')}\n`);
  await page.waitForSelector('#live .results tbody tr');
  assert.match(await panel.textContent(), /1 of 1 run.*c001-1oltp\.point_selects[\d.\u202f]+ \/s.*Draw the report with 1 more run/s);

  write('notes.jsonl', `${lines('notes.jsonl').filter((line) => line.includes('"lab_stopped"')).join('\n')}\n`);
  await page.waitForFunction(() => !document.querySelector('#live') && document.documentElement.dataset.ready === 'yes');
  assert.match(await page.textContent('.health'), /does not count/);
  asleep.destroy();
  await context.close();
  assert.deepEqual(complaints, []);

  // It is the report, to the last byte. A check that failed is the record's, and the command says so by its status.
  const served = await fetched(address);
  try {
    execFileSync('cargo', ['run', '--quiet', '--locked', '-p', 'assay', '--', 'report', record], { cwd: workspace, stdio: 'ignore' });
  } catch (e) {
    assert.equal(e.status, 1);
  }
  assert.equal(served.text, readFileSync(join(record, 'report.html'), 'utf8'));
});
