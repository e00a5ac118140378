// The timeline: a tape that runs under a fixed playhead, and the whole game in small below it.
// Player 2 sits at the top of the table and of the tape, player 1 at the bottom; between them the two piles.
const LANES = { p2: 44, B: 84, A: 140, p1: 186 };
const TRACK_HEIGHT = 40;
const ZOOMS = [6, 12, 24, 45, 90, 180, 400, 1000];

// A span of time as a band, told from others by its rhythm as well as its colour: one thick dashed line.
function band(kind, x, width, y, height, ...inside) {
  return svg("line", { class: `band ${kind}`, x1: x, x2: x + width, y1: y + height / 2, y2: y + height / 2, "stroke-width": height }, ...inside);
}

class Tape {
  constructor(holder, seek, choose) {
    this.holder = holder;
    this.choose = choose;
    this.zoom = 3;
    this.ns = 0;
    this.drawn = null;
    this.root = svg("svg", { role: "img", "aria-label": "Timeline of both players and both piles; the list of moments says the same in words" });
    this.moving = svg("g");
    this.fixed = svg("g");
    this.root.append(this.moving, this.fixed);
    holder.append(this.root);
    this.listen(seek);
    new ResizeObserver(() => this.resize()).observe(holder);
    this.resize();
  }

  get perSecond() { return ZOOMS[this.zoom]; }
  x(ns) { return (ns / S) * this.perSecond; }

  listen(seek) {
    let held = null;
    this.holder.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, ns: this.ns, moved: false, id: event.pointerId };
    });
    this.holder.addEventListener("pointermove", (event) => {
      if (!held) return;
      const dx = event.clientX - held.x;
      if (!held.moved && Math.abs(dx) > 4) {
        held.moved = true;
        this.holder.setPointerCapture(held.id);
        this.holder.classList.add("held");
      }
      if (held.moved) seek(held.ns - (dx / this.perSecond) * S);
    });
    const release = (event) => {
      if (held && !held.moved && event.type === "pointerup") this.press(event);
      held = null;
      this.holder.classList.remove("held");
    };
    this.holder.addEventListener("pointerup", release);
    this.holder.addEventListener("pointercancel", release);
    this.holder.addEventListener("wheel", (event) => {
      const dx = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
      if (!dx) return;
      event.preventDefault();
      seek(this.ns + (dx / this.perSecond) * S);
    }, { passive: false });
  }

  // The nearest moment to where the tape was pressed, in time and in height.
  press(event) {
    const box = this.holder.getBoundingClientRect();
    const ns = this.ns + ((event.clientX - box.left - box.width / 2) / this.perSecond) * S;
    const y = event.clientY - box.top;
    const reach = (26 / this.perSecond) * S;
    let best = null;
    for (let i = indexAt(moments, ns - reach) + 1; i < moments.length && moments[i].at_ns <= ns + reach; i++) {
      const dx = ((moments[i].at_ns - ns) / S) * this.perSecond;
      const heights = [LANES[sideOf(moments[i])], moments[i].pile ? LANES[moments[i].pile] : null].filter(Boolean);
      const dy = heights.length ? Math.min(...heights.map((height) => Math.abs(height - y))) : 30;
      const distance = Math.hypot(dx, dy * 0.4);
      if (!best || distance < best.distance) best = { distance, i };
    }
    if (best && best.distance < 34) this.choose(best.i);
  }

  resize() {
    this.width = Math.max(200, this.holder.clientWidth);
    this.height = this.holder.clientHeight || 238;
    this.root.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.drawFixed();
    this.drawn = null;
    this.show(this.ns, this.index);
  }

  rezoom(step) {
    this.zoom = Math.min(ZOOMS.length - 1, Math.max(0, this.zoom + step));
    this.drawn = null;
    this.show(this.ns, this.index);
  }

  drawFixed() {
    const middle = this.width / 2;
    this.fixed.replaceChildren(
      svg("rect", { class: "gutter", width: 24, height: this.height }),
      svg("line", { class: "playhead", x1: middle, x2: middle, y1: 18, y2: this.height }),
      svg("path", { class: "head-knob", d: `M${middle - 6} 14h12l-6 8z` }),
      svg("text", { class: "name p2 label", x: 12, y: LANES.p2 - 14 }, names.p2),
      svg("text", { class: "name p1 label", x: 12, y: LANES.p1 + 22 }, names.p1),
      ...["B", "A"].map((pile) => svg("text", { class: "faint name", x: 12, y: LANES[pile] + 5, "text-anchor": "middle" }, pile)));
  }

  // Draws the surroundings once and then only moves them: a frame of playback costs one attribute.
  show(ns, index) {
    this.ns = ns;
    const reach = (this.width / this.perSecond) * S;
    const isInside = this.drawn && ns - reach / 2 >= this.drawn.from && ns + reach / 2 <= this.drawn.to;
    if (!isInside || this.index !== index) {
      this.index = index;
      this.drawn = { from: ns - 1.5 * reach, to: ns + 1.5 * reach };
      this.origin = this.drawn.from;
      this.moving.replaceChildren(...this.drawMoving());
    }
    this.moving.setAttribute("transform", `translate(${this.width / 2 - this.x(ns - this.origin)} 0)`);
  }

  drawMoving() {
    const { from, to } = this.drawn;
    const x = (ns) => this.x(ns - this.origin);
    const wide = x(to);
    const spans = timeline.spans.filter((span) => span.end_ns >= from && span.start_ns <= to);
    const first = indexAt(moments, from) + 1;
    const last = indexAt(moments, to);
    const inside = moments.slice(first, last + 1);
    return [
      ...["B", "A"].map((pile) => svg("rect", { class: "pile-track", x: 0, width: wide, y: LANES[pile] - TRACK_HEIGHT / 2, height: TRACK_HEIGHT })),
      ...["p1", "p2"].map((player) => svg("line", { class: "lane", x1: 0, x2: wide, y1: LANES[player], y2: LANES[player] })),
      ...this.drawScale(from, to, x),
      ...spans.map((span) => this.drawSpan(span, x)),
      ...inside.filter((moment) => ["deal_over", "next_deal", "game_over", "stuck", "paused"].includes(moment.kind)).map((moment) => this.drawBorder(moment, x(moment.at_ns))),
      ...inside.filter((moment) => moment.pile && moment.card).map((moment) => this.drawMini(moment, x(moment.at_ns))),
      ...quiet.slice(indexAt(quiet, from) + 1, indexAt(quiet, to) + 1).map((moment) => drawMark(moment, x(moment.at_ns), LANES)),
      ...inside.map((moment) => drawMark(moment, x(moment.at_ns), LANES)),
      this.drawChosen(x),
    ].filter(Boolean);
  }

  drawScale(from, to, x) {
    const step = [0.05, 0.1, 0.5, 1, 2, 5, 10, 30].find((seconds) => seconds * this.perSecond >= 62) || 60;
    const ticks = [];
    for (let s = Math.max(0, Math.ceil(from / S / step) * step); s * S <= to; s += step) {
      const text = step < 1 ? clockText(Math.round(s * S)) : shortClock(Math.round(s * S));
      ticks.push(svg("line", { class: "tick", x1: x(s * S), x2: x(s * S), y1: 24, y2: this.height }),
        svg("text", { class: "faint", x: x(s * S) + 4, y: 14 }, text));
    }
    return ticks;
  }

  drawSpan(span, x) {
    const width = Math.max(2, x(span.end_ns) - x(span.start_ns));
    const thin = span.kind === "drought";
    const title = svg("title", {}, span.kind === "drought" ? `nobody played for ${spanText(span.end_ns - span.start_ns)}` : span.reason || span.kind);
    return band(span.kind, x(span.start_ns), width, thin ? LANES.A + 24 : 24, thin ? 3 : this.height - 24, title);
  }

  drawBorder(moment, x) {
    const word = { deal_over: "out", next_deal: `deal ${moment.deal || 1}`, game_over: "end", stuck: "stuck", paused: "paused" }[moment.kind];
    return svg("g", {}, svg("line", { class: "border", x1: x, x2: x, y1: 22, y2: this.height }), svg("text", { x: x + 4, y: this.height - 5, class: "faint" }, word));
  }

  drawMini(moment, x) {
    if (moment.kind !== "play" && moment.kind !== "spit") return null;
    const y = LANES[moment.pile];
    const isOff = moment.ruling === "illegal" || moment.ruling === "beaten" || moment.dismissed;
    const stem = LANES[sideOf(moment)] ? svg("line", { class: `stem ${sideOf(moment)}`, x1: x, x2: x, y1: LANES[sideOf(moment)], y2: y }) : null;
    if (this.perSecond < 20) return svg("g", {}, svg("line", { class: `stem ${sideOf(moment)}`, x1: x, x2: x, y1: y - 12, y2: y + 12 }));
    return svg("g", {}, stem,
      svg("rect", { class: isOff ? "mini mini-off" : "mini", x: x - 15, y: y - 11, width: 30, height: 22, rx: 4 }),
      svg("text", { class: isRed(moment.card) ? "mini-text red" : "mini-text", x, y: y + 4.5 }, cardSign(moment.card)));
  }

  drawChosen(x) {
    const moment = moments[this.index];
    if (!moment || !LANES[sideOf(moment)]) return null;
    return svg("circle", { class: "chosen-ring", cx: x(moment.at_ns), cy: LANES[sideOf(moment)], r: 11 });
  }
}

// A ruling by its shape as well as its colour: disc, hatched diamond with a cross, slashed ring, square with "?".
function drawMark(moment, x, lanes) {
  const y = lanes[sideOf(moment)] ?? (moment.pile ? (lanes.p1 + lanes.p2) / 2 : null);
  if (y === null) return null;
  const title = svg("title", {}, `${clockText(moment.at_ns)} ${wordsOf(moment)}`);
  const shape = moment.kind === "slap" ? slapShape(moment, x, y) : isLanding(moment) ? landingShape(moment, x, y) : otherShape(moment, x, y);
  if (!shape) return null;
  const struck = moment.dismissed || moment.was ? svg("line", { class: "struck", x1: x - 9, x2: x + 9, y1: y, y2: y }) : null;
  return svg("g", { class: `hit ${sideOf(moment)}` }, title, shape, struck);
}

function landingShape(moment, x, y) {
  switch (moment.ruling) {
    case "illegal":
      return svg("g", { class: "illegal" }, svg("path", { class: "diamond", d: `M${x} ${y - 9}L${x + 9} ${y}L${x} ${y + 9}L${x - 9} ${y}Z` }),
        svg("path", { class: "hatch", d: `M${x - 5.5} ${y - 2.5}l8 8M${x - 2.5} ${y - 5.5}l8 8` }),
        svg("path", { class: "cross", d: `M${x - 3} ${y - 3}l6 6m0 -6l-6 6` }));
    case "beaten":
      return svg("g", { class: "beaten" }, svg("circle", { class: "hollow", cx: x, cy: y, r: 6 }), svg("line", { class: "slash", x1: x - 6, y1: y + 6, x2: x + 6, y2: y - 6 }));
    case "cannot_tell":
      return svg("g", { class: "unsure" }, svg("rect", { class: "mark", x: x - 8, y: y - 8, width: 16, height: 16, rx: 3 }), svg("text", { class: "sign", x, y: y + 4 }, "?"));
    case "legal":
      return moment.kind === "spit" ? svg("rect", { class: "mark", x: x - 6, y: y - 6, width: 12, height: 12, rx: 2 }) : svg("circle", { class: "mark", cx: x, cy: y, r: 6 });
    default:
      return svg("circle", { class: "hollow", cx: x, cy: y, r: 4 });
  }
}

function slapShape(moment, x, y) {
  const up = sideOf(moment) === "p2" ? 1 : -1; // a hand points from its owner to the piles
  const d = `M${x} ${y + 9 * up}L${x - 8} ${y - 6 * up}L${x + 8} ${y - 6 * up}Z`;
  if (moment.ruling === "false_slap") return svg("path", { class: "hollow illegal", d });
  return svg("path", { class: moment.ruling === "legal" ? "mark" : "hollow", d });
}

function otherShape(moment, x, y) {
  if (moment.kind === "row") return svg("rect", { class: "move", x: x - 1, y: y - 4, width: 2, height: 8 });
  const glyph = { taken_back: "↩", award: "★", breach: "✕", called: "!", corrected: "✎" }[moment.kind];
  return glyph ? svg("text", { x, y: y + (moment.kind === "award" ? -10 : 5), "text-anchor": "middle", size: 15 }, glyph) : null;
}

// The whole game at a glance; drawn once, only the window over it moves.
class Overview {
  constructor(holder, seek) {
    this.holder = holder;
    this.length = Math.max(1, timeline.length_ns);
    this.view = svg("rect", { class: "view", y: 1, height: 50, rx: 3 });
    this.root = svg("svg", { viewBox: "0 0 1000 52", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.root.append(...this.draw(), this.view);
    holder.append(this.root);
    const go = (event) => {
      const box = holder.getBoundingClientRect();
      seek(((event.clientX - box.left) / box.width) * this.length);
    };
    let held = false;
    holder.addEventListener("pointerdown", (event) => { held = true; holder.setPointerCapture(event.pointerId); go(event); });
    holder.addEventListener("pointermove", (event) => held && go(event));
    for (const end of ["pointerup", "pointercancel"]) holder.addEventListener(end, () => { held = false; });
  }

  draw() {
    const x = (ns) => (ns / this.length) * 1000;
    const ticks = { p1: "", p2: "", bad: "", odd: "" };
    for (const moment of moments) {
      if (!isLanding(moment)) continue;
      const at = x(moment.at_ns).toFixed(1);
      if (moment.ruling === "illegal") ticks.bad += `M${at} 4V48`;
      else if (isDispute(moment)) ticks.odd += `M${at} 4V48`;
      else if (sideOf(moment) === "p2") ticks.p2 += `M${at} 8V24`;
      else ticks.p1 += `M${at} 28V44`;
    }
    const path = (d, kind, width) => svg("path", { d, class: kind, stroke: "currentColor", "stroke-width": width, fill: "none", "vector-effect": "non-scaling-stroke", opacity: .8 });
    return [
      ...timeline.spans.filter((span) => span.kind !== "drought").map((span) => band(span.kind, x(span.start_ns), Math.max(1, x(span.end_ns) - x(span.start_ns)), 0, 52)),
      ...timeline.deals.slice(1).map((deal) => svg("line", { class: "border", x1: x(deal.start_ns), x2: x(deal.start_ns), y2: 52, "vector-effect": "non-scaling-stroke" })),
      path(ticks.p2, "p2", 1.2), path(ticks.p1, "p1", 1.2), path(ticks.odd, "beaten", 2), path(ticks.bad, "illegal", 2),
    ];
  }

  show(ns, reachNs) {
    const width = Math.max(6, (reachNs / this.length) * 1000);
    this.view.setAttribute("x", (ns / this.length) * 1000 - width / 2);
    this.view.setAttribute("width", width);
  }
}
