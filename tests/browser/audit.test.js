// The page on which pairs are labeled, in a real browser: served by the command, and as a file without a network.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, fits, start, stop, visit } from './browser.js';
import * as made from './made.js';

const served = {};
const files = {};
const shots = process.env.SCREENSHOTS;

before(async () => {
  for (const name of ['news', 'sources', 'hostiles']) made[name]();
  served.news = await made.audit('news');
  served.sources = await made.audit('sources', '--sample', '40', '--near-misses', '5', '--labeler', 'anna');
  served.hostile = await made.audit('hostile');
  files.news = made.auditFile('news');
  files.hostile = made.auditFile('hostile');
  await start();
});

after(async () => {
  await stop();
  for (const one of Object.values(served)) await one.stop();
  rmSync(made.folder, { recursive: true });
});

const shown = (page, number) => page.waitForFunction((number) => document.querySelector('#pair').dataset.shown === String(number), number);
const count = (page) => page.locator('#count').innerText();

for (const [kind, address] of [['served', () => served.news], ['a file', () => ({ address: files.news })]]) {
  for (const width of [320, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${kind}: anybody can use it at ${width} px, ${colorScheme}`, async () => {
        const { address: place, origin } = address();
        await visit(place, { width, colorScheme, origin }, async (page) => {
          await shown(page, 0);
          await fits(page);
          await accessible(page);
          // The answers are in sight without scrolling, and so are both texts.
          for (const selector of ['.answers button', '#pair .text']) {
            for (const element of await page.locator(selector).all()) {
              const box = await element.boundingBox();
              assert.ok(box.y >= 0 && box.y + box.height <= 900 && box.height >= 30, `${selector}: ${JSON.stringify(box)}`);
            }
          }
          if (shots) await page.screenshot({ path: join(shots, `audit-${kind.replace(' ', '-')}-${width}-${colorScheme}.png`) });
          await page.keyboard.press('u');
          await page.keyboard.press('?');
          await page.waitForFunction(() => document.querySelector('#help').open && !document.querySelector('#after').hidden);
          await fits(page);
          await accessible(page);
          if (shots) await page.screenshot({ path: join(shots, `audit-${kind.replace(' ', '-')}-${width}-${colorScheme}-after.png`) });
          await page.keyboard.press('z');
          await page.waitForFunction(() => document.querySelector('#labeled').textContent === '0 labeled');
        });
      });
    }
  }
}

test('a sample is labeled by keys alone, blind, and each answer is on the disk', async () => {
  const { address, origin } = served.sources;
  await visit(address, { origin }, async (page) => {
    await shown(page, 0);
    const pairs = Number((await count(page)).match(/of (\d+)$/)[1]);
    assert.ok(pairs >= 30, `${pairs}`);
    for (let number = 0; number < pairs; number++) {
      await shown(page, number);
      const text = await page.locator('body').innerText();
      if (number === 0) assert.doesNotMatch(text, /Similarity 0|was kept/);
      const key = 'sdu'[number % 10 === 3 ? 1 : number % 10 === 7 ? 2 : 0];
      await page.keyboard.press(key);
      if (number === 4) {
        await shown(page, 5);
        assert.match(await page.locator('#last').innerText(), /^Pair 5: same\. (Similarity 0\.\d+|Both were kept)/);
        await page.keyboard.press('e');
        await page.keyboard.type('seen twice: s d u');
        await page.keyboard.press('Enter');
      }
    }
    await page.waitForSelector('#all:not([hidden])');
    await page.waitForSelector('#result table');
    await accessible(page);
    if (shots) await page.screenshot({ path: join(shots, 'audit-result.png') });
    assert.equal(await page.evaluate(() => document.activeElement.id), 'result');
    assert.match(await page.locator('#result').innerText(), /the precision is/);
    await page.locator('#table').focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('#result').isVisible(), false);
    const last = new Map();
    for (const line of made.labels('sources')) last.set(`${line.left_file}:${line.left_position}:${line.right_position}`, line);
    assert.equal(last.size, pairs);
    assert.ok([...last.values()].every((line) => line.labeler === 'anna' && line.label));
    assert.equal([...last.values()].filter((line) => line.note === 'seen twice: s d u').length, 1);
  });
  // What was labeled is there after a reload.
  await visit(address, { origin }, async (page) => {
    await page.waitForSelector('#all:not([hidden])');
    assert.match(await page.locator('#labeled').innerText(), /^(\d+) labeled$/);
  });
});

test('the report of a labeled run has the table, for anybody', async () => {
  const address = made.report('sources');
  for (const [width, colorScheme] of [[320, 'light'], [1280, 'dark']]) {
    await visit(address, { width, colorScheme }, async (page) => {
      assert.ok((await page.locator('#audit table').first().locator('tbody tr').count()) > 3);
      assert.match(await page.locator('#audit').innerText(), /the precision is/);
      await fits(page);
      await accessible(page);
      if (shots) await page.screenshot({ path: join(shots, `audit-report-${width}.png`) });
    });
  }
});

test('back, forth, marks and undo', async () => {
  const { address, origin } = served.news;
  const current = () => {
    const last = new Map();
    for (const line of made.labels('news')) last.set(`${line.left_file}:${line.left_position}`, line);
    return [...last.values()].filter((line) => line.label);
  };
  await visit(address, { origin }, async (page) => {
    await shown(page, 0);
    const before = await page.evaluate(() => JSON.parse(document.querySelector('#island').textContent).pairs.findIndex((pair) => !pair.facts.near_miss));
    for (let number = 0; number < before; number++) await page.keyboard.press('ArrowRight');
    await shown(page, before);
    await page.keyboard.press('s');
    await shown(page, before + 1);
    // The strip is about the pair before, and says so.
    await page.keyboard.press('l');
    await page.keyboard.press('w');
    assert.equal(await page.locator('#lost').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('b');
    await shown(page, before);
    assert.equal(await page.locator('[data-key=s]').getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('d');
    await page.keyboard.press('w');
    await page.waitForFunction(() => document.querySelector('#worse').getAttribute('aria-pressed') === 'false');
    await page.waitForTimeout(200);
    const [line, ...others] = current();
    assert.equal(others.length, 0);
    assert.deepEqual([line.label, line.something_lost, line.worse_kept ?? false], ['different', true, false]);
    await page.keyboard.press('z');
    await page.waitForFunction(() => document.querySelector('#labeled').textContent === '0 labeled');
    await page.waitForTimeout(200);
    assert.equal(current().length, 0);
    // Who turned single keys off can type anything.
    await page.keyboard.press('?');
    await page.locator('#keys').uncheck();
    await page.keyboard.press('s');
    assert.equal(await page.locator('#labeled').innerText(), '0 labeled');
  });
});

test('keys step through differences, and a screen reader hears them', async () => {
  const { address, origin } = served.sources;
  await visit(address, { origin }, async (page) => {
    await page.waitForSelector('#pair .side');
    const differences = await page.locator('#pair del, #pair ins').count();
    assert.ok(differences > 0);
    await page.keyboard.press('n');
    assert.match(await page.locator('#status').innerText(), /^Difference 1 of \d+, (left|right): /);
    assert.equal(await page.locator('#pair .here').count(), 1);
    await page.keyboard.press('p');
    assert.match(await page.locator('#status').innerText(), new RegExp(`^Difference ${differences} of ${differences}`));
    assert.equal(await page.locator('#status').getAttribute('role'), 'status');
  });
});

test('the next pair comes in 50 milliseconds', async () => {
  await visit(files.news, {}, async (page) => {
    await shown(page, 0);
    const times = [];
    for (let number = 1; number < 8; number++) {
      times.push(await page.evaluate((number) => new Promise((done) => {
        const start = performance.now();
        new MutationObserver((_, observer) => {
          if (document.querySelector('#pair').dataset.shown !== String(number)) return;
          observer.disconnect();
          done(performance.now() - start);
        }).observe(document.querySelector('#pair'), { attributes: true });
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 's', bubbles: true }));
      }), number));
    }
    const median = times.sort((a, b) => a - b)[3];
    assert.ok(median <= 50, `${times}`);
  });
});

test('a file works without a network, remembers, and saves labels that the command reads', async () => {
  await visit(files.news, {}, async (page) => {
    await shown(page, 0);
    await page.locator('#labeler').fill('ben');
    await page.locator('#labeler').blur();
    await page.keyboard.press('s');
    await shown(page, 1);
    await page.keyboard.press('d');
    await shown(page, 2);
    page.on('dialog', (dialog) => dialog.accept());
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save').click()]);
    assert.equal(download.suggestedFilename(), 'labels-ben.jsonl');
    const lines = readFileSync(await download.path(), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(lines.map((line) => [line.label, line.labeler]), [['same', 'ben'], ['different', 'ben']]);
    assert.ok(lines.every((line) => line.left_id && line.right_file && line.similarity));
    await page.reload();
    await shown(page, 2);
    assert.equal(await page.locator('#labeled').innerText(), '2 labeled');
  });
});

test('a service that is gone is noticed', async () => {
  const gone = await made.audit('news', '--labeler', 'gone');
  await visit(gone.address, { origin: gone.origin, isSpoken: true }, async (page) => {
    await shown(page, 0);
    await gone.stop();
    await page.keyboard.press('s');
    await page.waitForSelector('#alarm:not([hidden])');
    assert.match(await page.locator('#alarm').innerText(), /is not saved/);
  });
});

test('hostile texts stay text', async () => {
  for (const [address, origin] of [[served.hostile.address, served.hostile.origin], [files.hostile, null]]) {
    await visit(address, { origin }, async (page) => {
      for (let number = 0; number < 3; number++) {
        await shown(page, number);
        assert.equal(await page.title(), 'Are these two the same?');
        assert.equal(await page.locator('img').count(), 0);
        assert.equal(await page.locator('script:not([type])').count(), 1);
        assert.ok(!(await page.locator('#pair').textContent()).includes('\u202e'));
        await page.keyboard.press('f');
        await page.waitForTimeout(50);
      }
    });
  }
});
