"use strict";
// Four marks that are dragged onto the corners of a sheet, with a magnifier over the finger.

const MARKS_AT = [["bottom left", 0.2, 0.85], ["bottom right", 0.8, 0.85], ["top right", 0.8, 0.15], ["top left", 0.2, 0.15]];
const ZOOM = 4;
let marks = [];

const way = () => document.querySelector("[name=way]:checked").value;
const corners = () => marks.map(({ x, y }) => [x, y]);

function sheetSize() {
  const chosen = byId("sheet").value;
  return chosen === "other" ? [Number(byId("wide").value), Number(byId("deep").value)] : chosen.split("x").map(Number);
}

function showHandles(yes) {
  const box = byId("handles");
  box.hidden = !yes;
  byId("magnifier").hidden = true;
  if (!yes || marks.length) return;
  marks = MARKS_AT.map(([words, x, y], n) => {
    const node = make("button", { className: "handle", type: "button" });
    node.setAttribute("aria-label", `Corner ${words}`);
    const mark = { node, x, y };
    node.addEventListener("pointerdown", event => grab(event, mark));
    node.addEventListener("keydown", event => nudge(event, mark));
    node.addEventListener("focus", () => magnify(mark));
    node.addEventListener("blur", () => { byId("magnifier").hidden = true; });
    box.append(node);
    return mark;
  });
  drawHandles();
}

function grab(event, mark) {
  event.preventDefault();
  mark.node.focus({ preventScroll: true });
  mark.node.setPointerCapture(event.pointerId);
  const start = { x: event.clientX, y: event.clientY, markX: mark.x, markY: mark.y };
  const drag = moved => {
    const box = figure.getBoundingClientRect();
    put(mark, start.markX + (moved.clientX - start.x) / box.width, start.markY + (moved.clientY - start.y) / box.height);
  };
  const drop = () => {
    byId("magnifier").hidden = true;  // it must not lie over the next mark
    mark.node.removeEventListener("pointermove", drag);
    mark.node.removeEventListener("pointerup", drop);
    mark.node.removeEventListener("pointercancel", drop);
  };
  mark.node.addEventListener("pointermove", drag);
  mark.node.addEventListener("pointerup", drop);
  mark.node.addEventListener("pointercancel", drop);
}

function nudge(event, mark) {
  const step = (event.shiftKey ? 10 : 1) / (frame.naturalWidth || 960), [across, down] = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
  if (!across && !down) return;
  event.preventDefault();
  put(mark, mark.x + across * step, mark.y + down * step * figure.clientWidth / figure.clientHeight);
}

function put(mark, x, y) {
  mark.x = Math.min(1, Math.max(0, x));
  mark.y = Math.min(1, Math.max(0, y));
  drawHandles();
  magnify(mark);
}

function drawHandles() {
  for (const { node, x, y } of marks) { node.style.left = `${x * 100}%`; node.style.top = `${y * 100}%`; }
  let line = byId("outline");
  if (!line) {
    line = document.createElementNS(SVG, "polygon");
    line.id = "outline";
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 100 100");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.append(line);
    byId("handles").prepend(svg);
  }
  line.setAttribute("points", marks.map(({ x, y }) => `${x * 100},${y * 100}`).join(" "));
}

function magnify({ x, y }) {
  const glass = byId("magnifier"), pen = glass.getContext("2d"), side = glass.width;
  glass.hidden = false;
  glass.classList.toggle("right", x < 0.5);
  if (!frame.naturalWidth) return;  // between two pictures the glass keeps the last one
  pen.imageSmoothingEnabled = false;
  pen.fillStyle = "#000";
  pen.fillRect(0, 0, side, side);
  const shown = side / ZOOM * frame.naturalWidth / 960;
  pen.drawImage(frame, x * frame.naturalWidth - shown / 2, y * frame.naturalHeight - shown / 2, shown, shown, 0, 0, side, side);
  pen.strokeStyle = "#ffcf4d";
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const [ax, ay, bx, by] of [[side / 2, 0, side / 2, side], [0, side / 2, side, side / 2]]) { pen.moveTo(ax, ay); pen.lineTo(bx, by); }
  pen.stroke();
}
