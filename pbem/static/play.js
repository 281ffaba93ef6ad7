// The turn page with less waiting: choices are swapped in place, cards and cells can be clicked, a
// tap elsewhere on the board enlarges it, and pointing at a choice says what it would do. Everything here presses a button that the page has
// anyway, and none of it ever sends orders: that takes the player's own press.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const CELL = /^([a-z]{1,2})([1-9][0-9]?)$/;
  const turn = () => document.getElementById("turn");
  if (!turn()) return;

  // --- swapping the page in place ---------------------------------------------------------------

  async function show(address, options) {
    const kept = remember();
    turn().setAttribute("aria-busy", "true");
    const answer = await fetch(address, options);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("turn");
    if (!fresh) {
      location.assign(answer.url);
      return;
    }
    document.title = page.title;
    history.replaceState(null, "", answer.url);
    turn().replaceWith(document.adoptNode(fresh));
    restore(kept);
    dress();
  }

  function remember() {
    const board = document.querySelector(".board");
    const typed = document.getElementById("written");
    return {
      open: [...turn().querySelectorAll("details")].map((one) => one.open),
      large: board ? board.classList.contains("large") : false,
      across: board ? board.scrollLeft : 0,
      down: board ? board.scrollTop : 0,
      typed: typed ? typed.value : "",
      focus: keyOf(document.activeElement),
    };
  }

  function keyOf(element) {
    return element && element.name ? `[name="${element.name}"][value="${element.value}"]` : "";
  }

  function restore(kept) {
    turn().querySelectorAll("details").forEach((one, number) => {
      one.open = kept.open[number] || one.open;
    });
    const board = document.querySelector(".board");
    if (board) {
      if (kept.large !== board.classList.contains("large")) enlarge(board);
      board.scrollTo(kept.across, kept.down);
    }
    const written = document.getElementById("written");
    if (written && !written.value) written.value = kept.typed;
    const news = document.getElementById("fault") || turn().querySelector("[data-announce]");
    const target = news || document.getElementById("send");
    const same = kept.focus && turn().querySelector(kept.focus);
    if (same || target) (same || target).focus({ preventScroll: true });
    document.getElementById("announce").textContent = target ? target.textContent : "";
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-draft]")) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    const button = event.submitter;
    if (button && button.name) body.set(button.name, button.value);
    show(form.action, { method: "POST", body }).catch(() => location.reload());
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-level]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
      event.preventDefault();
      show(link.href).catch(() => location.assign(link.href));
      return;
    }
    const board = event.target.closest(".board.fits");
    const chosen = event.target.closest(".board [data-choice]");
    if (chosen) choice(chosen.dataset.choice).click();
    else if (board) enlargeAt(board, event);
    else if (event.target.closest("#enlarge")) {
      event.preventDefault();
      enlargeAt(document.querySelector(".board.fits"));
    }
  });

  // --- a closer look ----------------------------------------------------------------------------

  function enlarge(board) {
    board.classList.toggle("large");
    const link = document.getElementById("enlarge");
    const said = link.getAttribute("aria-label");
    link.setAttribute("aria-label", link.dataset.other);
    link.dataset.other = said;
    link.textContent = board.classList.contains("large") ? "−" : "+";
  }

  // What was under the finger is in the middle of what can be seen; without a finger, the middle is.
  function enlargeAt(board, event) {
    const before = board.firstElementChild.getBoundingClientRect();
    const across = event ? (event.clientX - before.left) / before.width : 0.5;
    const down = event ? (event.clientY - before.top) / before.height : 0.5;
    enlarge(board);
    const after = board.firstElementChild.getBoundingClientRect();
    const x = across * after.width - board.clientWidth / 2;
    board.scrollTo(x, down * after.height - board.clientHeight / 2);
  }

  // --- clicking the picture ---------------------------------------------------------------------

  function choice(word) {
    return document.querySelector(`#options [data-word="${CSS.escape(word)}"]`);
  }

  function dress() {
    const picture = document.querySelector(".board svg");
    if (!picture) return;
    const places = [];
    const words = [...document.querySelectorAll("#options [data-word]")].map((o) => o.dataset.word);
    words.forEach((word, number) => {
      if (words.indexOf(word) !== number || words.lastIndexOf(word) !== number) return;
      const card = picture.querySelector(`#card-${CSS.escape(word)}`);
      if (card) choosable(card, word);
      else if (CELL.test(word)) places.push(word);
    });
    if (places.length) drawPlaces(picture, places);
  }

  function choosable(element, word) {
    element.dataset.choice = word;
    element.classList.add("choosable");
  }

  function cellOf(name) {
    const [, letters, digits] = CELL.exec(name);
    const column = [...letters].reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 96, 0);
    return { column, row: Number(digits) };
  }

  function shiftOf(element) {
    return element.transform.baseVal.getItem(0).matrix;
  }

  // Where the cards lie, so that an empty cell can be found beside them.
  function measure(grid) {
    const laid = [...grid.querySelectorAll("[data-cell]")].map((card) => {
      const { e, f } = shiftOf(card.parentNode);
      return { ...cellOf(card.dataset.cell), x: e, y: f };
    });
    const box = grid.querySelector("[data-cell] > rect");
    const width = box.width.baseVal.value;
    const height = box.height.baseVal.value;
    const step = (along, place, size) => {
      const other = laid.find((one) => one[along] !== laid[0][along]);
      if (!other) return size + 12;
      return (other[place] - laid[0][place]) / (other[along] - laid[0][along]);
    };
    const across = step("column", "x", width);
    const down = step("row", "y", height);
    return {
      width,
      height,
      left: laid[0].x - laid[0].column * across,
      top: laid[0].y - laid[0].row * down,
      across,
      down,
      right: Math.max(...laid.map((one) => one.x + width)),
      bottom: Math.max(...laid.map((one) => one.y + height)),
    };
  }

  function drawPlaces(picture, words) {
    const grid = picture.querySelector("#grid");
    if (!grid || !grid.querySelector("[data-cell]")) return;
    const field = measure(grid);
    grid.querySelectorAll(":scope > text").forEach((label) => label.remove()); // cells say their name
    const drawn = words.map((word) => {
      const { column, row } = cellOf(word);
      return { word, x: field.left + column * field.across, y: field.top + row * field.down };
    });
    drawn.forEach((place) => grid.append(emptyCell(place, field)));
    makeRoom(picture, grid, field, drawn);
  }

  function emptyCell({ word, x, y }, { width, height }) {
    const cell = document.createElementNS(SVG, "g");
    cell.setAttribute("transform", `translate(${x} ${y})`);
    const box = document.createElementNS(SVG, "rect");
    box.setAttribute("width", width);
    box.setAttribute("height", height);
    box.setAttribute("rx", 8);
    const name = document.createElementNS(SVG, "text");
    name.setAttribute("x", width / 2);
    name.setAttribute("y", height / 2 + 8);
    name.setAttribute("font-size", 24);
    name.setAttribute("text-anchor", "middle");
    name.textContent = word;
    cell.append(box, name);
    cell.classList.add("empty-cell");
    choosable(cell, word);
    return cell;
  }

  // Empty cells lie outside of what was drawn: make the cards smaller and move the rest down.
  function makeRoom(picture, grid, field, drawn) {
    const left = Math.min(0, ...drawn.map((place) => place.x));
    const top = Math.min(0, ...drawn.map((place) => place.y));
    const right = Math.max(field.right, ...drawn.map((place) => place.x + field.width));
    const bottom = Math.max(field.bottom, ...drawn.map((place) => place.y + field.height));
    const block = grid.parentNode;
    const inner = picture.viewBox.baseVal.width - 2 * shiftOf(block).e;
    const before = grid.transform.baseVal.getItem(1).matrix.a;
    const scale = Math.min(before, inner / (right - left));
    const middle = (inner - (right - left) * scale) / 2 - left * scale;
    grid.setAttribute("transform", `translate(${middle} ${-top * scale}) scale(${scale})`);
    const down = (bottom - top) * scale - field.bottom * before;
    for (let below = block.nextElementSibling; below; below = below.nextElementSibling) {
      const { e, f } = shiftOf(below);
      below.setAttribute("transform", `translate(${e} ${f + down})`);
    }
    const { x, y, width, height } = picture.viewBox.baseVal;
    picture.setAttribute("viewBox", `${x} ${y} ${width} ${height + down}`);
    picture.querySelector(":scope > rect").setAttribute("height", height + down);
  }

  // --- what if ----------------------------------------------------------------------------------

  let waiting = 0;

  function wonder(event) {
    const button = event.target.closest && event.target.closest("#options button[name=order]");
    clearTimeout(waiting);
    if (button) waiting = setTimeout(() => tell(button).catch(() => {}), 150);
  }

  async function tell(button) {
    const { composed } = document.getElementById("options").dataset;
    const query = new URLSearchParams({ order: button.value, composed });
    const answer = await fetch(`${turn().dataset.preview}?${query}`);
    if (answer.ok && document.contains(button)) {
      describe(button.firstChild.textContent.trim(), await answer.json());
    }
  }

  function describe(label, { lines, scores, final }) {
    const box = document.getElementById("what-if");
    const list = document.createElement("ul");
    const said = [...lines, ...scores.map((one) => `${one.place}: ${one.points.join(" : ")}`)];
    if (final) said.push(box.dataset.sealed);
    said.forEach((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      list.append(item);
    });
    const title = document.createElement("p");
    title.textContent = `${box.dataset.title} ${label}`;
    box.replaceChildren(title, list);
    box.hidden = said.length === 0;
  }

  document.addEventListener("pointerover", wonder);
  document.addEventListener("focusin", wonder);
  dress();
})();
