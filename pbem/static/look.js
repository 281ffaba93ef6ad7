// Light or dark at once: the choice is sent, and the page is shown as chosen without loading it again.
"use strict";

const form = document.getElementById("look");
const menu = document.querySelector("details.look");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const pressed = event.submitter;
  show(pressed);
  const sent = new URLSearchParams({ look: pressed.value });
  await fetch(form.action, { method: "POST", body: sent, redirect: "manual" });
});

function show(pressed) {
  const root = document.documentElement;
  if (pressed.value) root.dataset.look = pressed.value;
  else delete root.dataset.look;
  document.querySelector('meta[name="color-scheme"]').content = pressed.value || "light dark";
  for (const button of menu.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button === pressed));
  }
  close();
}

function close() {
  menu.open = false;
  menu.querySelector("summary").focus();
}

// An open menu closes when something else is pressed, or by Escape.
document.addEventListener("click", (event) => {
  if (!menu.contains(event.target)) menu.open = false;
});
menu.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && menu.open) close();
});
