// Playback, keys, the list, the link to a moment. One state, one place that changes it: `go`.
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];
const IDLE_NS = 2 * S; // with "skip pauses": no more than this before the next moment
const byId = (id) => document.getElementById(id);
const state = { ns: 0, index: null, playing: false, speed: 1, skipping: true, last: 0 };

function go(ns, index) {
  state.ns = Math.min(Math.max(0, ns), timeline.length_ns);
  const chosen = index ?? indexAt(moments, state.ns);
  const isNew = chosen !== state.index;
  state.index = chosen;
  const shown = calm.matches && state.playing && moments[chosen] ? moments[chosen].at_ns : state.ns;
  tape.show(shown, chosen);
  overview.show(shown, (tape.width / tape.perSecond) * S);
  byId("clock").value = clockText(state.ns);
  if (isNew) arrive(chosen);
}

function arrive(index) {
  byId("moment").setAttribute("aria-live", state.playing && state.speed > 0.5 ? "off" : "polite");
  showMoment(byId("moment"), moments[index]);
  markInList(index);
  if (!state.playing) remember();
}

const choose = (index) => { pause(); if (moments[index]) go(moments[index].at_ns, index); };
const seek = (ns) => { pause(); go(ns); };

function step(direction) {
  const index = (state.index ?? -1) + direction;
  if (index >= 0 && index < moments.length) choose(index);
}
function nextOf(isWanted, direction) {
  for (let index = state.index + direction; index >= 0 && index < moments.length; index += direction) {
    if (isWanted(moments[index])) return choose(index);
  }
  byId("clock").value = "no more";
  return setTimeout(() => { byId("clock").value = clockText(state.ns); }, 900);
}

function play() {
  if (state.ns >= timeline.length_ns) go(0);
  state.playing = true;
  state.last = performance.now();
  showPlaying();
  requestAnimationFrame(tick);
}
function pause() {
  if (!state.playing) return;
  state.playing = false;
  showPlaying();
  remember();
}
function showPlaying() {
  byId("play").setAttribute("aria-pressed", String(state.playing));
  byId("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
}

function tick(now) {
  if (!state.playing) return;
  let ns = state.ns + Math.min(250, now - state.last) * MS * state.speed;
  state.last = now;
  const next = moments[indexAt(moments, state.ns) + 1];
  if (state.skipping && next && next.at_ns - ns > IDLE_NS && ns - (moments[state.index]?.at_ns ?? -Infinity) > IDLE_NS / 2) ns = next.at_ns - IDLE_NS / 2;
  if (ns >= timeline.length_ns) { go(timeline.length_ns); pause(); return; }
  go(ns);
  requestAnimationFrame(tick);
}

function setSpeed(speed) {
  state.speed = speed;
  byId("speed").value = String(speed);
}

// --- the list: one deal at a time, or all disputes, so that a long game stays light
let listed = [];
function fillList() {
  const filter = byId("filter").value;
  const isListed = filter === "disputes" ? isDispute : filter === "slaps" ? (moment) => isDuel(moment) || moment.kind === "slap" : (moment) => String(moment.deal || 1) === filter;
  listed = moments.map((moment, index) => [moment, index]).filter(([moment]) => isListed(moment));
  byId("moments").replaceChildren(...listed.map(([moment, index]) => el("li", {}, el("button", { "data-index": index, onclick: () => choose(index) },
    el("span", { class: "at" }, clockText(moment.at_ns)),
    el("span", { class: `glyph ${moment.ruling || ""} ${sideOf(moment)}-ink`.trim(), "aria-hidden": "true" }, glyphOf(moment)),
    el("span", { class: HEADLINES.has(moment.kind) ? "headline" : "" }, withCards(wordsOf(moment)))))));
  if (!listed.length) byId("moments").replaceChildren(el("li", { class: "note small" }, "None in this game."));
}

function markInList(index) {
  const filter = byId("filter");
  const moment = moments[index];
  if (moment && /^\d+$/.test(filter.value) && filter.value !== String(moment.deal || 1)) {
    filter.value = String(moment.deal || 1);
    fillList();
  }
  byId("moments").querySelector('[aria-current="true"]')?.removeAttribute("aria-current");
  const button = byId("moments").querySelector(`[data-index="${index}"]`);
  if (!button) return;
  button.setAttribute("aria-current", "true");
  requestAnimationFrame(() => intoView(button)); // once the list has its size
}

// Scrolls only the list, never the page.
function intoView(button) {
  const box = byId("moments");
  const below = button.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (below < 40 || below > box.clientHeight - 80) box.scrollTop += below - box.clientHeight / 2;
}

// --- the address: #t=83.4 in seconds, or #n=117 as the log numbers it, with &correct to put it right at once
function remember() {
  const moment = moments[state.index];
  const mark = moment && moment.at_ns === state.ns ? `#n=${moment.n}` : `#t=${(state.ns / S).toFixed(2)}`;
  try { history.replaceState(null, "", mark); } catch { /* some viewers show files without an address */ }
}
function followAddress() {
  const time = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash);
  const number = /^#n=(\d+)(&correct)?$/.exec(location.hash);
  if (time) return go(Number(time[1]) * S);
  const index = number ? moments.findIndex((moment) => moment.n === Number(number[1])) : -1;
  if (index >= 0) {
    go(moments[index].at_ns, index);
    if (number[2] && canCorrect(moments[index])) openCorrection(moments[index]);
    return null;
  }
  return moments.length ? go(moments[0].at_ns, 0) : go(0, -1);
}

const KEYS = {
  ArrowLeft: () => step(-1), ArrowRight: () => step(1),
  Home: () => choose(0), End: () => choose(moments.length - 1),
  n: () => nextOf(isDispute, 1), N: () => nextOf(isDispute, -1),
  s: () => nextOf(isDuel, 1), S: () => nextOf(isDuel, -1),
  " ": () => (state.playing ? pause() : play()),
  p: () => { byId("skipping").click(); },
  c: () => { const moment = moments[state.index]; if (moment && canCorrect(moment)) openCorrection(moment); },
  k: () => openCount(),
  "+": () => { tape.rezoom(1); go(state.ns, state.index); }, "-": () => { tape.rezoom(-1); go(state.ns, state.index); },
  0: () => setSpeed(0.1), 1: () => setSpeed(1), 2: () => setSpeed(2), 4: () => setSpeed(4), 5: () => setSpeed(0.5), 8: () => setSpeed(8),
};

function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input[type=number]") || document.querySelector("dialog")) return;
    if (event.key === " " && event.target.matches("button, summary, input, a")) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  byId("previous").onclick = () => step(-1);
  byId("next").onclick = () => step(1);
  byId("play").onclick = () => KEYS[" "]();
  byId("dispute").onclick = () => KEYS.n();
  byId("slap").onclick = () => KEYS.s();
  byId("in").onclick = () => KEYS["+"]();
  byId("out").onclick = () => KEYS["-"]();
  byId("speed").onchange = (event) => setSpeed(Number(event.target.value));
  byId("skipping").onchange = (event) => { state.skipping = event.target.checked; };
  byId("filter").onchange = (event) => {
    fillList();
    const isDeal = /^\d+$/.test(event.target.value);
    if (isDeal && listed.length && String(moments[state.index]?.deal || 1) !== event.target.value) choose(listed[0][1]);
    else markInList(state.index);
  };
  addEventListener("hashchange", followAddress);
}

byId("speed").append(...SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
byId("filter").append(...timeline.deals.map((deal) => el("option", { value: deal.number }, `deal ${deal.number}`)),
  el("option", { value: "disputes" }, `disputes (${disputes.size})`), el("option", { value: "slaps" }, "slaps"));
const overview = new Overview(byId("overview"), seek);
const tape = new Tape(byId("tape"), seek, choose);
restoreWords();
showSigns(byId("signs"));
showPending();
listen();
fillList();
showFigures(byId("figures"));
followAddress();
