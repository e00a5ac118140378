// The chosen moment: what was ruled and why, the piles before and after, the pictures, the pads.
function showMoment(holder, moment) {
  if (!moment) {
    holder.replaceChildren(el("p", { class: "sentence" }, moments.length ? "Before the first moment." : "This log holds no moment to show."));
    return;
  }
  holder.replaceChildren(...[
    kicker(moment),
    el("p", { class: moment.dismissed && (!moment.was || moment.was === moment.sentence) ? "sentence dismissed" : "sentence" }, withCards(wordsOf(moment)), " ", moment.rule ? el("span", { class: "rule" }, `rule ${moment.rule}`) : null),
    game.rules[moment.rule] ? el("p", { class: "rule-text" }, game.rules[moment.rule]) : "",
    moment.was && moment.was !== moment.sentence ? el("p", {}, "before: ", el("span", { class: "was" }, withCards(moment.was))) : "",
    moment.dismissed && moment.kind === "corrected" ? el("p", {}, "This correction was taken back.") : "",
    correctionPanel(moment),
    ...(moment.duel ? [duelStrip(moment), filmStrip(moment), scene(moment)] : [scene(moment), filmStrip(moment)]),
    factsOf(moment),
    chancesOf(moment) || "",
  ].flat());
  holder.classList.toggle("void", Boolean(moment.dismissed));
  holder.classList.remove("fresh");
  void holder.offsetWidth;
  holder.classList.add("fresh");
}

function kicker(moment) {
  const side = sideOf(moment);
  const where = [moment.pile ? `pile ${moment.pile}` : "", timeline.deals.length > 1 ? `deal ${moment.deal || 1}` : ""].filter(Boolean);
  const mood = moment.dismissed ? "cannot_tell" : RULINGS[moment.ruling] ? moment.ruling : "legal";
  return el("div", { class: "kicker" },
    el("span", { class: `badge ${mood}` }, el("span", { "aria-hidden": "true" }, moment.dismissed ? "–" : glyphOf(moment)), moment.dismissed ? "does not stand" : kindWords(moment)),
    side === "unknown" ? "" : el("strong", { class: `${side}-ink` }, nameOf(side)),
    el("span", {}, where.join(", ")),
    el("span", { class: "when" }, clockText(moment.at_ns)),
    el("a", { href: `#n=${moment.n}`, title: "Copy this link to come back to this moment" }, "link"), correctionToggle(moment));
}

function scene(moment) {
  const isCard = isLanding(moment) || moment.kind === "taken_back";
  if (!isCard) return el("div", { class: "scene lone" }, pilesFigure("on the piles", moment.before));
  const pictured = photos(moment);
  return el("div", { class: pictured.length ? "scene with-photos" : "scene" },
    pilesFigure("before", moment.before), pilesFigure("after", moment.after, moment.pile, moment.ruling), ...pictured);
}

// The film around the event, picture under picture of the same width, over a ruler with what the pads measured.
function filmStrip(moment) {
  const shots = (moment.strip || []).filter((shot) => pictures[shot.name]);
  if (shots.length < 2) return "";
  const apart = (shot) => Math.round((shot.at_ns - moment.at_ns) / MS);
  const sign = (ms) => (ms > 0 ? `+${ms}` : ms < 0 ? `−${-ms}` : "0");
  const frames = shots.map((shot) => el("button", { class: "enlarge", title: "Enlarge", onclick: () => enlarge(pictures[shot.name], `${sign(apart(shot))} ms, at ${clockText(shot.at_ns)}`) },
    el("img", { class: "photo", src: pictures[shot.name], alt: `The piles ${Math.abs(apart(shot))} ms ${apart(shot) < 0 ? "before" : "after"}` }), el("span", { class: "small" }, `${sign(apart(shot))} ms`)));
  const what = isLanding(moment) ? "the touch" : "the first hand on the pad";
  const reel = el("div", { class: "film-reel" }, el("div", { class: "film-frames" }, frames), filmRuler(moment, shots));
  reel.style.minWidth = `${108 * shots.length}px`;
  return el("figure", { class: "film" }, el("figcaption", {}, `the camera's pictures around ${what}; exposed at the ticks`), el("div", { class: "film-scroll" }, reel));
}

// Half a picture's width is left on both sides, so that each tick stands under the middle of its picture.
function filmRuler(moment, shots) {
  const WIDTH = 140 * shots.length, first = shots[0].at_ns, last = shots.at(-1).at_ns;
  const x = (ns) => 70 + ((ns - first) / (last - first)) * (WIDTH - 140);
  const inside = (ns) => ns >= first && ns <= last;
  const edges = ((moment.duel && moment.duel.edges) || []).filter((edge) => inside(edge.start_ns));
  const doubt = isLanding(moment) && moment.early_ns !== undefined ? [svg("rect", { class: `doubt ${sideOf(moment)}`, x: x(Math.max(first, moment.early_ns)), width: Math.max(2, x(Math.min(last, moment.late_ns)) - x(Math.max(first, moment.early_ns))), y: 4, height: 14 })] : [];
  return svg("svg", { viewBox: `0 0 ${WIDTH} 40`, "aria-hidden": "true" },
    svg("line", { class: "lane", x1: x(first), x2: x(last), y1: 11, y2: 11 }),
    shots.map((shot) => svg("line", { class: "film-tick", x1: x(shot.at_ns), x2: x(shot.at_ns), y1: 5, y2: 17 })),
    doubt, inside(moment.at_ns) ? svg("line", { class: "film-event", x1: x(moment.at_ns), x2: x(moment.at_ns), y1: 0, y2: 22 }) : null,
    edges.map((edge) => svg("g", { class: sideOf(edge) }, svg("path", { class: "mark", d: `M${x(edge.start_ns)} 12l-6 12h12z` }), svg("text", { x: x(edge.start_ns), y: 37, "text-anchor": "middle" }, nameOf(sideOf(edge))))));
}

const pilesFigure = (words, piles, fresh, ruling) =>
  el("figure", {}, el("figcaption", {}, words), el("div", { class: "felt" }, drawPiles(piles, fresh, ruling)));

function photos(moment) {
  if (!moment.frame && !moment.frame_before) return [];
  return [["camera, before", moment.frame_before], ["camera, after", moment.frame]].map(([words, name]) => {
    const source = name ? pictures[name] : null;
    const picture = source
      ? el("button", { class: "enlarge", title: "Enlarge", onclick: () => enlarge(source, `${words}, ${clockText(moment.at_ns)}`) },
        el("img", { class: "photo", src: source, alt: `Picture of the piles ${words.split(", ")[1]} this card` }))
      : el("div", { class: "no-photo" }, !name ? "no picture was taken" : name in pictures ? "the picture is missing from the log" : "left out to keep this page small");
    return el("figure", {}, el("figcaption", {}, words), picture);
  });
}

function enlarge(source, words) {
  const dialog = el("dialog", { class: "large", "aria-label": words, onclick: () => dialog.close(), onclose: () => dialog.remove() },
    el("img", { src: source, alt: words }), el("p", {}, words, el("button", {}, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}

function factsOf(moment) {
  const touch = moment.late_ns !== undefined && moment.early_ns !== undefined ? (moment.late_ns - moment.early_ns) / 2 : null;
  const facts = [
    moment.p !== undefined && isLanding(moment) && moment.card !== "??" ? ["card, read by camera", el("span", {}, withCards(moment.card), ` with ${percent(moment.p)}`)] : null,
    moment.top ? ["on top of", withCards(moment.top)] : null,
    moment.since_ns !== undefined ? ["since the last landing", spanText(moment.since_ns)] : null,
    touch ? ["touch, by camera", `±${spanText(touch)}`] : null,
    moment.decided_ns > moment.at_ns + MS ? ["ruled", `${spanText(moment.decided_ns - moment.at_ns)} later`] : null,
    lasting(moment) ? ["lasted", spanText(lasting(moment))] : null,
    moment.reason && !isLanding(moment) && moment.reason !== wordsOf(moment) ? ["reason", moment.reason.replaceAll("_", " ")] : null,
  ].filter(Boolean);
  return el("dl", { class: "facts-list" }, facts.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}

function lasting(moment) {
  const kinds = { stuck: "stuck", paused: "paused", cannot_tell: "out_of_step" };
  const span = timeline.spans.find((one) => one.kind === kinds[moment.kind] && one.start_ns === moment.at_ns);
  return span && span.end_ns - span.start_ns;
}

// What lay there to be played, at a refused call or while nobody played; only the log of an ended deal says so.
function chancesOf(moment) {
  const drought = timeline.spans.find((span) => span.kind === "drought" && span.start_ns < moment.at_ns && span.end_ns === moment.at_ns);
  const chances = moment.chances || (drought && drought.chances);
  if (!moment.chances && !drought) return null;
  const title = moment.chances ? "What lay there to be played" : `Nobody played for ${spanText(drought.end_ns - drought.start_ns)} before this`;
  if (!chances) return el("div", { class: "chances" }, el("h3", {}, title), el("p", { class: "small" }, "The rows were not seen well enough to say more."));
  const shown = chances.slice(0, 8).map((chance) => el("li", {}, el("strong", { class: `${chance.player}-ink` }, nameOf(chance.player)), " had ", withCards(chance.card),
    ` for pile ${chance.pile}, open for ${spanText(chance.end_ns - chance.start_ns)}`));
  return el("div", { class: "chances" }, el("h3", {}, title), shown.length ? el("ul", {}, shown) : el("p", { class: "small" }, "No open card fitted, as far as the rows were seen."));
}

// The pads as an oscilloscope would show them: who touched first, by how much, and how sure that is.
function duelStrip(moment) {
  const duel = moment.duel;
  const edges = duel.edges || [];
  const margin = duel.margin_us ?? null;
  const words = margin === null ? "Only one hand was on the pads." :
    `${duel.first && duel.first !== "unknown" ? nameOf(duel.first) + " was first by" : "Apart by"} ${usText(margin)} ms` + (duel.uncertainty_us !== undefined ? `, known to ±${usText(duel.uncertainty_us)} ms` : "");
  const caption = el("figcaption", {}, el("strong", {}, words), " – measured by the pads");
  return el("figure", { class: "strip" }, caption, edges.length ? drawStrip(edges, margin, words) : el("p", { class: "small" }, "The log holds no pad edges here."));
}

function drawStrip(edges, margin, words) {
  const WIDTH = isNarrow() ? 370 : 760, LEFT = isNarrow() ? 62 : 96, RIGHT = WIDTH - 14;
  const first = Math.min(...edges.map((edge) => edge.start_ns));
  const lead = margin === null ? 50 * MS : Math.max(margin * 1000, 0.05 * MS);
  const from = first - lead * 0.6;
  const to = Math.max(first + lead * 2.2, Math.min(first + lead * 6, ...edges.map((edge) => edge.end_ns ?? Infinity)));
  const x = (ns) => Math.min(RIGHT, Math.max(LEFT, LEFT + ((ns - from) / (to - from)) * (RIGHT - LEFT)));
  const rows = [["p2", 34], ["p1", 94]];
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} 176`, role: "img", "aria-label": words });
  for (const [player, base] of rows) {
    const own = edges.filter((edge) => (edge.player || "unknown") === player || !edge.player);
    const top = base - 20, low = base + 16;
    const group = svg("g", { class: player }, svg("text", { class: "name", x: 2, y: base + 2 }, names[player].slice(0, isNarrow() ? 7 : 11)));
    let d = `M${LEFT} ${low}`;
    for (const edge of own) {
      const start = x(edge.start_ns), end = x(edge.end_ns ?? to);
      d += `H${start}V${top}H${end}` + (edge.end_ns !== undefined && edge.end_ns < to ? `V${low}` : "");
      const doubt = edge.uncertainty_ns || 0;
      group.append(svg("rect", { class: "fill", x: start, width: Math.max(0, end - start), y: top, height: low - top }),
        svg("rect", { class: "doubt", x: x(edge.start_ns - doubt), width: Math.max(1.5, x(edge.start_ns + doubt) - x(edge.start_ns - doubt)), y: top - 4, height: low - top + 8 }),
        svg("text", { x: start + 6, y: top + 15 }, `pad ${edge.pile}`));
    }
    if (!d.endsWith(`V${top}H${RIGHT}`)) d += `H${RIGHT}`;
    group.append(svg("path", { class: "pulse", d }));
    picture.append(group);
  }
  picture.append(...ruler(first, from, to, x), ...marginArrow(edges, margin, x));
  return picture;
}

function ruler(first, from, to, x) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].find((ms) => (to - from) / (ms * MS) <= (isNarrow() ? 5 : 9)) || 1000;
  const marks = [];
  for (let ms = 0; first + ms * MS <= to; ms = Math.round((ms + step) * 1000) / 1000) {
    const at = x(first + ms * MS);
    marks.push(svg("line", { class: "tick", x1: at, x2: at, y1: 10, y2: 150 }), svg("text", { class: "faint", x: at, y: 170, "text-anchor": "middle" }, ms === 0 ? "0 ms" : `${ms}`));
  }
  return marks;
}

function marginArrow(edges, margin, x) {
  if (margin === null) return [];
  const first = Math.min(...edges.map((edge) => edge.start_ns));
  const from = x(first), to = x(first + margin * 1000), y = 134;
  if (to - from < 3) return [];
  return [svg("line", { class: "measure", x1: from, x2: to, y1: y, y2: y }), svg("path", { class: "arrow", d: `M${to} ${y}l-8 -4v8z` }),
    svg("path", { class: "arrow", d: `M${from} ${y}l8 -4v8z` }), svg("text", { x: (from + to) / 2, y: y - 6, "text-anchor": "middle" }, `${usText(margin)} ms`)];
}

// What the timeline's signs mean, drawn by the same code that draws them there.
function showSigns(holder) {
  const signs = [
    [{ kind: "play", ruling: "legal" }, "a legal play"], [{ kind: "spit", ruling: "legal" }, "a spit card"],
    [{ kind: "play", ruling: "illegal" }, "illegal: the card has to go back"],
    [{ kind: "play", ruling: "beaten" }, "beaten by another card: no fault"],
    [{ kind: "play", ruling: "cannot_tell" }, "the referee cannot tell"],
    [{ kind: "slap", ruling: "legal" }, "a slap that counts"], [{ kind: "slap" }, "a touch that does not"], [{ kind: "row", ruling: "legal" }, "a card turned up or moved in the row"],
    [{ kind: "play", ruling: "legal", was: "x" }, "corrected, or read better later"],
  ];
  holder.replaceChildren(...signs.flatMap(([moment, words]) => [
    svg("svg", { viewBox: "0 0 26 26", "aria-hidden": "true" }, drawMark({ player: "p1", at_ns: 0, ...moment }, 13, { p1: 13, p2: 13 })), el("span", {}, words)]));
}
