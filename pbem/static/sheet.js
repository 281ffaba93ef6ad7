// The order sheet with less waiting: the pages behind links and forms are swapped in place, numbers
// get buttons, and what is filled in is judged while it is typed. Every address is one that works
// without script, and none of this ever sends orders: that takes the player's own press.
"use strict";

(() => {
  const turn = () => document.getElementById("turn");
  if (!turn()) return;
  const PAUSE = 300;
  const PASSING = new Set(["results", "since"]); // open when the page is opened
  let asked = 0; // pages; only the newest is shown
  let waiting = 0; // for somebody who still types

  // --- swapping the page in place ---------------------------------------------------------------

  async function fetched(address, options) {
    const answer = await fetch(address, options);
    return { answer, page: new DOMParser().parseFromString(await answer.text(), "text/html") };
  }

  async function show(address, options, keep, said) {
    const number = ++asked;
    clearTimeout(waiting);
    turn().setAttribute("aria-busy", "true");
    const { answer, page } = await fetched(address, options);
    if (number !== asked) return;
    const fresh = page.getElementById("turn");
    if (!fresh) {
      location.assign(answer.url);
      return;
    }
    const kept = { ...remember(), ...said };
    document.title = page.title;
    if (keep) keep(answer.url);
    turn().replaceWith(document.adoptNode(fresh));
    restore(kept);
  }

  const push = (address) => history.pushState(null, "", address);
  const replace = (address) => history.replaceState(null, "", address);

  function remember() {
    const typed = document.getElementById("written");
    return {
      folds: new Map([...turn().querySelectorAll("details[id]")].map((one) => [one.id, one.open])),
      typed: typed ? typed.value : "",
      focus: finder(document.activeElement),
      top: scrollY,
    };
  }

  // How to find in the next page what has the focus in this one.
  function finder(element) {
    if (!element || !turn().contains(element)) return () => null;
    if (element.id) return () => document.getElementById(element.id);
    const isSame = (one) => one.textContent === element.textContent;
    return () => [...turn().querySelectorAll(element.localName)].find(isSame) || null;
  }

  function restore(kept) {
    turn().querySelectorAll("details[id]").forEach((one) => {
      if (kept.folds.get(one.id) && !PASSING.has(one.id)) one.open = true;
    });
    const written = document.getElementById("written");
    if (written && !written.value) written.value = kept.typed;
    dress();
    const fault = document.getElementById("fault");
    const news = fault || turn().querySelector("[data-announce]");
    const found = kept.focus();
    const same = found && found.checkVisibility() ? found : null; // a list folds once it is chosen from
    const next = kept.isStep ? nextStep() : null;
    const target = fault || same || next || news || turn().querySelector(".panel h3");
    if (target) target.focus({ preventScroll: target === same || target === next });
    if (target === same) scrollTo(scrollX, kept.top);
    if (next && !fault && !isHigh(next)) next.scrollIntoView();
    const title = news || next || turn().querySelector(".panel h3");
    document.getElementById("announce").textContent = title ? title.textContent : "";
  }

  // Where what was chosen last leads on: the heading of the first form behind it, or of all.
  function nextStep() {
    const chosen = [...turn().querySelectorAll(".panel .ways-on [aria-current]")].pop();
    const isBehind = (form) => chosen.compareDocumentPosition(form) & Node.DOCUMENT_POSITION_FOLLOWING;
    const form = chosen && [...turn().querySelectorAll(".panel form")].find(isBehind);
    if (!form) return turn().querySelector(".panel h3");
    const panel = form.closest(".panel");
    const heading = panel.contains(chosen) ? form.querySelector("h4") : panel.querySelector("h3");
    if (heading) heading.tabIndex = -1;
    return heading;
  }

  // In the upper half of what is not covered by the map above or the button at the bottom.
  function isHigh(element) {
    const { top } = element.getBoundingClientRect();
    const [over, under] = ["scrollPaddingTop", "scrollPaddingBottom"].map(
      (side) => parseFloat(getComputedStyle(document.documentElement)[side]) || 0
    );
    return top >= over && top <= (over + innerHeight - under) / 2;
  }

  // --- links and forms --------------------------------------------------------------------------

  function ours(link) {
    if (!link) return "";
    const address = link.getAttribute("href") || link.getAttribute("xlink:href") || "";
    return address.startsWith("?") ? new URL(address, location.href).href : "";
  }

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    const button = event.target.closest("[data-for]");
    if (button) {
      change(button);
      return;
    }
    const link = event.target.closest("#turn a");
    const address = ours(link);
    if (!address || event.defaultPrevented) return;
    event.preventDefault();
    const isStep = link.closest(".stages, .ways-on, .map svg") !== null;
    show(withFilled(address), {}, push, { isStep }).catch(() => location.assign(address));
  });

  // A press on a target keeps the numbers that were filled in.
  function withFilled(address) {
    const url = new URL(address);
    const form = turn().querySelector("form[data-look]");
    if (!url.searchParams.has("to") || !form) return address;
    for (const [name, value] of new FormData(form)) {
      const isFilled = value !== "" && value !== "0";
      if (isFilled && !OWN.has(name) && name !== "to") url.searchParams.set(name, value);
    }
    return url.href;
  }

  const OWN = new Set(["do", "composed", "filled", "zoom", "word"]);

  function query(form) {
    const filled = [...new FormData(form)].filter(([name]) => name === "zoom" || !OWN.has(name));
    return `${location.pathname}?${new URLSearchParams(filled)}`;
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-swap]")) return;
    event.preventDefault();
    const button = event.submitter;
    if (button && button.formMethod === "get" && button.hasAttribute("formmethod")) {
      show(query(form), {}, replace).catch(() => location.reload());
      return;
    }
    const body = new URLSearchParams(new FormData(form));
    if (button && button.name) body.set(button.name, button.value);
    const typed = form.id === "orders" ? { typed: "" } : {}; // what was not added comes back
    show(form.action, { method: "POST", body }, replace, typed).catch(() => location.reload());
  });

  addEventListener("popstate", () => {
    show(location.href, {}).catch(() => location.reload());
  });

  // --- numbers ----------------------------------------------------------------------------------

  function dress() {
    turn().querySelectorAll("[data-for][hidden]").forEach((button) => {
      button.hidden = false;
    });
    turn().querySelectorAll(".stages [aria-current], .zooms [aria-current]").forEach((current) => {
      const strip = current.closest("ol, nav"); // on a phone a row that can be scrolled
      strip.scrollLeft = current.offsetLeft - strip.offsetLeft - (strip.clientWidth - current.offsetWidth) / 2;
    });
  }

  function change(button) {
    const input = document.getElementById(button.dataset.for);
    const before = Number(input.value) || 0;
    const wanted = button.dataset.set ? Number(button.dataset.set) : before + Number(button.dataset.step);
    input.value = Math.max(0, Math.min(Number(input.max), wanted));
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // --- what would come of it --------------------------------------------------------------------

  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-look]");
    if (!form) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => foresee(form).catch(() => {}), PAUSE);
  });

  async function foresee(form) {
    const address = query(form);
    const { page } = await fetched(address);
    if (!document.contains(form) || query(form) !== address) return;
    const panel = form.closest(".panel");
    const fresh = page.getElementById(form.id);
    if (!fresh) return;
    form.querySelector(".outlook").replaceWith(fresh.querySelector(".outlook"));
    form.querySelector(".buttons").replaceWith(fresh.querySelector(".buttons"));
    swapLines(panel, page.getElementById(panel.id));
  }

  // What a panel says above its forms, such as a running total.
  function swapLines(panel, fresh) {
    const told = (where) => [...where.querySelectorAll(":scope > .line, :scope > .warning")];
    told(panel).forEach((line) => line.remove());
    panel.querySelector("h3").after(...told(fresh));
  }

  dress();
})();
