"""Practice scenes: cards of drawn decks lying apart, overlapping, piled or fanned, with exact truth for each index."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.training.corners.grounds import cover, ground, photographed
from calibration.training.corners.pool import Pool, PooledCard
from hardware.vision.paper import negative

SIDE_PX = 288
LONG_SIDE_PX = (74, 240)
"""Long sides of cards in a scene: a bit more than an octave, so that halving pictures reaches every size."""
CLOSE_UP_PX = (240, 480)
"""The same where a scene shows little more than an index."""
_STEEPEST = 0.0028
"""Most that the size of things may change from one px of a scene to the next."""
_SQUEEZE = 0.36
"""A picture is squeezed to at most e to this power one way and stretched as much the other."""

_BEYOND = -2
"""Owner of what lies beyond the picture's edge."""

Points = NDArray[np.float32]


@dataclass(frozen=True)
class IndexTruth:
    """One printed index that is at least partly in the scene."""

    face: str
    quad: Points
    """4 x 2, in its own reading direction from the top left."""
    card_quad: Points
    """4 x 2: the card's corners in the same reading direction."""
    seen: float
    """Share of the index that nothing covers and the frame does not cut."""
    complete: bool
    """Nothing lies on the card."""


@dataclass(frozen=True)
class Scene:
    picture: NDArray[np.uint8]
    indices: list[IndexTruth]


@dataclass(frozen=True)
class _Pose:
    centre: NDArray[np.float64]
    angle: float


def _poses(rng: np.random.Generator, long_px: float) -> list[_Pose]:
    """Where cards lie, lowest first, before the camera looks at them aslant."""
    middle = rng.uniform(0.2, 0.8, 2) * SIDE_PX
    angle = rng.uniform(0, 2 * np.pi)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    few = int(np.clip(SIDE_PX / long_px * 2.2, 1, 9))
    layout = rng.choice(["scattered", "grid", "pile", "fan", "cascade"], p=[0.34, 0.14, 0.2, 0.18, 0.14])
    n = int(rng.integers(1, few + 2))
    if layout == "scattered":
        return [_Pose(rng.uniform(0, SIDE_PX, 2), rng.uniform(0, 2 * np.pi)) for _ in range(n)]
    if layout == "grid":
        step = long_px * rng.uniform(0.74, 1.0), long_px * rng.uniform(1.02, 1.3)
        jitter = rng.uniform(0, 0.12)
        return [
            _Pose(middle + along * step[0] * i + across * step[1] * j, angle + rng.normal(0, jitter))
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if rng.random() < 0.75
        ]
    if layout == "pile":
        spread, twist = rng.uniform(0, 0.18) * long_px, rng.uniform(0.0, 0.35)
        return [
            _Pose(middle + rng.normal(0, spread, 2), angle + rng.normal(0, twist) + np.pi * (rng.random() < 0.3))
            for _ in range(int(rng.integers(1, 7)))
        ]
    if layout == "fan":
        pivot, step = middle + across * long_px * rng.uniform(0.4, 1.2), rng.uniform(0.08, 0.45)
        count, reach = int(rng.integers(2, 9)), long_px * rng.uniform(0.35, 1.0)
        turns = [angle - np.pi / 2 + (i - count / 2) * step for i in range(count)]
        return [_Pose(pivot + reach * np.array([np.cos(t), np.sin(t)]), t + np.pi / 2) for t in turns]
    step_px = long_px * rng.uniform(0.12, 0.5) * (along if rng.random() < 0.5 else across)
    step_px += rng.normal(0, long_px * 0.04, 2)
    return [_Pose(middle + step_px * (i - n / 2), angle + rng.normal(0, 0.05)) for i in range(int(rng.integers(2, 8)))]


def _view(rng: np.random.Generator) -> NDArray[np.float64]:
    """The camera's homography about the middle of the scene: slant, and in many a picture squeezed afterwards, as
    tools do that make pictures square."""
    half = SIDE_PX / 2
    to_middle = np.array([[1, 0, -half], [0, 1, -half], [0, 0, 1.0]])
    slant = np.eye(3)
    slant[2, :2] = rng.normal(0, 0.0007 if rng.random() < 0.7 else 0.0015, 2).clip(-_STEEPEST, _STEEPEST)
    slant[:2, :2] += rng.normal(0, 0.04, (2, 2))
    if rng.random() < 0.4:
        squeeze = float(np.exp(rng.uniform(-_SQUEEZE, _SQUEEZE)))
        slant = np.diag([squeeze, 1 / squeeze, 1]) @ slant
    return np.asarray(np.linalg.inv(to_middle) @ slant @ to_middle)


def _homography(card: PooledCard, pose: _Pose, long_px: float, view: NDArray[np.float64]) -> NDArray[np.float64]:
    height, width = card.picture.shape[:2]
    s = long_px / height
    c, sn = np.cos(pose.angle) * s, np.sin(pose.angle) * s
    place = np.array(
        [
            [c, -sn, pose.centre[0] - c * width / 2 + sn * height / 2],
            [sn, c, pose.centre[1] - sn * width / 2 - c * height / 2],
            [0, 0, 1.0],
        ]
    )
    return view @ place


def _through(h: NDArray[np.float64], points: Points) -> Points:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), h), np.float32).reshape(points.shape)


def _printed(rng: np.random.Generator) -> Callable[[PooledCard], PooledCard]:
    """What the cards of one scene are printed on: white paper mostly, dark paper (a light print), or tinted paper."""
    kind = rng.random()
    if kind > 0.32:
        return lambda card: card
    tint = np.float32(rng.uniform(0.55, 1.0, 3) if kind > 0.18 else rng.uniform(0.75, 1.0, 3))
    darkest = np.float32(rng.uniform(0, 60))

    def changed(card: PooledCard) -> PooledCard:
        picture = card.picture.copy()
        face = np.ascontiguousarray(picture[..., :3])
        if kind < 0.18:
            face = np.maximum(negative(face), darkest).astype(np.uint8)
        picture[..., :3] = face * tint
        return replace(card, picture=picture)

    return changed


def _outline(card: PooledCard) -> Points:
    height, width = card.picture.shape[:2]
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)


def _lay(
    rng: np.random.Generator,
    picture: NDArray[np.uint8],
    owner: NDArray[np.int16],
    card: PooledCard,
    h: NDArray[np.float64],
    number: int,
) -> None:
    """Paste one card with its shadow."""
    quad = _through(h, _outline(card))
    margin = 6
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - margin, 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + margin, SIDE_PX)
    if x1 - x0 < 4 or y1 - y0 < 4:
        return
    source, scale = card.picture, np.sqrt(abs(np.linalg.det(h[:2, :2])))
    if scale < 0.62:
        source = np.asarray(cv2.resize(source, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        h = h @ np.diag([card.picture.shape[1] / source.shape[1], card.picture.shape[0] / source.shape[0], 1.0])
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
    drawn = cv2.warpPerspective(source, shift @ h, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    alpha = drawn[..., 3:].astype(np.float32) / 255
    part = picture[y0:y1, x0:x1].astype(np.float32)
    if rng.random() < 0.8:
        shadow = cv2.GaussianBlur(np.roll(alpha[..., 0], rng.integers(-3, 4, 2), (0, 1)), (0, 0), rng.uniform(0.8, 4))
        part *= 1 - np.float32(rng.uniform(0.05, 0.6)) * shadow[..., None]
    face = drawn[..., :3].astype(np.float32) * np.float32(rng.uniform(0.9, 1.0))
    picture[y0:y1, x0:x1] = (part * (1 - alpha) + face * alpha).astype(np.uint8)
    owner[y0:y1, x0:x1][alpha[..., 0] > 0.5] = number


def _grid(quad: Points, n: int) -> Points:
    u = np.linspace(0.08, 0.92, n, dtype=np.float32)
    across = quad[0] + (quad[1] - quad[0]) * u[:, None]
    below = quad[3] + (quad[2] - quad[3]) * u[:, None]
    return np.asarray(across[None] + (below - across)[None] * u[:, None, None], np.float32).reshape(-1, 2)


def _share(owner: NDArray[np.int16], quad: Points, number: int) -> tuple[float, float]:
    """Share of the quad that belongs to card `number`, and share of it in the picture that does not."""
    at = np.rint(_grid(quad, 12)).astype(int)
    inside = ((at >= 0) & (at < SIDE_PX)).all(1)
    if not inside.any():
        return 0.0, 1.0
    own = owner[at[inside, 1], at[inside, 0]] == number
    return float(own.sum() / len(at)), float((~own).mean())


def scene(rng: np.random.Generator, pool: Pool) -> Scene:
    """One scene, `SIDE_PX` square; the same for the same state of `rng` and the same pool."""
    picture = ground(rng, SIDE_PX)
    owner = np.full((SIDE_PX, SIDE_PX), -1, np.int16)
    low, high = LONG_SIDE_PX if rng.random() < 0.92 else CLOSE_UP_PX
    long_px = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    view, deck = _view(rng), int(rng.integers(len(pool)))
    laid: list[tuple[PooledCard, NDArray[np.float64]]] = []
    poses = _poses(rng, long_px) if rng.random() > 0.04 else []
    faces, printed = list(pool.faces(deck)), _printed(rng)
    for number, pose in enumerate(poses):
        face = "back" if rng.random() < 0.08 else "JK" if rng.random() < 0.05 else str(rng.choice(faces))
        card = pool.card(deck if rng.random() < 0.9 else int(rng.integers(len(pool))), face)
        h = _homography(card, pose, long_px * float(rng.normal(1, 0.015)), view)
        _lay(rng, picture, owner, printed(card), h, number)
        laid.append((card, h))
    if rng.random() < 0.22:
        cover(rng, picture, owner)
    if rng.random() < 0.3:
        for _ in range(int(rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1]))):
            _cut(rng, picture, owner)
    truths = [truth for number, (card, h) in enumerate(laid) for truth in _truths(owner, card, h, number)]
    taken = photographed(rng, picture)
    taken[owner == _BEYOND] = 0
    return Scene(taken, truths)


def _cut(rng: np.random.Generator, picture: NDArray[np.uint8], owner: NDArray[np.int16]) -> None:
    """The picture's own edge: nothing beyond it."""
    at = int(rng.uniform(0.02, 0.35) * SIDE_PX)
    gone = slice(0, at) if rng.random() < 0.5 else slice(SIDE_PX - at, None)
    strip = (gone, slice(None)) if rng.random() < 0.5 else (slice(None), gone)
    picture[strip] = 0
    owner[strip] = _BEYOND


def _truths(owner: NDArray[np.int16], card: PooledCard, h: NDArray[np.float64], number: int) -> list[IndexTruth]:
    outline = _through(h, _outline(card))
    at = np.rint(_grid(outline, 14)).astype(int)
    at = at[((at >= 0) & (at < SIDE_PX)).all(1)]
    owners = owner[at[:, 1], at[:, 0]]
    framed = owners[owners != _BEYOND]
    complete = len(framed) > 0 and float((framed != number).mean()) < 0.012
    found = []
    for corner, turned in zip(card.corners, card.turned, strict=True):
        quad = _through(h, corner)
        seen, _ = _share(owner, quad, number)
        if seen > 0.1:
            found.append(IndexTruth(card.face, quad, np.roll(outline, -2, 0) if turned else outline, seen, complete))
    return found
