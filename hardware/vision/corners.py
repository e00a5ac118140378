"""Printed indices in a whole picture: where each stands, which card it belongs to, and what it says.

The index is the one part of a card that shows in every layout: apart, overlapping, on a pile, in a fan, in a hand. One
network (the finder) marks indices at any angle and draws the card round each; another (the namer) reads the cut-out
index at the picture's own resolution. Where is split from what, because detectors that also name are sure too early.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.networks import Network, packaged_network
from hardware.vision.paper import on_light_paper, white_balanced
from referee.cards import JOKER, PACK, RANKS, SUITS, Card

Quad = NDArray[np.float64]
"""Four corners in px, float64 (4, 2): top left, top right, bottom right, bottom left."""

NAMES: Final[tuple[Card, ...]] = (*PACK, JOKER)
"""Columns of the odds of an index; a last column stands for "no index"."""
_NOTHING_READ: Final = np.full(len(NAMES) + 1, 1 / (len(NAMES) + 1))

LONGEST_PX: Final = 1280
"""A picture is searched at this long side and at smaller ones: a card must be longer than about a sixteenth of it."""
Factor = tuple[float, float]
"""Pixels of a resized picture for one of the whole picture, across and down."""
_SHORTEST_PX: Final = 50
_STEP: Final = 2**0.5
"""Factor from one size to the next. The finder is at home over more than an octave: each card is met twice or more."""
_STRIDE: Final = 4
_INDEX_UNIT_PX: Final = 16.0
_CARD_UNIT_PX: Final = 64.0

INDEX_CROP: Final = (40, 64)
"""Width and height of what the namer sees."""
_SMALLEST_PX: Final = 7.0
"""Lower signs cannot be read; noise is full of them."""
_LOOKS_ASIDE: Final = ((0.88, 0.07), (1.14, -0.07))
"""Size of a further cut-out and its shift to the right, as shares of the index."""
_CORNER_CROP: Final = (48, 64)
"""Width and height of a corner in which an index is looked for: 30 x 40 mm, at about a camera's resolution."""
_CORNER_CARD: Final = (102, 142)
"""How large the whole card would be at that scale."""
_CORNER_MARGIN: Final = 8
_INDEX_BOX: Final = (8.0, 10.0, 32.0, 54.0)
"""Where the index stands in that crop: left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Index:
    """One printed index as the finder marks it."""

    index: Quad
    """The sign itself, in its own reading direction."""
    card: Quad
    """The card it is printed on, in the same reading direction."""
    score: float
    complete: float
    """Probability that nothing lies on the card."""
    odds: NDArray[np.float64]
    """(54,) over NAMES and "no index", adding up to 1."""

    def moved(self, by_px: tuple[int, int]) -> "Index":
        """The same index in a picture of which this one was a part, so far from its left and upper edge."""
        return replace(self, index=self.index + by_px, card=self.card + by_px)

    @property
    def centre(self) -> NDArray[np.float64]:
        return np.asarray(self.index.mean(axis=0))

    @property
    def height_px(self) -> float:
        return float(np.linalg.norm(self.index[3] - self.index[0]))


class CornerReader:
    """Finder and namer, loaded at the first picture. Not for two threads at once."""

    def __init__(self, finder: Network | None = None, namer: Network | None = None, least_score: float = 0.3) -> None:
        """`finder` and `namer`: networks in place of the packaged ones; `least_score`: of an index to count at all."""
        self._given = finder, namer
        self._least_score = least_score

    @cached_property
    def _finder(self) -> Network:
        return self._given[0] or packaged_network("finder")

    @cached_property
    def _namer(self) -> Network:
        return self._given[1] or packaged_network("namer")

    def load(self) -> None:
        """Load all that is loaded at the first reading."""
        nothing = np.zeros((64, 64, 3), np.uint8)
        self.marks(nothing)
        self.odds(nothing, [np.array([(8, 8), (24, 8), (24, 40), (8, 40)], np.float64)])

    def indices(self, image: Image) -> list[Index]:
        """Every index in the picture, the surest first."""
        return self.named(image, _kept([mark for level, scale in _levels(image) for mark in self._marks(level, scale)]))

    def marks(self, image: Image) -> list[Index]:
        """Return the indices, not named yet, in a picture whose cards are about as large as the finder knows: 100 x
        140 pixels. It costs a tenth."""
        return _kept(self._marks(image, (1.0, 1.0)))

    def named(self, image: Image, marks: Sequence[Index]) -> list[Index]:
        """Return the same indices with what each of them says."""
        if not marks:
            return []
        odds = self.odds(image, [mark.index for mark in marks])
        return [Index(m.index, m.card, m.score, m.complete, own) for m, own in zip(marks, odds, strict=True)]

    def odds(self, image: Image, quads: list[Quad]) -> NDArray[np.float64]:
        """(N, 54): what the index inside each quad says, over NAMES and "no index"."""
        crops = np.stack([crop for quad in quads for crop in _looks(image, quad)])
        said = np.concatenate([self._namer(_batch(crops[i : i + 60])) for i in range(0, len(crops), 60)])
        return odds_of(said.astype(np.float64).reshape(len(quads), 1 + len(_LOOKS_ASIDE), -1).mean(axis=1))

    def of_card(self, image: Image, quad_px: Quad) -> NDArray[np.float64] | None:
        """(54,): what the indices in two opposite corners of a card say, whose corners are known; None if none shows.

        Less than one reading of a whole picture by far: only the two corners are searched.
        """
        cuts = _corner_cuts(image, quad_px)
        found: list[Image] = []
        for cut, said in zip(cuts, self._finder(_batch(cuts)), strict=True):
            marks = [mark for mark in _peaks(said, (1.0, 1.0), self._least_score) if _is_in_corner(mark)]
            found += [index_crop(cut, max(marks, key=lambda mark: mark.score).index)] if marks else []
        return self._glanced(found) if found else None

    def of_marks(self, image: Image, marks: Sequence[Index], closely: bool) -> NDArray[np.float64]:
        """(54,): what the two clearest of these marks of one card say; `closely`: each is looked at three times."""
        quads = [mark.index for mark in marks[:2]]
        if closely:
            return mixed([*self.odds(image, quads)])
        return self._glanced([index_crop(image, quad) for quad in quads])

    def _glanced(self, crops: Sequence[Image]) -> NDArray[np.float64]:
        """(54,): what the cut-out indices of one card say, each looked at once."""
        return mixed([*odds_of(self._namer(_batch(np.stack(crops))).astype(np.float64))])

    def _marks(self, level: Image, scale: Factor) -> list[Index]:
        height, width = level.shape[:2]
        padded = np.zeros((height + -height % 16, width + -width % 16, 3), np.uint8)
        padded[:height, :width] = level
        said = self._finder(_batch(padded[None]))[0]
        return _peaks(said, scale, self._least_score)


def _is_in_corner(mark: Index) -> bool:
    """Whether a mark stands where an index is printed: else what was cut is no corner of a card."""
    x, y = mark.centre / _CORNER_CROP
    return mark.height_px > _SMALLEST_PX and bool(0.15 < x < 0.6 and 0.2 < y < 0.7)


def _corner_cuts(image: Image, quad_px: Quad) -> NDArray[np.uint8]:
    """A card's upper left corner and the opposite one, each as it reads: uint8 (2, 64, 48, 3)."""
    width, height = _CORNER_CARD
    target = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) + _CORNER_MARGIN - 0.5
    ways = (np.roll(quad_px, turned, axis=0).astype(np.float32) for turned in (0, -2))
    cuts = [cv2.warpPerspective(image, cv2.getPerspectiveTransform(quad, target), _CORNER_CROP) for quad in ways]
    return np.asarray(cuts, np.uint8)


def _batch(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), np.float32) / np.float32(255)


def _levels(image: Image) -> Iterator[tuple[Image, Factor]]:
    """The picture at ever smaller sizes, with the factors (x, y) to each; small pictures are doubled first."""
    height, width = image.shape[:2]
    scale = min(2.0, LONGEST_PX / max(width, height))
    while scale * max(width, height) >= _SHORTEST_PX:
        size = max(8, round(width * scale)), max(8, round(height * scale))
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        yield np.asarray(cv2.resize(image, size, interpolation=way), np.uint8), (size[0] / width, size[1] / height)
        scale /= _STEP


def _peaks(said: NDArray[np.float32], scale: Factor, least: float) -> list[Index]:
    """Local maxima of the heat as marks in the whole picture's pixels, not yet read."""
    heat = 1 / (1 + np.exp(-said[0]))
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((heat >= top) & (heat > least))
    marks = []
    for y, x in zip(rows.tolist(), columns.tolist(), strict=True):
        at = np.array([x, y]) * _STRIDE + (_STRIDE - 1) / 2
        cell = said[:, y, x].astype(np.float64)
        index = cell[1:9].reshape(4, 2) * _INDEX_UNIT_PX + at
        card = cell[9:17].reshape(4, 2) * _CARD_UNIT_PX + at
        complete = float(1 / (1 + np.exp(-cell[17])))
        marks.append(Index(_unscaled(index, scale), _unscaled(card, scale), float(heat[y, x]), complete, _NOTHING_READ))
    return marks


def _unscaled(points: Quad, scale: Factor) -> Quad:
    return np.asarray((points + 0.5) / np.array(scale) - 0.5, np.float64)


def _kept(marks: list[Index]) -> list[Index]:
    """One mark for each place, the surest first, without those too small to be read."""
    return [mark for mark in _distinct(sorted(marks, key=lambda mark: -mark.score)) if mark.height_px > _SMALLEST_PX]


def _distinct(marks: list[Index]) -> list[Index]:
    """One mark for each place, from the surest and the marks of it at other sizes of the picture."""
    places: list[list[Index]] = []
    for mark in marks:
        home = next((place for place in places if _same_place(place[0], mark)), None)
        if home is None:
            places.append([mark])
        else:
            home.append(mark)
    return [_averaged([mark for mark in place if _same_sign(place[0], mark)]) for place in places]


def _same_place(a: Index, b: Index) -> bool:
    return float(np.linalg.norm(a.centre - b.centre)) < 0.45 * max(a.height_px, b.height_px)


def _same_sign(best: Index, other: Index) -> bool:
    """The other saw the same sign nearly as surely: no part of it, and not upside down."""
    away = float(np.linalg.norm(best.index - other.index, axis=1).max())
    return other.score > 0.5 * best.score and away < 0.45 * best.height_px


def _averaged(marks: list[Index]) -> Index:
    weights = np.array([mark.score for mark in marks]) ** 2
    weights /= weights.sum()

    def mean(values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.asarray(np.tensordot(weights, np.array(values), 1))

    index, card = mean([mark.index for mark in marks]), mean([mark.card for mark in marks])
    complete = float(weights @ np.array([mark.complete for mark in marks]))
    return replace(marks[0], index=index, card=card, complete=complete)


def _looks(image: Image, quad: Quad) -> Iterator[Image]:
    """The index cut out as marked, and with its paper made white a little larger, smaller and aside: the readings even
    out what the finder missed by, and coloured light."""
    centre, across, down = quad.mean(axis=0), quad[1] - quad[0], quad[3] - quad[0]
    yield index_crop(image, quad)
    for size, aside in _LOOKS_ASIDE:
        look = (quad - centre) * size + centre + aside * across + 0.5 * aside * down
        yield white_balanced(index_crop(image, look))


def index_crop(image: Image, quad: Quad) -> Image:
    """Cut an index (4 x 2, as it reads) out of a picture: INDEX_CROP, uint8 BGR, with its surroundings, and as if
    printed dark on light paper."""
    left, top, right, bottom = _INDEX_BOX
    target = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32) - np.float32(0.5)
    height = max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1]))
    factor = int(height / (bottom - top))
    if factor >= 2:
        image, quad = _shrunk(image, quad, factor)
    warp = cv2.getPerspectiveTransform(quad.astype(np.float32), target)
    cut_out = np.asarray(cv2.warpPerspective(image, warp, INDEX_CROP, flags=cv2.INTER_LINEAR), np.uint8)
    return on_light_paper(cut_out)


def _shrunk(image: Image, quad: Quad, factor: int) -> tuple[Image, Quad]:
    """The part of the picture round the quad, `factor` times smaller: fine print is averaged, not skipped."""
    margin = float(np.ptp(quad, axis=0).max())
    x0, y0 = np.floor(np.maximum(quad.min(axis=0) - margin, 0)).astype(int)
    x1, y1 = np.ceil(quad.max(axis=0) + margin).astype(int)
    part = image[y0:y1, x0:x1]
    size = part.shape[1] // factor, part.shape[0] // factor
    if min(size) < 2:
        return image, quad
    scale = np.array([size[0] / part.shape[1], size[1] / part.shape[0]])
    smaller = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return smaller, (quad - (x0, y0) + 0.5) * scale - 0.5


def mixed(odds: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the odds of a card's indices together: printed and lit alike, they count little more than one."""
    logs = np.log(np.maximum(np.array(odds), 1e-4)).sum(axis=0) * (1.3 / (0.3 + len(odds)))
    return _normal(logs)


def joined(index: NDArray[np.float64], whole: NDArray[np.float64], complete: float) -> NDArray[np.float64]:
    """Return the odds of index and whole face together. A face that says the same counts in full, though it be half
    covered; one that says otherwise counts as much as it is likely to be bare."""
    agree = int(np.argmax(index)) == int(np.argmax(whole))
    return _normal(np.log(np.maximum(index, 1e-4)) + (1.0 if agree else complete) * np.log(np.maximum(whole, 1e-3)))


def _normal(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logs - logs.max())
    return np.asarray(powers / powers.sum())


def odds_of(said: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 54) odds over NAMES and "no index" from (N, 19) logits: 13 ranks, joker, none; four suits."""
    rank, suit = _softmax(said[:, :15]), _softmax(said[:, 15:])
    odds = np.zeros((len(said), len(NAMES) + 1))
    for n, card in enumerate(PACK):
        odds[:, n] = rank[:, _RANK_OF[card]] * suit[:, _SUIT_OF[card]]
    odds[:, -2], odds[:, -1] = rank[:, 13], rank[:, 14]
    return odds


_RANK_OF: Final = {card: RANKS.index(card[:-1]) for card in PACK}
_SUIT_OF: Final = {card: "".join(SUITS).index(card[-1]) for card in PACK}


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
