"use strict";
// House rules: the sentences follow every choice at once; saving makes it count.

const house = byId("house"), presets = JSON.parse(house.dataset.presets), cardsBefore = house.elements.cards.value;
const options = [...document.querySelectorAll("[data-option]")];

function chosen() {
  const form = house.elements;
  return { rules: form.rules.value, p1: form.p1.value, p2: form.p2.value, cards: form.cards.value,
    options: Object.fromEntries(options.map(({ name, value }) => [name, value])) };
}

async function preview() {
  const before = new Set([...document.querySelectorAll("#agreement li")].map(item => item.firstChild.textContent.trim()));
  const { ok, error, chapters } = await post("/rules/preview", chosen());
  byId("contradiction").textContent = ok ? "" : error;
  byId("save").disabled = !ok;
  if (!ok) return;
  byId("agreement").replaceChildren(...chapters.flatMap(([chapter, clauses]) => [make("h2", { textContent: chapter }),
    make("ul", {}, ...clauses.map(({ words, rules }) => make("li", { className: before.has(words) ? "" : "fresh" },
      `${words} `, make("span", { className: "rule", textContent: rules }))))]));
}

byId("rules").addEventListener("change", ({ target }) => {
  for (const option of options) option.value = presets[target.value][option.name];
  preview();
});
for (const field of [...options, house.elements.p1, house.elements.p2]) field.addEventListener("change", preview);
for (const radio of document.querySelectorAll("[name=cards]"))
  radio.addEventListener("change", () => { byId("cards-note").hidden = house.elements.cards.value === cardsBefore; });
house.addEventListener("submit", async event => {
  event.preventDefault();
  const { ok, running } = await tell("/rules", chosen());
  if (ok) say(running ? "kept; the running game goes on by its own rules" : "kept; the next game is played by these rules");
});
