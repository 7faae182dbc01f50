// The report in a real browser, from a file and without a network.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, fits, openAll, patience, start, stop, visit } from './browser.js';
import * as made from './made.js';

const reports = {};
const shots = process.env.SCREENSHOTS;

before(async () => {
  for (const name of ['news', 'sources', 'hostiles', 'large', 'records', 'sets']) reports[name] = made[name]();
  await start();
});

after(async () => {
  await stop();
  rmSync(made.folder, { recursive: true });
});

for (const name of ['news', 'sources', 'hostiles', 'records', 'sets']) {
  for (const width of [320, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name}: anybody can read it at ${width} px, ${colorScheme}`, async () => {
        await visit(reports[name], { width, colorScheme }, async (page) => {
          await fits(page);
          if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
          await openAll(page);
          await fits(page);
          await accessible(page);
        });
      });
    }
  }
}

test('it is readable without a script', async () => {
  await visit(reports.sources, { javaScriptEnabled: false }, async (page) => {
    assert.match(await page.locator('.lead').innerText(), /were removed/);
    assert.ok((await page.locator('#sources table tbody tr').count()) > 20);
    const closed = page.locator('#pairs details:not([open])').first();
    await closed.locator('summary').click();
    assert.ok(await page.locator('#pairs details[open] .side').first().isVisible());
    // A bar leads to its pairs.
    await page.locator('#by-band a').first().click();
    assert.match(page.url(), /#(band-\d+|copies)$/);
  });
});

test('the keyboard alone reaches a bar, opens its pairs and steps through passages', async () => {
  await visit(reports.sources, {}, async (page) => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    let opened = null;
    for (let presses = 0; presses < 40 && !opened; presses++) {
      await page.keyboard.press('Tab');
      opened = await page.evaluate(() => document.activeElement.closest('#by-band a')?.getAttribute('href') ?? null);
    }
    assert.ok(opened, 'no bar was reached');
    await page.keyboard.press('Enter');
    await page.waitForFunction((id) => document.querySelector(id).open, opened);
    assert.ok(await page.locator(`${opened} .pair`).first().isVisible());
    await page.keyboard.press('n');
    const first = await page.evaluate(() => [...document.querySelectorAll('mark.on')].map((mark) => mark.dataset.p));
    assert.ok(first.length >= 2 && first.every((number) => number === first[0]), `${first}`);
    await page.keyboard.press('n');
    const second = await page.evaluate(() => document.querySelector('mark.on').dataset.p);
    await page.keyboard.press('p');
    assert.equal(await page.evaluate(() => document.querySelector('mark.on').dataset.p), first[0]);
    assert.ok(second);
  });
});

test('tables are sorted and filtered by keyboard', async () => {
  await visit(reports.sources, {}, async (page) => {
    const removed = () => page.$$eval('#sources > .scroll tbody tr:not([hidden])', (rows) => rows.map((row) => Number(row.cells[2].dataset.v)));
    const head = page.locator('#sources > .scroll th', { hasText: /^removed$/ });
    await head.locator('button').focus();
    await page.keyboard.press('Enter');
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    const down = await removed();
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    await page.keyboard.press('Enter');
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    assert.deepEqual(await removed(), [...down].sort((a, b) => a - b));
    await page.locator('#sources input').focus();
    await page.keyboard.type('site-7.');
    assert.equal((await removed()).length < down.length, true);
    assert.match(await page.locator('#sources [role=status]').innerText(), /^\d+ of \d+$/);
  });
});

test('hostile texts stay text', async () => {
  await visit(reports.hostiles, {}, async (page) => {
    await openAll(page);
    assert.equal(await page.title(), 'hostile.jsonl · Deduplication report');
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('script').count(), 1);
    const text = await page.locator('#pairs').textContent();
    assert.ok(text.includes('<script>document.title') && text.includes('⟨U+202E⟩') && text.includes('␀'));
    assert.ok(!text.includes('\u202e'));
  });
});

test('the policy forbids every other script and style', async () => {
  await visit(reports.news, {}, async (page) => {
    const policy = await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content');
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; /);
    // The page's own ran: a head became a button.
    assert.ok((await page.locator('th button').count()) > 0);
  });
});

test('documents of ten megabytes answer a key at once', async () => {
  await visit(reports.large, {}, async (page) => {
    await openAll(page);
    await page.keyboard.press('n');
    const milliseconds = await page.evaluate(() => new Promise((done) => {
      const start = performance.now();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
      requestAnimationFrame(() => done(performance.now() - start));
    }));
    const most = await patience(page);
    assert.ok(milliseconds < most, `${milliseconds} ms of ${most}`);
  });
});

test('the first screen is painted at once', async () => {
  await visit(reports.large, {}, async (page) => {
    const painted = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    const milliseconds = await painted.jsonValue();
    assert.ok(milliseconds < 500, `${milliseconds} ms`);
  });
});

test('on paper everything is open', async () => {
  await visit(reports.news, {}, async (page) => {
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await page.locator('details:not([open])').count(), 0);
    assert.equal(await page.locator('nav').isVisible(), false);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.ok((await page.locator('details:not([open])').count()) > 0);
  });
});
