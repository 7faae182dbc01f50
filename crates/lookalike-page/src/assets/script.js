// Sorts and filters tables, opens what a link leads to, and steps through passages. Everything is readable without it.
(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Tables: a button in each head sorts by its column, and a field filters by a word.
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  const compare = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
  const sort = (table, column) => {
    const heads = [...table.tHead.rows[0].cells];
    const head = heads[column];
    const isNumber = head.classList.contains('n');
    const was = head.getAttribute('aria-sort');
    // Numbers start with the largest, as people ask for it first.
    const goesUp = was ? was === 'descending' : !isNumber;
    heads.forEach((other) => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', goesUp ? 'ascending' : 'descending');
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort((a, b) => (goesUp ? compare(a[0], b[0]) : compare(b[0], a[0])));
    body.append(...rows.map((entry) => entry[1]));
  };
  all('table[data-sort]').forEach((table) => {
    if (table.tBodies[0].rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      button.addEventListener('click', () => sort(table, column));
      head.replaceChildren(button);
    });
  });
  all('table[data-filter]').forEach((table, number) => {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 2) return;
    const box = document.createElement('div');
    box.className = 'filter';
    const label = document.createElement('label');
    label.htmlFor = 'filter-' + number;
    label.textContent = 'Only rows with';
    const input = document.createElement('input');
    input.type = 'search';
    input.id = label.htmlFor;
    const found = document.createElement('span');
    found.className = 'soft';
    found.setAttribute('role', 'status');
    const texts = rows.map((row) => row.textContent.toLowerCase());
    input.addEventListener('input', () => {
      const word = input.value.trim().toLowerCase();
      let count = 0;
      rows.forEach((row, at) => {
        const isIn = texts[at].includes(word);
        row.hidden = !isIn;
        count += isIn ? 1 : 0;
      });
      found.textContent = word ? count + ' of ' + rows.length : '';
    });
    box.append(label, input, found);
    table.closest('.scroll').before(box);
  });

  // Links into the page open what they lead to.
  const open = (target) => {
    for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  };
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    open(target);
    target.scrollIntoView();
    const first = target.querySelector('summary');
    if (first) first.focus({ preventScroll: true });
  };
  addEventListener('hashchange', follow);
  // The same bar a second time changes no address.
  document.addEventListener('click', (event) => {
    const link = event.target.closest && event.target.closest('a');
    const to = link && link.getAttribute('href');
    if (to && to === location.hash) follow();
  });
  follow();

  // Passages: n and p step through those of a pair; a click shows the same one on the other side.
  // They are found once: a text may have many thousands, and one of them many pieces.
  const found = new WeakMap();
  const passages = (sides) => {
    if (!found.has(sides)) {
      const pieces = new Map();
      const steps = [];
      all('mark[data-p]', sides).forEach((mark) => {
        const number = mark.dataset.p;
        if (!pieces.has(number)) pieces.set(number, []);
        pieces.get(number).push(mark);
        if (mark.querySelector('sup') && sides.firstElementChild.contains(mark)) steps.push(mark);
      });
      found.set(sides, { pieces, steps });
    }
    return found.get(sides);
  };
  let current = null;
  let lit = [];
  const show = (mark) => {
    lit.forEach((other) => other.classList.remove('on'));
    const side = mark.closest('.side');
    const same = passages(mark.closest('.sides')).pieces.get(mark.dataset.p);
    const other = same.find((piece) => !side.contains(piece));
    lit = [mark, ...(other ? [other] : []), ...same.slice(0, 200)];
    lit.forEach((piece) => piece.classList.add('on'));
    open(mark);
    if (other) other.scrollIntoView({ block: 'nearest' });
    mark.tabIndex = -1;
    mark.focus({ preventScroll: true });
    mark.scrollIntoView({ block: 'nearest' });
    current = mark;
  };
  const isShown = (element) => element.checkVisibility ? element.checkVisibility() : element.offsetParent !== null;
  const step = (by) => {
    const near = document.activeElement && document.activeElement.closest('.pair');
    let sides = near && near.querySelector('.sides');
    if (!sides) sides = current && current.isConnected && isShown(current) ? current.closest('.sides') : all('.sides').find(isShown);
    const steps = sides ? passages(sides).steps : [];
    if (!steps.length) return;
    const at = current && sides.contains(current) ? steps.findIndex((mark) => mark.dataset.p === current.dataset.p) : -1;
    show(steps[at < 0 ? (by > 0 ? 0 : steps.length - 1) : (at + by + steps.length) % steps.length]);
  };
  document.addEventListener('click', (event) => {
    const mark = event.target.closest && event.target.closest('mark[data-p]');
    if (mark && String(getSelection()) === '') show(mark);
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (event.key === 'n') step(1);
    if (event.key === 'p') step(-1);
  });

  // Texts that scroll can be reached by keyboard.
  const reach = () => all('.text').forEach((text) => {
    if (text.scrollHeight > text.clientHeight + 1) text.tabIndex = 0;
  });
  document.addEventListener('toggle', reach, true);
  reach();

  // On paper everything is open.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    closed.forEach((details) => { details.open = true; });
  });
  addEventListener('afterprint', () => {
    closed.forEach((details) => { details.open = false; });
  });
})();
