// Corpora to report on, and the reports: made anew for each run in a temporary folder.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const root = resolve(import.meta.dirname, '..', '..');
export const lookalike = process.env.LOOKALIKE ?? join(root, 'target', 'debug', 'lookalike');
export const folder = mkdtempSync(join(tmpdir(), 'lookalike-browser-'));

export const hostile = '</div><script>document.title="hacked"</script><img src=x onerror="document.title=\'hacked\'">\u202e\u0000';

const words = (seed, count) => Array.from({ length: count }, (_, at) => `w${seed}x${at}`);
const lines = (documents) => documents.map((document) => JSON.stringify(document) + '\n').join('');

function run(name, ...args) {
  const out = join(folder, name);
  execFileSync(lookalike, ['dedup', ...args, '-q', '-o', out], { stdio: ['ignore', 'ignore', 'inherit'] });
  return pathToFileURL(join(out, 'report.html')).href;
}

/// The report on the example of news agencies, of which one lost nearly everything.
export function news() {
  return run('news', join(root, 'examples', 'news'), '--id', 'id');
}

/// The page on the example of customers.
export function records() {
  const out = join(folder, 'records.html');
  execFileSync(lookalike, ['link', join(root, 'examples', 'customers.csv'), '--id', 'id', '-q', '-o', join(folder, 'records'), '--report', out]);
  return pathToFileURL(out).href;
}

/// The page on sets whose elements want to be more than text.
export function sets() {
  const [input, out] = [join(folder, 'sets.txt'), join(folder, 'sets.html')];
  writeFileSync(input, `a b c d\na b c\na b c d e\n${hostile} x y\n${hostile} x y\n`);
  execFileSync(lookalike, ['sets', input, '--threshold', '0.5', '-q', '-o', join(folder, 'sets.jsonl'), '--report', out]);
  return pathToFileURL(out).href;
}

/// Documents that want to be more than text, with ids and sources like them, and one of a single line of a megabyte.
export function hostiles() {
  const base = words(1, 200).join(' ');
  const line = 'x'.repeat(1_000_000);
  const texts = [base, `${base} ${hostile}`, `${hostile} ${base}`, base, `${line} ${words(2, 300).join(' ')}`, `${line} ${words(2, 300).join(' ')} end`];
  const documents = texts.map((text, at) => ({ id: `${at}${hostile}`, host: `${at % 2}${hostile}`, text }));
  const input = join(folder, 'hostile.jsonl');
  writeFileSync(input, lines(documents));
  return run('hostile', input, '--id', 'id', '--source', 'field:host', '--threshold', '0.7', '--report-texts', 'full');
}

/// Two documents of ten megabytes each.
export function large() {
  const text = words(1, 900_000).join(' ');
  const input = join(folder, 'large.jsonl');
  writeFileSync(input, lines([{ text }, { text: text.replaceAll('x77 ', 'y77 ') + ' end' }]));
  return run('large', input, '--report-texts', 'full');
}

/// A few hundred documents of forty sources, in families of all sizes.
export function sources() {
  const documents = [];
  for (let family = 0; family < 60; family++) {
    const base = words(family, 90);
    for (let member = 0; member <= 60 / (family + 1); member++) {
      const text = [...base];
      for (let edit = 0; edit < (member * 3) % 8; edit++) text[(edit * 11 + member * 7) % 90] = `edit${member}`;
      documents.push({ id: `${family}-${member}`, host: `site-${(family + member * 3) % 40}.example`, text: text.join(' ') });
    }
  }
  mkdirSync(folder, { recursive: true });
  const input = join(folder, 'sources.jsonl');
  writeFileSync(input, lines(documents));
  return run('sources', input, '--id', 'id', '--source', 'field:host', '--threshold', '0.6');
}

/// The page on which a run is labeled, served by the command: its address, and how to end it.
export async function audit(name, ...args) {
  const command = spawn(lookalike, ['audit', join(folder, name), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await new Promise((found, failed) => {
    let said = '';
    command.stderr.on('data', (part) => {
      said += part;
      const open = said.match(/^open +(http\S+)$/m);
      if (open) found(open[1]);
    });
    command.on('exit', () => failed(new Error(said)));
  });
  const stop = () => new Promise((ended) => {
    command.removeAllListeners('exit');
    command.on('exit', ended);
    command.kill('SIGINT');
  });
  return { address, origin: new URL(address).origin, stop };
}

/// The same as a file for somebody else.
export function auditFile(name, ...args) {
  const file = join(folder, `${name}-label.html`);
  execFileSync(lookalike, ['audit', join(folder, name), '-q', '--force', '--report', file, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  return pathToFileURL(file).href;
}

/// The report on a finished run, made again.
export function report(name) {
  execFileSync(lookalike, ['report', join(folder, name), '-q'], { stdio: ['ignore', 'ignore', 'inherit'] });
  return pathToFileURL(join(folder, name, 'report.html')).href;
}

/// The labels of a run so far.
export function labels(name) {
  return readFileSync(join(folder, name, 'labels.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}
