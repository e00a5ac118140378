"""What lies under and over the cards in a practice scene, and what a camera does to it."""

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

_LETTERS = "ABCDEFGHIKLMNOPRSTUVWXYZ0123456789"


def _cloud(rng: np.random.Generator, side: int, cells: int) -> NDArray[np.float32]:
    """Smooth noise in -1..1."""
    small = rng.uniform(-1, 1, (cells, cells)).astype(np.float32)
    return np.asarray(cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC), np.float32)


def _colour(rng: np.random.Generator) -> NDArray[np.float32]:
    kind = rng.random()
    if kind < 0.3:  # pale table
        return np.float32(rng.uniform(150, 250)) + rng.normal(0, 8, 3).astype(np.float32)
    if kind < 0.5:  # dark cloth
        return rng.uniform(5, 60, 3).astype(np.float32)
    if kind < 0.65:  # wood
        return np.array([50, 90, 140], np.float32) * np.float32(rng.uniform(0.3, 1.5))
    return rng.uniform(0, 255, 3).astype(np.float32)


def _clutter(rng: np.random.Generator, ground: Picture) -> None:
    """Lines, boxes, ellipses and letters that are no cards."""
    side = ground.shape[0]
    for _ in range(int(rng.integers(1, 14))):
        colour = [float(c) for c in _colour(rng)]
        x, y = (int(v) for v in rng.uniform(0, side, 2))
        w, h = (int(v) for v in rng.uniform(4, side * 0.6, 2))
        thick = int(rng.choice([-1, 1, 2, 4]))
        kind = rng.integers(4)
        if kind == 0:
            cv2.line(ground, (x, y), (x + w - h, y + h), colour, max(1, thick), cv2.LINE_AA)
        elif kind == 1:
            box = cv2.boxPoints(((x, y), (w, h), float(rng.uniform(0, 180)))).astype(np.int32)
            cv2.drawContours(ground, [box], 0, colour, thick)
        elif kind == 2:
            axes = (w // 2 + 1, h // 2 + 1)
            cv2.ellipse(ground, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, colour, thick, cv2.LINE_AA)
        else:
            word = "".join(rng.choice(list(_LETTERS)) for _ in range(int(rng.integers(1, 6))))
            size, stroke = float(rng.uniform(0.3, 1.6)), int(rng.integers(1, 4))
            cv2.putText(ground, word, (x, y), int(rng.integers(8)), size, colour, stroke, cv2.LINE_AA)


def ground(rng: np.random.Generator, side: int) -> Picture:
    """A table top, `side` x `side` x 3: plain, mottled, striped, patterned or littered."""
    base = np.tile(_colour(rng), (side, side, 1))
    if rng.random() < 0.6:
        base += _cloud(rng, side, int(rng.integers(2, 7)))[..., None] * np.float32(rng.uniform(2, 35))
    if rng.random() < 0.25:  # carpet
        base += _cloud(rng, side, int(rng.integers(side // 6, side // 2)))[..., None] * np.float32(rng.uniform(5, 60))
    if rng.random() < 0.25:  # grain or weave
        angle, pitch = rng.uniform(0, np.pi), rng.uniform(3, 40)
        y, x = np.mgrid[:side, :side].astype(np.float32)
        wave = np.sin((x * np.cos(angle) + y * np.sin(angle)) / pitch * 6.28 + 2 * _cloud(rng, side, 5))
        base += wave[..., None] * rng.uniform(-25, 25, 3).astype(np.float32)
    made = np.clip(base, 0, 255).astype(np.uint8)
    if rng.random() < 0.35:
        _clutter(rng, made)
    return made


def cover(rng: np.random.Generator, picture: Picture, owner: NDArray[np.int16]) -> None:
    """Lay a finger, a sleeve or a thing of any colour over the scene; `owner` becomes -1 there."""
    side = picture.shape[0]
    mask = np.zeros(picture.shape[:2], np.uint8)
    start = rng.uniform(0, side, 2)
    angle = rng.uniform(0, 2 * np.pi)
    for _ in range(int(rng.integers(1, 4))):
        end = start + rng.uniform(0.3, 1.0) * side * np.array([np.cos(angle), np.sin(angle)])
        a, b, thick = start.astype(int).tolist(), end.astype(int).tolist(), int(rng.uniform(0.04, 0.16) * side)
        cv2.line(mask, a, b, 255, thick, cv2.LINE_AA)
        start = start + rng.normal(0, side * 0.07, 2)
        angle += rng.normal(0, 0.2)
    skin = np.array([rng.uniform(60, 190)] * 3) * [0.75, 0.95, 1.3] if rng.random() < 0.6 else rng.uniform(0, 255, 3)
    shade = skin.astype(np.float32) * (1 + 0.25 * _cloud(rng, side, 6)[..., None])
    part = mask[..., None].astype(np.float32) / 255
    picture[:] = np.clip(picture * (1 - part) + shade * part, 0, 255).astype(np.uint8)
    owner[mask > 60] = -1


def photographed(rng: np.random.Generator, picture: Picture) -> Picture:
    """The same scene as a camera might give it: light, colour, glare, blur, noise and JPEG."""
    side = picture.shape[0]
    light = np.float32(rng.choice([rng.uniform(0.75, 1.1), rng.uniform(0.25, 1.5)], p=[0.7, 0.3]))
    field = np.full((side, side, 1), light, np.float32)
    if rng.random() < 0.5:
        field *= 1 + np.float32(rng.uniform(0, 0.45)) * _cloud(rng, side, int(rng.integers(2, 4)))[..., None]
    image = picture.astype(np.float32) * field
    if rng.random() < 0.6:
        image *= rng.uniform(*((0.8, 1.15) if rng.random() < 0.8 else (0.5, 1.3)), 3).astype(np.float32)
    if rng.random() < 0.12:  # glare
        spot = np.zeros((side, side), np.float32)
        centre, axes = rng.uniform(0, side, 2).astype(int).tolist(), rng.uniform(5, side * 0.3, 2).astype(int).tolist()
        cv2.ellipse(spot, centre, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(60, 255)), -1)
        image += cv2.GaussianBlur(spot, (0, 0), rng.uniform(3, 25))[..., None]
    if rng.random() < 0.25:  # lifted blacks, flat contrast
        image = image * np.float32(rng.uniform(0.4, 0.9)) + np.float32(rng.uniform(0, 70))
    image = _blurred(rng, image)
    if rng.random() < 0.7:
        image += rng.normal(0, rng.uniform(0.5, 9), image.shape).astype(np.float32)
    made = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.06:
        struck = rng.random(made.shape[:2]) < rng.uniform(0.005, 0.05)
        made[struck] = 255 * (rng.random((int(struck.sum()), 1)) < rng.choice([0.0, 0.5, 1.0]))
    if rng.random() < 0.1:
        made = np.repeat(cv2.cvtColor(made, cv2.COLOR_BGR2GRAY)[..., None], 3, 2)
    if rng.random() < 0.5:
        _, stored = cv2.imencode(".jpg", made, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 96))])
        made = cv2.imdecode(stored, cv2.IMREAD_COLOR)
    return np.asarray(made, np.uint8)


def _blurred(rng: np.random.Generator, image: NDArray[np.float32]) -> NDArray[np.float32]:
    kind = rng.random()
    if kind < 0.5:
        return image
    if kind < 0.82:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.6)), np.float32)
    if kind < 0.92:  # motion
        length = int(rng.integers(2, 7))
        kernel = np.zeros((length * 2 + 1,) * 2, np.float32)
        angle = rng.uniform(0, np.pi)
        d = np.array([np.cos(angle), np.sin(angle)]) * length * 0.7
        cv2.line(kernel, (length - d).astype(int).tolist(), (length + d).astype(int).tolist(), 1.0)
        return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.float32)
    small = cv2.resize(image, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)
