// Light or dark at once: the choice is sent, and the page is shown as chosen without loading it again.
"use strict";

for (const form of document.querySelectorAll(".look form")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const pressed = event.submitter;
    const sent = new URLSearchParams({ look: pressed.value, back: "/" });
    const answer = await fetch(form.action, { method: "POST", body: sent, redirect: "manual" });
    if (!answer.ok && answer.type !== "opaqueredirect") return form.submit();
    show(form, pressed);
  });
}

function show(form, pressed) {
  const root = document.documentElement;
  if (pressed.value) root.dataset.look = pressed.value;
  else delete root.dataset.look;
  document.querySelector('meta[name="color-scheme"]').content = pressed.value || "light dark";
  for (const button of form.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button === pressed));
  }
  const menu = form.closest("details");
  menu.open = false;
  menu.querySelector("summary").focus();
}

// A menu that was opened closes when something else is pressed, or by Escape.
for (const menu of document.querySelectorAll("details.look")) {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
