// Counting: how many cards a player has in each place of the row, and how many spit cards, from now on.
const MOST_CARDS = 54;
let counting = false;

function placesOfRow() {
  const rules = timeline.header?.rules || {};
  return rules.setup === "row_of_four" ? 4 : Number(rules.piles) || 5;
}

function openCount() {
  const moment = moments[state.index];
  if (!moment) return;
  counting = !counting || correcting !== moment.n;
  if (correcting !== moment.n && canCorrect(moment)) correcting = moment.n;
  redraw();
  document.querySelector("#count select")?.focus();
}

function countRows(moment) {
  if (!counting) return el("div", { class: "correct-row" }, el("button", { onclick: openCount, title: "Count the cards (k)" }, "count the cards anew"));
  const box = (name, words) => el("label", { class: "count-box" }, el("span", {}, words),
    el("input", { name, type: "number", inputmode: "numeric", min: 0, max: MOST_CARDS, step: 1 }));
  const boxes = Array.from({ length: placesOfRow() }, (_, at) => box("row", `pile ${at + 1}`));
  const form = el("form", { id: "count", class: "correct-row", "aria-label": "Count the cards anew", onsubmit: (event) => { event.preventDefault(); takeCount(moment, form); } },
    el("label", { class: "count-box" }, el("span", {}, "who"), el("select", { name: "player" }, ["p1", "p2"].map((player) => el("option", { value: player }, names[player])))),
    boxes, box("spit", "spit cards"), el("button", {}, "Take the count"),
    el("p", { class: "small" }, "From the player’s own left, face-down cards too. What is left empty stays as it was: all piles, or none."),
    el("p", { class: "trouble", role: "alert" }));
  return form;
}

function takeCount(moment, form) {
  const player = form.elements.player.value;
  const texts = [...form.querySelectorAll("[name=row]")].map((one) => one.value.trim());
  const spit = form.elements.spit.value.trim();
  const row = texts.map(Number);
  const why = texts.some(Boolean) && !texts.every(Boolean) ? "Count every pile of the row; an empty place is 0."
    : !texts.some(Boolean) && !spit ? "Nothing is counted yet."
    : row.reduce((sum, count) => sum + count, Number(spit)) > MOST_CARDS ? "That is more than a pack has: count again." : "";
  form.querySelector(".trouble").textContent = why;
  if (why) return;
  counting = false;
  say(moment, { player, ...(texts.some(Boolean) ? { row } : {}), ...(spit ? { spit: Number(spit) } : {}) });
}
