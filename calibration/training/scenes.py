"""Pictures of cards as a poor camera above a table sees them: piles, neighbours, hands, light, blur, noise, JPEG.

`Scenes.crops(n)` gives what the reader will be shown: crops cut by `hardware.vision.reader.rectify` with quads as wrong
as a card finder's, and what each is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.training import painting
from hardware.vision.reader import CLASSES, FACE_DOWN, NOTHING, rectify

Picture = NDArray[np.uint8]
Array = NDArray[np.float64]

HALF_MM = 62.0
"""Half the side of the square of table that is rendered round a card."""

RARE_SHARE = 0.08
"""Jokers and backs are two of 54 faces and the most varied: they are shown this often on top of that."""


@dataclass(frozen=True)
class Face:
    """One printed card to be laid on the table."""

    name: str
    """One of CLASSES."""
    picture: Picture
    """BGRA, alpha 0 outside the round corners."""
    width_mm: float
    height_mm: float


@dataclass(frozen=True)
class Pose:
    """Where a card lies: its middle and its turn."""

    x_mm: float
    y_mm: float
    turn: float

    def corners(self, face: Face) -> Array:
        """TL, TR, BR, BL in mm, 4 x 2."""
        w, h = face.width_mm / 2, face.height_mm / 2
        c, s = np.cos(self.turn), np.sin(self.turn)
        box = np.array([(-w, -h), (w, -h), (w, h), (-w, h)])
        return box @ np.array([(c, s), (-s, c)]) + (self.x_mm, self.y_mm)


@dataclass
class View:
    """One camera over one spot of the table: the picture so far, and how mm become pixels."""

    picture: Picture
    homography: Array
    px_per_mm: float

    def px(self, points_mm: Array) -> Array:
        return np.asarray(cv2.perspectiveTransform(points_mm[None].astype(np.float64), self.homography)[0])


def new_view(rng: np.random.Generator) -> View:
    """A camera 0.45 to 1 m away, mostly from straight above, 0.7 to 4 px/mm, over a table of some stuff."""
    scale = float(np.exp(rng.uniform(np.log(0.8), np.log(3.0)))) if rng.random() < 0.95 else rng.uniform(0.5, 0.8)
    size = int(2 * HALF_MM * scale)
    tilt = rng.normal(0, 0.13, 2) if rng.random() < 0.85 else rng.uniform(-0.5, 0.5, 2)
    away = rng.uniform(450, 1000)
    a, b = np.sin(tilt) / away
    flat = np.array([[scale * np.cos(tilt[0]), 0, size / 2], [0, scale * np.cos(tilt[1]), size / 2], [0, 0, 1.0]])
    lean = np.array([[1, 0, 0], [0, 1, 0], [a, b, 1.0]])
    return View(_table(rng, size), flat @ lean, scale)


def _table(rng: np.random.Generator, size: int) -> Picture:
    """Cloth, wood, paper or clutter."""
    colour = (
        rng.integers(10, 250, 3)
        if rng.random() < 0.5
        else np.array(
            ((40, 90, 30), (120, 60, 30), (60, 100, 150), (235, 238, 240), (30, 30, 30), (40, 40, 130))[rng.integers(6)]
        )
    )
    grain = int(rng.integers(2, 40))
    shape = (max(2, size // grain), 2) if rng.random() < 0.4 else (max(2, size // grain),) * 2
    noise = rng.normal(0, rng.uniform(1, 22), (*shape, 1)).astype(np.float32)
    field = cv2.resize(noise, (size, size), interpolation=cv2.INTER_CUBIC)[..., None] + colour
    picture = np.clip(field, 0, 255).astype(np.uint8)
    if rng.random() < 0.2:  # a printed mat, a magazine
        for _ in range(rng.integers(1, 6)):
            a, b = rng.integers(0, size, (2, 2)).tolist()
            draw = cv2.line if rng.random() < 0.6 else cv2.rectangle
            draw(picture, a, b, rng.integers(0, 255, 3).tolist(), int(rng.integers(1, 6)), cv2.LINE_AA)
    return picture


def lay(view: View, face: Face, pose: Pose, rng: np.random.Generator) -> Picture:
    """Put a card with its soft shadow on the picture; gives the mask of what it covers (uint8)."""
    h, w = face.picture.shape[:2]
    box = np.array([(-0.5, -0.5), (w - 0.5, -0.5), (w - 0.5, h - 0.5), (-0.5, h - 0.5)], np.float32)
    warp = cv2.getPerspectiveTransform(box, view.px(pose.corners(face)).astype(np.float32))
    size = view.picture.shape[1::-1]
    shrink = w / face.width_mm / view.px_per_mm
    picture = (
        face.picture
        if shrink < 2
        else cv2.resize(face.picture, None, fx=1 / int(shrink), fy=1 / int(shrink), interpolation=cv2.INTER_AREA)
    )
    if picture is not face.picture:
        warp = warp @ np.diag([w / picture.shape[1], h / picture.shape[0], 1.0])
    laid = cv2.warpPerspective(picture, warp, size, flags=cv2.INTER_LINEAR)
    alpha = np.ascontiguousarray(laid[..., 3])
    if rng.random() < 0.8:
        spread = rng.uniform(0.4, 2.5) * view.px_per_mm
        move = np.array([[1, 0, rng.normal(0, spread)], [0, 1, rng.normal(0, spread)]], np.float32)
        shadow = cv2.warpAffine(cv2.GaussianBlur(alpha, (0, 0), max(0.5, spread)), move, size)
        light = cv2.convertScaleAbs(shadow, alpha=-rng.uniform(0.1, 0.6), beta=0)
        view.picture = cv2.multiply(view.picture, cv2.merge([255 - light] * 3), scale=1 / 255)
    cover = cv2.merge([alpha] * 3)
    view.picture = cv2.add(
        cv2.multiply(view.picture, 255 - cover, scale=1 / 255), cv2.multiply(laid[..., :3], cover, scale=1 / 255)
    )
    return alpha


def reach_in(view: View, toward_mm: Array, rng: np.random.Generator) -> Picture:
    """A hand, glove, sleeve or thing that comes from outside over the card; gives the mask of what it covers."""
    size = view.picture.shape[0]
    mask = np.zeros((size, size), np.uint8)
    angle = rng.uniform(0, 2 * np.pi)
    far = np.array([np.cos(angle), np.sin(angle)])
    for _ in range(rng.integers(1, 5)):
        tip = toward_mm + far * rng.uniform(12, 42) + rng.normal(0, 9, 2)
        root = toward_mm + far * 130 + rng.normal(0, 25, 2)
        ends = np.round(view.px(np.stack([tip, root]))).astype(int)
        width = rng.uniform(11, 24) if rng.random() < 0.8 else rng.uniform(30, 60)
        cv2.line(mask, ends[0].tolist(), ends[1].tolist(), 255, max(2, int(width * view.px_per_mm)), cv2.LINE_AA)
    skin = painting.shaken(((140, 170, 225), (90, 125, 180), (60, 80, 120), (35, 45, 70))[rng.integers(4)], rng)
    colour = np.array(skin if rng.random() < 0.6 else rng.integers(5, 250, 3), np.float32)
    y, x = np.mgrid[:size, :size].astype(np.float32)
    shade = 1 + rng.uniform(-0.3, 0.3) * np.sin((x * far[1] - y * far[0]) / (rng.uniform(3, 12) * view.px_per_mm))
    stuff = np.clip(colour * shade[..., None] + rng.normal(0, 6, (size, size, 1)), 0, 255)
    shadow = cv2.GaussianBlur(mask, (0, 0), 4 * view.px_per_mm).astype(np.float32)[..., None]
    dark = shadow * np.float32(rng.uniform(0, 0.5) / 255)
    cover = mask.astype(np.float32)[..., None] / 255
    view.picture = (view.picture * (1 - dark) * (1 - cover) + stuff * cover).astype(np.uint8)
    return mask


def photographed(picture: Picture, px_per_mm: float, rng: np.random.Generator) -> Picture:
    """The picture as a camera delivers it: light, blur, sharpening, noise, compression."""
    gamma = np.exp(rng.normal(0, 0.25))
    toned = cv2.LUT(picture, (255 * (np.arange(256) / 255) ** gamma).astype(np.uint8))
    seen = _blurred(_lit(toned, rng), px_per_mm, rng)
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.7, 1.6))
        strength = rng.uniform(0.3, 1.8)
        seen = cv2.addWeighted(seen, 1 + strength, soft, -strength, 0)
    grain = rng.uniform(0, 9) * (rng.random() < 0.8)
    if grain > 0.5:
        seen += np.float32(grain) * rng.standard_normal(seen.shape, np.float32)
    shot = np.clip(seen, 0, 255).astype(np.uint8)
    if rng.random() < 0.85:
        quality = int(rng.uniform(25, 96))
        shot = cv2.imdecode(cv2.imencode(".jpg", shot, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    return shot


def _lit(picture: Picture, rng: np.random.Generator) -> NDArray[np.float32]:
    """Lamps, shadows and glare, which are smooth: made on a coarse grid. Float32, not yet clipped."""
    size, coarse = picture.shape[0], 64
    y, x = np.mgrid[:coarse, :coarse] / coarse - 0.5
    field = 1 + rng.uniform(-0.5, 0.5) * x + rng.uniform(-0.5, 0.5) * y
    if rng.random() < 0.3:  # a shadow's edge across the card
        angle, soft = rng.uniform(0, 2 * np.pi), rng.uniform(0.02, 0.2)
        side = (x * np.cos(angle) + y * np.sin(angle) + rng.uniform(-0.3, 0.3)) / soft
        field *= 1 - rng.uniform(0.2, 0.65) / (1 + np.exp(-np.clip(side, -30, 30)))
    warmth = rng.normal(0, 0.13)
    gain = np.array([1 - warmth, 1 + rng.normal(0, 0.04), 1 + warmth]) * rng.uniform(0.4, 1.12)
    haze = np.full_like(field, rng.uniform(0, 30) * (rng.random() < 0.4))
    if rng.random() < 0.25:
        for _ in range(rng.integers(1, 3)):
            cx, cy, rx, ry = *rng.uniform(-0.4, 0.4, 2), *rng.uniform(0.03, 0.25, 2)
            haze += np.exp(-(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2)) * rng.uniform(40, 260)
    vivid = rng.uniform(0.45, 1.4)
    mix = (np.eye(3) * vivid + (1 - vivid) / 3) @ np.diag(gain)
    light = cv2.transform(picture.astype(np.float32), mix.astype(np.float32))
    light *= cv2.resize(field.astype(np.float32), (size, size))[..., None]
    light += cv2.resize(haze.astype(np.float32), (size, size))[..., None]
    return np.asarray(np.clip(light, 0, 255, out=light), np.float32)


def _blurred(picture: NDArray[np.float32], px_per_mm: float, rng: np.random.Generator) -> NDArray[np.float32]:
    if rng.random() < 0.7:
        sigma = rng.uniform(0, 0.45) * px_per_mm + rng.uniform(0, 0.8)
        if sigma > 0.25:
            picture = cv2.GaussianBlur(picture, (0, 0), sigma)
    if rng.random() < 0.35:
        # mostly a card at rest or slow; long smears teach that they cannot be trusted
        smear_mm = rng.gamma(2.0, 1.3) if rng.random() < 0.65 else rng.uniform(4, 15)
        length = max(1.0, smear_mm * px_per_mm)
        n = 2 * int(length / 2 + 1) + 1
        kernel = np.zeros((n, n), np.float32)
        angle = rng.uniform(0, np.pi)
        reach = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        a, b = ((n // 2 + reach) * 16).astype(int).tolist(), ((n // 2 - reach) * 16).astype(int).tolist()
        cv2.line(kernel, a, b, 1.0, 1, cv2.LINE_AA, shift=4)
        picture = cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1e-6))
    return picture


@dataclass(frozen=True)
class Sample:
    """One crop and what it shows."""

    crop: Picture
    label: int
    """Index into CLASSES."""
    visible: float
    """Share of the card that nothing covers."""


class Scenes:
    """An endless stream of samples from decks that `new_deck` supplies."""

    def __init__(self, new_deck: Callable[[np.random.Generator], list[Face]], rng: np.random.Generator) -> None:
        """`new_deck` gives all faces of one deck: 52 cards, joker, back."""
        self._new_deck, self._rng = new_deck, rng

    def samples(self, scenes_per_deck: int) -> Iterator[Sample]:
        """Samples for ever, deck after deck."""
        while True:
            faces = self._new_deck(self._rng)
            for _ in range(scenes_per_deck):
                yield from self._scene(faces)

    def _scene(self, faces: list[Face]) -> Iterator[Sample]:
        rng = self._rng
        face = faces[rng.integers(len(faces))]
        rare = [odd for odd in faces if odd.name in ("JK", FACE_DOWN)]
        if rare and rng.random() < RARE_SHARE:
            face = rare[rng.integers(len(rare))]
        view = new_view(rng)
        self._surroundings(view, faces)
        pose = Pose(*rng.normal(0, 2, 2), rng.uniform(0, 2 * np.pi))
        own = lay(view, face, pose, rng)
        covered = np.zeros_like(own)
        if rng.random() < 0.22:
            covered = np.maximum(covered, self._cover_with_card(view, faces, pose))
        if rng.random() < 0.25:
            covered = np.maximum(covered, reach_in(view, np.array([pose.x_mm, pose.y_mm]), rng))
        visible = 1 - float(((own > 127) & (covered > 127)).sum() / max(1, (own > 127).sum()))
        quad = view.px(pose.corners(face))
        for _ in range(2):
            shot = photographed(view.picture, view.px_per_mm, rng)
            yield from self._cut(shot, view, quad, face, visible)

    def _surroundings(self, view: View, faces: list[Face]) -> None:
        """A squared or untidy pile underneath, or neighbours in a row or fan, or nothing."""
        rng = self._rng
        kind = rng.random()
        if kind < 0.35:
            spread = rng.uniform(0.5, 9)
            turn = rng.uniform(0, 2 * np.pi)
            for _ in range(rng.integers(1, 5)):
                under = Pose(*rng.normal(0, spread, 2), turn + rng.normal(0, 0.15))
                lay(view, faces[rng.integers(len(faces))], under, rng)
        elif kind < 0.75:
            for _ in range(rng.integers(1, 4)):
                away = rng.uniform(15, 95) * np.array([np.cos(a := rng.uniform(0, 2 * np.pi)), np.sin(a)])
                lay(view, faces[rng.integers(len(faces))], Pose(*away, rng.uniform(0, 2 * np.pi)), rng)

    def _cover_with_card(self, view: View, faces: list[Face], pose: Pose) -> Picture:
        rng = self._rng
        away = rng.uniform(24, 75) * np.array([np.cos(a := rng.uniform(0, 2 * np.pi)), np.sin(a)])
        turn = pose.turn + (rng.normal(0, 0.2) if rng.random() < 0.6 else rng.uniform(0, 6.3))
        return lay(view, faces[rng.integers(len(faces))], Pose(pose.x_mm + away[0], pose.y_mm + away[1], turn), rng)

    def _cut(self, shot: Picture, view: View, quad: Array, face: Face, visible: float) -> Iterator[Sample]:
        rng = self._rng
        if rng.random() < 0.06:
            quad, name = _astray(quad, view.px_per_mm, rng), NOTHING
        else:
            off = abs(rng.normal(0, 1.0)) * view.px_per_mm
            quad = quad + rng.normal(0, off * 0.6, 2) + rng.normal(0, off * 0.6, (4, 2))
            name = face.name if visible > 0.3 or face.name == FACE_DOWN else NOTHING
        quad = np.roll(quad, 2 * int(rng.integers(2)), axis=0)
        yield Sample(rectify(shot, quad), CLASSES.index(name), visible)


def _astray(quad: Array, px_per_mm: float, rng: np.random.Generator) -> Array:
    """A quad that frames no card: beside it, over two, a part of one, or far too large."""
    middle = quad.mean(axis=0)
    kind = rng.integers(4)
    if kind == 3:  # a pip, an index, a patch of a court
        return middle + (quad - middle) * rng.uniform(-0.8, 0.8) + (quad - middle) * rng.uniform(0.05, 0.25)
    if kind == 0:
        angle = rng.uniform(0, 2 * np.pi)
        return quad + np.array([np.cos(angle), np.sin(angle)]) * rng.uniform(28, 75) * px_per_mm
    if kind == 1:
        return middle + (quad - middle) * (rng.uniform(0.3, 0.62) if rng.random() < 0.5 else rng.uniform(1.5, 2.2))
    turn = rng.uniform(0.5, np.pi - 0.5)
    c, s = np.cos(turn), np.sin(turn)
    return middle + (quad - middle) @ np.array([(c, s), (-s, c)])
