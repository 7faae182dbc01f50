// Servers to look at: the real program, with indexes and results that are made anew for each run.
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folder, hostile, lookalike, sources } from './made.js';

const root = resolve(import.meta.dirname, '..', '..');
const run = (...args) => execFileSync(lookalike, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
const running = [];

/// Starts a server, and gives its address once it is ready.
export async function serve(...args) {
  const server = spawn(lookalike, ['serve', '--listen', '127.0.0.1:0', '--log', 'none', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(server);
  const lines = createInterface({ input: server.stdout });
  const first = await new Promise((done, failed) => {
    lines.once('line', done);
    server.once('exit', (code) => failed(new Error(`the server ended with ${code}`)));
  });
  const address = first.split(' ').pop();
  for (let tries = 0; tries < 200; tries++) {
    if ((await fetch(`${address}/readyz`)).ok) return address;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  throw new Error('the server is not ready');
}

/// Stops all servers, and waits until they have ended: until then one may still write to its index.
export async function stopAll() {
  await Promise.all(running.filter((server) => server.exitCode === null && server.signalCode === null).map((server) => new Promise((ended) => {
    server.once('exit', ended);
    server.kill('SIGTERM');
  })));
}

/// The example of news agencies with a low threshold and a high one, an index of hostile documents, one of two documents of ten
/// megabytes, and one of a book and a quotation from it.
export function indexes() {
  const created = (name, options, input, ...args) => {
    const index = join(folder, name);
    run('index', 'create', index, ...options);
    run('index', 'add', index, input, '--id', 'id', ...args);
    return index;
  };
  const made = (name, input, ...args) => created(name, ['--threshold', '0.6'], input, ...args);
  const base = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
  const line = 'x'.repeat(1_000_000);
  const hostiles = [[`a${hostile}`, base], [`b${hostile}`, `${base} ${hostile}`], ['line', `${line} ${base}`], ['line2', `${line} ${base} end`]];
  const lines = (documents) => documents.map(([id, text]) => `${JSON.stringify({ id, text, source: `from ${hostile}` })}\n`).join('');
  const verse = (edit) => (_, at) => `line ${at} of a long text, with ${at * 7} words that are ${edit && at % 40 === 5 ? 'no longer' : 'still'} all its own`;
  for (const edit of [false, true]) hostiles.push([edit ? 'long2' : 'long', Array.from({ length: 400 }, verse(edit)).join('\n')]);
  const input = join(folder, 'served.jsonl');
  writeFileSync(input, lines(hostiles));
  const long = Array.from({ length: 900_000 }, (_, at) => `w${at % 700}x${at}`).join(' ');
  const largest = join(folder, 'largest.jsonl');
  writeFileSync(largest, lines([['one', long], ['two', `${long.replaceAll('x777 ', 'y777 ').replaceAll('w77x', 'v77x')} end`]]));
  const page = (from) => Array.from({ length: 3_000 }, (_, at) => `leaf${from + (at * 7) % 2_999}`).join(' ');
  const quotation = Array.from({ length: 120 }, (_, at) => `quoted${at}`).join(' ');
  const books = join(folder, 'books.jsonl');
  const book = `TITLE PAGE. ${page(0)} It was one of the best. ${page(3_000)} ${quotation}. ${page(6_000)}`;
  writeFileSync(books, lines([['book', book], ['essay', `My own words come first. ${quotation}. It was one of the best. And mine come last.`]]));
  return [
    made('archive', join(root, 'examples', 'news', 'agency.jsonl'), '--fields', 'date,section'),
    created('books', ['--measure', 'containment', '--threshold', '0.1'], books),
    made('hostile-index', input, '--fields', 'source'),
    made('largest', largest),
    created('strict', ['--threshold', '0.9'], join(root, 'examples', 'news', 'agency.jsonl')),
  ];
}

/// A result of many sources, the news, and linked records.
export function results() {
  sources();
  const news = join(folder, 'news-result');
  run('dedup', join(root, 'examples', 'news'), '--id', 'id', '-q', '-o', news);
  const records = join(folder, 'customers');
  run('link', join(root, 'examples', 'customers.csv'), '-q', '-o', records);
  return [join(folder, 'sources'), news, records].flatMap((path) => ['--results', path]);
}

/// A file of keys, with one key that may do all and one that may search.
export function keys() {
  const file = join(folder, 'keys.jsonl');
  const key = (name, scope) => run('serve', 'keys', 'new', name, '--scope', scope, '--keys', file).trim();
  return { file, admin: key('owner', 'admin'), search: key('guest', 'search') };
}

/// A text of the archive, with a few words changed.
export function text() {
  const [first] = run('index', 'export', join(folder, 'archive')).split('\n');
  return JSON.parse(first).text.replace('three cracks', 'four cracks').replace('Monday', 'Tuesday');
}
