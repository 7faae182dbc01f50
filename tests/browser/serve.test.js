// The screens of the service in a real browser, which may ask nobody but the service.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, fits, openAll, patience, start, stop, visit } from './browser.js';
import { folder, hostile } from './made.js';
import * as serving from './serving.js';

const shots = process.env.SCREENSHOTS;
let server;
let locked;
let keys;
let text;

before(async () => {
  const indexes = serving.indexes();
  const results = serving.results();
  text = serving.text();
  keys = serving.keys();
  server = await serving.serve(...indexes, ...results);
  locked = await serving.serve('--keys', keys.file);
  await start();
});

after(async () => {
  await stop();
  await serving.stopAll();
  rmSync(folder, { recursive: true });
});

const screens = {
  search: '/',
  found: '/?index=hostile-index&like=line',
  quotation: '/?index=books&like=essay',
  'compare-form': '/compare',
  compare: '/compare?index=archive&left=agency-001&right=agency-002',
  results: '/results',
  result: '/results/news-result',
  removed: '/results/sources/removed?order=least_similar',
  filtered: '/results/sources/removed?source=site-3.example&kind=near_duplicate&order=removed',
  nothing: '/results/sources/removed?text=nowhere',
  band: '/results/sources/removed?band=80',
  pair: '/results/news-result/pair?row=0',
  step: '/results/news-result/pair?n=1&order=least_similar',
  clusters: '/results/sources/clusters',
  cluster: '/results/sources/clusters/1',
  sources: '/results/sources/sources',
  records: '/results/customers',
  why: '/results/customers?left=1&right=2',
  indexes: '/indexes',
  index: '/indexes/archive',
  document: '/indexes/archive/document?id=agency-001',
  delete: '/indexes/archive/delete?id=agency-001',
  missing: '/indexes/none',
};

for (const [name, path] of Object.entries(screens)) {
  for (const width of [320, 768, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name}: anybody can read it at ${width} px, ${colorScheme}`, async () => {
        await visit(server + path, { width, colorScheme, refused: name === 'missing' }, async (page) => {
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

test('a page allows nothing but what is of its server', async () => {
  for (const path of ['/', '/results/news-result', '/indexes/none']) {
    const headers = (await fetch(server + path)).headers;
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

test('matches appear as typing stops, and the first is opened beside', async () => {
  await visit(server, {}, async (page) => {
    await page.selectOption('#index', 'archive');
    await page.fill('#text', text);
    await page.waitForSelector('.hit');
    assert.match(await page.locator('.found').innerText(), /^1 match among \d+ documents, in [\d.]+ ms/);
    assert.match(await page.locator('.hit .score b').first().innerText(), /^0\.\d{4}$/);
    assert.match(await page.locator('.hit').first().innerText(), /agency-001[^]*of your text is in it[^]*of it is in yours/);
    assert.ok((await page.locator('.opened mark').count()) > 2);
    // An exact copy is said to be one.
    await page.fill('#text', '');
    await page.waitForFunction(() => !document.querySelector('.hit'));
  });
});

test('the keyboard alone searches, compares and steps through passages', async () => {
  await visit(server, {}, async (page) => {
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
    const tabTo = async (wanted) => {
      for (let presses = 0; presses < 30; presses++) {
        if ((await focused()).startsWith(wanted)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`${wanted} was not reached`);
    };
    await tabTo('text');
    await page.keyboard.insertText(text);
    await page.waitForSelector('.hit');
    await tabTo('Compare with agency-001');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/compare');
    assert.match(await page.locator('.lead').innerText(), /^These are near-duplicates: their Jaccard similarity is 0\.\d{4}/);
    await page.keyboard.press('n');
    const first = await page.evaluate(() => [...document.querySelectorAll('mark.on')].map((mark) => mark.dataset.p));
    assert.ok(first.length >= 2 && first.every((number) => number === '1'), `${first}`);
    await page.keyboard.press('n');
    assert.equal(await page.evaluate(() => document.querySelector('mark.on').dataset.p), '2');
    await page.keyboard.press('p');
    assert.equal(await page.evaluate(() => document.querySelector('mark.on').dataset.p), '1');
  });
});

test('everything works without a script', async () => {
  await visit(server, { javaScriptEnabled: false }, async (page) => {
    await page.fill('#text', text);
    await page.click('button.main');
    assert.match(await page.locator('.found').innerText(), /^1 match/);
    assert.equal(await page.inputValue('#text'), text);
    await page.click('text=More like it');
    assert.match(page.url(), /like=agency-001/);
    await page.goto(`${server}/results/sources`);
    await page.locator('#by-band a').first().click();
    assert.match(page.url(), /\/removed\?band=\d+$/);
    await page.locator('tbody a').first().click();
    assert.ok((await page.locator('.side mark').count()) > 1);
    await page.click('text=of their cluster');
    assert.match(await page.locator('h1').innerText(), /^Cluster \d+ of sources$/);
  });
});

test('the bars of a result filter its list', async () => {
  await visit(`${server}/results/sources`, {}, async (page) => {
    const bar = page.locator('#by-band a').first();
    const count = Number((await bar.locator('.value').textContent()).replaceAll(',', ''));
    await bar.click();
    await page.waitForURL(/band=/);
    assert.equal(await page.locator('tbody tr').count(), Math.min(count, 50));
    const shown = await page.$$eval('tbody tr', (rows) => rows.map((row) => Number(row.cells[0].dataset.v)));
    assert.deepEqual(shown, [...shown].sort((a, b) => a - b));
  });
});

test('a dropped file is searched for', async () => {
  await visit(server, {}, async (page) => {
    await page.selectOption('#index', 'archive');
    const file = await page.evaluateHandle((content) => {
      const moved = new DataTransfer();
      moved.items.add(new File([content], 'a.txt', { type: 'text/plain' }));
      return moved;
    }, text);
    await page.dispatchEvent('#text', 'drop', { dataTransfer: file });
    await page.waitForSelector('.hit');
    assert.match(await page.locator('.hit .who').first().innerText(), /agency-001/);
  });
});

/// A file as somebody drags it onto a field.
const drop = async (page, name, content) => {
  const file = await page.evaluateHandle(([called, bytes]) => {
    const moved = new DataTransfer();
    moved.items.add(new File([bytes], called));
    return moved;
  }, [name, content]);
  await page.dispatchEvent('#text', 'drop', { dataTransfer: file });
};

for (const width of [320, 1280]) {
  test(`a dropped file of documents is answered document by document at ${width} px`, async () => {
    await visit(server, { width }, async (page) => {
      await page.selectOption('#index', 'archive');
      const line = (id, content) => `${JSON.stringify({ id, text: content })}\n`;
      await page.click('.of-file summary');
      await page.fill('#id-field', 'id');
      await page.fill('#text', 'something typed before');
      await drop(page, 'queries.jsonl', line('first', text) + line('second', 'nothing like it at all') + line('third', `${text} And more.`));
      await page.waitForSelector('details.group');
      assert.equal(await page.inputValue('#text'), '');
      assert.match(await page.locator('.found').innerText(), /^2 of 3 documents in the file matched, among \d+ stored documents/);
      assert.deepEqual(await page.$$eval('details.group summary span', (names) => names.map((name) => name.textContent)), ['first', 'third']);
      assert.match(await page.locator('#matches').innerText(), /No match: second/);
      assert.match(await page.locator('details.group[open] .hit').first().innerText(), /agency-001[^]*of the document is in it/);
      assert.ok((await page.locator('details.group[open] .side mark').count()) > 2);
      if (shots) await page.screenshot({ path: join(shots, `file-${width}.png`), fullPage: true });
      await openAll(page);
      await fits(page);
      await accessible(page);
      // What is typed afterwards is searched for instead of the file.
      await page.fill('#text', text);
      await page.waitForSelector('.hits .actions button');
      assert.equal(await page.locator('details.group').count(), 0);
    });
  });
}

test('each index has a threshold of its own', async () => {
  await visit(server, {}, async (page) => {
    const threshold = page.locator('#threshold');
    const shown = async () => [await threshold.inputValue(), await threshold.getAttribute('placeholder')];
    assert.deepEqual(await shown(), ['', '0.6']);
    await page.fill('#text', text);
    await page.waitForSelector('.hit');
    await page.selectOption('#index', 'strict');
    assert.deepEqual(await shown(), ['', '0.9']);
    await page.waitForFunction(() => /\bof 0\.9 or more\b|match/.test(document.querySelector('.found')?.textContent ?? ''));
    // One that somebody asked for stays where the index allows it.
    await page.fill('#threshold', '0.95');
    await page.selectOption('#index', 'archive');
    assert.deepEqual(await shown(), ['0.95', '0.6']);
    await page.fill('#threshold', '0.7');
    await page.selectOption('#index', 'strict');
    assert.deepEqual(await shown(), ['', '0.9']);
    await page.waitForTimeout(600);
    assert.equal(await page.locator('.wrong').count(), 0);
    assert.equal(await page.locator('.found').count(), 1);
  });
});

test('a quotation is opened at its place in the book', async () => {
  for (const path of ['/?index=books&like=essay', '/compare?index=books&left=essay&right=book']) {
    for (const javaScriptEnabled of [true, false]) {
      await visit(server + path, { javaScriptEnabled }, async (page) => {
        const right = page.locator('.side.right .text').first();
        const seen = await right.innerText();
        assert.ok(!seen.includes('TITLE PAGE'), seen.slice(0, 400));
        const [box, mark] = [await right.boundingBox(), await right.locator('mark:visible').first().boundingBox()];
        assert.ok(mark.y < box.y + box.height / 2, `${mark.y} in ${box.y} and ${box.height}`);
        assert.match(await right.locator('mark:visible').first().innerText(), /quoted0 quoted1 quoted2/);
        assert.equal(await right.locator('ins').filter({ hasText: 'leaf' }).count(), 0);
      });
    }
  }
});

test('both sides scroll in step', async () => {
  await visit(`${server}/compare?index=hostile-index&left=long&right=long2`, {}, async (page) => {
    const tops = () => page.$$eval('.whole .text', (texts) => texts.map((side) => side.scrollTop));
    await page.locator('.whole .text').first().evaluate((side) => { side.scrollTop = 600; });
    await page.waitForFunction(() => document.querySelectorAll('.whole .text')[1].scrollTop > 300);
    const [left, right] = await tops();
    assert.ok(Math.abs(left - right) < 60, `${left} and ${right}`);
  });
});

test('hostile texts stay text', async () => {
  const of = (id) => encodeURIComponent(`${id}${hostile}`);
  for (const path of [`/?index=hostile-index&like=${of('a')}`, `/compare?index=hostile-index&left=${of('a')}&right=${of('b')}`, `/indexes/hostile-index/document?id=${of('b')}`]) {
    await visit(server + path, {}, async (page) => {
      await openAll(page);
      assert.match(await page.title(), / · lookalike$/);
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await page.locator('script').count(), 2);
      const shown = await page.locator('main').textContent();
      assert.ok(shown.includes('<script>document.title') && shown.includes('⟨U+202E⟩') && shown.includes('␀'), path);
      assert.ok(!shown.includes('\u202e'));
      assert.ok(await page.evaluate(() => document.title !== 'hacked'));
      await fits(page);
    });
  }
});

test('a hostile text that is typed stays text', async () => {
  await visit(server, {}, async (page) => {
    await page.selectOption('#index', 'hostile-index');
    const base = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
    await page.fill('#text', `${base} ${hostile}`);
    await page.waitForSelector('.hit');
    assert.match(await page.title(), /^Search/);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('main script').count(), 0);
  });
});

test('texts of ten megabytes are shown to whoever asks, and answer a key at once', { timeout: 180_000 }, async () => {
  const path = '/compare?index=largest&left=one&right=two';
  await visit(server + path, {}, async (page) => {
    assert.match(await page.locator('.ask-first').innerText(), /10\.\d MB and 10\.\d MB/);
    assert.ok((await page.content()).length < 200_000);
    await page.locator('.ask-first a').click({ timeout: 120_000, noWaitAfter: true });
    await page.waitForURL(/whole=true/, { timeout: 120_000, waitUntil: 'load' });
    assert.ok((await page.locator('.block').count()) > 500);
    const milliseconds = (key) => page.evaluate((pressed) => new Promise((done) => {
      const begin = performance.now();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin), 0));
    }), key);
    await milliseconds('n');
    const most = await patience(page);
    for (const key of ['n', 'n', 'p']) {
      const took = await milliseconds(key);
      assert.ok(took < most, `${took} ms of ${most}`);
    }
    // The side that a key moved does not follow the other for a moment.
    await page.waitForTimeout(400);
    // The other side follows in a task of its own: neither may hold up what comes next.
    const { frames, tops } = await page.evaluate(async () => {
      const [side, other] = document.querySelectorAll('.text');
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      const times = [performance.now()];
      side.scrollTop = side.scrollHeight / 2;
      for (let count = 0; count < 4; count++) {
        await frame();
        times.push(performance.now());
      }
      return { frames: times.slice(1).map((time, at) => time - times[at]), tops: [side.scrollTop, other.scrollTop] };
    });
    frames.forEach((took) => assert.ok(took < most, `${took} ms of ${most}`));
    assert.ok(Math.abs(tops[0] - tops[1]) < 0.05 * tops[0], `one side is at ${tops[0]}, the other at ${tops[1]}`);
  });
});

test('a file is added, found, and deleted', async () => {
  const input = join(folder, 'more.jsonl');
  writeFileSync(input, `${JSON.stringify({ key: 'new-1', body: `${text} And so it was.` })}\n{"broken\n`);
  await visit(`${server}/indexes/archive`, {}, async (page) => {
    await page.setInputFiles('#file', input);
    await page.fill('#text-field', 'body');
    await page.fill('#id-field', 'key');
    await page.click('button.main');
    await page.waitForURL('**/add');
    assert.match(await page.locator('.facts').innerText(), /Added\s+1\s/);
    assert.match(await page.locator('main').innerText(), /Skipped/);
    await page.goto(`${server}/indexes/archive/document?id=new-1`);
    assert.match(await page.locator('.text').innerText(), /And so it was\.$/);
    const status = async () => (await fetch(`${server}/indexes/archive/document?id=new-1`)).status;
    const remove = async () => {
      await page.click('text=Delete this document');
      await page.waitForSelector('h1:has-text("Delete this document?")');
      await accessible(page);
      assert.equal(await status(), 200, 'asking deletes nothing');
      await page.click('button.danger');
      await page.waitForSelector('h1:has-text("Deleted")');
      assert.equal(await status(), 404);
    };
    await remove();
    await page.click('button:has-text("Undo")');
    await page.waitForURL('**/document?id=new-1');
    assert.match(await page.locator('.text').innerText(), /And so it was\.$/);
    await remove();
  });
});

test('a form of another site is refused', async () => {
  const sent = new FormData();
  sent.set('id', 'agency-001');
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }]) {
    const answer = await fetch(`${server}/indexes/archive/delete`, { method: 'POST', body: sent, headers });
    assert.equal(answer.status, 403, JSON.stringify(headers));
  }
  assert.equal((await fetch(`${server}/indexes/archive/document?id=agency-001`)).status, 200);
});

test('with keys, a page asks for one and keeps it where no script can read it', async () => {
  await visit(`${locked}/indexes`, { refused: true }, async (page) => {
    assert.match(page.url(), /\/login\?to=%2Findexes$/);
    await accessible(page);
    await page.fill('#key', keys.search.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
    await page.keyboard.press('Enter');
    await page.waitForSelector('.wrong');
    await page.fill('#key', keys.search);
    await page.keyboard.press('Enter');
    // A key that may only search does not open the index.
    await page.waitForSelector('h1:has-text("does not allow")');
    await page.goto(locked);
    assert.equal(await page.locator('#text').count(), 1);
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
    assert.equal(await page.evaluate(() => document.cookie), '');
    await page.context().clearCookies();
    await page.goto(`${locked}/indexes`);
    await page.fill('#key', keys.admin);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/indexes');
    assert.equal(await page.locator('.card b').innerText(), 'scratch');
    await fits(page);
    await accessible(page);
    await page.locator('button:has-text("Log out")').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/login');
    assert.deepEqual(await page.context().cookies(), []);
    await page.goto(`${locked}/indexes`);
    assert.match(page.url(), /\/login\?to=%2Findexes$/);
  });
});

test('rows of a result are given page by page', async () => {
  const get = async (path) => (await fetch(`${server}/v1/results${path}`)).json();
  assert.deepEqual((await get('')).results.map(({ name, kind }) => [name, kind]), [['customers', 'link'], ['news-result', 'dedup'], ['sources', 'dedup']]);
  const summary = await get('/sources');
  const rows = [];
  for (let after = 0; after !== null;) {
    const part = await get(`/sources/removed?limit=7&after=${after}`);
    assert.equal(part.count, summary.found.removed_count);
    rows.push(...part.removed);
    after = part.next;
  }
  assert.equal(rows.length, summary.found.removed_count);
  const least = await get('/sources/removed?order=least_similar&limit=1000');
  assert.deepEqual([...least.removed].map((row) => row.removed_id).sort(), rows.map((row) => row.removed_id).sort());
  const { clusters } = await get('/sources/clusters?limit=3');
  assert.equal(clusters[0].cluster, summary.largest_clusters[0].cluster);
  const members = await get(`/sources/removed?cluster=${clusters[0].cluster}`);
  assert.equal(members.count, clusters[0].removed_count);
  const flows = (await get('/sources/sources')).flows;
  assert.equal(flows.reduce((all, flow) => all + flow.document_count, 0), summary.found.removed_count);
  assert.equal((await fetch(`${server}/v1/results/sources/removed?limit=0`)).status, 400);
});

for (const javaScriptEnabled of [true, false]) {
  test(`somebody without anything begins on the page, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const address = await serving.serve();
    const input = join(folder, 'mine.jsonl');
    const lines = Array.from({ length: 40 }, (_, at) => ({ id: `m${at}`, text: `${text} Part ${Math.floor(at / 2)} ${'of it all and more '.repeat(at % 20)}` }));
    writeFileSync(input, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await visit(`${address}/results`, { javaScriptEnabled }, async (page) => {
      if (javaScriptEnabled) await accessible(page);
      await page.click('button:has-text("Try an example")');
      await page.waitForSelector('h1:has-text("example")');
      await page.waitForSelector('.facts');
      assert.match(await page.locator('.facts').innerText(), /Documents\s+61/);
      await page.goto(`${address}/results`);
      await page.setInputFiles('#file', input);
      await page.fill('#id-field', 'id');
      await page.click('button:has-text("Deduplicate")');
      await page.waitForSelector('.facts', { timeout: 20_000 });
      assert.match(await page.locator('.facts').innerText(), /Documents\s+40/);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('a:has-text("kept/mine.jsonl")')]);
      const kept = readFileSync(await download.path(), 'utf8').trim().split('\n');
      assert.match(await page.locator('.facts').innerText(), new RegExp(`Kept\\s+${kept.length}\\b`));
      await page.click('text=Delete this result');
      await page.waitForSelector('h1:has-text("Delete the result mine?")');
      await page.click('button.danger');
      await page.waitForURL('**/results');
      assert.equal(await page.locator('.card').count(), 1, 'the example is left');

      await page.goto(`${address}/indexes`);
      await page.fill('#name', 'essays');
      await page.fill('#threshold', '0.6');
      await page.click('button:has-text("Make the index")');
      await page.waitForSelector('h1:has-text("essays")');
      await page.goto(`${address}/indexes`);
      await page.click('button:has-text("Try an example")');
      await page.waitForSelector('.hit');
    });
  });
}

test('a run that failed says why', async () => {
  const address = await serving.serve();
  const input = join(folder, 'wrong.jsonl');
  writeFileSync(input, '{"body": "a text"}\n');
  await visit(`${address}/results`, { refused: true }, async (page) => {
    await page.setInputFiles('#file', input);
    await page.click('button:has-text("Deduplicate")');
    await page.waitForSelector('.wrong');
    assert.match(await page.locator('.wrong').innerText(), /body/);
    await accessible(page);
  });
});

test('rows show first words, and filters hold for all of them', async () => {
  await visit(`${server}/results/news-result/removed`, {}, async (page) => {
    const first = page.locator('.rows tbody tr').first();
    const words = (await first.locator('b').first().innerText()).split(' ');
    assert.ok(words.length > 3, words.join(' '));
    const all = await page.locator('.rows tbody tr').count();
    await page.selectOption('#order', 'least_similar');
    await page.fill('#to', '0.9');
    await page.click('button:has-text("Show")');
    await page.waitForURL('**/removed?*similarity_to=0.9*');
    const shown = await page.locator('.rows tbody td.n:first-child').allInnerTexts();
    const numbers = shown.map(Number);
    assert.ok(numbers.length > 0 && numbers.length < all && numbers.every((one) => one <= 0.9));
    assert.deepEqual(numbers, [...numbers].sort((left, right) => left - right));
    assert.equal(await page.locator('.counted b').innerText(), `${numbers.length} removal${numbers.length === 1 ? '' : 's'}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('a:has-text("CSV")')]);
    assert.equal(readFileSync(await download.path(), 'utf8').trim().split('\n').length, numbers.length + 1);
    await page.click('a:has-text("Show all")');
    await page.waitForFunction((count) => document.querySelectorAll('.rows tbody tr').length === count, all);
  });
});

test('a pair leads to the next, and is labeled by a button', async () => {
  await visit(`${server}/results/news-result/removed?order=least_similar`, {}, async (page) => {
    await page.locator('.rows tbody a').first().click();
    await page.waitForSelector('a:has-text("Next")');
    assert.equal(await page.locator('a:has-text("Previous")').count(), 0);
    await page.click('button:has-text("Different")');
    await page.waitForURL('**n=1');
    await page.click('a:has-text("Previous")');
    await page.waitForSelector('button[aria-pressed=true]:has-text("Different")');
    await accessible(page);
    await page.click('button:has-text("Take back")');
    await page.waitForFunction(() => !document.querySelector('button[aria-pressed=true]'));
  });
});

test('a source and a cell lead to their removals', async () => {
  await visit(`${server}/results/sources/sources`, {}, async (page) => {
    const cell = page.locator('#who-copies svg a').first();
    const count = Number(await cell.locator('text').textContent());
    await cell.click();
    await page.waitForURL('**/removed?source=*kept_source=*');
    assert.equal(await page.locator('.counted b').innerText(), `${count} removal${count === 1 ? '' : 's'}`);
  });
});

test('on a phone the menu takes one line', async () => {
  await visit(server, { width: 320 }, async (page) => {
    const tops = await page.locator('.top a').evaluateAll((links) => links.map((link) => link.getBoundingClientRect()).map(({ top, height }) => top + height / 2));
    assert.ok(Math.max(...tops) - Math.min(...tops) < 8, tops.join(' '));
    const end = await page.locator('.top nav a').last().evaluate((link) => link.getBoundingClientRect().right);
    assert.ok(end <= 320, `the last way ends at ${end} px`);
    await fits(page);
  });
  await visit(`${server}/results/sources/removed`, { width: 320 }, async (page) => {
    const shade = await page.locator('.scroll').first().evaluate((box) => [getComputedStyle(box).backgroundImage, box.scrollWidth > box.clientWidth]);
    assert.ok(shade[0].includes('gradient') && shade[1], 'a wide table shows that it scrolls');
  });
});
