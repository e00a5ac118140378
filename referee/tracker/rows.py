"""What a player's row was last seen to show, place by place, and what left it when."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from referee.cards import Card
from referee.observations import CardOdds, PlaceSeen
from referee.tracker.evidence import ENOUGH_LOOKS, best_card, kind_of, merged, repeated

Kind = Literal["face", "down", "empty", "unknown"]
LONG_AGO = -(2**62)

Lies = tuple[str, Card | None]
"""What a place of a row physically shows: `face` with its card, `down` or `empty`."""


class PlaceView(msgspec.Struct, eq=False, gc=False):
    """One place: what it showed at `seen_ns`, the last time it was seen at all."""

    kind: Kind = "unknown"
    card: Card | None = None
    odds: CardOdds = {}
    first: CardOdds = {}
    """The first reading of the lying face; a repeat may share its error."""
    seen_ns: int = LONG_AGO
    agreed: int = 0
    """Looks since that read the same face."""
    left: Card | None = None
    """The face that left this place last, what its readings say, and between which two looks it left."""
    left_odds: CardOdds = {}
    left_after_ns: int = LONG_AGO
    left_before_ns: int = LONG_AGO
    since_ns: int = LONG_AGO
    """When it was first seen to show what it shows."""
    odd_looks: int = 0
    """Looks in a row that contradict the kind without a likely cause."""
    together: tuple[CardOdds, int, CardOdds] | None = None
    """`odds`, how often they were confirmed, and what follows from that: worked out when it is asked for."""

    def shows(self, seen: PlaceSeen, at_ns: int) -> bool:
        """Whether a look says nothing new; then it is taken in."""
        if self.kind == "face":
            if self.card is None or not seen.cards.get(self.card, 0.0) > 0.5:
                return False
        elif self.kind == "down":
            if not seen.face_down > 0.5:
                return False
        elif self.kind != "empty" or not seen.empty > 0.5:
            return False
        self.seen_ns = at_ns
        self.odd_looks = 0
        self.agreed += 1
        return True

    def readings(self, card: Card) -> CardOdds:
        """All readings together of the face that lies here, or lay here last, if that is this card; else none."""
        if self.kind == "face" and self.card == card:
            return self._together(card)
        return self.left_odds if self.left == card else {}

    def _together(self, card: Card) -> CardOdds:
        """All readings together of the face that lies here."""
        times = min(self.agreed, ENOUGH_LOOKS)
        if self.together is None or self.together[0] is not self.odds or self.together[1] != times:
            self.together = (self.odds, times, repeated(self.odds, card, times))
        return self.together[2]

    def face(self, odds: CardOdds, at_ns: int) -> "PlaceView":
        """A face lies there now; another one that was seen before has left."""
        card = best_card(odds)
        before = self if self.card == card else self._without_face(at_ns)
        return replace(before, kind="face", card=card, first=odds, odds=odds, seen_ns=at_ns, since_ns=at_ns,
                       odd_looks=0)  # fmt: skip

    def lose(self, kind: Kind, at_ns: int) -> "PlaceView":
        """The face is not there any more."""
        return replace(self._without_face(at_ns), kind=kind, card=None, first={}, odds={}, seen_ns=at_ns,
                       since_ns=at_ns, odd_looks=0)  # fmt: skip

    def _without_face(self, at_ns: int) -> "PlaceView":
        if self.kind != "face" or self.card is None:
            return replace(self, agreed=0)
        return replace(self, left=self.card, left_odds=self.readings(self.card), left_after_ns=self.seen_ns,
                       left_before_ns=at_ns, agreed=0)  # fmt: skip


class RowView(msgspec.Struct, eq=False):
    """A row as it was last seen, places 1 to 5 in order."""

    places: list[PlaceView] = msgspec.field(default_factory=lambda: [PlaceView() for _ in range(5)])
    read_ns: int = LONG_AGO
    """When the row was last looked at, whatever was hidden."""
    settled: tuple[Lies, ...] | None = None
    """What is thought to lie there, if the looks agree with that."""

    def copy(self) -> "RowView":
        return RowView([replace(place) for place in self.places], self.read_ns, self.settled)

    def faces(self) -> list[tuple[int, Card]]:
        return [(n, place.card) for n, place in enumerate(self.places, 1) if place.kind == "face" and place.card]

    def count(self, kind: Kind) -> int:
        return sum(place.kind == kind for place in self.places)

    @property
    def is_bare(self) -> bool:
        """Whether it was looked at and no card was left."""
        return self.read_ns > LONG_AGO and self.count("face") == self.count("down") == 0

    def agrees(self, lies: tuple[Lies, ...]) -> bool:
        """Whether no look contradicts what is thought to lie there."""
        for place, (kind, card) in zip(self.places, lies, strict=False):
            if place.kind != kind:
                if place.kind != "unknown":
                    return False
            elif place.card != card and kind == "face":
                return False
        return True

    def look(self, places: tuple[PlaceSeen, ...], at_ns: int, gone: frozenset[Card]) -> list[int]:
        """Take a look in; return the places that show something new. `gone` are cards known to lie in the middle."""
        self.read_ns = at_ns
        news: list[int] = []
        for n, (place, seen) in enumerate(zip(self.places, places, strict=False)):
            if not (seen.cards or seen.face_down or seen.empty) or place.shows(seen, at_ns):
                continue  # hidden, or as before
            has_left = place.card in gone or self._has_moved(place)
            self.places[n], is_new = _contradicted(place, seen, at_ns, gone, has_left=has_left)
            if is_new:
                self.settled = None
                news.append(n + 1)
        return news

    def _has_moved(self, place: PlaceView) -> bool:
        """Whether the face of a place was seen at another place of the row since it was last seen here."""
        return place.kind == "face" and any(
            other.kind == "face" and other.card == place.card and other.since_ns > place.seen_ns
            for other in self.places
        )


def _contradicted(
    place: PlaceView, seen: PlaceSeen, at_ns: int, gone: frozenset[Card], *, has_left: bool
) -> tuple[PlaceView, bool]:
    """The place after a look that says something else, and whether it shows something else from now on. `has_left`:
    its face is known to lie elsewhere."""
    kind, card = kind_of(seen)
    if kind == "hidden":
        return place, False
    if kind == "face":
        if place.kind == "face" and not has_left:
            return _another_face(place, seen.cards, at_ns)
        if place.kind != "unknown" and card in gone and place.odd_looks < 1:
            return replace(place, odd_looks=1), False  # it was just seen to land; look twice
        return place.face(seen.cards, at_ns), True
    if place.kind in ("face", "unknown") or place.odd_looks:
        return place.lose("down" if kind == "down" else "empty", at_ns), True
    return replace(place, odd_looks=1), False


def _another_face(place: PlaceView, odds: CardOdds, at_ns: int) -> tuple[PlaceView, bool]:
    """Another face than before: a misreading now or earlier, or a card played and the next one turned unseen."""
    known = place.odds if place.card is None else repeated(place.odds, place.card, place.agreed)
    together = merged(known, odds, place.first)
    best = best_card(together)
    place = replace(place, odds=together, agreed=0)
    if best is None or best == place.card:
        return place, False
    return replace(place.face(odds, at_ns), odds=together, first=place.first), True  # most likely it is the same card
