"use strict";
// The set-up: one step is shown, and what it has measured; the table itself tells how far each is.

const ENDED = { good: "good", look: "could be better", wrong: "not good yet", failed: "did not work", left: "left", running: "running", new: "" };
const DOTS = { good: "✓", look: "!", wrong: "✕", failed: "✕", running: "…" };
const LIGHTS = { OK: "good", WARN: "look", FAIL: "wrong", SKIP: "–" };
const placeWords = name => named(name.replace(/^(p[12]) (\d)$/, "$1, place $2"));
const named = words => cardsIn(words).replace(/\b(p[12])\/([AB])\b/g, "$1 (pile $2)").replace(/\bp[12]\b/g, player => names[player] ?? player);
const ORDER = [...document.querySelectorAll("[data-step]")].map(button => button.dataset.step);
let results = {}, mode = "", chosen = "", names = {};

const panelOf = step => document.querySelector(`[data-panel="${step}"]`);

function choose(step, focus) {
  if (!ORDER.includes(step)) step = ORDER[0];
  chosen = step;
  for (const button of document.querySelectorAll("[data-step]"))
    button.dataset.step === step ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current");
  for (const panel of document.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== step;
  if (location.hash !== `#${step}`) history.replaceState(null, "", `#${step}`);
  document.querySelector(`[data-step="${step}"]`).scrollIntoView({ block: "nearest", inline: "center" });
  if (focus) byId("panel").focus({ preventScroll: true });
  showHandles(step === "corners" && way() === "drag");
}

hear("state", fresh => {
  mode = fresh.mode;
  zones = fresh.zones;
  names = fresh.names;
  byId("in-play").hidden = mode !== "play";
  for (const result of fresh.steps) show(result);
  drawZones({});
  for (const button of document.querySelectorAll("[data-signal]")) button.textContent = `Light and tone for ${fresh.names[button.dataset.signal]}`;
});
hear("step", show);

function show(result) {
  const kept = result.kept ?? results[result.name]?.kept ?? false;
  results[result.name] = { ...result, kept };
  const dotState = result.state === "new" && kept ? "good" : result.state;
  const button = document.querySelector(`[data-step="${result.name}"]`), panel = panelOf(result.name);
  button.dataset.state = dotState;
  button.querySelector(".dot").textContent = DOTS[dotState] ?? ORDER.indexOf(result.name) + 1;
  button.querySelector("[data-state]").textContent = ENDED[dotState];
  showNameless(result);
  const running = result.state === "running";
  panel.querySelector("[data-ask]").textContent = named(result.ask) || (running ? "Measuring …" : "");
  panel.querySelector("[data-trouble-words]").textContent = result.trouble ? sentence(named(result.trouble)) : "";
  panel.querySelector("[data-run]").hidden = running;
  panel.querySelector("[data-run]").textContent = result.state === "new" ? (kept ? "Do it again" : "Start") : "Do it again";
  panel.querySelector("[data-answer=more]").hidden = panel.querySelector("[data-answer=enough]").hidden = !result.waits;
  panel.querySelector("[data-answer=leave]").hidden = !running;
  panel.querySelector("[data-next]").hidden = !["good", "look"].includes(dotState);
  panel.querySelector("[data-run]").classList.toggle("primary", !["good", "look"].includes(dotState));
  panel.querySelector("[data-next]").classList.toggle("primary", ["good", "look"].includes(dotState));
  panel.querySelector("[data-findings]").replaceChildren(...result.findings.map(({ name, state, says, cure }) =>
    make("li", { className: state }, make("span", { className: "light", textContent: LIGHTS[state] }), make("strong", { textContent: placeWords(name) }),
      make("span", { textContent: named(says) }), cure ? make("span", { className: "cure", textContent: sentence(named(cure)) }) : "")));
  panel.querySelector("[data-drawings]").replaceChildren(...Object.entries(result.pictures).map(([name, words]) =>
    make("figure", {}, make("img", { src: `/set-up/picture/${result.name}/${name}?${result.at}`, alt: words, loading: "lazy" }),
      make("figcaption", { textContent: words }))));
}

// Cards that were not named surely: their pictures, each with a choice of names. What is being chosen is not drawn anew.
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
let nameless = "";
function showNameless({ name, naming, at }) {
  if (name !== "deck") return;
  byId("naming").hidden = !naming.length;
  const asked = JSON.stringify(naming);
  if (asked === nameless) return;
  nameless = asked;
  const option = card => make("option", { value: card, textContent: cardWords(card) });
  const group = (label, cards) => make("optgroup", { label }, ...cards.map(option));
  byId("nameless").replaceChildren(...naming.map(({ picture, where, likely }, n) => make("label", {},
    make("img", { src: `/set-up/picture/deck/${picture}?${at}`, alt: "", width: 132, height: 180 }), make("span", { textContent: where }),
    make("select", { name: `card-${n}` }, make("option", { value: "", textContent: "leave it out" }), group("perhaps", likely),
      ...Object.entries(SUITS).map(([suit, sign]) => group(sign, RANKS.map(rank => rank + suit)))))));
  byId("nameless").querySelector("select")?.focus({ preventScroll: true });
}
byId("naming").addEventListener("submit", event => {
  event.preventDefault();
  tell("/set-up/names", { names: [...byId("nameless").querySelectorAll("select")].map(one => one.value) });
});

async function run(step) {
  if (mode !== "set_up" && !(await begin())) return;
  const options = step === "corners" && way() === "drag" ? { points: corners(), size_mm: sheetSize() } : {};
  await tell(`/set-up/${step}`, options);
}

async function begin() {
  if (!(await tell("/say", { word: "set_up" })).ok) return false;
  say("the table gets ready …");
  for (let n = 0; n < 900 && mode !== "set_up"; n++) await pause(100);
  if (mode !== "set_up") say("the table does not answer; look at the page Table");
  return mode === "set_up";
}

for (const button of document.querySelectorAll("[data-step]")) button.addEventListener("click", () => choose(button.dataset.step, true));
for (const button of document.querySelectorAll("[data-run]")) button.addEventListener("click", () => run(button.dataset.run));
for (const button of document.querySelectorAll("[data-answer]")) button.addEventListener("click", () => tell("/set-up/answer", { word: button.dataset.answer }));
for (const button of document.querySelectorAll("[data-signal]")) button.addEventListener("click", () => tell("/set-up/signal", { player: button.dataset.signal }));
for (const button of document.querySelectorAll("[data-next]")) button.addEventListener("click", () => choose(ORDER[ORDER.indexOf(chosen) + 1], true));
for (const radio of document.querySelectorAll("[name=way]")) radio.addEventListener("change", () => {
  byId("dragging").hidden = way() !== "drag";
  showHandles(way() === "drag");
});
byId("sheet").addEventListener("change", ({ target }) => { byId("other-size").hidden = target.value !== "other"; });
byId("which")?.addEventListener("change", async ({ target }) => {
  if ((await tell("/camera", { source: target.value })).ok) say("this camera is looked through from now on");
});
byId("begin").addEventListener("click", begin);
byId("play").addEventListener("click", async () => { if ((await tell("/say", { word: "play" })).ok) location.assign("/"); });
addEventListener("hashchange", () => choose(location.hash.slice(1)));
choose(location.hash.slice(1));
film();
