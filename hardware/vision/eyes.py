"""The eyes: frames in, observations out. Works on the coarse picture until something has settled."""

from typing import Final

from hardware.frames import Frame, Image
from hardware.tablefile import Table
from hardware.vision.landings import Cleared, Landed, PileChange, PileWatch, TakenOff, middle_patch
from hardware.vision.motion import Hand, Motion
from hardware.vision.piles import Reader, Top
from hardware.vision.rows import Departure, RowWatch, overlap
from hardware.vision.touch import Ring
from referee.observations import (
    AnyObservation,
    CardLanded,
    CardTakenBack,
    HandsSeen,
    Origin,
    PileRead,
    PilesTaken,
    PlayerOdds,
    RowRead,
)
from referee.table import PILES, PLAYERS, Pile, Player

FEW_CELLS: Final = 30
REREAD_NS: Final = 500_000_000
LEFT_BEFORE_NS: Final = 1_500_000_000
"""A card on a pile left its row at most so long before it touched."""
UNSEEN: Final = 0.01
"""Odds of a card that comes from the spit cards, or from where nobody saw, before anything else is known."""
STRANGER: Final = 0.02
"""Odds that a card is from a player whose hand was not seen at the pile."""


class Eyes:
    """Watches one table. Not for two threads at once."""

    def __init__(self, table: Table, reader: Reader) -> None:
        self.table = table
        self.motion = Motion(table)
        self.ring = Ring(middle_patch(table))
        self.piles: dict[Pile, PileWatch] = {
            pile: PileWatch(pile, table, self.motion, reader, self.ring) for pile in PILES
        }
        self.rows = RowWatch(table, self.motion, reader)
        self.hands: list[Hand] = []
        self._started = False
        self._hands_seen: tuple[Player, ...] = ()
        self._quiet_middle: Image = self.ring.patch.picture.copy()
        self._next_read_ns = 0

    def see(self, frame: Frame) -> list[AnyObservation]:
        """Take a frame in; return what is new, in order of time. The first frame must show a still table."""
        moved = self.motion.see(frame.image)
        if not self._started:
            return self._start(frame)
        if moved or self.motion.changed_cells > FEW_CELLS:
            self.hands = self.motion.hands()
        else:
            self.hands = []
        seen: list[AnyObservation] = list(self._hands_now(frame.at_ns))
        seen += self._see_piles(frame)
        seen += [self.rows.read(player, frame.at_ns) for player in sorted(self.rows.see(frame, self.hands))]
        if frame.at_ns >= self._next_read_ns:
            seen += self._read_again(frame)
        return seen

    def _start(self, frame: Frame) -> list[AnyObservation]:
        self._started = True
        for spot in [*(watch.spot for watch in self.piles.values()), *self.rows.spots.values()]:
            spot.start(frame.image)
        self._quiet_middle[:] = self.ring.patch.cut(frame.image)
        return self._read_again(frame)

    def _hands_now(self, at_ns: int) -> list[HandsSeen]:
        over = {hand.player for hand in self.hands}
        players = tuple(player for player in PLAYERS if player in over)
        if players == self._hands_seen:
            return []
        self._hands_seen = players
        return [HandsSeen(at_ns=at_ns, players=players)]

    def _see_piles(self, frame: Frame) -> list[AnyObservation]:
        settled = {pile: watch.spot.see(frame, self.hands) for pile, watch in self.piles.items()}
        if not all(watch.spot.still for watch in self.piles.values()) or any(settled.values()):
            self.ring.add(frame.at_ns, frame.image)
        changes: list[PileChange] = []
        for pile, seen in settled.items():
            if seen is None:
                continue
            change = self.piles[pile].judge(seen, frame, self._quiet_middle)
            if change is not None:
                changes.append(change)
        if any(settled.values()) and all(watch.spot.still for watch in self.piles.values()):
            self._quiet_middle[:] = self.ring.patch.picture
        return [self._observation(change) for change in changes]

    def _observation(self, change: PileChange) -> AnyObservation:
        match change:
            case Landed(pile=pile, touch=touch, top=top, visits=visits):
                origins = self._origins(top, touch.at_ns, visits)
                return CardLanded(
                    at_ns=touch.at_ns,
                    earliest_ns=touch.earliest_ns,
                    latest_ns=touch.latest_ns,
                    pile=pile,
                    cards=dict(top.reading.cards),
                    players=_players(origins),
                    origins=origins,
                )
            case TakenOff(pile=pile, at_ns=at_ns, top=top, visits=visits):
                return CardTakenBack(at_ns=at_ns, pile=pile, cards=dict(top.reading.cards), players=_visitors(visits))
            case Cleared(pile=pile, at_ns=at_ns, visits=visits):
                return PilesTaken(at_ns=at_ns, pile=pile, players=_visitors(visits))

    def _origins(self, top: Top, touch_ns: int, visits: dict[Player, int]) -> tuple[Origin, ...]:
        """Return where the card came from: whose hand was there, and which row's top that shows the same card is gone."""
        weights: dict[tuple[Player, int | None], float] = {}
        for player in PLAYERS:
            near = 1.0 if player in visits else STRANGER
            weights[player, None] = UNSEEN * near
            for left in self.rows.leaving(touch_ns):
                if left.player == player and _fits(left, touch_ns):
                    key = (player, left.place)
                    weights[key] = max(weights.get(key, 0.0), near * overlap(top, left.top))
        total = sum(weights.values())
        likely = sorted(weights.items(), key=lambda item: -item[1])
        return tuple(
            Origin(player=player, place=place, p=round(weight / total, 4))
            for (player, place), weight in likely
            if weight / total > 0.001
        )

    def _read_again(self, frame: Frame) -> list[AnyObservation]:
        self._next_read_ns = frame.at_ns + REREAD_NS
        seen: list[AnyObservation] = []
        for pile, watch in self.piles.items():
            if watch.spot.still:
                top = watch.spot.top
                cards = {} if top is None else dict(top.reading.cards)
                seen.append(PileRead(at_ns=frame.at_ns, pile=pile, cards=cards, empty=0.95 if top is None else 0.0))
        rows: list[RowRead] = [self.rows.read(player, frame.at_ns) for player in PLAYERS]
        return seen + rows


def _fits(left: Departure, touch_ns: int) -> bool:
    return left.from_ns <= touch_ns and left.to_ns >= touch_ns - LEFT_BEFORE_NS


def _players(origins: tuple[Origin, ...]) -> PlayerOdds:
    odds: PlayerOdds = {}
    for origin in origins:
        odds[origin.player] = round(odds.get(origin.player, 0.0) + origin.p, 4)
    return odds


def _visitors(visits: dict[Player, int]) -> PlayerOdds:
    return {player: 0.98 / len(visits) for player in visits}
