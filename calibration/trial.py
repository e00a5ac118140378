"""The test of a calibrated table: what is read of a lying table, and how far cards come out off their known size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.corners import exactness
from calibration.light import Named
from calibration.wires import Press
from hardware.checks.report import Answer, fail, ok, skip, warn
from hardware.frames import Frame, Image
from hardware.tablefile import BRIDGE_MM, POKER_MM, Points, Table, picture_hash
from hardware.vision.eyes import Eyes
from hardware.vision.reader import Reader
from hardware.vision.rectify import Pose
from hardware.vision.tops import Top
from referee.cards import UNREAD
from referee.errors import TableFileError
from referee.table import PILES, PLAYERS
from referee.units import counted

SURE: Final = 0.9
LOOK_MM: Final = 7.0
STEP_MM: Final = 0.2
LEAST_FALL: Final = 12.0
"""An edge at which the brightness falls by less is not clear: paper on paper."""
OTHER_SIZE_MM: Final = 2.0
LEANING: Final = 0.25
"""Share of the largest errors that is left out: under a card of a leaning stack the next one shows, which makes it
larger and never smaller."""


@dataclass(frozen=True, slots=True)
class Place:
    """What lies at a place of the table, if anything."""

    name: str
    top: Top | None

    def answer(self) -> Answer:
        """Return what is read there, how surely, and what comes next."""
        if self.top is None:
            return skip("empty")
        reading = self.top.reading
        if reading.face_down > 0.5:
            return ok(f"face down ({reading.face_down:.2f})")
        (first, p), *others = [*reading.cards.items()] or [(UNREAD, 0.0)]
        second = f", then {others[0][0]} {100 * others[0][1]:.1f} %" if others else ""
        if p >= SURE:
            return ok(f"{first} {100 * p:.1f} %{second}")
        cure = "give it more light, or enrol the deck: `spit-referee calibrate deck`"
        return warn(f"perhaps {first} {100 * p:.1f} %{second}", cure)


def read_table(image: Image, table: Table, reader: Reader) -> list[Place]:
    """Return what lies on both piles and in both rows.

    Raises:
        TableFileError: the picture is not of the table file's size.
    """
    height, width = image.shape[:2]
    if table.image_size_px != (width, height):
        wide, high = table.image_size_px
        raise TableFileError(
            f"the table file is for pictures of {wide}x{high}, this one has {width}x{height}; "
            "take it with the same camera and size, or run `spit-referee calibrate corners`"
        )
    eyes = Eyes(table, reader)
    eyes.see(Frame(at_ns=0, image=image, number=0))
    places = [Place(f"pile {pile}", eyes.piles[pile].spot.top) for pile in PILES]
    spots = eyes.rows.spots
    return places + [Place(f"{player} {n}", spots[player, n].top) for player in PLAYERS for n in range(1, 6)]


def fitted_on(table: Table, image: Image) -> bool:
    """Whether the cards of this picture had a part in the fit: it made the table file, and not by four corners alone.

    Only the search for the table works out a lens, and it does so with the help of all cards that lie free.
    """
    return table.camera_matrix is not None and table.reference_hash == picture_hash(image)


def measured(table: Table, image: Image, places: Sequence[Place]) -> tuple[Table, Named]:
    """Return the table with the residual measured on the cards of this picture, and what to think of it.

    Left as it was where the picture says nothing: it had a part in the fit, or too few cards show their edges.
    """
    if fitted_on(table, image):
        says = "it is measured on cards that had no part in the fit: take a new picture of the table"
        return table, ("exactness", skip(says))
    gray = np.asarray(image.min(axis=2), np.uint8)
    tops = {place.name: place.top for place in places if place.top is not None}
    off = {name: both for name, top in tops.items() if (both := size_error_mm(gray, table, top.pose)) is not None}
    parts = {"the middle": "pile", "p1's row": "p1", "p2's row": "p2"}
    lacking = [part for part, start in parts.items() if not any(name.startswith(start) for name in off)]
    if lacking:
        return table, ("exactness", skip(f"to measure it, lay single cards in the middle and each row ({lacking[0]})"))
    errors = np.array(list(off.values()))
    believed = np.sort(errors.ravel())[: round(errors.size * (1 - LEANING))]
    residual_mm = float(np.sqrt(np.mean(believed**2)))
    return replace(table, residual_mm=residual_mm), ("exactness", _exactness(residual_mm, errors, table))


def size_error_mm(gray: NDArray[np.uint8], table: Table, pose: Pose) -> tuple[float, float] | None:
    """Return by how much a lying card comes out too wide and too high in mm; None where not all its edges show.

    `gray`: the darkest channel, uint8 (height, width). The pose was found with the card's nominal size; each side is
    looked for anew, from LOOK_MM inside to LOOK_MM outside of where it should be.
    """
    top, right, bottom, left = (_side_off_mm(gray, table, a, b) for a, b in _sides(pose.quad_mm(table.card_size_mm)))
    if top is None or right is None or bottom is None or left is None:
        return None
    return left + right, top + bottom


def _sides(quad_mm: Points) -> Iterator[tuple[Points, Points]]:
    """Yield the ends of each side, clockwise from the upper one."""
    yield from zip(quad_mm, np.roll(quad_mm, -1, axis=0), strict=True)


def _side_off_mm(gray: NDArray[np.uint8], table: Table, a: Points, b: Points) -> float | None:
    """Return how far outside of the line from a to b the paper ends; None where no edge is clear."""
    steps = np.arange(-LOOK_MM, LOOK_MM + STEP_MM / 2, STEP_MM)
    along = (b - a) / np.linalg.norm(b - a)
    outwards = np.array([-along[1], along[0]])
    starts = a + np.linspace(0.2, 0.8, 25)[:, None] * (b - a)
    where = table.to_px((starts[:, None] + steps[None, :, None] * outwards).reshape(-1, 2)).astype(np.float32)
    seen = cv2.remap(gray, where[:, 0].reshape(25, -1), where[:, 1].reshape(25, -1), cv2.INTER_LINEAR)
    profile = np.median(seen, axis=0)
    width = round(1.0 / STEP_MM)
    # convolution turns its kernel round: brightness of the millimetre outside less that of the one inside
    falls = np.convolve(profile, np.repeat([1.0, -1.0], width), "valid") / width
    steepest = int(falls.argmin())
    return None if -falls[steepest] < LEAST_FALL else float(steps[steepest + width] - STEP_MM / 2)


def _exactness(residual_mm: float, errors: NDArray[np.float64], table: Table) -> Answer:
    """Return what to think of it; cards of the other size are named. `errors`: too wide and too high in mm, (N, 2)."""
    answer = exactness(residual_mm)
    other, name = (BRIDGE_MM, "bridge") if table.card_size_mm[0] > BRIDGE_MM[0] + 1 else (POKER_MM, "poker")
    wide, high = np.median(errors, axis=0) + table.card_size_mm
    is_other_size = abs(wide - other[0]) < OTHER_SIZE_MM and abs(high - other[1]) < OTHER_SIZE_MM
    if answer.state != "OK" and is_other_size:
        cure = f"run `spit-referee calibrate corners --card {name}`"
        return fail(f"the cards are {wide:.0f} x {high:.0f} mm, as of {name} size", cure)
    return answer._replace(says=f"{answer.says} ({counted(len(errors), 'card')})")


def slapped_together(slaps: Sequence[Press]) -> Answer:
    """Return who was first when two slapped together, by how much, and how exactly the pads know it."""
    if len(slaps) < 2:
        felt = f"only {slaps[0].pad} was felt" if slaps else "no slap was felt"
        return warn(felt, "try again, or check the pads with the step wires")
    first, second = slaps
    doubt_ms = (first.uncertainty_ns + second.uncertainty_ns) / 1e6
    return ok(
        f"{first.pad} was first, {second.pad} {(second.at_ns - first.at_ns) / 1e6:.1f} ms later (±{doubt_ms:.2f})"
    )


def answers(places: Sequence[Place]) -> Iterator[Named]:
    """Yield what is read at each place."""
    for place in places:
        yield place.name, place.answer()
