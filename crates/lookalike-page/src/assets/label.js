// Shows pairs one after the other and takes answers by single keys. Labels go to the address that the page came from, or, in a
// page that is a file, to a download; the browser remembers them until then.
(() => {
  'use strict';
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const island = JSON.parse(find('#island').textContent);
  const isServed = document.body.dataset.place === 'served';
  const { pairs } = island;
  const said = pairs.map((pair) => pair.said);
  const words = { same: 'same', different: 'different', cannot_tell: 'cannot tell' };
  const answers = { s: 'same', d: 'different', u: 'cannot_tell' };
  let at = 0;
  let about = null; // the pair that marks, notes and undo are about
  let order = []; // pairs in the order of their answers
  let isSaved = true;

  const say = (text) => { find('#status').textContent = text; };
  const alarm = (text) => {
    find('#alarm').textContent = text;
    find('#alarm').hidden = !text;
  };

  // Where labels are kept.
  const memory = 'lookalike-audit-' + island.name;
  const remember = () => {
    isSaved = false;
    try {
      localStorage.setItem(memory, JSON.stringify({ said, name: find('#labeler').value }));
    } catch { /* A browser that keeps nothing still saves the file. */ }
  };
  const recall = () => {
    if (isServed) return;
    try {
      const kept = JSON.parse(localStorage.getItem(memory) ?? 'null');
      if (!kept || kept.said.length !== pairs.length) return;
      kept.said.forEach((one, number) => { said[number] = one; });
      find('#labeler').value = kept.name || find('#labeler').value;
    } catch { /* As above. */ }
  };
  const send = async (number) => {
    if (!isServed) return remember();
    const answer = await fetch('label/' + number, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(said[number] ?? {}),
    });
    if (!answer.ok) throw new Error((await answer.text()) || answer.statusText);
  };
  // One after the other, so that the last answer is the last line.
  let sending = Promise.resolve();
  const keep = (number) => {
    sending = sending.then(() => send(number)).then(
      () => alarm(''),
      (error) => alarm('Pair ' + (number + 1) + ' is not saved: ' + error.message + '. Is lookalike audit still running? Answer again to retry.'),
    );
    return sending;
  };
  const save = () => {
    const name = find('#labeler').value.trim();
    const lines = pairs.flatMap((pair, number) => {
      if (!said[number]) return [];
      const line = { ...pair.facts, ...said[number] };
      if (name) line.labeler = name;
      return JSON.stringify(line) + '\n';
    });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(lines, { type: 'application/jsonl' }));
    link.download = name ? 'labels-' + name.replace(/[^\p{L}\p{N}_-]+/gu, '-') + '.jsonl' : 'labels.jsonl';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    isSaved = true;
    say(lines.length + ' labels are in ' + link.download + ' in your downloads.');
  };

  // Pairs, a few of which are fetched ahead.
  const fetched = new Map();
  const pairOf = (number) => {
    if (!fetched.has(number)) {
      const markup = isServed
        ? fetch('pair/' + number).then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText))))
        : Promise.resolve(find('#pair-' + number).innerHTML);
      markup.catch(() => fetched.delete(number));
      fetched.set(number, markup);
    }
    return fetched.get(number);
  };
  const unlabeled = (from) => {
    for (let step = 0; step < pairs.length; step++) {
      const number = (from + step) % pairs.length;
      if (!said[number]) return number;
    }
    return -1;
  };

  const done = () => said.filter(Boolean).length;
  const strip = () => {
    const own = said[at];
    all('.answers button').forEach((button) => button.setAttribute('aria-pressed', String(own?.label === answers[button.dataset.key])));
    const subject = own ? at : about;
    const told = subject === null ? null : said[subject];
    find('#after').hidden = !told;
    find('#undo').disabled = !order.length;
    if (!told) return;
    const { facts, turned } = pairs[subject];
    const kept = turned ? 'left' : 'right';
    const what = facts.near_miss
      ? 'Both were kept: their similarity of ' + facts.similarity.toFixed(3) + ' is below the threshold.'
      : 'Similarity ' + facts.similarity.toFixed(3) + '. The ' + kept + ' one was kept, the other removed.';
    find('#last').textContent = 'Pair ' + (subject + 1) + ': ' + words[told.label] + '. ' + what;
    find('#lost').setAttribute('aria-pressed', String(!!told.something_lost));
    find('#worse').setAttribute('aria-pressed', String(!!told.worse_kept));
    find('#lost').hidden = find('#worse').hidden = facts.near_miss;
    if (document.activeElement !== find('#note')) find('#note').value = told.note ?? '';
  };
  const show = async (number, before = '') => {
    at = number;
    find('#count').textContent = 'Pair ' + (at + 1) + ' of ' + pairs.length;
    find('#done').value = done();
    find('#labeled').textContent = done() + ' labeled';
    strip();
    let markup;
    try {
      markup = await pairOf(number);
    } catch (error) {
      alarm('Pair ' + (number + 1) + ' cannot be shown: ' + error.message + '. Is lookalike audit still running?');
      return;
    }
    if (at !== number) return;
    const place = find('#pair');
    place.innerHTML = markup;
    all('.text', place).forEach((text, side) => {
      text.tabIndex = 0;
      text.setAttribute('role', 'region');
      text.setAttribute('aria-label', side ? 'Right document' : 'Left document');
    });
    place.dataset.shown = String(number);
    current = -1;
    say(before + 'Pair ' + (at + 1) + ' of ' + pairs.length + (said[at] ? ', labeled ' + words[said[at].label] : '') + '.');
    pairOf((number + 1) % pairs.length);
    const ahead = unlabeled(number + 1);
    if (ahead >= 0) pairOf(ahead);
  };
  const finish = async () => {
    find('#all').hidden = false;
    say('All pairs are labeled.');
    if (isServed) await result();
  };
  const result = async () => {
    await sending;
    try {
      find('#result').innerHTML = await (await fetch('result')).text();
    } catch (error) {
      return alarm('There is no result: ' + error.message + '. Is lookalike audit still running?');
    }
    find('#result').hidden = false;
    find('#result').focus();
  };

  const answer = (label) => {
    const before = said[at];
    said[at] = { something_lost: false, worse_kept: false, note: '', ...before, label };
    const number = at;
    about = number;
    order = order.filter((other) => other !== number).concat(number);
    keep(number);
    const next = unlabeled(number + 1);
    const told = 'Pair ' + (number + 1) + ': ' + words[label] + '. ';
    if (before || next < 0) show(number, told);
    else show(next, told);
    if (next < 0 && !before) finish();
  };
  const subject = () => (said[at] ? at : about);
  const mark = (field) => {
    const number = subject();
    if (number === null || !said[number] || pairs[number].facts.near_miss) return;
    said[number] = { ...said[number], [field]: !said[number][field] };
    keep(number);
    strip();
    say('Pair ' + (number + 1) + ': ' + (field === 'something_lost' ? 'something is lost, ' : 'the worse copy was kept, ') + (said[number][field] ? 'yes.' : 'no.'));
  };
  const undo = () => {
    const number = order.pop();
    if (number === undefined) return;
    said[number] = null;
    about = order.length ? order[order.length - 1] : null;
    find('#all').hidden = true;
    keep(number);
    show(number, 'Taken back. ');
  };

  // Differences, in the order of the passages that they follow, left before right.
  let current = -1;
  const differences = () => {
    const listed = all('#pair .side').flatMap((side, number) => {
      let after = 0;
      return all('mark[data-p], del, ins', side).flatMap((element) => {
        if (element.tagName !== 'MARK') return { element, after, number };
        after = Number(element.dataset.p);
        return [];
      });
    });
    return listed.sort((a, b) => a.after - b.after || a.number - b.number);
  };
  const jump = (by) => {
    const listed = differences();
    if (!listed.length) return say('No differences.');
    current = current < 0 && by < 0 ? listed.length - 1 : (current + by + listed.length) % listed.length;
    const { element, after, number } = listed[current];
    all('#pair .here').forEach((other) => other.classList.remove('here'));
    element.classList.add('here');
    const other = all('#pair .side')[1 - number];
    const beside = other && find('mark[data-p="' + after + '"]', other);
    if (beside) beside.scrollIntoView({ block: 'nearest' });
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'center' });
    say('Difference ' + (current + 1) + ' of ' + listed.length + ', ' + (number ? 'right' : 'left') + ': ' + element.textContent.slice(0, 200));
  };

  const step = (by) => show((at + by + pairs.length) % pairs.length);
  const keys = {
    s: () => answer('same'),
    d: () => answer('different'),
    u: () => answer('cannot_tell'),
    l: () => mark('something_lost'),
    w: () => mark('worse_kept'),
    e: () => { if (!find('#after').hidden) find('#note').focus(); },
    z: undo,
    n: () => jump(1),
    p: () => jump(-1),
    b: () => step(-1),
    f: () => step(1),
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    '?': () => { find('#help').open = !find('#help').open; },
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.id === 'note' || event.target.id === 'labeler') {
      if (event.key === 'Enter' || event.key === 'Escape') event.target.blur();
      return;
    }
    if (!find('#keys').checked) return;
    // In a text, arrows scroll.
    if (event.key.startsWith('Arrow') && event.target.closest('.text')) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-key]');
    if (button) keys[button.dataset.key]();
  });
  find('#note').addEventListener('change', (event) => {
    const number = subject();
    if (number === null || !said[number]) return;
    said[number] = { ...said[number], note: event.target.value };
    keep(number);
    say('Note on pair ' + (number + 1) + ' is kept.');
  });
  if (isServed) {
    find('#table').addEventListener('click', () => {
      if (find('#result').hidden) result();
      else find('#result').hidden = true;
    });
  } else {
    find('#save').addEventListener('click', save);
    find('#labeler').addEventListener('change', remember);
    addEventListener('beforeunload', (event) => { if (!isSaved) event.preventDefault(); });
    find('#labeler').value = island.labeler ?? '';
  }
  recall();
  const first = unlabeled(0);
  show(Math.max(first, 0));
  if (first < 0) finish();
})();
