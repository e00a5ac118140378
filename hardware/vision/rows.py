"""The rows: ten places, what lies on top of each, and what left them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import copysign
from typing import Final

from hardware.frames import Frame, Image
from hardware.tablefile import Points, Table, rectangle
from hardware.vision.looks import Settled
from hardware.vision.motion import Hand, Motion, Zone
from hardware.vision.reader import Reader
from hardware.vision.rectify import Patch
from hardware.vision.spots import Spot
from hardware.vision.tops import Face, Top
from referee.cards import Card
from referee.observations import PlaceSeen, RowRead
from referee.table import OPPONENT, PLAYERS, Player

REACH_MM: Final = 16.0
TURNED_DEG: Final = 16.0
APPROACH_MM: Final = (10.0, 110.0)
"""Depth and width of the strips beside a row that an arm crosses on its way to a place."""
REMEMBER_NS: Final = 3_000_000_000
MISREAD_NS: Final = 1_000_000_000
"""If a place shows so soon what it showed before, what was read there between was a hand over it."""
READ: Final = 0.5
"""A card must have been read at least so surely to be missed."""
ASK_NS: Final = 110_000_000
"""So often a disturbed place is looked at for the card that lay there."""
SURELY_THERE: Final = 0.75
"""Share from which it cannot be the print of another card of the same rank."""
STILL_THERE: Final = 0.5
"""Share of a card's print that must be seen unmoved past a hand."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A face that left a place of a row: somewhen between the two moments."""

    player: Player
    place: int
    top: Top
    from_ns: int
    to_ns: int
    picture: Image
    """The place with the card still on it, cut by `patch`."""
    patch: Patch
    sure: bool = True
    """False: a hand is still over the place, and what can be seen past it is not the card."""


class RowWatch:
    """Follows the ten places of both rows."""

    def __init__(self, table: Table, motion: Motion, reader: Reader) -> None:
        self.spots: dict[tuple[Player, int], Spot] = {}
        for player in PLAYERS:
            for place, polygon in enumerate(table.rows[player], 1):
                x, y = (float(v) for v in polygon.mean(axis=0))
                approach = _approach(table, motion, player, (x, y))
                self.spots[player, place] = Spot(table, motion, reader, (x, y), REACH_MM, TURNED_DEG, approach=approach)
        self.departures: list[Departure] = []
        self._taken_back: list[tuple[int, Top]] = []
        """What was taken off a pile of late, and when."""
        self._earlier: dict[tuple[Player, int], tuple[int, Top]] = {}
        """What lay in a place before its last change, and when that was seen."""
        self._shown_ns: dict[tuple[Player, int], int] = {}
        """When a disturbed place last showed its card."""

    def take_over(self, other: "RowWatch") -> None:
        """Go on with what another watch of the same rows knows."""
        for key, spot in self.spots.items():
            spot.take_over(other.spots[key])
        self.departures = other.departures

    def see(self, frame: Frame, hands: list[Hand], may_look: bool = True) -> list[tuple[Player, Top | None]]:
        """Take a frame in; return in whose row something new lies on top. At most one place is read per frame."""
        renewed: list[tuple[Player, Top | None]] = []
        for (player, place), spot in self.spots.items():
            settled = spot.see(frame, hands, may_look)
            may_look = may_look and not spot.looked
            if settled is None or settled.now is settled.before:
                continue
            renewed.append((player, settled.now))
            self._note(player, place, settled)
        self._watch_disturbed(frame)
        self.departures = [d for d in self.departures if frame.at_ns - d.to_ns < REMEMBER_NS]
        self._taken_back = [one for one in self._taken_back if frame.at_ns - one[0] < REMEMBER_NS]
        return renewed

    def take_back(self, top: Top, at_ns: int) -> None:
        """A card was taken off a pile: the card on which it is put in a row has not left."""
        self._taken_back.append((at_ns, top))
        self.departures = [d for d in self.departures if not self._was_put_back(self.spots[d.player, d.place].top)]

    def _was_put_back(self, now: Top | None) -> bool:
        return now is not None and any(now.shows_same(top) for _, top in self._taken_back)

    def _watch_disturbed(self, frame: Frame) -> None:
        """Note which cards still lie in their places under or beside a hand: they have not left yet.

        At most one of them is asked in each frame, by turns.
        """
        unseen: list[Spot] = []
        for key, spot in self.spots.items():
            if spot.disturbed_ns is None:
                self._shown_ns.pop(key, None)
            elif spot.top is not None and spot.top.reading.face_down < 0.5:
                unseen += [spot] if frame.at_ns - spot.last.shown_ns >= ASK_NS else []
                if spot.last.share > SURELY_THERE and spot.last.shown_ns >= spot.disturbed_ns:
                    self._shown_ns[key] = spot.last.shown_ns
        if unseen:
            min(unseen, key=lambda spot: spot.last.shown_ns).last.shown(frame)

    def _note(self, player: Player, place: int, settled: Settled) -> None:
        """Remember what left; a card that lies in the row after all, there or at another place, did not leave."""
        before, now = settled.before, settled.now
        if now is not None:
            self.departures = [d for d in self.departures if d.player != player or not now.shows_same(d.top)]
        at_place = [d for d in self.departures if (d.player, d.place) == (player, place)]
        if before is None or before.reading.face_down > 0.5 or before.sure < READ or (now and now.shows_same(before)):
            return
        if any(before.shows_same(departure.top) for departure in at_place) or self._was_put_back(now):
            return
        changed_ns, earlier = self._earlier.get((player, place), (0, before))
        self._earlier[player, place] = settled.at_ns, before
        if now is not None and now.shows_same(earlier) and settled.at_ns - changed_ns < MISREAD_NS:
            return
        patch = self.spots[player, place].patch
        from_ns = max(settled.since_ns, self._shown_ns.pop((player, place), 0))
        self.departures.append(Departure(player, place, before, from_ns, settled.at_ns, settled.before_picture, patch))

    def under_hands(self) -> Mapping[Card, Face]:
        """Return the cards that left of late, the last one first, then those on top of places which a hand covers."""
        covered = [
            Face(spot.top, spot.picture, spot.patch)
            for spot in self.spots.values()
            if not spot.still and spot.top is not None
        ]
        left = [Face(departure.top, departure.picture, departure.patch) for departure in reversed(self.departures)]
        return {face.top.reading.best[0]: face for face in [*left, *covered]}

    def gone(self, frame: Frame) -> list[Departure]:
        """Return what left, and what seems to be leaving under a hand this moment."""
        under_hand = [
            Departure(
                player,
                place,
                spot.top,
                max(spot.disturbed_ns, self._shown_ns.get((player, place), 0)),
                frame.at_ns,
                spot.picture,
                spot.patch,
                False,
            )
            for (player, place), spot in self.spots.items()
            if spot.disturbed_ns is not None and spot.top is not None and spot.top.reading.face_down < 0.5
            if self._share(spot, frame) <= STILL_THERE
        ]
        return self.departures + under_hand

    @staticmethod
    def _share(spot: Spot, frame: Frame) -> float:
        """Return the share of a card's print that shows in its place, as it did a moment ago or now."""
        if frame.at_ns - spot.last.shown_ns >= ASK_NS:
            spot.last.shown(frame)
        return spot.last.share

    def read(self, player: Player, at_ns: int) -> RowRead:
        """Return the player's row as it lies; what is under a hand is hidden."""
        return RowRead(
            at_ns=at_ns,
            player=player,
            places=tuple(_seen(self.spots[player, place]) for place in range(1, 6)),
        )


def _approach(table: Table, motion: Motion, player: Player, place_mm: tuple[float, float]) -> dict[Player, Zone]:
    """Return the strips that an arm must cross on its way to a place: the owner's comes from outside the row, the other
    player's over the middle. A strip that the camera does not see is left out."""
    x, y = place_mm
    depth, width = APPROACH_MM
    away = copysign(table.card_size_mm[1] / 2 + 1.5 * depth, y)
    strips = {player: rectangle(x, y + away, width, depth), OPPONENT[player]: rectangle(x, y - away, width, depth)}
    return {who: motion.zone(strip) for who, strip in strips.items() if _is_seen(strip, table)}


def _is_seen(polygon_mm: Points, table: Table) -> bool:
    """Whether the whole polygon lies inside the picture."""
    px = table.to_px(polygon_mm)
    return bool(px.min() >= 0 and (px.max(axis=0) < table.image_size_px).all())


def _seen(spot: Spot) -> PlaceSeen:
    if not spot.still:
        return PlaceSeen()
    if spot.top is None:
        return PlaceSeen(empty=0.95)
    reading = spot.top.reading
    return PlaceSeen(cards=dict(reading.cards), face_down=reading.face_down, empty=reading.nothing / 2)
