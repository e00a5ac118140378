"""What is painted on cards beside indices and pips: courts, jokers, aces and backs that never existed.

Courts differ from publisher to publisher, and a reader that has learnt their pictures fails on the next deck. So the
figures here are patchwork: they have the colours, lines and twofold symmetry of courts and tell nothing of the card.
"""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

_COURT_COLOURS: tuple[Colour, ...] = (
    (40, 30, 190),
    (30, 190, 235),
    (150, 70, 30),
    (30, 30, 30),
    (60, 40, 140),
    (90, 140, 40),
    (200, 170, 120),
    (20, 120, 220),
    (120, 60, 120),
    (180, 180, 180),
    (50, 90, 60),
    (160, 110, 200),
)


def shaken(colour: Colour, rng: np.random.Generator, by: float = 18.0) -> Colour:
    """The colour a little off, as inks are."""
    b, g, r = np.clip(np.array(colour) + rng.normal(0, by, 3), 0, 255).astype(int)
    return int(b), int(g), int(r)


def _points(rng: np.random.Generator, n: int, width: int, height: int) -> NDArray[np.int32]:
    return (rng.uniform(-0.1, 1.1, (n, 2)) * [width, height]).astype(np.int32)


def _cloth(rng: np.random.Generator, width: int, height: int, palette: list[Colour]) -> Picture:
    """A patterned stuff: stripes, checks, dots, scales or plain."""
    cloth = np.full((height, width, 3), palette[rng.integers(len(palette))], np.uint8)
    ink = palette[rng.integers(len(palette))]
    step = max(4, int(rng.uniform(0.03, 0.12) * width))
    kind = rng.integers(5)
    if kind == 0:
        angle = rng.uniform(0, np.pi)
        y, x = np.mgrid[:height, :width]
        cloth[(x * np.cos(angle) + y * np.sin(angle)) % step < step * rng.uniform(0.2, 0.6)] = ink
    elif kind == 1:
        y, x = np.mgrid[:height, :width]
        cloth[((x // step + y // step) % 2).astype(bool)] = ink
    elif kind == 2:
        for cx in range(0, width, step):
            for cy in range(0, height, step):
                cv2.circle(cloth, (cx, cy), max(1, step // 4), ink, -1, cv2.LINE_AA)
    elif kind == 3:
        for _ in range(rng.integers(4, 25)):
            a, b = _points(rng, 2, width, height)
            cv2.line(cloth, a.tolist(), b.tolist(), ink, int(rng.integers(1, 4)), cv2.LINE_AA)
    return cloth


def _figure(rng: np.random.Generator, width: int, height: int, paper: Colour, palette: list[Colour]) -> Picture:
    """The upper half of a court: robe, head, hair, hat and something held."""
    art = np.full((height, width, 3), paper, np.uint8)
    line, outline = int(rng.integers(1, 4)), palette[0] if rng.random() < 0.5 else (25, 25, 25)
    for _ in range(rng.integers(2, 7)):
        shape = np.zeros((height, width), np.uint8)
        piece = cv2.convexHull(_points(rng, int(rng.integers(3, 7)), width, int(height * 1.3)))
        cv2.fillPoly(shape, [piece], 255)
        cloth = _cloth(rng, width, height, palette)
        art[shape > 0] = cloth[shape > 0]
        cv2.polylines(art, [piece], True, outline, line, cv2.LINE_AA)
    x, y = int(width * rng.uniform(0.3, 0.7)), int(height * rng.uniform(0.3, 0.6))
    head = int(width * rng.uniform(0.09, 0.2))
    skin = shaken((190, 215, 240) if rng.random() < 0.7 else paper, rng)
    hair = palette[rng.integers(len(palette))]
    cv2.ellipse(art, (x, y), (int(head * 1.5), int(head * 1.4)), 0, 0, 360, hair, -1, cv2.LINE_AA)
    cv2.ellipse(art, (x, y), (head, int(head * 1.3)), 0, 0, 360, skin, -1, cv2.LINE_AA)
    cv2.ellipse(art, (x, y), (head, int(head * 1.3)), 0, 0, 360, outline, line, cv2.LINE_AA)
    for dx in (-0.4, 0.4):
        cv2.circle(art, (int(x + dx * head), y), max(1, head // 7), outline, -1, cv2.LINE_AA)
    points = [(x - head * 1.2, y - head), (x + head * 1.2, y - head)]
    points += [(x + head * rng.uniform(-1.3, 1.3), y - head * rng.uniform(1.5, 2.6)) for _ in range(3)]
    cv2.fillPoly(art, [np.array(points, np.int32)], palette[rng.integers(len(palette))], cv2.LINE_AA)
    for _ in range(rng.integers(0, 4)):
        a, b = _points(rng, 2, width, height)
        cv2.line(art, a.tolist(), b.tolist(), palette[rng.integers(len(palette))], int(rng.integers(2, 9)), cv2.LINE_AA)
    return art


def palette_of(rng: np.random.Generator) -> list[Colour]:
    """Three to six inks for one deck's courts."""
    chosen = rng.choice(len(_COURT_COLOURS), int(rng.integers(3, 7)), replace=False)
    return [shaken(_COURT_COLOURS[i], rng) for i in chosen]


def court(rng: np.random.Generator, width: int, height: int, paper: Colour, palette: list[Colour]) -> Picture:
    """A court panel, height x width x 3, the same both ways up in four of five."""
    if rng.random() < 0.8:
        upper = _figure(rng, width, height // 2, paper, palette)
        if rng.random() < 0.5:  # one half ends at a slanting line
            whole = np.full((height, width, 3), paper, np.uint8)
            taller = _figure(rng, width, int(height * 0.62), paper, palette)
            cut = np.zeros((height, width), np.uint8)
            slope = rng.uniform(-0.12, 0.12) * height
            corners = [(0, 0), (width, 0), (width, height / 2 + slope), (0, height / 2 - slope)]
            cv2.fillPoly(cut, [np.array(corners, np.int32)], 1)
            whole[: taller.shape[0]] = taller
            return np.where(cut[..., None] > 0, whole, whole[::-1, ::-1])
        lower = upper[::-1, ::-1]
        middle = np.full((height - 2 * upper.shape[0], width, 3), palette[0], np.uint8)
        return np.concatenate([upper, middle, lower])
    return _figure(rng, width, height, paper, palette)


def back(rng: np.random.Generator, width: int, height: int, paper: Colour) -> Picture:
    """The back of a deck, height x width x 3: lattice, rosettes, dots or a field, with or without a white edge."""
    inks = ((40, 30, 170), (150, 60, 30), (40, 40, 40), (60, 110, 30), (120, 40, 90), (30, 130, 200))
    ink = shaken(inks[rng.integers(6)], rng, 25)
    palette = [ink, paper if rng.random() < 0.7 else _other(ink)]
    quarter = np.full((height // 2, width // 2, 3), ink, np.uint8)
    for _ in range(rng.integers(2, 5)):
        cloth = _cloth(rng, width // 2, height // 2, palette)
        mask = np.full((height // 2, width // 2), rng.random() < 0.4, np.uint8)
        cv2.fillPoly(mask, [_points(rng, 5, width // 2, height // 2)], 1)
        quarter = np.where(mask[..., None] > 0, cloth, quarter)
    for _ in range(rng.integers(1, 12)):  # scrolls and rosettes
        centre = _points(rng, 1, width // 2, height // 2)[0]
        cv2.circle(
            quarter,
            centre.tolist(),
            int(rng.uniform(0.03, 0.4) * width),
            palette[int(rng.random() < 0.7)],
            int(rng.integers(1, 8)),
            cv2.LINE_AA,
        )
    if rng.random() < 0.5:  # a fine weave over all of it, or in its plain parts
        weave = _weave(rng, width // 2, height // 2)
        plain = (quarter == np.array(ink, np.uint8)).all(axis=2)
        quarter[weave & plain if rng.random() < 0.5 else weave] = palette[1]
    half = np.concatenate([quarter, quarter[:, ::-1]], 1)
    field = cv2.resize(np.concatenate([half, half[::-1]]), (width, height))
    edge = int(rng.choice([0.0, rng.uniform(0.03, 0.1)], p=[0.3, 0.7]) * width)
    if edge:
        whole = np.full_like(field, paper)
        whole[edge:-edge, edge:-edge] = field[edge:-edge, edge:-edge]
        return whole
    return field


def _weave(rng: np.random.Generator, width: int, height: int) -> NDArray[np.bool_]:
    """Fine waves, a lattice or scales, a line every one to three millimetres."""
    step = rng.uniform(0.016, 0.05) * width * 2
    y, x = np.mgrid[:height, :width]
    bend = np.sin(x * 2 * np.pi / (step * rng.uniform(1, 4))) * step * rng.uniform(0, 0.6)
    waves = np.sin((y + bend) * 2 * np.pi / step) > rng.uniform(-0.4, 0.4)
    if rng.random() < 0.5:
        return waves
    slant = rng.uniform(0.5, 2)
    crossed = np.sin((x + slant * y) * 2 * np.pi / step) * np.sin((x - slant * y) * 2 * np.pi / step)
    return crossed > rng.uniform(-0.2, 0.3)


def _other(ink: Colour) -> Colour:
    b, g, r = (255 - c // 2 for c in ink)
    return b, g, r


def recoloured(rng: np.random.Generator) -> Callable[[Picture], Picture]:
    """Other inks for one deck's courts: hue turned, colour fuller or duller, darker or paler."""
    turn = int(rng.integers(-25, 26)) if rng.random() < 0.5 else 0
    full, tone = rng.uniform(0.3, 1.2), rng.uniform(0.8, 1)

    def change(picture: Picture) -> Picture:
        hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV).astype(np.int32)
        hsv[..., 0] = (hsv[..., 0] + turn) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * full, 0, 255)
        hsv[..., 2] = np.clip(hsv[..., 2] * tone, 0, 255)
        return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)

    return change


def flourish(picture: Picture, rng: np.random.Generator, ink: Colour) -> Picture:
    """Scrolls, rings and small print round the middle of an ace."""
    height, width = picture.shape[:2]
    for _ in range(rng.integers(2, 9)):
        centre = (width // 2, int(height * rng.uniform(0.35, 0.65)))
        axes = int(width * rng.uniform(0.05, 0.36)), int(width * rng.uniform(0.05, 0.36))
        cv2.ellipse(picture, centre, axes, 0, 0, 360, ink, int(rng.integers(1, 4)), cv2.LINE_AA)
    if rng.random() < 0.6:
        y = int(height * rng.uniform(0.7, 0.78))
        word = "".join(rng.choice(list("ACEILNOPRSTU & "), 14))
        cv2.putText(picture, word, (int(width * 0.25), y), cv2.FONT_HERSHEY_COMPLEX, width / 1100, ink, 1, cv2.LINE_AA)
    return picture


def joker(rng: np.random.Generator, width: int, height: int, paper: Colour, palette: list[Colour]) -> Picture:
    """The middle of a joker: one figure, or a few bold shapes, mostly not the same upside down."""
    art = _figure(rng, width, height, paper, palette)
    if rng.random() < 0.6:
        centre = np.full_like(art, paper)
        blob = np.zeros((height, width), np.uint8)
        axes = (int(width * rng.uniform(0.2, 0.5)), int(height * rng.uniform(0.2, 0.5)))
        cv2.ellipse(blob, (width // 2, height // 2), axes, rng.uniform(-20, 20), 0, 360, 255, -1)
        art = np.where(blob[..., None] > 0, art, centre)
    if rng.random() < 0.25:
        art = np.repeat(cv2.cvtColor(art, cv2.COLOR_BGR2GRAY)[..., None], 3, 2)
    return art
