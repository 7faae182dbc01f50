// Shows one pair after the other and takes answers by single keys. Which pair is next depends on the answers, so the program decides.
(() => {
  'use strict';
  const find = (selector) => document.querySelector(selector);
  const answers = { s: 'same', d: 'different', u: 'cannot_tell' };
  let isBusy = false;

  const say = (text) => { find('#status').textContent = text; };
  const alarm = (text) => {
    find('#alarm').textContent = text;
    find('#alarm').hidden = !text;
  };
  const strip = () => {
    const { number, answered } = find('#pair').dataset;
    find('#count').textContent = answered + ' answered';
    find('#done').value = Math.min(Number(answered), find('#done').max);
    document.querySelectorAll('.answers button').forEach((button) => { button.disabled = number === ''; });
    find('#more').hidden = number !== '';
  };
  const ask = async (path, body) => {
    if (isBusy) return;
    isBusy = true;
    try {
      const response = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body ?? {}),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text || response.statusText);
      find('#place').innerHTML = text;
      alarm('');
      strip();
      say(find('#pair').textContent.slice(0, 300));
    } catch (error) {
      alarm('The answer is not saved: ' + error.message + '. Is lookalike link review still running? Answer again to retry.');
    } finally {
      isBusy = false;
    }
  };
  const answer = (label) => {
    const { number } = find('#pair').dataset;
    if (number !== '') ask('answer/' + number, { label });
  };
  const keys = {
    s: () => answer(answers.s),
    d: () => answer(answers.d),
    u: () => answer(answers.u),
    z: () => ask('undo'),
    m: () => { if (!find('#more').hidden) ask('more'); },
    '?': () => { find('#help').open = !find('#help').open; },
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !find('#keys').checked) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-key]');
    if (button) keys[button.dataset.key]();
  });
  strip();
})();
