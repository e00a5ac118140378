"use strict";
// The table now.

const MARKS = { legal: "✓", illegal: "✕", beaten: "↷", cannot_tell: "?", false_slap: "✕", call: "●", trouble: "!", quiet: "·" };
const TONES = { legal: "legal", illegal: "illegal", beaten: "beaten, no fault", cannot_tell: "cannot tell",
  false_slap: "too early", call: "call", trouble: "trouble", quiet: "" };
const MOST_LINES = 60;
let state = {};

hear("state", fresh => {
  state = fresh;
  zones = fresh.zones;
  showPhase(fresh.phase, fresh.phase_words);
  for (const player of ["p1", "p2"]) byId(`name-${player}`).textContent = fresh.names[player];
  for (const pile of ["A", "B"]) showTop(pile, fresh.tops[pile]);
  byId("lines").replaceChildren(...fresh.lines.map(lineOf).reverse());
  byId("no-lines").hidden = fresh.lines.length > 0;
  for (const button of document.querySelectorAll("[data-word][data-player]")) {
    const name = fresh.names[button.dataset.player];
    button.textContent = button.dataset.word === "spit" ? `${name}: I can’t play` : `${name}: ready`;
  }
  byId("words").hidden = fresh.mode !== "play";
  byId("play").hidden = fresh.mode === "play";
  byId("set-up").hidden = fresh.mode !== "play";
  showHealth(fresh);
  if (byId("overlay").checked) drawZones(state.places);
});
hear("beat", showHealth);
hear("phase", ({ phase, words }) => showPhase(phase, words));
hear("top", ({ pile, card }) => showTop(pile, card));
hear("places", changed => { Object.assign(state.places, changed); if (byId("overlay").checked) drawZones(state.places); });
hear("line", line => {
  const lines = byId("lines");
  lines.prepend(lineOf(line));
  while (lines.children.length > MOST_LINES) lines.lastChild.remove();
  byId("no-lines").hidden = true;
});

function showPhase(phase, words) {
  const node = byId("phase");
  node.textContent = words.charAt(0).toUpperCase() + words.slice(1) + (state.shadow ? " (shadow: says nothing)" : "");
  node.dataset.phase = phase;
}

function showTop(pile, card) {
  const node = byId(`top-${pile}`);
  node.textContent = cardWords(card);
  node.className = `card${isRed(card) ? " red" : ""}${card ? "" : " none"}`;
  node.setAttribute("aria-label", card ? `top of pile ${pile}: ${card}` : `pile ${pile}: no card yet`);
  node.setAttribute("role", "img");
}

function lineOf({ text, tone, player, of }) {
  const mark = make("span", { className: "mark", textContent: MARKS[tone] ?? "·" });
  mark.setAttribute("aria-hidden", "true");
  const words = TONES[tone] && !["call", "trouble"].includes(tone) ? make("span", { className: "tone", textContent: TONES[tone] }) : "";
  const name = state.names?.[player], spoken = make("span", { className: "text" });
  const begins = name && text.startsWith(name) ? name : "", told = begins + cardsIn(text.slice(begins.length));
  if (name && !begins) spoken.append(make("span", { className: `name ${player}`, textContent: name }));
  if (typeof of === "number" && state.game) {
    spoken.append(make("a", { href: `/games/${encodeURIComponent(state.game)}#n=${of}&correct`, textContent: told, title: "Look at it, or put it right" }));
  } else spoken.append(told);
  return make("li", { className: tone }, mark, spoken, words);
}

const STATES = { OK: "good", WARN: "look", FAIL: "wrong", SKIP: "–" };
let shownHealth = "";
function showHealth({ health, lights }) {
  for (const player of ["p1", "p2"]) byId(`lamp-${player}`).classList.toggle("lit", lights[player]);
  const told = JSON.stringify(health);
  if (told === shownHealth) return;
  shownHealth = told;
  byId("health").replaceChildren(...health.map(({ name, state, says, cure }) => {
    const cured = cure ? make("span", { className: "cure", textContent: sentence(cure) }) : "";
    return make("li", { className: state }, make("span", { className: "light", textContent: STATES[state] }),
      make("strong", { textContent: name }), make("span", { textContent: says }), cured);
  }));
}

byId("overlay").addEventListener("change", ({ target }) => {
  figure.classList.toggle("bare", !target.checked);
  if (target.checked) drawZones(state.places ?? {});
});
for (const button of document.querySelectorAll("[data-word]"))
  button.addEventListener("click", () => tell("/say", { word: button.dataset.word, player: button.dataset.player ?? null }));
byId("play").addEventListener("click", () => tell("/say", { word: "play" }));
byId("set-up").addEventListener("click", async () => {
  if ((await tell("/say", { word: "set_up" })).ok) location.assign("/set-up");
});
film();
