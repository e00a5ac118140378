"""The rows: ten places, what lies on top of each, and what left them."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hardware.frames import Frame
from hardware.tablefile import Table
from hardware.vision.motion import Hand, Motion
from hardware.vision.piles import Reader, Top
from hardware.vision.spots import Settled, Spot
from referee.observations import PlaceSeen, RowRead
from referee.table import PLAYERS, Player

REACH_MM: Final = 16.0
TURNED_DEG: Final = 16.0
REMEMBER_NS: Final = 3_000_000_000


@dataclass(frozen=True, slots=True)
class Departure:
    """A face that left a place of a row: somewhen between the two moments."""

    player: Player
    place: int
    top: Top
    from_ns: int
    to_ns: int


class RowWatch:
    """Follows the ten places of both rows."""

    def __init__(self, table: Table, motion: Motion, reader: Reader) -> None:
        self.spots: dict[tuple[Player, int], Spot] = {}
        for player in PLAYERS:
            for place, polygon in enumerate(table.rows[player], 1):
                x, y = (float(v) for v in polygon.mean(axis=0))
                self.spots[player, place] = Spot(table, motion, reader, (x, y), REACH_MM, TURNED_DEG)
        self.departures: list[Departure] = []

    def see(self, frame: Frame, hands: list[Hand]) -> set[Player]:
        """Take a frame in; return the players whose row shows something new."""
        renewed: set[Player] = set()
        for (player, place), spot in self.spots.items():
            settled = spot.see(frame, hands)
            if settled is None or settled.now is settled.before:
                continue
            renewed.add(player)
            self._note(player, place, settled)
        self.departures = [d for d in self.departures if frame.at_ns - d.to_ns < REMEMBER_NS]
        return renewed

    def _note(self, player: Player, place: int, settled: Settled) -> None:
        before, now = settled.before, settled.now
        if before is None or before.reading.face_down > 0.5:
            return
        if now is None or not now.shows_same(before):
            self.departures.append(Departure(player, place, before, settled.since_ns, settled.at_ns))

    def leaving(self, now_ns: int) -> list[Departure]:
        """Return what left, and what may be leaving under a hand this moment."""
        under_hand = [
            Departure(player, place, spot.top, spot.disturbed_ns, now_ns)
            for (player, place), spot in self.spots.items()
            if spot.disturbed_ns is not None and spot.top is not None and spot.top.reading.face_down < 0.5
        ]
        return self.departures + under_hand

    def read(self, player: Player, at_ns: int) -> RowRead:
        """Return the player's row as it lies; what is under a hand is hidden."""
        return RowRead(
            at_ns=at_ns,
            player=player,
            places=tuple(_seen(self.spots[player, place]) for place in range(1, 6)),
        )


def _seen(spot: Spot) -> PlaceSeen:
    if not spot.still:
        return PlaceSeen()
    if spot.top is None:
        return PlaceSeen(empty=0.95)
    reading = spot.top.reading
    return PlaceSeen(cards=dict(reading.cards), face_down=reading.face_down, empty=reading.nothing / 2)


def overlap(one: Top, other: Top) -> float:
    """Return the probability that both are the same card."""
    mine, theirs = one.reading.cards, other.reading.cards
    return float(np.sum([p * theirs.get(card, 0.0) for card, p in mine.items()]))
