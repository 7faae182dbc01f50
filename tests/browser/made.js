// Corpora to report on, and the reports: made anew for each run in a temporary folder.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..', '..');
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
