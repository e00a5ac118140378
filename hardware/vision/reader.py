"""Reading one card: cut it out of a picture upright and at a fixed size, and ask the network what it is.

The network sees the whole card, either way up, and gives odds over `CLASSES`: 52 cards, a joker, a card face down, and
"none" for whatever is no card or cannot be told. How it was taught, and how well it reads, stands beside its weights.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, Protocol

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.vision.corners import CornerReader, Index, joined
from hardware.vision.networks import Network, network_of, packaged_network
from referee.cards import JOKER, PACK, UNREAD, Card
from referee.errors import PictureError

Image = NDArray[np.uint8]
Quad = NDArray[np.float64]

FACE_DOWN: Final = "face_down"
NOTHING: Final = "none"
CLASSES: Final[tuple[str, ...]] = (*PACK, JOKER, FACE_DOWN, NOTHING)
"""Order of the columns that the network answers with."""

CROP_SIZE: Final = (88, 120)
"""Width and height of what the network sees: 1.26 pixels a millimetre."""
CROP_MARGIN: Final = 4
"""Pixels round the card inside the crop, so that an index survives a quad that is 2.5 mm off."""

CROP_CORNERS: Final = np.array(
    [
        (CROP_MARGIN - 0.5, CROP_MARGIN - 0.5),
        (CROP_SIZE[0] - CROP_MARGIN - 0.5, CROP_MARGIN - 0.5),
        (CROP_SIZE[0] - CROP_MARGIN - 0.5, CROP_SIZE[1] - CROP_MARGIN - 0.5),
        (CROP_MARGIN - 0.5, CROP_SIZE[1] - CROP_MARGIN - 0.5),
    ],
    np.float32,
)
"""Where the card's top left, top right, bottom right and bottom left lie in the crop."""

CERTAIN: Final = 0.99
"""A crop that is read so surely one way up need not be read the other way up."""
NAMED: Final = 0.97
"""A card that is named so surely by one look at its indices needs no closer one."""
CLEARLY_NOTHING: Final = 0.9
"""Nor one that shows so surely no card one way up: the other way up no card has ever come of it."""


class Reading(msgspec.Struct, frozen=True):
    """What one crop shows. The odds of all cards, `face_down` and `nothing` add up to 1."""

    cards: dict[Card, float]
    """The likeliest cards with their probabilities, best first; those under 0.1 % are left out."""
    face_down: float
    nothing: float
    """No card, or one that cannot be told."""

    @property
    def best(self) -> tuple[Card, float]:
        """The likeliest card and its probability; `??` with 0 where no card is likely at all."""
        return next(iter(self.cards.items()), (UNREAD, 0.0))


def mean_reading(readings: Sequence[Reading]) -> Reading:
    """Return the mean of several readings of one card."""
    share = 1.0 / len(readings)
    odds: dict[Card, float] = {}
    for reading in readings:
        for card, p in reading.cards.items():
            odds[card] = odds.get(card, 0.0) + share * p
    best_first = dict(sorted(odds.items(), key=lambda item: -item[1]))
    return Reading(
        cards=best_first,
        face_down=share * sum(reading.face_down for reading in readings),
        nothing=share * sum(reading.nothing for reading in readings),
    )


def rectify(image: Image, quad_px: Quad) -> Image:
    """Cut a card out of a picture: its corners (4 x 2, its own TL, TR, BR, BL; pixel centres are integers) go to fixed
    places in a picture of CROP_SIZE, uint8 BGR, with CROP_MARGIN pixels of surroundings. Outside the picture is black.
    """
    quad = np.asarray(quad_px, np.float64).reshape(4, 2)
    image, quad = _shrunk(image, quad)
    warp = cv2.getPerspectiveTransform(quad.astype(np.float32), CROP_CORNERS)
    return np.asarray(cv2.warpPerspective(image, warp, CROP_SIZE, flags=cv2.INTER_LINEAR), np.uint8)


def _shrunk(image: Image, quad: Quad) -> tuple[Image, Quad]:
    """The part of the picture round the quad, halved and so on while it is over twice as fine as the crop needs."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    factor = int(sides.max() / (CROP_SIZE[1] - 2 * CROP_MARGIN))
    if factor < 2:
        return image, quad
    margin = 0.1 * sides.max()
    x0, y0 = np.floor(np.maximum(quad.min(axis=0) - margin, 0)).astype(int)
    x1, y1 = np.ceil(quad.max(axis=0) + margin).astype(int)
    part = image[y0:y1, x0:x1]
    size = (part.shape[1] // factor, part.shape[0] // factor)
    if min(size, default=0) < 2:
        return image, quad
    scale = np.array([size[0] / part.shape[1], size[1] / part.shape[0]])
    smaller = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    return smaller, (quad - (x0, y0) + 0.5) * scale - 0.5


class Reader(Protocol):
    """Names cards: `CardReader` does, and one that knows the deck at hand better."""

    def load(self) -> None: ...

    def read(self, crops: NDArray[np.uint8]) -> list[Reading]: ...

    def checked(self, reading: Reading, image: Image, quad_px: Quad) -> Reading: ...

    def marks(self, image: Image) -> list[Index]: ...

    def with_indices(self, reading: Reading, image: Image, marks: Sequence[Index], complete: float) -> Reading: ...


class CardReader:
    """The network, loaded at the first reading. Not for two threads at once."""

    def __init__(self, weights: Path | None = None) -> None:
        """`weights`: an ONNX file in place of the one in the package."""
        self._weights = weights
        self._corners = CornerReader()

    def load(self) -> None:
        """Load all that is loaded at the first reading."""
        width, height = CROP_SIZE
        self.read(np.zeros((1, height, width, 3), np.uint8))
        self._corners.load()

    def odds(self, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Probabilities, float32 (N, 55) in the order of CLASSES, rows adding up to 1.

        `crops`: uint8 (N, H, W, 3) BGR as from `rectify`; other sizes are resized. Each is read both ways up.
        """
        return self._odds(crops, enough=np.inf)

    def read(self, crops: NDArray[np.uint8]) -> list[Reading]:
        """What each crop shows; `crops` as for `odds`. What is certain one way up is not read the other way up."""
        return [reading_of(row) for row in self._odds(crops, CERTAIN)]

    def _odds(self, crops: NDArray[np.uint8], enough: float) -> NDArray[np.float32]:
        """The odds, from one way up for crops of which something is at least so likely, else from both."""
        if crops.size == 0:
            return np.zeros((0, len(CLASSES)), np.float32)
        sized = [
            crop if crop.shape[1::-1] == CROP_SIZE else cv2.resize(crop, CROP_SIZE, interpolation=cv2.INTER_AREA)
            for crop in crops
        ]
        upright = np.asarray(cv2.dnn.blobFromImages(sized), np.float32)
        logits = self.network(upright)
        odds = _softmax(logits)
        nothing = odds[:, -1] > (CLEARLY_NOTHING if enough < 1 else enough)
        unsure = np.flatnonzero((odds.max(axis=1) < enough) & ~nothing)
        if unsure.size:
            turned = self.network(np.ascontiguousarray(upright[unsure, :, ::-1, ::-1]))
            # the same card twice is hardly independent, so the evidence is not added
            odds[unsure] = _softmax((logits[unsure] + turned) / np.float32(2))
        return odds

    def checked(self, reading: Reading, image: Image, quad_px: Quad) -> Reading:
        """Return the reading of a card, its corners (4 x 2) as for `rectify`, together with what its indices say.

        Courts of a strange deck may look like those of another suit, every time anew; their indices do not.
        """
        index = self._corners.of_card(image, quad_px)
        return reading if index is None else _joined(reading, index, 1.0)

    def marks(self, image: Image) -> list[Index]:
        """Return every index, not named yet, in a picture whose cards are about 100 x 140 pixels large."""
        return self._corners.marks(image)

    def with_indices(self, reading: Reading, image: Image, marks: Sequence[Index], complete: float) -> Reading:
        """Return the reading of a card together with what the indices say that are marked on it.

        `complete`: probability that nothing lies on the card.
        """
        named = _joined(reading, self._corners.of_marks(image, marks, closely=False), complete)
        if named.best[1] > NAMED:
            return named
        return _joined(reading, self._corners.of_marks(image, marks, closely=True), complete)

    def read_quad(self, image: Image, quad_px: Quad) -> Reading:
        """Cut one card out of a picture and read it."""
        return self.read(rectify(image, quad_px)[None])[0]

    @cached_property
    def network(self) -> Network:
        """The network itself: float32 (N, 3, H, W) BGR in, logits (N, 55) out, one way up."""
        if self._weights is None:
            return packaged_network("reader")
        try:
            return network_of(self._weights.read_bytes())
        except FileNotFoundError:
            raise PictureError(f"the reader's weights {self._weights} are not there: give an ONNX file") from None


def _joined(reading: Reading, index: NDArray[np.float64], complete: float) -> Reading:
    """The reading of a card together with what its indices say: (54,) as `Index.odds`."""
    whole = np.array([*(reading.cards.get(Card(name), 0.0) for name in CLASSES[:53]), 0.0])
    odds = joined(index, whole, complete)[:53]
    # what is half covered may look like no card; where an index shows one lies
    face_down, nothing = reading.face_down * complete, reading.nothing * complete
    odds *= (1.0 - face_down - nothing) / odds.sum()
    return reading_of(np.array([*odds, face_down, nothing], np.float32))


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def reading_of(odds: NDArray[np.float32]) -> Reading:
    """One row of `CardReader.odds` as a Reading."""
    order = np.argsort(odds[:53])[::-1]
    cards = {Card(CLASSES[i]): float(odds[i]) for i in order if odds[i] >= 0.001}
    return Reading(cards=cards, face_down=float(odds[53]), nothing=float(odds[54]))
