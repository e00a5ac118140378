// Playing cards drawn by code: 90 by 126 units, corner indices, pips in their places, court cards as a crest.
const SUIT_PATHS = {
  H: "M50 90C22 64 7 48 7 29C7 14 18 7 28 7C38 7 46 13 50 23C54 13 62 7 72 7C82 7 93 14 93 29C93 48 78 64 50 90Z",
  D: "M50 4C59 22 72 38 87 50C72 62 59 78 50 96C41 78 28 62 13 50C28 38 41 22 50 4Z",
  S: "M50 5C78 33 93 47 93 64C93 77 82 84 72 84C64 84 57 80 53 72C54 84 58 91 67 96L33 96C42 91 46 84 47 72C43 80 36 84 28 84C18 84 7 77 7 64C7 47 22 33 50 5Z",
  C: "M50 6A20 20 0 0 1 64 40A20 20 0 1 1 56 68C56 82 59 91 67 96L33 96C41 91 44 82 44 68A20 20 0 1 1 36 40A20 20 0 0 1 50 6Z",
};
const PIPS = { // column and row of each pip, in units of a card that is 1 wide and 1 high
  A: [[.5, .5]], 2: [[.5, .2], [.5, .8]], 3: [[.5, .2], [.5, .5], [.5, .8]],
  4: [[.345, .2], [.655, .2], [.345, .8], [.655, .8]],
  5: [[.345, .2], [.655, .2], [.5, .5], [.345, .8], [.655, .8]],
  6: [[.345, .2], [.655, .2], [.345, .5], [.655, .5], [.345, .8], [.655, .8]],
  7: [[.345, .2], [.655, .2], [.5, .35], [.345, .5], [.655, .5], [.345, .8], [.655, .8]],
  8: [[.345, .2], [.655, .2], [.5, .35], [.345, .5], [.655, .5], [.5, .65], [.345, .8], [.655, .8]],
  9: [[.345, .2], [.655, .2], [.345, .4], [.655, .4], [.5, .5], [.345, .6], [.655, .6], [.345, .8], [.655, .8]],
  10: [[.345, .2], [.655, .2], [.5, .3], [.345, .4], [.655, .4], [.345, .6], [.655, .6], [.5, .7], [.345, .8], [.655, .8]],
};
const CRESTS = { // what tells a king from a queen from a jack, besides the letter
  K: "M27 44L31 30L39 39L45 26L51 39L59 30L63 44Z",
  Q: "M27 44L30 34L36 39L40 31L45 28L50 31L54 39L60 34L63 44Z",
  J: "M30 44C33 33 45 27 61 29C56 33 59 39 60 44Z",
};

function pip(suit, x, y, size, upsideDown) {
  const turn = upsideDown ? ` rotate(180 50 50)` : "";
  const at = `translate(${x - size / 2} ${y - size / 2}) scale(${size / 100})${turn}`;
  return svg("path", { d: SUIT_PATHS[suit], transform: at });
}

function corner(rank, suit) {
  return [
    svg("text", { class: rank === "10" ? "rank ten" : "rank", x: 11.5, y: 19, size: 18 }, rank),
    pip(suit, 11.5, 28, 11),
  ];
}

function middle(rank, suit) {
  if (CRESTS[rank]) {
    return [
      svg("rect", { class: "panel", x: 22, y: 18, width: 46, height: 90, rx: 4 }),
      svg("path", { d: CRESTS[rank] }),
      svg("text", { class: "rank", x: 45, y: 81, size: 40 }, rank),
      pip(suit, 45, 95, 17),
    ];
  }
  const size = rank === "A" ? 42 : 18;
  return PIPS[rank].map(([x, y]) => pip(suit, 1.5 + x * 87, 3 + y * 120, size, y > 0.5));
}

// A group holding the card with its top left corner at (0, 0).
function drawCard(card) {
  const face = svg("rect", { class: "face", width: 90, height: 126, rx: 8 });
  if (!card) return svg("g", {}, svg("rect", { class: "empty", x: 1, y: 1, width: 88, height: 124, rx: 8 }));
  if (!isSuited(card)) {
    const sign = card === "??" ? "?" : "★";
    const frame = svg("rect", { class: "unread", x: 8, y: 8, width: 74, height: 110, rx: 5 });
    return svg("g", { class: "pip-black" }, face, frame, svg("text", { class: "rank pip-black", x: 45, y: 78, size: 44 }, sign));
  }
  const rank = card.slice(0, -1);
  const suit = card.slice(-1);
  const ink = svg("g", { class: isRed(card) ? "pip-red" : "pip-black" }, corner(rank, suit),
    svg("g", { transform: "rotate(180 45 63)" }, corner(rank, suit)), middle(rank, suit));
  ink.querySelectorAll("text").forEach((text) => text.classList.add(isRed(card) ? "pip-red" : "pip-black"));
  return svg("g", {}, face, ink);
}

const cardWords = (card) => {
  if (!card) return "no card";
  if (!isSuited(card)) return card === "??" ? "an unread card" : "a joker";
  const ranks = { A: "ace", J: "jack", Q: "queen", K: "king" };
  const suits = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
  return `${ranks[card.slice(0, -1)] || card.slice(0, -1)} of ${suits[card.slice(-1)]}`;
};

// Both middle piles as they lay. Cards that do not count lie askew on the one that does.
function drawPiles(piles, freshPile, ruling) {
  const picture = svg("svg", { viewBox: "0 0 248 156", role: "img", "aria-label": pilesWords(piles) });
  ["A", "B"].forEach((pile, column) => {
    const left = 16 + column * 122;
    const lying = (piles && piles[pile]) || [];
    const group = svg("g", { transform: `translate(${left} 4)` });
    if (!lying.length) group.append(drawCard(null));
    lying.forEach(({ card, counts }, level) => {
      const askew = counts === false ? `translate(${7 * level} ${5 * level}) rotate(8 45 63)` : "";
      group.append(svg("g", { transform: askew }, drawCard(card)));
    });
    if (pile === freshPile && lying.length) {
      const level = lying.length - 1;
      const askew = lying[level].counts === false ? `translate(${7 * level} ${5 * level}) rotate(8 45 63)` : "";
      const mood = { illegal: "illegal", beaten: "beaten", cannot_tell: "unsure" }[ruling] || "legal";
      group.append(svg("rect", { class: `new-ring ${mood}`, x: -2, y: -2, width: 94, height: 130, rx: 10, transform: askew }));
    }
    picture.append(group, svg("text", { class: "faint", x: left + 45, y: 152, "text-anchor": "middle" }, pile));
  });
  return picture;
}

function pilesWords(piles) {
  return ["A", "B"].map((pile) => {
    const lying = (piles && piles[pile]) || [];
    const words = lying.map(({ card, counts }) => cardWords(card) + (counts === false ? " that does not count" : ""));
    return `Pile ${pile}: ${words.reverse().join(" on ") || "empty"}`;
  }).join("; ");
}
