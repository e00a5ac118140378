"use strict";
// The live picture: each viewer asks for the next one when the last has been drawn, so that nobody piles up frames.

const frame = byId("frame"), figure = byId("picture");
let pictureNumber = 0, zones = {}, drawn = [];

async function film() {
  let old = null;
  for (;;) {
    if (document.hidden || !isConnected) { await pause(250); continue; }
    const width = Math.round(figure.clientWidth * Math.min(devicePixelRatio, 2));
    try {
      const answer = await fetch(`/picture?after=${pictureNumber}&width=${width}`, { signal: AbortSignal.timeout(5000) });
      if (answer.status !== 200) { if (answer.status !== 204) await pause(1000); continue; }
      pictureNumber = Number(answer.headers.get("x-picture"));
      const address = URL.createObjectURL(await answer.blob());
      frame.src = address;
      await frame.decode().catch(() => {});
      if (old) URL.revokeObjectURL(old);
      old = address;
      frame.hidden = false;
      if (byId("waiting")) byId("waiting").hidden = true;
      if (frame.naturalWidth) figure.style.setProperty("aspect-ratio", `${frame.naturalWidth} / ${frame.naturalHeight}`);
      countPicture();
    } catch { await pause(500); }
  }
}

function countPicture() {
  const now = Date.now();
  drawn = [...drawn.filter(ms => now - ms < 3000), now];
  const rate = byId("rate");
  if (rate) rate.textContent = drawn.length > 3 ? `${((drawn.length - 1) * 1000 / (now - drawn[0] || 1)).toFixed(0)} pictures a second here` : "";
}

const SVG = "http://www.w3.org/2000/svg";

function drawZones(places) {
  const svg = byId("zones"), labels = byId("labels");
  svg.replaceChildren(...Object.entries(zones).map(([name, points]) => {
    const shape = document.createElementNS(SVG, "polygon");
    shape.setAttribute("points", points.map(([x, y]) => `${x * 100},${y * 100}`).join(" "));
    shape.setAttribute("class", name.split(" ")[0]);
    return shape;
  }));
  labels.replaceChildren(...Object.entries(zones).map(([name, points]) => {
    const middle = axis => points.reduce((sum, point) => sum + point[axis], 0) / points.length * 100;
    const card = places[name], label = make("span", { className: name.split(" ")[0] + (isRed(card) ? " red" : "") });
    label.textContent = name.startsWith("pile") ? `${name.at(-1)} ${cardWords(card)}`.trim() : cardWords(card);
    label.hidden = !label.textContent;
    label.style.left = `${middle(0)}%`;
    label.style.top = `${middle(1)}%`;
    return label;
  }));
}
