// A match played again: keys, buttons and a slider go to and fro between its frames. Each frame but the
// first is kept as what differs from the one before it. Of a long match the page holds the ends of turns
// only; the steps between them are fetched in parts, when somebody goes there.
"use strict";

(() => {
  const kept = document.getElementById("frames");
  if (!kept) return;
  const REST = 300; // milliseconds until the address follows
  const DRAGGED = 150; // and until a part is fetched while the slider moves
  const KEYS = {
    ArrowLeft: "earlier", ArrowRight: "later", Home: "first", End: "last",
    PageUp: "earlier-turn", PageDown: "later-turn",
  };
  const page = JSON.parse(kept.textContent);
  const { steps, parts } = page;
  const stage = document.getElementById("stage");
  const said = document.getElementById("told");
  const slider = document.getElementById("place");
  const buttons = document.querySelectorAll("[data-go]");
  const elsewhere = document.querySelectorAll(".eyes a, .zooms a");
  const last = steps.length - 1;
  const isStart = (at) => parts || at === 0 || page.turns[at] !== page.turns[at - 1];
  const starts = page.numbers.filter((_, at) => isStart(at)).map((number) => steps.indexOf(number));
  const ofPage = framesOf(page); // by the numbers of their steps
  const ofParts = new Map();
  const asked = new Map(); // parts that are on their way or here
  let place = Math.max(0, steps.indexOf(page.step));
  let shown = ofPage.get(page.numbers.filter((number) => number <= page.step).pop() ?? steps[0]);
  let timer = 0;
  let dragging = 0;

  const ways = {
    first: () => 0,
    last: () => last,
    earlier: () => Math.max(0, place - 1),
    later: () => Math.min(last, place + 1),
    "earlier-turn": () => starts.filter((at) => at < place).pop() ?? 0,
    "later-turn": () => starts.find((at) => at > place) ?? last,
  };
  const byTurn = new Set(["first", "last", "earlier-turn", "later-turn"]);

  function framesOf(reel) {
    return new Map(reel.numbers.map((number, at) => [number, { reel, at }]));
  }

  function markup({ reel, at }) {
    const pieces = [...reel.first];
    for (const row of reel.edits.slice(0, at)) {
      for (const [start, stop, put] of [...row].reverse()) pieces.splice(start, stop - start, ...put);
    }
    return pieces.join("");
  }

  // The frame of a place: of its turn as a whole, or of its step alone.
  function found(whole) {
    const number = steps[place];
    if (!parts || whole) return ofPage.get(number) ?? ofParts.get(number);
    return ofParts.get(number);
  }

  function go(at, whole, rest = 0) {
    if (at === place) return;
    place = at;
    clearTimeout(dragging);
    const frame = found(whole);
    if (frame) show(frame);
    else dragging = setTimeout(() => fetched(at), rest);
    follow();
    clearTimeout(timer);
    timer = setTimeout(remember, REST);
  }

  function show(frame) {
    stage.removeAttribute("aria-busy");
    if (frame === shown) return;
    shown = frame;
    stage.innerHTML = markup(frame);
    said.innerHTML = frame.reel.told[frame.at];
    said.parentElement.scrollTop = 0;
  }

  async function fetched(at) {
    stage.setAttribute("aria-busy", "true");
    const number = Math.floor(at / parts.size);
    try {
      if (!asked.has(number)) asked.set(number, part(number));
      await asked.get(number);
    } catch {
      asked.delete(number);
    }
    if (at !== place) return;
    const frame = found(false);
    if (frame) show(frame);
    else {
      stage.removeAttribute("aria-busy");
      shown = null;
      said.textContent = parts.failed;
    }
    follow();
  }

  async function part(number) {
    const answer = await fetch(parts.address.replace("/part/0", `/part/${number}`));
    if (!answer.ok) throw new Error(answer.statusText);
    for (const [step, frame] of framesOf(await answer.json())) ofParts.set(step, frame);
  }

  function follow() {
    slider.value = place;
    slider.setAttribute("aria-valuetext", said.textContent.trim().replace(/\s+/g, " "));
    for (const button of buttons) {
      button.setAttribute("aria-disabled", String(ways[button.dataset.go]() === place));
    }
  }

  // The address, and the links to the same moment seen otherwise.
  function remember() {
    const here = new URL(location.href);
    here.searchParams.set("step", steps[place]);
    history.replaceState(null, "", here);
    for (const link of elsewhere) {
      const there = new URL(link.href);
      there.searchParams.set("step", steps[place]);
      link.href = there;
    }
  }

  document.getElementById("links").hidden = true;
  document.getElementById("controls").hidden = false;
  for (const button of buttons) {
    const way = button.dataset.go;
    button.addEventListener("click", () => go(ways[way](), byTurn.has(way)));
  }
  slider.addEventListener("input", () => go(Number(slider.value), false, DRAGGED));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    go(ways[way](), byTurn.has(way));
  });

  follow(); // not what a browser remembers of another visit
  remember();
  if (!ofPage.has(steps[place])) fetched(place);
})();
