"""Hands and sleeves seen from above, modelled as rounded limbs and lit, one picture for each pose."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.look import HandLook
from hardware.simulated.motion import HandAt
from referee.table import Hand

_PX_PER_MM: Final = 1.8
_LEFT_MM, _RIGHT_MM, _FRONT_MM, _BACK_MM = -95.0, 95.0, 30.0, -560.0
"""What the picture of a hand covers, from its fingertips, fingers pointing to +y."""
_SLOPE: Final = 0.13
"""The arm rises towards the elbow by this many mm for each mm."""
_LIFT_MM: Final = 5.0

Point = tuple[float, float]

_KNUCKLES: Final[dict[str, Point]] = {
    "index": (-19.0, -84.0), "middle": (1.0, -82.0), "ring": (20.0, -88.0), "little": (37.0, -98.0),
}  # fmt: skip
_TIPS: Final[dict[str, dict[str, Point]]] = {
    "pinch": {
        "index": (-9.0, -1.0), "middle": (7.0, 0.0), "ring": (22.0, -12.0), "little": (37.0, -36.0),
        "thumb": (-33.0, -34.0),
    },
    "flat": {
        "index": (-27.0, 2.0), "middle": (3.0, 8.0), "ring": (31.0, -2.0), "little": (60.0, -30.0),
        "thumb": (-72.0, -62.0),
    },
}  # fmt: skip
_THICK_MM: Final = {"index": 9.2, "middle": 9.6, "ring": 9.2, "little": 8.0, "thumb": 10.8}
_WRIST: Final = (6.0, -176.0)
_ELBOW: Final = (6.0, -600.0)


@dataclass(frozen=True, slots=True)
class HandArt:
    """One pose of one hand. `picture`: uint8 (height, width, 4), colour multiplied by alpha; `shadow`: uint8, a quarter
    of the size, softened."""

    picture: NDArray[np.uint8]
    shadow: NDArray[np.uint8]


def corners_mm(at: HandAt, size: float) -> NDArray[np.float64]:
    """Return where the picture of a hand lies over the table: (4, 3) mm, from its top left corner clockwise."""
    flat = np.array([(_LEFT_MM, _FRONT_MM), (_RIGHT_MM, _FRONT_MM), (_RIGHT_MM, _BACK_MM), (_LEFT_MM, _BACK_MM)])
    turn = np.radians(at.angle_deg)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    xy = (flat * size) @ rotation + (at.x_mm, at.y_mm)
    z = at.z_mm + _LIFT_MM + np.maximum(0.0, -flat[:, 1]) * size * _SLOPE
    return np.column_stack([xy, z])


def draw_hand(look: HandLook, hand: Hand, pose: str) -> HandArt:
    """Return the picture of a hand seen from above, palm down."""
    skin = _Limbs()
    _add_hand(skin, pose)
    sleeve = _Limbs()
    start = -look.sleeve_from_mm
    if start > _BACK_MM:
        sleeve.add((6.0, start), _ELBOW, 43.0, 66.0)
        np.minimum(sleeve.inside, start - sleeve.y + (sleeve.x - 6) ** 2 / 240, out=sleeve.inside)
    rng = np.random.default_rng(look.seed)
    colour, alpha = _skin_colour(skin, look, pose, rng), skin.mask()
    if start > _BACK_MM:
        cloth, cover = _sleeve_colour(sleeve, look, start, rng), sleeve.mask()
        shade = cv2.GaussianBlur(cover, (0, 0), 7)[..., None] * 0.45
        colour = (colour * (1 - shade)) * (1 - cover[..., None]) + cloth * cover[..., None]
        alpha = np.maximum(alpha, cover)
    art = np.dstack([np.clip(colour, 0, 255) * alpha[..., None], alpha * 255]).round().astype(np.uint8)
    if hand == "L":
        art = np.ascontiguousarray(art[:, ::-1])
    small = cv2.resize(art[..., 3], None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    return HandArt(art, np.asarray(cv2.GaussianBlur(small, (0, 0), 3.2), np.uint8))


def _add_hand(limbs: "_Limbs", pose: str) -> None:
    for name, knuckle in _KNUCKLES.items():
        tip = _TIPS[pose][name]
        bend = _between(knuckle, tip, 0.52)
        bent = (bend[0] + (knuckle[0] - 5) * 0.06, bend[1])
        thick = _THICK_MM[name]
        limbs.add(knuckle, bent, thick + 1.0, thick, 5.0)
        limbs.add(bent, tip, thick, thick - 1.9, 3.0)
        limbs.add(knuckle, _between(knuckle, _WRIST, 0.75), 13.0, 24.0, 3.0)
    tip = _TIPS[pose]["thumb"]
    base = (-17.0, -146.0)
    joint = (_between(base, tip, 0.55)[0] - 9.0, _between(base, tip, 0.55)[1])
    limbs.add(base, joint, 19.0, 12.5, 2.0)
    limbs.add(joint, tip, 12.0, _THICK_MM["thumb"] - 1.8, 3.0)
    limbs.add(base, _KNUCKLES["index"], 17.0, 12.0)
    limbs.add(base, (2.0, -190.0), 19.0, 24.0)
    limbs.add(_WRIST, (6.0, -240.0), 27.0, 31.0)
    limbs.add((6.0, -240.0), _ELBOW, 31.0, 44.0)


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


class _Limbs:
    """A height field (mm) made of limbs: each a row of balls from one point and radius to another."""

    def __init__(self) -> None:
        width, height = (_RIGHT_MM - _LEFT_MM) * _PX_PER_MM, (_FRONT_MM - _BACK_MM) * _PX_PER_MM
        y, x = np.mgrid[0 : round(height), 0 : round(width)].astype(np.float32)
        self.x = (x + 0.5) / _PX_PER_MM + _LEFT_MM
        self.y = _FRONT_MM - (y + 0.5) / _PX_PER_MM
        self.height = np.zeros_like(self.x)
        self.inside = np.full_like(self.x, -100.0)
        """How far inside the outline, in mm; negative outside."""

    def add(self, a: Point, b: Point, ra: float, rb: float, lift: float = 0.0) -> None:
        ax, ay, bx, by = *a, *b
        part = self.around(a, b, max(ra, rb) + 2.0)
        x, y = self.x[part], self.y[part]
        length2 = (bx - ax) ** 2 + (by - ay) ** 2
        t = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length2, 0, 1)
        away = np.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay))
        radius = ra + t * (rb - ra)
        np.maximum(self.inside[part], radius - away, out=self.inside[part])
        round_top = np.sqrt(np.maximum(radius**2 - away**2, 0)) + lift * (away < radius)
        np.maximum(self.height[part], round_top, out=self.height[part])

    def around(self, a: Point, b: Point, margin: float) -> tuple[slice, slice]:
        """Return the part of the picture that holds both points and a margin in mm."""
        low_x, high_x = min(a[0], b[0]) - margin - _LEFT_MM, max(a[0], b[0]) + margin - _LEFT_MM
        low_y, high_y = _FRONT_MM - max(a[1], b[1]) - margin, _FRONT_MM - min(a[1], b[1]) + margin
        rows = slice(max(0, int(low_y * _PX_PER_MM)), int(high_y * _PX_PER_MM) + 1)
        return rows, slice(max(0, int(low_x * _PX_PER_MM)), int(high_x * _PX_PER_MM) + 1)

    def mask(self) -> NDArray[np.float32]:
        """Return the share of each pixel that is covered, 0 to 1."""
        return np.asarray(np.clip(self.inside * _PX_PER_MM + 0.5, 0, 1), np.float32)

    def lit(self) -> NDArray[np.float32]:
        """Return the brightness of the surface under a lamp from the upper left, about 1, darker in creases."""
        smooth = cv2.GaussianBlur(self.height, (0, 0), 1.6 * _PX_PER_MM)
        across = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=_PX_PER_MM / 8)
        down = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=_PX_PER_MM / 8)
        steep = 1 / np.sqrt(1 + across**2 + down**2)
        facing = (0.40 * across + 0.45 * down + 0.80) * steep
        creases = smooth - cv2.GaussianBlur(smooth, (0, 0), 6 * _PX_PER_MM)
        return np.asarray(0.42 + 0.62 * np.maximum(facing, 0) + 0.012 * np.clip(creases, -14, 8), np.float32)


def _skin_colour(limbs: _Limbs, look: HandLook, pose: str, rng: np.random.Generator) -> NDArray[np.float32]:
    pores = cv2.GaussianBlur(rng.normal(0, 1, limbs.x.shape).astype(np.float32), (0, 0), 1.4)
    colour: NDArray[np.float32] = np.array(look.skin, np.float32) * (limbs.lit() + 0.05 * pores)[..., None]
    if look.glove:
        return colour
    redder = np.zeros_like(limbs.x)
    for name, tip in _TIPS[pose].items():
        spots = [tip] + ([_KNUCKLES[name], _between(_KNUCKLES[name], tip, 0.52)] if name in _KNUCKLES else [])
        for x, y in spots:
            part = limbs.around((x, y), (x, y), 24.0)
            near = np.exp(-((limbs.x[part] - x) ** 2 + (limbs.y[part] - y) ** 2) / 90.0)
            np.maximum(redder[part], near, out=redder[part])
    colour *= 1 - redder[..., None] * np.array((0.13, 0.10, 0.0), np.float32)
    for name, tip in _TIPS[pose].items():
        _draw_nail(colour, limbs, name, tip, look)
    return colour


def _draw_nail(colour: NDArray[np.float32], limbs: _Limbs, name: str, tip: Point, look: HandLook) -> None:
    root = _KNUCKLES.get(name, (-40.0, -100.0))
    length = np.hypot(tip[0] - root[0], tip[1] - root[1])
    along = ((tip[0] - root[0]) / length, (tip[1] - root[1]) / length)
    part = limbs.around(tip, tip, 14.0)
    x, y = limbs.x[part] - tip[0] + 1.0 * along[0], limbs.y[part] - tip[1] + 1.0 * along[1]
    u, v = x * along[0] + y * along[1], x * along[1] - y * along[0]
    nail = np.clip(2.2 * (1 - (u / 6.6) ** 2 - (v / (_THICK_MM[name] * 0.55)) ** 2), 0, 1)[..., None]
    pink = np.minimum(np.array(look.skin, np.float32) * 1.08 + (26, 20, 26), 250)
    colour[part] += (pink - colour[part]) * nail * 0.6


def _sleeve_colour(limbs: _Limbs, look: HandLook, start: float, rng: np.random.Generator) -> NDArray[np.float32]:
    weave = cv2.GaussianBlur(rng.normal(0, 1, limbs.x.shape).astype(np.float32), (0, 0), 0.8)
    folds = np.sin(limbs.y / 13.0 + 0.05 * limbs.x + 2 * np.sin(limbs.x / 31.0)) * np.sin(limbs.y / 47.0)
    colour = np.empty((*limbs.x.shape, 3), np.float32)
    colour[:] = look.sleeve
    lighter = np.array([c + (255 - c) * 0.7 for c in look.sleeve], np.float32)
    if look.sleeve_pattern in ("stripes", "check"):
        colour[np.abs((limbs.x + 60) % 18 - 9) < 4] = lighter
    if look.sleeve_pattern == "check":
        colour[np.abs(limbs.y % 22 - 11) < 3] = lighter * 0.85
    cuff = np.abs(limbs.y - (start - 16) - (limbs.x - 6) ** 2 / 240) < 0.8
    colour *= (limbs.lit() + 0.05 * weave + 0.07 * folds - 0.25 * cuff)[..., None].astype(np.float32)
    return colour


def shadow_corners_mm(corners: NDArray[np.float64], slope: tuple[float, float]) -> NDArray[np.float64]:
    """Return where the corners' shadows fall on the table: (N, 3) mm, z 0."""
    shadow = corners.copy()
    shadow[:, :2] += corners[:, 2:] * np.array(slope)
    shadow[:, 2] = 0.0
    return shadow
