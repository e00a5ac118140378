"""The test of a calibrated table: what is read of a lying table, and how far cards come out off their known size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from calibration.corners import CHECK_CARDS, FIELD_MM, NO_CARD_MM, card_size_error_mm, traffic_light
from calibration.light import Named
from hardware.checks.report import Answer, fail, ok, skip, warn
from hardware.frames import Frame, Image
from hardware.tablefile import BRIDGE_MM, POKER_MM, Points, Table, picture_hash
from hardware.vision.eyes import Eyes
from hardware.vision.piles import Reader, Top
from hardware.vision.quads import card_quads
from referee.errors import TableFileError
from referee.table import PILES, PLAYERS

SURE: Final = 0.9


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
        (first, p), *others = [*reading.cards.items()] or [("??", 0.0)]
        second = f", then {others[0][0]} {others[0][1]:.3f}" if others else ""
        if p >= SURE:
            return ok(f"{first} {p:.3f}{second}")
        cure = "give it more light, or enrol the deck: `spit-referee calibrate deck`"
        return warn(f"perhaps {first} {p:.3f}{second}", cure)


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


def check_cards(image: Image, table: Table) -> list[Points]:
    """Return the outlines of cards that lie free on the table, in px."""
    near = [quad for quad in card_quads(image) if np.abs(table.to_mm(quad)).max() < FIELD_MM]
    return [quad for quad in near if (card_size_error_mm(table, [quad]) or 0.0) < NO_CARD_MM]


def measured(table: Table, image: Image) -> tuple[Table, Named]:
    """Return the table with the residual measured on this picture, and what to think of it.

    Left as it was where the picture says nothing: it had a part in the fit, or too few cards lie free.
    """
    if fitted_on(table, image):
        says = "the residual is measured on cards that had no part in the fit: take a new picture of the table"
        return table, ("residual", skip(says))
    quads = check_cards(image, table)
    where = [table.to_mm(quad).mean(axis=0)[1] for quad in quads]
    bands = {"p1's row": any(y < -60 for y in where), "the middle": any(abs(y) <= 60 for y in where)}
    bands["p2's row"] = any(y > 60 for y in where)
    if len(quads) < CHECK_CARDS or not all(bands.values()):
        lacking = " and ".join(name for name, there in bands.items() if not there) or "more places"
        return table, ("residual", skip(f"to measure it, lay single cards in the middle and in each row ({lacking})"))
    off_mm = card_size_error_mm(table, quads)
    light = traffic_light(off_mm)
    return replace(table, residual_mm=off_mm), ("residual", _residual_answer(light, quads, table))


def _residual_answer(light: str, quads: Sequence[Points], table: Table) -> Answer:
    says = f"{light} ({len(quads)} cards)"
    if light.endswith("good"):
        return ok(says)
    other = BRIDGE_MM if table.card_size_mm == POKER_MM else POKER_MM
    seen = float(np.median([_short_side_mm(table, quad) for quad in quads]))
    if abs(seen - other[0]) < abs(seen - table.card_size_mm[0]):
        name = "bridge" if other == BRIDGE_MM else "poker"
        cure = f"run `spit-referee calibrate corners --card {name}`"
        return fail(f"the cards are {seen:.0f} mm wide, as of {name} size", cure)
    head, _, cure = light.partition("; ")
    state = warn if "usable" in head else fail
    return state(f"{head} ({len(quads)} cards)", cure)


def _short_side_mm(table: Table, quad: Points) -> float:
    corners = table.to_mm(quad)
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return float(min(sides[0] + sides[2], sides[1] + sides[3]) / 2)


def answers(places: Sequence[Place]) -> Iterator[Named]:
    """Yield what is read at each place."""
    for place in places:
        yield place.name, place.answer()
