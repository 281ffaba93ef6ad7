// The public page of a match with less waiting: the slider and the links of a turn swap it in place.
"use strict";

(() => {
  const form = document.querySelector("form.slider");
  const past = document.getElementById("past");
  if (!form || !past) return;
  const PAUSE = 120; // milliseconds in which the slider has to rest
  const slider = form.elements.turn;
  let asked = null;
  let timer = 0;
  form.classList.add("quick");

  async function show(asks) {
    if (asked) asked.abort();
    asked = new AbortController();
    past.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(`${form.dataset.part}?${asks}`, { signal: asked.signal });
      if (!answer.ok) throw new Error(answer.status);
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      past.replaceChildren(...part.body.childNodes);
      past.removeAttribute("aria-busy");
      const title = past.querySelector("[data-turn]");
      slider.value = title.dataset.turn;
      document.getElementById("turn-said").textContent = title.textContent;
      history.replaceState(null, "", `${form.action}?${asks}`);
    } catch (error) {
      if (error.name !== "AbortError") location.assign(`${form.action}?${asks}`);
    }
  }

  function chosen() {
    const asks = new URLSearchParams(location.search);
    asks.set("turn", slider.value);
    return asks;
  }

  slider.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(chosen()), PAUSE);
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(chosen());
  });

  past.addEventListener("click", (event) => {
    const link = event.target.closest(".zooms a:not(.skip), a[rel=prev], a[rel=next]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(new URL(link.href).searchParams);
  });
})();
