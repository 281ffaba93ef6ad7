// A match played again: all its frames are in the page, and keys, buttons and a slider go to and fro
// between them. Each frame but the first is kept as what differs from the one before it.
"use strict";

(() => {
  const kept = document.getElementById("frames");
  if (!kept) return;
  const REST = 300; // milliseconds until the address follows
  const KEYS = {
    ArrowLeft: "earlier", ArrowRight: "later", Home: "first", End: "last",
    PageUp: "earlier-turn", PageDown: "later-turn",
  };
  const { first, edits, told, numbers, turns } = JSON.parse(kept.textContent);
  const stage = document.getElementById("stage");
  const said = document.getElementById("told");
  const slider = document.getElementById("place");
  const buttons = document.querySelectorAll("[data-go]");
  const elsewhere = document.querySelectorAll(".eyes a, .zooms a");
  const last = numbers.length - 1;
  const starts = [...numbers.keys()].filter((at) => at === 0 || turns[at] !== turns[at - 1]);
  let place = Number(slider.getAttribute("value"));
  let timer = 0;

  const ways = {
    first: () => 0,
    last: () => last,
    earlier: () => Math.max(0, place - 1),
    later: () => Math.min(last, place + 1),
    "earlier-turn": () => starts.filter((at) => at < place).pop() ?? 0,
    "later-turn": () => starts.find((at) => at > place) ?? last,
  };

  function markup(at) {
    const pieces = [...first];
    for (const row of edits.slice(0, at)) {
      for (const [start, stop, put] of [...row].reverse()) pieces.splice(start, stop - start, ...put);
    }
    return pieces.join("");
  }

  function show(at) {
    if (at === place) return;
    place = at;
    stage.innerHTML = markup(at);
    said.innerHTML = told[at];
    said.parentElement.scrollTop = 0;
    follow();
    clearTimeout(timer);
    timer = setTimeout(remember, REST);
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
    here.searchParams.set("step", numbers[place]);
    history.replaceState(null, "", here);
    for (const link of elsewhere) {
      const there = new URL(link.href);
      there.searchParams.set("step", numbers[place]);
      link.href = there;
    }
  }

  document.getElementById("links").hidden = true;
  document.getElementById("controls").hidden = false;
  for (const button of buttons) {
    button.addEventListener("click", () => show(ways[button.dataset.go]()));
  }
  slider.value = place; // not what a browser remembers of another visit
  slider.addEventListener("input", () => show(Number(slider.value)));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    show(ways[way]());
  });

  follow();
  remember();
})();
