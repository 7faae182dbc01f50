// A browser that fails a test by any request that leaves the file or the server, and by any line on the console.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;

export async function start() {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
}

export async function stop() {
  await browser.close();
}

/// Opens an address, gives the page to `use`, and checks that it asked nobody for anything and said nothing. The page of a server
/// may ask its server.
export async function visit(address, options, use) {
  const { width = 1280, height = 900, colorScheme = 'light', javaScriptEnabled = true, refused = false } = options;
  const origin = address.startsWith('http') ? new URL(address).origin : null;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, javaScriptEnabled, offline: !origin });
  const page = await context.newPage();
  const heard = [];
  // A browser says of every page that was refused that it was.
  const isExpected = (message) => refused && /^Failed to load resource/.test(message.text());
  page.on('console', (message) => { if (!isExpected(message)) heard.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => heard.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => heard.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    const asked = request.url().split('#')[0];
    const isOwn = origin ? new URL(asked).origin === origin : asked === address.split('#')[0];
    if (!isOwn && !asked.startsWith('data:') && !asked.startsWith('blob:')) heard.push(`request: ${asked}`);
  });
  await page.goto(address);
  await use(page);
  // A browser itself speaks of requests that fail.
  if (!options.isSpoken) assert.deepEqual(heard, []);
  await context.close();
}

/// No rule of axe is violated.
export async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} (${node.failureSummary})`).join('; ')}`);
  assert.deepEqual(told, []);
}

/// Nothing is wider than the window.
export async function fits(page) {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= room, `${wide} px in ${room} px`);
}

/// Everything that can be opened is.
export async function openAll(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));
}

// The time in which a page must answer: 200 ms, or on a machine that is busy with other work ten times what an empty page
// of the same browser takes for a frame.
export async function patience(page) {
  const empty = await page.context().newPage();
  const frames = await empty.evaluate(async () => {
    const times = [performance.now()];
    for (let count = 0; count < 9; count++) {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      times.push(performance.now());
    }
    return times.slice(1).map((time, at) => time - times[at]);
  });
  await empty.close();
  await page.bringToFront();
  return Math.max(200, 10 * frames.sort((a, b) => a - b)[4]);
}
