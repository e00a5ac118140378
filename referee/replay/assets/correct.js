// Corrections: what a person knows better about a moment. Two or three taps each, and every tap is taken in at once.
// A page of the referee sends them; a page from a file keeps them until they are saved for `spit-referee correct`.
const isServed = location.protocol.startsWith("http");
const kept = recall(); // words that the referee does not know yet, each with what the moment was before
let correcting = null; // number of the moment whose corrections are open
let rank = null; // chosen already, the suit to follow
let missed = null; // whose card onto which pile, if one is being added that the referee missed

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const NO_CORRECTION = new Set(["continued", "undo", "resumed", "paused", "next_deal", "game_over", "deal_over", "back_in_step", "called"]);
const canCorrect = (moment) => !NO_CORRECTION.has(moment.kind);

const correctionToggle = (moment) => (canCorrect(moment)
  ? el("button", { class: "correct-toggle", "aria-expanded": String(correcting === moment.n), title: "Correct this (c)", onclick: () => openCorrection(moment) }, "✎ correct") : "");
const correctionPanel = (moment) => (canCorrect(moment) && correcting === moment.n
  ? el("div", { class: "correct", id: "correct", role: "group", "aria-label": "Correct this moment" }, missed || counting ? "" : rowsOf(moment), counting ? "" : missedRows(moment), missed ? "" : countRows(moment)) : "");

// A card that nobody saw: it landed where the playhead stands, which may be moved there on the tape before.
function missedRows(moment) {
  const who = ["p1", "p2"].flatMap((player) => ["A", "B"].map((pile) => [`${names[player]} on ${pile}`, player, pile]));
  const isNow = (player, pile) => missed && missed.player === player && missed.pile === pile;
  const choose = (player, pile) => () => { missed = { player, pile }; redraw(); };
  const row = el("div", { class: "correct-row" }, el("span", { class: "correct-title" }, `missed at ${clockText(state.ns)}`),
    who.map(([words, player, pile]) => el("button", { "aria-pressed": String(Boolean(isNow(player, pile))), onclick: choose(player, pile) }, words)));
  return [row, missed ? cardRow({ n: moment.n }) : ""];
}

function openCorrection(moment) {
  correcting = correcting === moment.n ? null : moment.n;
  rank = missed = null;
  counting = false;
  redraw();
  byId("correct")?.scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
}

function rowsOf(moment) {
  const never = ["it did not happen", { dismiss: true }, moment.dismissed];
  if (moment.kind === "corrected") return [row(moment, "", [["take this correction back", { dismiss: true }]])];
  if (isLanding(moment)) {
    const rulings = ["legal", "illegal", "beaten"].map((ruling) => [RULINGS[ruling], { ruling }, moment.ruling === ruling && !moment.dismissed]);
    return [row(moment, "it was", [...rulings, never]), row(moment, "played by", whose(moment, "player")), cardRow(moment), row(moment, "on pile", piles(moment))];
  }
  if (moment.kind === "award" || moment.kind === "dead_heat") return [row(moment, "first on the pads", whose(moment, "first")), row(moment, "", [never])];
  if (moment.kind === "slap") return [row(moment, "slapped by", whose(moment, "player")), row(moment, "", [never])];
  if (moment.kind === "row") return [cardRow(moment), row(moment, "", [never])];
  if (moment.kind === "taken_back") return [row(moment, "", [never]), row(moment, "taken by", whose(moment, "player")), cardRow(moment)];
  if (moment.kind === "stuck" || moment.kind === "spit_call") return [row(moment, "", [["we were not stuck", { dismiss: true }, moment.dismissed]])];
  return [row(moment, "", [never])];
}

const whose = (moment, field) => ["p1", "p2"].map((player) => [names[player], { [field]: player }, sideOf(moment) === player]);
const piles = (moment) => ["A", "B"].map((pile) => [pile, { pile }, moment.pile === pile]);

function row(moment, title, choices) {
  return el("div", { class: "correct-row" }, title ? el("span", { class: "correct-title" }, title) : "",
    choices.map(([words, word, isNow]) => el("button", { "aria-pressed": String(Boolean(isNow)), onclick: () => say(moment, word) }, words)));
}

// First what the eyes thought of as well, then any card: rank, then suit. A suit alone keeps the rank.
function cardRow(moment) {
  const now = moment.card && isSuited(moment.card) ? moment.card : "";
  const likely = Object.entries(moment.odds || {}).filter(([card]) => card !== now && isSuited(card)).slice(0, 3);
  const kept = rank || now.slice(0, -1);
  const choose = (card) => say(moment, missed ? { ...missed, card, missed_ms: atPlayhead() } : moment.place ? { card, place: moment.place } : { card });
  return el("div", { class: "correct-row" }, el("span", { class: "correct-title" }, "the card was"),
    likely.map(([card, p]) => el("button", { onclick: () => choose(card) }, withCards(card), el("small", {}, ` ${Math.round(p * 100)} %`))),
    el("span", { class: "ranks" }, RANKS.map((one) => el("button", { "aria-pressed": String(kept === one), "aria-label": `rank ${one}`, onclick: () => { rank = one; redraw(); } }, one))),
    el("span", { class: "suits" }, Object.entries(SUITS).map(([suit, sign]) => el("button", { class: isRed(suit) ? "red" : "", disabled: !kept, "aria-label": cardWords(`${kept || "A"}${suit}`), "aria-pressed": String(now === kept + suit),
      onclick: () => choose(kept + suit) }, sign))));
}

const atPlayhead = () => Math.round((state.ns - (moments[state.index]?.at_ns ?? 0)) / 1e3) / 1e3;

// --- taking a word in

function say(moment, word) {
  const whole = { of: moment.n, ...word };
  correcting = rank = missed = null;
  if (isServed) return send(whole);
  kept.push({ word: whole, was: { ...moment } });
  remake(moment, word);
  redraw();
  return byId("moment").scrollIntoView({ block: "nearest" });
}

async function send(word) {
  byId("pending").replaceChildren(el("p", {}, "The referee is told …"));
  const address = `${location.pathname.replace(/\/$/, "")}/corrections`;
  try {
    const { csrf } = await (await fetch(address)).json();
    const headers = { "content-type": "application/json", "x-csrf-token": csrf };
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(file([word])) });
    if (!answer.ok) return complain((await answer.json()).error || `the referee answered ${answer.status}`);
    if (answer.status === 202 && (await answer.json()).waits) return byId("pending").replaceChildren(el("p", {}, "Noted. What followed is judged anew as soon as this deal is over, so that it holds up nobody who plays."));
    if (answer.status === 202) await new Promise((done) => setTimeout(done, 700)); // a running game writes it down first
    return location.reload();
  } catch {
    return complain("the referee cannot be reached");
  }
}
const complain = (why) => byId("pending").replaceChildren(el("p", { class: "trouble" }, `This correction was not taken in: ${why}.`));

// What the moment says until the referee has judged it anew; the old value stays beside it.
function remake(moment, word) {
  if (word.missed_ms !== undefined || word.row || word.spit !== undefined) return; // it becomes a moment of its own
  moment.was = moment.was || moment.sentence || kindWords(moment);
  if (word.dismiss) moment.dismissed = true;
  else delete moment.dismissed;
  for (const field of ["card", "player", "pile", "ruling"]) if (word[field]) moment[field] = word[field];
  if (word.first) moment.player = word.first;
  if (word.card) delete moment.p; // that was the camera's
  const lying = word.card && moment.after?.[moment.pile];
  if (lying?.length) moment.after = { ...moment.after, [moment.pile]: [...lying.slice(0, -1), { ...lying.at(-1), card: word.card }] };
  moment.sentence = wordsFor(moment, word);
  disputes.add(moment.n);
}
function wordsFor(moment, word) {
  if (word.dismiss) return `You say: ${moment.kind === "stuck" || moment.kind === "spit_call" ? "we were not stuck" : moment.kind === "corrected" ? "that correction is taken back" : "this did not happen"}.`;
  if (word.first) return `You say: ${nameOf(word.first)} was first on the pads.`;
  const parts = [word.card ? `the card was ${word.card}` : "", word.player ? `it was ${nameOf(word.player)}` : "", word.pile ? `it was on pile ${word.pile}` : "", word.ruling ? `it was ${RULINGS[word.ruling]}` : ""];
  return `You say: ${parts.filter(Boolean).join(", ")}.`;
}

function undoLast() {
  const last = kept.pop();
  const moment = last && moments.find((one) => one.n === last.word.of);
  if (moment) {
    for (const field of Object.keys(moment)) delete moment[field];
    Object.assign(moment, last.was);
  }
  redraw();
}

const file = (words) => ({ game: game.game.name, started: game.game.started, words });

function saveWords() {
  const blob = new Blob([JSON.stringify(file(kept.map(({ word }) => word)), null, 1)], { type: "application/json" });
  const link = el("a", { href: URL.createObjectURL(blob), download: `corrections-${game.game.name}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function showPending() {
  if (isServed || !kept.length) return byId("pending").replaceChildren();
  const count = kept.length === 1 ? "1 correction" : `${kept.length} corrections`;
  return byId("pending").replaceChildren(el("p", {}, el("strong", {}, count), " in this page. The figures follow when the referee has judged anew: ", el("code", {}, `spit-referee correct ${game.game.name} FILE`)),
    el("div", { class: "correct-row" }, el("button", { class: "primary-text", onclick: saveWords }, "Save the file"), el("button", { onclick: undoLast }, "Undo the last one")));
}

// --- a page from a file forgets nothing when it is closed, where the browser lets it remember
// Once the log holds corrections, those that were kept for it are done with.
function storeName() {
  const inLog = timeline.moments.filter((moment) => moment.kind === "corrected").length;
  return `spit-referee ${game.game.name} ${game.game.started} ${inLog}`;
}
function recall() {
  if (location.protocol.startsWith("http")) return [];
  try {
    const stored = JSON.parse(localStorage.getItem(storeName()) || "[]");
    return stored.filter(({ word }) => timeline.moments.some((moment) => moment.n === word.of)).map(({ word }) => ({ word }));
  } catch { return []; }
}
function store() {
  try { localStorage.setItem(storeName(), JSON.stringify(kept.map(({ word }) => ({ word })))); } catch { /* then only this page knows them */ }
}
function restoreWords() {
  for (const one of kept) {
    const moment = moments.find((other) => other.n === one.word.of);
    if (!moment) continue;
    one.was = { ...moment };
    remake(moment, one.word);
  }
}

// Everything that shows the moment, anew.
function redraw() {
  store();
  tape.drawn = null;
  fillList();
  showMoment(byId("moment"), moments[state.index]);
  go(state.ns, state.index);
  markInList(state.index);
  showPending();
}
