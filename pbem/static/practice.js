// A page that waits for the computer: asks every second whether it still thinks, then goes on.
// Without script the page loads itself again every two seconds.
"use strict";

(() => {
  const OFTEN = 700;
  const thinking = document.getElementById("thinking");
  if (!thinking) return;

  async function look() {
    const answer = await fetch(thinking.dataset.waits, { cache: "no-store" });
    const said = answer.ok ? await answer.json() : { waits: true };
    if (said.waits) setTimeout(again, OFTEN);
    else location.replace(thinking.dataset.next);
  }

  function again() {
    look().catch(() => setTimeout(again, 5 * OFTEN));
  }

  setTimeout(again, OFTEN / 2);
})();
