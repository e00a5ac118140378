// What everything else uses: the game's data, making elements, words. Text from the game is only ever set as text.
const game = JSON.parse(document.getElementById("game").textContent);
const { timeline, statistics, names, pictures } = game;
// Moments to step through. What is part of every game and no question to anybody is drawn, but not stepped on.
const isQuiet = (moment) => (moment.kind === "row" && moment.ruling === "legal") || (moment.kind === "slap" && !moment.ruling);
const moments = timeline.moments.filter((moment) => !isQuiet(moment));
const quiet = timeline.moments.filter(isQuiet);
const SVG = "http://www.w3.org/2000/svg";
const MS = 1e6;
const S = 1e9;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "size") node.style.fontSize = `${value}px`; // the style sheet would outdo an attribute
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child !== null && child !== undefined && child !== false && child !== "") node.append(child);
  }
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const isRed = (card) => card.endsWith("H") || card.endsWith("D");
const isSuited = (card) => /^(10|[2-9AJQK])[SHDC]$/.test(card);

function cardSign(card) {
  if (isSuited(card)) return card.slice(0, -1) + SUITS[card.slice(-1)];
  return card === "??" ? "?" : "★";
}

// A sentence with its cards as signs, the red ones red.
function withCards(sentence) {
  return sentence.split(/\b((?:10|[2-9AJQK])[SHDC])\b/).map((part, index) =>
    index % 2 === 0 ? part : el("span", { class: isRed(part) ? "card red" : "card" }, cardSign(part)));
}

function clockText(ns) {
  const hundredths = Math.max(0, Math.floor(ns / 1e7));
  const minutes = Math.floor(hundredths / 6000);
  const rest = hundredths % 6000;
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  const lead = minutes < 60 ? `${minutes}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
  return `${lead}:${two(rest / 100)}.${two(rest % 100)}`;
}
const shortClock = (ns) => clockText(ns).replace(/\.\d\d$/, "");

function spanText(ns) {
  if (ns === null || ns === undefined) return "–";
  if (ns < S) return `${Math.round(ns / MS)} ms`;
  return ns < 60 * S ? `${(ns / S).toFixed(ns < 10 * S ? 2 : 1)} s` : `${shortClock(ns)} min`;
}
function usText(us) {
  return us >= 100000 ? (us / 1000).toFixed(0) : us >= 1000 ? (us / 1000).toFixed(1) : (us / 1000).toFixed(2);
}
const percent = (p) => (p > 0.9994 ? "more than 99.9 %" : `${(p * 100).toFixed(p > 0.99 ? 1 : 0)} %`);
const nameOf = (player) => names[player] || "somebody";

const RULINGS = {
  legal: "legal", illegal: "illegal", beaten: "beaten, no fault", cannot_tell: "cannot tell",
  ignored: "does not count", false_slap: "too early",
};
const GLYPHS = { legal: "●", illegal: "✕", beaten: "○", cannot_tell: "?", ignored: "▽", false_slap: "▼" };
const KINDS = {
  play: "play", spit: "spit card", taken_back: "taken back", left_lying: "left lying", row: "in the row", breach: "breach",
  slap: "slap", dead_heat: "too close", award: "slap decided", called: "call", stuck: "stuck", not_stuck: "not stuck",
  spit_call: "spit", deal_over: "deal over", next_deal: "next deal", game_over: "game over", cannot_tell: "lost the thread",
  back_in_step: "back in step", paused: "paused", resumed: "play goes on", corrected: "correction", undo: "undone",
  continued: "started again",
};
const KIND_GLYPHS = {
  taken_back: "↩", slap: "▲", dead_heat: "=", award: "★", stuck: "▒", not_stuck: "!", spit_call: "»", deal_over: "■",
  next_deal: "□", game_over: "★", cannot_tell: "?", paused: "‖", resumed: "▸", corrected: "✎", undo: "↶", breach: "✕",
  called: "!", left_lying: "✕", continued: "↻",
};
const HEADLINES = new Set(["stuck", "deal_over", "award", "next_deal", "game_over", "dead_heat", "paused"]);
const isLanding = (moment) => moment.kind === "play" || moment.kind === "spit";
const disputes = new Set(game.disputes);
const isDispute = (moment) => disputes.has(moment.n);
const isDuel = (moment) =>
  moment.kind === "award" || moment.kind === "dead_heat" || (moment.kind === "slap" && moment.ruling === "false_slap");
const kindWords = (moment) => RULINGS[isLanding(moment) || moment.kind === "slap" ? moment.ruling : ""] || KINDS[moment.kind];
const glyphOf = (moment) =>
  isLanding(moment) ? GLYPHS[moment.ruling] || "·" : moment.ruling === "false_slap" ? "▼" : KIND_GLYPHS[moment.kind] || "·";
const sideOf = (moment) => moment.player || "unknown"; // defaults are left out of the data
function wordsOf(moment) {
  const said = moment.sentence || KINDS[moment.kind];
  const isNameless = isLanding(moment) && moment.ruling === "cannot_tell" && moment.card !== "??" && !said.includes(moment.card);
  return isNameless ? `${moment.card}: ${said}` : said;
}
const isNarrow = () => innerWidth < 600;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// The last index whose time is not after `ns`, -1 before the first.
function indexAt(list, ns, timeOf = (item) => item.at_ns) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(list[middle]) <= ns) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
