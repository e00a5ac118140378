"use strict";
// The practise rig: keys and buttons as pads, and troubles that are switched on and off.

const PAD_KEYS = { a: "p1A", s: "p1B", k: "p2A", l: "p2B" };

function slap(pad) {
  const button = document.querySelector(`[data-pad="${pad}"]`);
  button?.classList.add("down");
  setTimeout(() => button?.classList.remove("down"), 150);
  tell("/practice/pad", { pad });
}

for (const button of document.querySelectorAll("[data-pad]"))
  button.addEventListener("click", () => slap(button.dataset.pad));
for (const button of document.querySelectorAll("[data-trouble]"))
  button.addEventListener("click", () =>
    tell("/practice/trouble", { what: button.dataset.trouble, on: button.getAttribute("aria-pressed") !== "true" }));
addEventListener("keydown", event => {
  const typing = event.target.closest?.("input, select, textarea");
  const pad = PAD_KEYS[event.key.toLowerCase()];
  if (pad && isConnected && !typing && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey) slap(pad);
});

function showTroubles(on) {
  for (const button of document.querySelectorAll("[data-trouble]"))
    button.setAttribute("aria-pressed", on.includes(button.dataset.trouble));
}
hear("state", ({ troubles, names }) => {
  showTroubles(troubles);
  for (const node of document.querySelectorAll("[data-name]")) node.textContent = names[node.dataset.name];
});
hear("trouble", showTroubles);
hear("pad", ({ pad, down }) => document.querySelector(`[data-pad="${pad}"]`)?.classList.toggle("down", down));
