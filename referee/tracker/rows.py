"""What a player's row was last seen to show, place by place, and what left it when."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from referee.cards import Card
from referee.observations import CardOdds, PlaceSeen
from referee.tracker.evidence import best_card, kind_of, merged, repeated

Kind = Literal["face", "down", "empty", "unknown"]
LONG_AGO = -(2**62)


class PlaceView(msgspec.Struct):
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

    def shows(self, seen: PlaceSeen) -> bool:
        """Whether a look says nothing new."""
        if self.kind == "face":
            return self.card is not None and seen.cards.get(self.card, 0.0) > 0.5
        if self.kind == "down":
            return seen.face_down > 0.5
        return self.kind == "empty" and seen.empty > 0.5

    def readings(self, card: Card) -> CardOdds:
        """All readings together of the face that lies here, or lay here last, if that is this card; else none."""
        if self.kind == "face" and self.card == card:
            return repeated(self.odds, card, self.agreed)
        return self.left_odds if self.left == card else {}

    def _leaves(self, at_ns: int) -> None:
        if self.kind == "face" and self.card is not None:
            self.left_odds = self.readings(self.card)
            self.left, self.left_after_ns, self.left_before_ns = self.card, self.seen_ns, at_ns

    def face(self, odds: CardOdds, at_ns: int) -> None:
        """A face lies there now; another one that was seen before has left."""
        if self.card != best_card(odds):
            self._leaves(at_ns)
            self.agreed = 0
        self.kind, self.odds, self.seen_ns, self.since_ns, self.odd_looks = "face", odds, at_ns, at_ns, 0
        self.card, self.first = best_card(odds), odds

    def lose(self, kind: Kind, at_ns: int) -> None:
        """The face is not there any more."""
        self._leaves(at_ns)
        self.agreed = 0
        self.kind, self.card, self.odds, self.first = kind, None, {}, {}
        self.seen_ns, self.since_ns, self.odd_looks = at_ns, at_ns, 0


class RowView(msgspec.Struct, eq=False):
    """A row as it was last seen, places 1 to 5 in order."""

    places: list[PlaceView] = msgspec.field(default_factory=lambda: [PlaceView() for _ in range(5)])
    read_ns: int = LONG_AGO
    """When the row was last looked at, whatever was hidden."""

    def copy(self) -> "RowView":
        return RowView([replace(place) for place in self.places], self.read_ns)

    def faces(self) -> list[tuple[int, Card]]:
        return [(n, place.card) for n, place in enumerate(self.places, 1) if place.kind == "face" and place.card]

    def count(self, kind: Kind) -> int:
        return sum(place.kind == kind for place in self.places)

    def look(self, places: tuple[PlaceSeen, ...], at_ns: int, gone: frozenset[Card]) -> list[int]:
        """Take a look in; return the places that show something new. `gone` are cards known to lie in the middle."""
        self.read_ns = at_ns
        news: list[int] = []
        for n, seen in enumerate(places[: len(self.places)]):
            place = self.places[n]
            if place.shows(seen):
                place.seen_ns, place.odd_looks = at_ns, 0
                place.agreed += 1
            elif _news(place, seen, at_ns, gone):
                news.append(n + 1)
        return news


def _news(place: PlaceView, seen: PlaceSeen, at_ns: int, gone: frozenset[Card]) -> bool:
    """Take in a look that contradicts what the place showed; True if it shows something else from now on."""
    kind, card = kind_of(seen)
    if kind == "hidden":
        return False
    if kind == "face":
        if place.kind == "face" and place.card not in gone:
            return _another_face(place, seen.cards, at_ns)
        if place.kind != "unknown" and card in gone and place.odd_looks < 1:
            place.odd_looks += 1  # it was just seen to land; look twice
            return False
        place.face(dict(seen.cards), at_ns)
        return True
    if place.kind in ("face", "unknown") or place.odd_looks:
        place.lose("down" if kind == "down" else "empty", at_ns)
        return True
    place.odd_looks += 1
    return False


def _another_face(place: PlaceView, odds: CardOdds, at_ns: int) -> bool:
    """Another face than before: a misreading now or earlier, or a card played and the next one turned unseen."""
    known = place.odds if place.card is None else repeated(place.odds, place.card, place.agreed)
    place.odds, place.agreed = merged(known, odds, place.first), 0
    best = best_card(place.odds)
    if best is None or best == place.card:
        return False
    place.face(dict(odds), at_ns)
    return True
