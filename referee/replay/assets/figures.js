// How they played: one table read from the middle outwards, and three plots of the same numbers.
function showFigures(holder) {
  const parts = [["the whole game", statistics.game], ...statistics.deals.map((deal) => [`deal ${deal.deal}`, deal])];
  const pick = el("select", { id: "part" }, parts.map(([words], index) => el("option", { value: index }, words)));
  const body = el("div", { class: "columns" });
  const draw = () => body.replaceChildren(scoreTable(parts[pick.value][1]), el("div", {}, plots(parts[pick.value][1])));
  pick.addEventListener("change", draw);
  const ended = statistics.deals.length;
  holder.replaceChildren(
    el("div", { class: "figures-head" }, el("h2", {}, "How they played"), ended > 1 ? el("label", { class: "pick" }, "over ", pick) : ""),
    ended ? body : el("p", {}, "Figures are shown once a deal has ended."));
  if (ended) draw();
}

const plotWidth = () => (isNarrow() ? 358 : 600);
const median = (sample) =>
  sample.median_ns === null || sample.median_ns === undefined ? "–" : [spanText(sample.median_ns), " ", el("span", { class: "count" }, `of ${sample.count}`)];

function scoreTable(figures) {
  const { p1, p2 } = figures.players;
  const rows = [
    ["legal plays", (one) => one.plays],
    ["plays a minute", (one) => (one.per_minute === null ? "–" : one.per_minute.toFixed(1))],
    ["from play to play, median", (one) => median(one.between)],
    ["reaction to a new top, median", (one) => median(one.reaction)],
    ["best reaction", (one) => spanText(one.reaction.shortest_ns)],
    ["longest drought", (one) => spanText(one.longest_drought_ns)],
    ["slaps won", (one) => one.slaps_won],
    ["smallest lead", (one) => (one.margins_us.length ? `${usText(Math.min(...one.margins_us))} ms` : "–")],
    ["illegal", (one) => one.illegal],
    ["beaten, no fault", (one) => one.beaten],
    ["could not be told", (one) => one.unsure],
    ["other breaches", (one) => one.breaches],
    ["slaps too early", (one) => one.false_slaps],
  ];
  return el("table", { class: "score" },
    el("caption", { class: "hidden" }, "Figures of both players"),
    el("thead", {}, el("tr", {}, el("th", { class: "p1-ink", scope: "col" }, names.p1), el("td", {}), el("th", { class: "p2-ink", scope: "col" }, names.p2))),
    el("tbody", {}, rows.map(([words, value]) => el("tr", {}, el("td", {}, value(p1)), el("th", { scope: "row" }, words), el("td", {}, value(p2))))));
}

function plots(figures) {
  return [tempoPlot(figures), samplePlot("Reaction to a new top", figures, (one) => one.reaction.values_ns, S, "s"),
    samplePlot("Lead at the slaps won", figures, (one) => one.margins_us.map((us) => us * 1000), MS, "ms")].filter(Boolean);
}

// Legal plays over time, player 2 upwards and player 1 downwards, as they sit.
function tempoPlot(figures) {
  const deal = figures.deal === null ? null : timeline.deals.find((one) => one.number === figures.deal);
  const bin = statistics.tempo_bin_ns;
  const from = deal ? Math.floor(deal.start_ns / bin) : 0;
  const to = deal ? Math.ceil(deal.end_ns / bin) : statistics.tempo.p1.length;
  const most = Math.max(1, ...statistics.tempo.p1, ...statistics.tempo.p2);
  const width = plotWidth();
  const step = width / Math.max(1, to - from);
  const bars = ["p1", "p2"].map((player) => svg("g", { class: player }, statistics.tempo[player].slice(from, to).map((count, index) => {
    const height = (count / most) * 44;
    return count ? svg("rect", { class: "bar", x: index * step + 0.5, width: Math.max(1, step - 1.5), y: player === "p2" ? 48 - height : 50, height, rx: 1 }) : null;
  })));
  const words = `Legal plays in every ${Math.round(bin / S)} s`;
  return el("figure", { class: "plot" }, el("figcaption", {}, words),
    svg("svg", { viewBox: `0 0 ${width} 116`, role: "img", "aria-label": `${words}: ${names.p2} above, ${names.p1} below, at most ${most}` }, bars,
      svg("line", { class: "lane", x2: width, y1: 49, y2: 49 }), svg("text", { class: "faint", x: 0, y: 112 }, shortClock(from * bin)),
      svg("text", { class: "faint", x: width, y: 112, "text-anchor": "end" }, shortClock(Math.min(timeline.length_ns, to * bin)))));
}

// Every single value as a dot, the median as a line: few values look few.
function samplePlot(title, figures, valuesOf, unit, unitWords) {
  const values = { p1: valuesOf(figures.players.p1), p2: valuesOf(figures.players.p2) };
  const all = [...values.p1, ...values.p2];
  if (!all.length) return null;
  const most = Math.max(...all) * 1.05;
  const left = isNarrow() ? 62 : 90;
  const width = plotWidth();
  const x = (value) => left + (value / most) * (width - left - 16);
  const rows = [["p2", 26], ["p1", 66]].map(([player, y]) => {
    const own = [...values[player]].sort((a, b) => a - b);
    const middle = own.length ? (own[(own.length - 1) >> 1] + own[own.length >> 1]) / 2 : null;
    return svg("g", { class: player }, svg("text", { class: "name", x: 0, y: y + 4 }, names[player].slice(0, isNarrow() ? 7 : 10)),
      svg("line", { class: "lane", x1: left, x2: width, y1: y, y2: y }),
      own.slice(0, 400).map((value, index) => svg("circle", { class: "dot", cx: x(value), cy: y + ((index * 7) % 13) - 6, r: 4 })),
      middle === null ? null : svg("line", { class: "median", x1: x(middle), x2: x(middle), y1: y - 14, y2: y + 14 }));
  });
  const ticks = niceTicks(most / unit).map((tick) => svg("text", { class: "faint", x: x(tick * unit), y: 104, "text-anchor": "middle" }, `${tick} ${unitWords}`));
  const words = `${title}: each dot one, the line the median`;
  return el("figure", { class: "plot" }, el("figcaption", {}, words), svg("svg", { viewBox: `0 0 ${width} 110`, role: "img", "aria-label": words }, rows, ticks));
}

function niceTicks(most) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => most / one <= 6) || most;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => Number((index * step).toFixed(3)));
}
