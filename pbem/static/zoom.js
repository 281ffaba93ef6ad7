// Large pictures that can be looked at closely: any svg with data-zoomable, whenever it comes into
// the page. Wheel and pinch zoom, dragging moves; + and - zoom at what has the focus, 0 goes back.
// Links in the picture stay links: a press that did not move is a press.
"use strict";

(() => {
  const PICTURE = "svg[data-zoomable]";
  const MOST = 12; // times
  const STEP = 1.3;
  const SLIP = 6; // pixels that a finger may move in a press
  const homes = new WeakMap(); // the whole of each picture
  const kept = new Map(); // how a picture was looked at, for one that replaces it
  const fingers = new Map();
  let held = null; // the picture under the fingers
  let moved = 0;

  const numbers = (text) => text.trim().split(/\s+/).map(Number);
  const pictureOf = (event) => (event.target.closest ? event.target.closest(PICTURE) : null);

  function home(picture) {
    if (!homes.has(picture)) homes.set(picture, numbers(picture.getAttribute("viewBox")));
    return homes.get(picture);
  }

  function seen(picture) {
    home(picture);
    return numbers(picture.getAttribute("viewBox"));
  }

  function look(picture, x, y, width) {
    const [left, top, wide, high] = home(picture);
    width = Math.min(wide, Math.max(wide / MOST, width));
    const height = (width * high) / wide;
    x = Math.min(left + wide - width, Math.max(left, x));
    y = Math.min(top + high - height, Math.max(top, y));
    picture.setAttribute("viewBox", [x, y, width, height].map((n) => n.toFixed(1)).join(" "));
    kept.set(home(picture).join(" "), [x, y, width]);
    picture.style.touchAction = width < wide ? "none" : "pan-x pan-y";
    picture.style.cursor = width < wide ? "grab" : "";
  }

  // Where a point of the screen lies in the picture.
  function place(picture, clientX, clientY) {
    const point = new DOMPoint(clientX, clientY);
    return point.matrixTransform(picture.getScreenCTM().inverse());
  }

  function zoom(picture, times, clientX, clientY) {
    const [x, y, width] = seen(picture);
    const at = place(picture, clientX, clientY);
    const wide = home(picture)[2];
    const next = Math.min(wide, Math.max(wide / MOST, width / times));
    const share = next / width;
    look(picture, at.x - (at.x - x) * share, at.y - (at.y - y) * share, next);
    return next !== width;
  }

  function shift(picture, from, to) {
    const [x, y, width] = seen(picture);
    const before = place(picture, ...from);
    const after = place(picture, ...to);
    look(picture, x + before.x - after.x, y + before.y - after.y, width);
  }

  function middle(element) {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  }

  document.addEventListener("wheel", (event) => {
    const picture = pictureOf(event);
    if (!picture || !event.deltaY) return;
    const times = event.deltaY < 0 ? STEP : 1 / STEP;
    if (zoom(picture, times, event.clientX, event.clientY)) event.preventDefault();
  }, { passive: false });

  document.addEventListener("pointerdown", (event) => {
    const picture = pictureOf(event);
    if (!picture || event.button) return;
    if (picture !== held) fingers.clear();
    if (!fingers.size) moved = 0;
    held = picture;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });

  document.addEventListener("pointermove", (event) => {
    const from = fingers.get(event.pointerId);
    if (!from) return;
    const to = [event.clientX, event.clientY];
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    fingers.set(event.pointerId, to);
    moved += Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (others.length === 1) {
      const far = (at) => Math.hypot(at[0] - others[0][0], at[1] - others[0][1]) || 1;
      zoom(held, far(to) / far(from), (to[0] + others[0][0]) / 2, (to[1] + others[0][1]) / 2);
    }
    if (moved > SLIP) shift(held, from, to);
  });

  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }

  document.addEventListener("dragstart", (event) => {
    if (pictureOf(event)) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (!pictureOf(event) || moved <= SLIP) return;
    moved = 0;
    event.preventDefault();
    event.stopPropagation();
  }, true);

  document.addEventListener("keydown", (event) => {
    const picture = pictureOf(event);
    if (!picture || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(picture, STEP, ...middle(event.target));
    else if (event.key === "-") zoom(picture, 1 / STEP, ...middle(event.target));
    else if (event.key === "0") look(picture, ...home(picture));
    else return;
    event.preventDefault();
  });

  // What has the focus is in sight.
  document.addEventListener("focusin", (event) => {
    const picture = pictureOf(event);
    if (!picture || picture === event.target || fingers.size) return;
    const [x, y, width, height] = seen(picture);
    const at = place(picture, ...middle(event.target));
    if (at.x < x || at.x > x + width || at.y < y || at.y > y + height) {
      look(picture, at.x - width / 2, at.y - height / 2, width);
    }
  });

  // A picture that replaces another is looked at in the same way.
  new MutationObserver(() => {
    for (const picture of document.querySelectorAll(PICTURE)) {
      if (homes.has(picture)) continue;
      const before = kept.get(home(picture).join(" "));
      if (before) look(picture, ...before);
    }
  }).observe(document.body, { childList: true, subtree: true });
})();
