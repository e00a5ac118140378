"use strict";
// The connection that every page has: news as they come, and the word "not connected" when they stop.

const SILENT_MS = 2500, CHECK_MS = 250, AGAIN_MS = 2000;
const KINDS = ["state", "beat", "phase", "top", "places", "pad", "line", "step", "trouble"];
const hearers = {};
let source = null, heardMs = Date.now(), triedMs = 0, isConnected = null;

const byId = id => document.getElementById(id);
const sentence = words => words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");
const pause = ms => new Promise(done => setTimeout(done, ms));

function hear(kind, what) { (hearers[kind] ??= []).push(what); }

function connect() {
  source?.close();
  triedMs = Date.now();
  source = new EventSource("/news");
  for (const kind of KINDS) source.addEventListener(kind, event => {
    heardMs = Date.now();
    if (kind === "state") setConnected(true);
    const data = JSON.parse(event.data);
    for (const what of hearers[kind] ?? []) what(data);
  });
}

function setConnected(yes) {
  if (yes === isConnected) return;
  isConnected = yes;
  byId("lost").hidden = yes;
  document.documentElement.classList.toggle("is-lost", !yes);
  for (const node of document.querySelectorAll("[data-acts]")) node.inert = !yes;  // no tap on what is old
}

async function check() {
  const now = Date.now();
  if (now - heardMs < SILENT_MS) return;
  setConnected(false);
  if (now - triedMs < AGAIN_MS) return;
  connect();
  const answer = await fetch("/state", { signal: AbortSignal.timeout(1500) }).catch(() => null);
  if (answer?.status === 401) location.assign("/sign-in");
}

// Tell the referee something; returns what it answers, with `ok` and perhaps `error`.
async function post(address, values) {
  const csrf = document.querySelector("meta[name=csrf]").content;
  try {
    const answer = await fetch(address, {
      method: "POST", body: JSON.stringify(values), signal: AbortSignal.timeout(15000),
      headers: { "content-type": "application/json", "x-csrf-token": csrf },
    });
    return { ...await answer.json().catch(() => ({})), ok: answer.ok, status: answer.status };
  } catch { return { ok: false, error: "the referee does not answer" }; }
}

// The same, with a word to the person if it failed.
async function tell(address, values) {
  const answer = await post(address, values);
  if (!answer.ok) say(answer.error ?? "that did not work");
  return answer;
}

let saying = 0;
function say(sentence) {
  const said = byId("said");
  said.textContent = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  clearTimeout(saying);
  saying = setTimeout(() => { said.textContent = ""; }, 6000);
}

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
function cardWords(card) {
  if (!card) return "";
  if (card === "down") return "▒";
  const suit = SUITS[card.slice(-1)];
  return suit && card !== "??" ? card.slice(0, -1) + suit : card;
}
const cardsIn = words => words.replace(/\b(?:10|[2-9AJQK])[SHDC]\b/g, cardWords);
const isRed = card => /[HD]$/.test(card ?? "");

// Not before every script of the page is there: the first news is the whole state, and nobody would hear it.
if (!document.querySelector("[data-no-news]")) document.addEventListener("DOMContentLoaded", () => {
  heardMs = Date.now();
  connect();
  setInterval(check, CHECK_MS);
  document.addEventListener("visibilitychange", check);
  addEventListener("pageshow", check);
  addEventListener("online", check);
});
