// Search while somebody types, texts by dropping a file, and both sides of a pair in step. Every screen works without it.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Live search: as typing stops, the list of matches is fetched and put in its place.
const PAUSE = 250;
all('form[data-live]').forEach((form) => {
  const place = document.getElementById('matches');
  const told = document.createElement('p');
  told.className = 'unseen';
  told.setAttribute('role', 'status');
  form.after(told);
  let timer = 0;
  let asking = null;
  const ask = async (opened) => {
    clearTimeout(timer);
    if (asking) asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const sent = new FormData(form);
    if (opened) sent.set('open', opened);
    place.setAttribute('aria-busy', 'true');
    try {
      const answer = await fetch(form.dataset.live, { method: 'POST', body: sent, signal });
      // Without a key that is known any more, the server leads elsewhere.
      if (answer.redirected) { location.reload(); return; }
      const shown = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const main = shown.querySelector('main');
      place.replaceChildren(...(main ?? shown.body).childNodes);
      place.removeAttribute('aria-busy');
      const status = place.querySelector('[role=status]');
      if (status) {
        status.removeAttribute('role');
        told.textContent = status.textContent;
      }
      place.dispatchEvent(new Event('toggle'));
      arrange(place);
      const open = opened && place.querySelector('.opened');
      if (open) {
        open.tabIndex = -1;
        open.focus({ preventScroll: true });
        open.scrollIntoView({ block: 'nearest' });
      }
    } catch (error) {
      if (error.name === 'AbortError') return;
      place.removeAttribute('aria-busy');
      told.textContent = 'The server does not answer.';
    }
  };
  // A text or a file: whichever was given last.
  const [text, file] = [form.querySelector('textarea'), form.querySelector('input[type=file]')];
  form.addEventListener('input', (event) => {
    if (file && event.target === file && file.files.length) text.value = '';
    if (file && event.target === text && text.value) file.value = '';
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  form.addEventListener('submit', (event) => {
    const by = event.submitter;
    if (by && by.hasAttribute('formaction')) return;
    event.preventDefault();
    ask(by && by.name === 'open' ? by.value : '');
  });
});

// Each index has its threshold: one that is too low for the index that is chosen now is taken back.
all('select#index').forEach((select) => {
  const field = document.getElementById('threshold');
  const adapt = () => {
    const [chosen] = select.selectedOptions;
    if (!field || !chosen || !chosen.dataset.threshold) return;
    field.min = chosen.dataset.threshold;
    field.placeholder = chosen.dataset.threshold;
    if (field.value !== '' && Number(field.value) < Number(field.min)) field.value = '';
  };
  // Before the search that the change asks for.
  select.addEventListener('input', adapt, true);
  adapt();
});

// A text file that is dropped on a field becomes its text. One that is large, or has documents in it, is sent as it is.
const SMALL = 1e6;
const isText = (file) => file.size <= SMALL && (/\.(txt|text|md)$/i.test(file.name) || !file.name.includes('.'));
all('textarea[data-drop]').forEach((field) => {
  const over = (is) => (event) => {
    event.preventDefault();
    field.classList.toggle('over', is);
  };
  field.addEventListener('dragover', over(true));
  field.addEventListener('dragleave', over(false));
  field.addEventListener('drop', async (event) => {
    over(false)(event);
    const { files } = event.dataTransfer;
    const chosen = field.form.querySelector('input[type=file]');
    if (!files.length) field.value = event.dataTransfer.getData('text');
    else if (chosen && !isText(files[0])) {
      field.value = '';
      chosen.files = files;
    } else field.value = await files[0].text();
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
});

// The strip leads to its passages.
document.addEventListener('click', (event) => {
  const part = event.target.closest && event.target.closest('.strip [data-p]');
  const mark = part && part.closest('.pair').querySelector('.sides mark[data-p="' + part.dataset.p + '"]');
  if (mark) mark.click();
});

// Both sides scroll in step: the passage at the top of one is brought to the same height in the other.
// A text may have thousands of blocks, so the first one in view is found by halves: to ask what is at a point looks at all.
const passageIn = (text) => {
  const box = text.getBoundingClientRect();
  const [top, bottom] = [Math.max(box.top, 0) + 12, Math.min(box.bottom, innerHeight)];
  const blocks = text.querySelector(':scope > .block') ? text.children : [text];
  let [first, last] = [0, blocks.length];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (blocks[middle].getBoundingClientRect().bottom > top) last = middle;
    else first = middle + 1;
  }
  for (let at = first; at < blocks.length && blocks[at].getBoundingClientRect().top < bottom; at++) {
    const found = all('mark[data-p]', blocks[at]).find((mark) => mark.getBoundingClientRect().bottom > top);
    if (found) return found.getBoundingClientRect().top < bottom ? found : null;
  }
  return null;
};
let leader = null;
let until = 0;
let isDue = false;
const bring = (text, other) => {
  isDue = false;
  until = performance.now() + 200;
  const mark = passageIn(text);
  // A passage may have many pieces: the same one, or the last.
  const same = mark ? 'mark[data-p="' + mark.dataset.p + '"]' : 'mark.none';
  const twin = all(same, other).slice(0, all(same, text).indexOf(mark) + 1).pop();
  if (twin) other.scrollTop += twin.getBoundingClientRect().top - mark.getBoundingClientRect().top;
};
document.addEventListener('scroll', (event) => {
  const text = event.target;
  const sides = text.closest && text.matches('.text') && text.closest('.sides');
  const other = sides && all('.text', sides).find((side) => side !== text);
  if (!other || (leader !== text && performance.now() < until)) return;
  // Below each other they are read one after the other.
  if (Math.abs(other.getBoundingClientRect().top - text.getBoundingClientRect().top) > 8) return;
  leader = text;
  until = performance.now() + 200;
  // What somebody scrolls is painted first, and the other side follows in a task of its own.
  if (!isDue) requestAnimationFrame(() => setTimeout(() => bring(text, other), 0));
  isDue = true;
}, true);

// Long runs are opened and closed together.
const arrange = (root) => all('.pair', root).forEach((pair) => {
  const folds = all('details.fold', pair);
  const strip = pair.querySelector('.strip');
  if (folds.length < 2 || !strip) return;
  const button = document.createElement('button');
  button.type = 'button';
  const name = () => { button.textContent = folds.every((fold) => fold.open) ? 'Fold long runs' : 'Unfold ' + folds.length + ' long runs'; };
  button.addEventListener('click', () => {
    const opens = !folds.every((fold) => fold.open);
    folds.forEach((fold) => { fold.open = opens; });
    name();
  });
  name();
  strip.before(button);
});
arrange(document);
