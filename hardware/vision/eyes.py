"""The eyes: frames in, observations out. Works on the coarse picture until something has settled."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hardware.frames import Frame, Image
from hardware.tablefile import Table
from hardware.vision.hidden import HiddenLandings
from hardware.vision.landings import Cleared, Landed, PileWatch, TakenOff, middle_patch
from hardware.vision.motion import Hand, Motion
from hardware.vision.piles import Reader
from hardware.vision.rows import RowWatch
from hardware.vision.touch import Ring
from hardware.vision.whose import Whose, players_of
from referee.observations import (
    AnyObservation,
    CardLanded,
    CardTakenBack,
    HandsSeen,
    Origin,
    PileRead,
    PilesTaken,
    PlayerOdds,
)
from referee.table import PILES, PLAYERS, Pile, Player

FEW_CELLS: Final = 30
REREAD_NS: Final = 500_000_000
PATIENCE_NS: Final = 500_000_000
"""So long a landing waits for a look at the rows, when another card may lie under it."""


@dataclass(slots=True)
class _Waiting:
    """A landing, what the middle looked like before it, and until when it may wait."""

    landed: Landed
    since_ns: int
    before: Image
    due_ns: int


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
        self._whose = Whose()
        self._hidden = HiddenLandings(self.ring, table.card_size_mm)
        self._waiting: list[_Waiting] = []
        self._started = False
        self._hands_seen: tuple[Player, ...] = ()
        self._middle_before: Image = self.ring.patch.picture.copy()
        self._next_read_ns = 0

    def see(self, frame: Frame) -> list[AnyObservation]:
        """Take a frame in; return what is new, in order of time. The first frame must show a still table."""
        moved = self.motion.see(frame)
        if not self._started:
            return self._start(frame)
        self.hands = self.motion.hands() if moved or self.motion.changed_cells > FEW_CELLS else []
        seen: list[AnyObservation] = list(self._hands_now(frame.at_ns))
        renewed = self.rows.see(frame, self.hands)
        seen += self._see_piles(frame)
        seen += [self.rows.read(player, frame.at_ns) for player in PLAYERS if player in renewed]
        if frame.at_ns >= self._next_read_ns:
            seen += self._read_again(frame)
        return seen

    def finish(self, frame: Frame) -> list[AnyObservation]:
        """Return what was still waiting when the last frame had come."""
        return self._ripe(Frame(frame.at_ns + PATIENCE_NS, frame.image, frame.number)) if self._waiting else []

    def _start(self, frame: Frame) -> list[AnyObservation]:
        self._started = True
        for spot in [*(watch.spot for watch in self.piles.values()), *self.rows.spots.values()]:
            spot.start(frame.image)
        self._middle_before[:] = self.ring.patch.cut(frame.image)
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
        news = any(settled.values())
        if news or not all(watch.spot.still for watch in self.piles.values()):
            self.ring.add(frame.at_ns, frame.image)
        seen: list[AnyObservation] = []
        for pile, now in settled.items():
            if now is None:
                continue
            before = self._middle_before.copy()
            change = self.piles[pile].judge(now, before)
            self._remember_middle(pile)
            if isinstance(change, Landed):
                self._waiting.append(_Waiting(change, now.since_ns, before, frame.at_ns + PATIENCE_NS))
            elif change is not None:
                seen.append(_told(change))
        return [*self._ripe(frame), *seen] if self._waiting else seen

    def _remember_middle(self, pile: Pile) -> None:
        """Keep how the pile's side of the middle looks now that it is still."""
        patch = self.ring.patch
        middle = patch.picture.shape[1] // 2
        column = patch.to_patch(np.array([self.piles[pile].spot.centre_mm]))[0, 0]
        side = slice(0, middle) if column < middle else slice(middle, None)
        self._middle_before[:, side] = patch.picture[:, side]

    def _ripe(self, frame: Frame) -> list[AnyObservation]:
        """Return the landings that need not wait any longer, with those that they hid."""
        seen: list[AnyObservation] = []
        gone = self.rows.gone(frame)
        still_waiting: list[_Waiting] = []
        for wait in self._waiting:
            cover = wait.landed
            origins = self._whose.origins(cover, gone)
            missing = self._whose.missing(gone, cover.touch.at_ns)
            unsure = any(not left.sure and left.player in cover.visits for left in missing)
            if unsure and len(cover.visits) > 1 and frame.at_ns < wait.due_ns:
                still_waiting.append(wait)
                continue
            around = self.piles[cover.pile].spot.centre_mm
            owner = origins[0].player
            for hidden in self._hidden.under(cover, owner, missing, around, wait.since_ns, wait.before):
                seen.append(_landed(hidden, self._whose.origins(hidden, gone)))
            seen.append(_landed(cover, origins))
        self._waiting = still_waiting
        return seen

    def _read_again(self, frame: Frame) -> list[AnyObservation]:
        self._next_read_ns = frame.at_ns + REREAD_NS
        seen: list[AnyObservation] = []
        for pile, watch in self.piles.items():
            if watch.spot.still:
                top = watch.spot.top
                cards = {} if top is None else dict(top.reading.cards)
                seen.append(PileRead(at_ns=frame.at_ns, pile=pile, cards=cards, empty=0.95 if top is None else 0.0))
        return [*seen, *(self.rows.read(player, frame.at_ns) for player in PLAYERS)]


def _landed(landed: Landed, origins: tuple[Origin, ...]) -> CardLanded:
    return CardLanded(
        at_ns=landed.touch.at_ns,
        earliest_ns=landed.touch.earliest_ns,
        latest_ns=landed.touch.latest_ns,
        pile=landed.pile,
        cards=dict(landed.top.reading.cards),
        players=players_of(origins),
        origins=origins,
    )


def _told(change: TakenOff | Cleared) -> CardTakenBack | PilesTaken:
    players = _visitors(change.visits)
    match change:
        case TakenOff(pile=pile, at_ns=at_ns, top=top):
            return CardTakenBack(at_ns=at_ns, pile=pile, cards=dict(top.reading.cards), players=players)
        case Cleared(pile=pile, at_ns=at_ns):
            return PilesTaken(at_ns=at_ns, pile=pile, players=players)


def _visitors(visits: dict[Player, int]) -> PlayerOdds:
    return {player: 0.98 / len(visits) for player in visits}
