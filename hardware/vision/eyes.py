"""The eyes: frames in, observations out. Works on the coarse picture until something has settled."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from hardware.frames import Frame, Image
from hardware.tablefile import Table
from hardware.vision.hidden import CARRY_NS, SOONEST_NS, HiddenLandings, Quest, covered_at_once
from hardware.vision.landings import Cleared, Landed, PileWatch, TakenOff, middle_patch
from hardware.vision.looks import Settled
from hardware.vision.motion import Hand, Motion
from hardware.vision.reader import Reader
from hardware.vision.ring import Ring
from hardware.vision.rows import Departure, RowWatch
from hardware.vision.spots import Spot
from hardware.vision.steady import Matrix, is_nudge
from hardware.vision.tops import Top
from hardware.vision.viewpoint import REST_NS, Viewpoint
from hardware.vision.whose import Whose, players_of
from referee.observations import (
    AnyObservation,
    CardLanded,
    CardOdds,
    CardTakenBack,
    HandsSeen,
    Origin,
    PileRead,
    PilesTaken,
    PlayerOdds,
    SensorBack,
    SensorLost,
)
from referee.table import OTHER_PILE, PILES, PLAYERS, Pile, Player

FEW_CELLS: Final = 30
OVER_SHARE: Final = 0.02
REREAD_NS: Final = 500_000_000
SETTLED_NS: Final = 400_000_000
"""After so long without hands and motion everything in view belongs to the still table."""
MOST_COVERS: Final = 12
LATE_NS: Final = 200_000_000
"""So long after a card is known to have left its row, somebody should have seen it land."""
LOST: Final = "the table is not where it was: put the camera back, or run `spit-referee calibrate corners` again"
SURELY_EMPTY: Final = 0.95
PATIENCE_NS: Final = 600_000_000
"""So long a landing waits for a look at the rows, when another card may lie under it."""


class Eyes:
    """Watches one table. Not for two threads at once."""

    def __init__(self, table: Table, reader: Reader) -> None:
        self._reader = reader
        self._aim(table)
        self.hands: list[Hand] = []
        self._whose = Whose(table.rows)
        self._work: list[Iterator[list[AnyObservation]]] = []
        self._waits: Iterator[list[AnyObservation]] | None = None
        """Work that was put off by a frame, because cards were read in the last one."""
        self._now: Frame | None = None
        self._looked = False
        """Whether cards were read in that frame."""
        self._open: dict[Pile, dict[Player, int]] = {}
        self._in_turn: dict[Pile, list[Settled]] = {pile: [] for pile in PILES}
        """What was seen at rest and is not told yet, in order: what an earlier card hid is looked for first."""
        self._unjudged: set[Pile] = set()
        """Piles that were seen at rest, and what that means is not known yet."""
        self._covers: deque[tuple[Landed, Player]] = deque(maxlen=MOST_COVERS)
        """The last landings and whose they were."""
        self._last_call = False
        self._middle_before: Image
        """How each pile's side of the middle looked when it was last still."""
        self._viewpoint: Viewpoint | None = None
        self._lost = False
        self._quiet_since_ns = 0
        self._hands_seen: tuple[Player, ...] = ()
        self._next_read_ns = 0

    def _aim(self, table: Table) -> None:
        """Look at the table where it lies in the picture."""
        self.table = table
        self.motion = Motion(table)
        self.ring = Ring(table, middle_patch(table))
        self.piles: dict[Pile, PileWatch] = {
            pile: PileWatch(pile, table, self.motion, self._reader, self.ring) for pile in PILES
        }
        self.rows = RowWatch(table, self.motion, self._reader)
        self._play = [spot.zone for spot in self.spots]
        self._hidden = HiddenLandings(self.ring, table.card_size_mm, self._reader)

    def see(self, frame: Frame) -> list[AnyObservation]:
        """Take a frame in; return what is new, in order of time. The first frame must show a still table."""
        self._now = frame
        moved = self.motion.see(frame)
        if self._viewpoint is None:
            return self._start(frame)
        if moved:
            self._quiet_since_ns = frame.at_ns
        if self._viewpoint.is_upset(frame, self.motion, self.spots):
            if frame.at_ns >= self._viewpoint.compare_ns:
                return self._look_for_the_table(frame, self._viewpoint)
            if self._lost or frame.at_ns < self._viewpoint.blind_until_ns:
                return []
        self.hands = self.motion.hands() if moved or self.motion.changed_cells > FEW_CELLS else []
        seen: list[AnyObservation] = list(self._hands_now(frame.at_ns))
        self._looked = False
        if moved or self.busy:
            seen += self._look_round(frame)
        if frame.at_ns >= self._next_read_ns:
            seen += self._read_again(frame)
        if self.motion.changed_cells and not self.busy and frame.at_ns - self._quiet_since_ns > SETTLED_NS:
            self.motion.accept_all()
        return seen

    def _look_round(self, frame: Frame) -> list[AnyObservation]:
        """Look at every spot that something is or was over, and go on with what was found there before."""
        settled: dict[Pile, Settled | None] = {}
        for pile, watch in sorted(self.piles.items(), key=lambda one: one[1].spot.patience):
            settled[pile] = watch.spot.see(frame, self.hands, not self._looked, self.rows.under_hands)
            self._looked = self._looked or watch.spot.looked
        renewed = self.rows.see(frame, self.hands, may_look=not self._looked)
        for _, top in renewed:
            for watch in self.piles.values():
                watch.lies_elsewhere(top)
        self._looked = self._looked or any(spot.looked for spot in self.rows.spots.values())
        begun = self._due()
        self._begin(frame, settled)
        seen = self._go_on(begun)
        if not self._work:
            seen += self._found_late(frame.at_ns)
        players = {player for player, _ in renewed}
        return [*seen, *(self.rows.read(player, frame.at_ns) for player in PLAYERS if player in players)]

    @property
    def spots(self) -> list[Spot]:
        """Every place where cards lie."""
        return [*(watch.spot for watch in self.piles.values()), *self.rows.spots.values()]

    @property
    def busy(self) -> bool:
        """Whether anything moved, lay differently or was being worked on in the last frame."""
        return bool(self.hands or self._work) or not all(spot.still for spot in self.spots)

    def finish(self) -> list[AnyObservation]:
        """Return what was still being worked on when the last frame had come."""
        self._last_call = True
        seen: list[AnyObservation] = []
        while self._work:
            seen += self._go_on(list(self._work))
        return seen

    def _start(self, frame: Frame) -> list[AnyObservation]:
        self._viewpoint = Viewpoint(frame)
        for spot in self.spots:
            spot.start(frame.image)
        self._middle_before = self.ring.window.of(frame.image).copy()
        return self._read_again(frame)

    def _look_for_the_table(self, frame: Frame, viewpoint: Viewpoint) -> list[AnyObservation]:
        """Find out what happened to the view, and go on from there. Hands may be in it, but not everywhere."""
        quiet = frame.at_ns - self._quiet_since_ns >= REST_NS
        nudge = viewpoint.compared(frame)
        if nudge is None:
            if not quiet or self._lost:
                return []
            self._lost = True
            return [SensorLost(at_ns=frame.at_ns, sensor="table", reason=LOST)]
        if is_nudge(nudge, self.table.image_size_px):
            self._follow(frame, nudge)
        elif quiet:
            self.motion.accept_all()
        back = [SensorBack(at_ns=frame.at_ns, sensor="table")] if self._lost else []
        self._lost = False
        return [*back]

    def _follow(self, frame: Frame, nudge: Matrix) -> None:
        """Look at the table where it now is. What lay there still lies there, and hands may be on their way."""
        piles, rows, motion, ring = self.piles, self.rows, self.motion, self.ring
        self._aim(self.table.shifted(nudge))
        self.motion.see(frame)
        self.motion.take_over(motion, nudge)
        self.ring.take_over(ring, nudge)
        self._middle_before = self.ring.moved(self._middle_before, ring, nudge)
        for pile, watch in self.piles.items():
            watch.take_over(piles[pile])
        self.rows.take_over(rows)

    def _hands_now(self, at_ns: int) -> list[HandsSeen]:
        over = {hand.player for hand in self.hands if self._is_over_cards(hand)}
        players = tuple(player for player in PLAYERS if player in over)
        if players == self._hands_seen:
            return []
        self._hands_seen = players
        return [HandsSeen(at_ns=at_ns, players=players)]

    def _is_over_cards(self, hand: Hand) -> bool:
        """Whether a hand is over any spot; the one where one was last is asked first."""
        for n, zone in enumerate(self._play):
            if hand.share_of(zone) > OVER_SHARE:
                self._play.insert(0, self._play.pop(n))
                return True
        return False

    def _due(self) -> list[Iterator[list[AnyObservation]]]:
        """Return the work to go on with. After cards were read in this frame, the newest has to wait for the next."""
        begun = list(self._work)
        self._waits = begun[-1] if self._looked and begun and begun[-1] is not self._waits else None
        return begun if self._waits is None else begun[:-1]

    def _go_on(self, begun: list[Iterator[list[AnyObservation]]]) -> list[AnyObservation]:
        """Do the next bit of each piece of work, and return what is done: no frame has to wait for a long one."""
        seen: list[AnyObservation] = []
        for work in begun:
            told = next(work, None)
            if told is None:
                self._work.remove(work)
            else:
                seen += told
        return seen

    def _begin(self, frame: Frame, settled: dict[Pile, Settled | None]) -> None:
        """Keep the middle while something goes on there, and take up the work on piles that lie still again."""
        if any(settled.values()) or not all(watch.spot.still for watch in self.piles.values()):
            self.ring.add(frame.at_ns, frame.image)
        for pile, now in settled.items():
            if now is not None:
                self._open[pile] = now.visits
                self._unjudged.add(pile)
                self._in_turn[pile].append(now)
                self._work.append(self._explain(pile, now, self._middle_before.copy()))
                self._remember_middle(pile, frame)

    def _explain(self, pile: Pile, settled: Settled, before: Image) -> Iterator[list[AnyObservation]]:
        """Yield what happened on a pile, once it is known; until then nothing, after each bit of work."""
        assert self._now is not None
        gone = self._whose.unexplained(self.rows.gone(self._now))
        left = {departure.top.reading.best[0]: departure.from_ns for departure in gone}
        change = self.piles[pile].judge(settled, before, left)
        self._unjudged.discard(pile)
        if isinstance(change, Landed):
            # until something came over the pile it lay as before: no card had come down that nobody saw
            seen: list[AnyObservation] = [_pile_read(pile, settled.before, settled.since_ns)]
            for told in self._told_of(pile, change, settled, before):
                yield [*seen, *told]
                seen = []
        else:
            if isinstance(change, TakenOff):
                self.rows.take_back(change.top, change.at_ns)
            yield [] if change is None else [_told(change)]
        self._in_turn[pile] = [other for other in self._in_turn[pile] if other is not settled]
        self._open.pop(pile, None)

    def _told_of(self, pile: Pile, change: Landed, settled: Settled, before: Image) -> Iterator[list[AnyObservation]]:
        """Yield a landing when its card is sure; one that may cover others only after them."""
        due_ns = settled.at_ns + PATIENCE_NS
        while True:
            assert self._now is not None
            change = self.piles[pile].looked_again(change)
            gone = self.rows.gone(self._now)
            origins = self._whose.origins(change, gone)
            missing = self._whose.missing(gone, change.touch.at_ns)
            elsewhere = self._at_other_pile(pile)
            near = [left for left in missing if left.player in change.visits]
            unsure = any(not left.sure or left.player in elsewhere for left in near)
            waits = (unsure and len(change.visits) > 1) or self._may_show_more(pile, change)
            if self._in_turn[pile][0] is settled and (not waits or self._now.at_ns >= due_ns or self._last_call):
                break
            yield []
        may_cover = bool(near or settled.glimpses or len(change.visits) > 1)
        if not may_cover:
            yield [self._told(change, gone)]
        quest = Quest(
            cover=change,
            owner=origins[0].player,
            missing=missing,
            elsewhere=elsewhere,
            here=self.piles[pile].spot,
            there=self.piles[OTHER_PILE[pile]].spot,
            around_mm=self.piles[pile].spot.centre_mm,
            since_ns=settled.since_ns,
            before=before,
            pictures=(settled.before_picture, settled.picture),
            glimpses=settled.glimpses,
            known=self.piles[pile].known,
        )
        seen: list[AnyObservation] = []
        for hidden in self._hidden.under(quest):
            yield []
            for one in hidden:
                if self._lies_on_top(one.top):
                    continue
                self.piles[pile].lay_below(one.top)
                seen.append(self._told(one, gone))
        yield [*seen, self._told(change, gone)] if may_cover else seen

    def _may_show_more(self, pile: Pile, change: Landed) -> bool:
        """Whether a better look at a card that is not sure may come: something is still over it, or was just now."""
        return self.piles[pile].is_unsure(change) and (pile in self._unjudged or not self.piles[pile].spot.still)

    def _told(self, landed: Landed, gone: Sequence[Departure]) -> CardLanded:
        """Return a landing as it is told, and remember it."""
        origins = self._whose.origins(landed, gone)
        self._covers.append((landed, origins[0].player))
        return _landed(landed, origins, self._whose.named(landed, gone))

    def _found_late(self, at_ns: int) -> list[AnyObservation]:
        """Return landings that nobody saw: what left a row and was covered at once by the other player's card."""
        seen: list[AnyObservation] = []
        for gone in self._whose.unexplained(self.rows.departures):
            cover = self._cover_of(gone) if at_ns - gone.to_ns > LATE_NS else None
            if cover is not None and gone.player not in self._at_piles() and not self._lies_on_top(gone.top):
                self.piles[cover.pile].lay_below(gone.top)
                seen.append(self._told(covered_at_once(gone, cover), [gone]))
        return seen

    def _cover_of(self, gone: Departure) -> Landed | None:
        """Return the landing under which a card must lie, if its player's hand was there in time, and no other did."""
        sooner, later = gone.from_ns + SOONEST_NS, gone.from_ns + CARRY_NS
        near = [(landed, owner) for landed, owner in self._covers if sooner < landed.touch.at_ns < later]
        if any(owner == gone.player for _, owner in near):
            return None
        there = (
            landed
            for landed, _ in near
            if self.piles[landed.pile].spot.presence.was_near(gone.player, sooner, landed.touch.at_ns)
        )
        return min(there, key=lambda landed: landed.touch.at_ns, default=None)

    def _lies_on_top(self, card: Top) -> bool:
        """Whether a card was seen on top of a pile meanwhile: then no other covers it."""
        tops = [watch.spot.top for watch in self.piles.values()]
        return any(top is not None and top.shows_same(card) for top in tops)

    def _at_piles(self) -> set[Player]:
        """Return whose hands are at a pile, or were there and what they did is not known yet."""
        return self._at_other_pile("A") | self._at_other_pile("B")

    def _at_other_pile(self, pile: Pile) -> set[Player]:
        """Return whose hands are at the other pile, or were there and what they did is not known yet."""
        other = OTHER_PILE[pile]
        spot = self.piles[other].spot
        return set(self._open.get(other, ())) | (set() if spot.still else set(spot.visits))

    def _remember_middle(self, pile: Pile, frame: Frame) -> None:
        """Keep how the pile's side of the middle looks now that it is still."""
        window = self.ring.window
        middle = window.size_px[0] // 2
        column = window.to_patch(np.array([self.piles[pile].spot.centre_mm]))[0, 0]
        side = slice(0, middle) if column < middle else slice(middle, None)
        self._middle_before[:, side] = window.of(frame.image)[:, side]

    def _read_again(self, frame: Frame) -> list[AnyObservation]:
        self._next_read_ns = frame.at_ns + REREAD_NS
        if not self._looked:  # no frame pays for two readings
            any(spot.read_again(frame.image) for spot in self.spots)
        seen: list[AnyObservation] = []
        for pile, watch in self.piles.items():
            if watch.spot.still:
                seen.append(_pile_read(pile, watch.spot.top, frame.at_ns))
        return [*seen, *(self.rows.read(player, frame.at_ns) for player in PLAYERS)]


def _pile_read(pile: Pile, top: Top | None, at_ns: int) -> PileRead:
    if top is None:
        return PileRead(at_ns=at_ns, pile=pile, cards={}, empty=SURELY_EMPTY)
    return PileRead(at_ns=at_ns, pile=pile, cards=dict(top.reading.cards))


def _landed(landed: Landed, origins: tuple[Origin, ...], cards: CardOdds) -> CardLanded:
    return CardLanded(
        at_ns=landed.touch.at_ns,
        earliest_ns=landed.touch.earliest_ns,
        latest_ns=landed.touch.latest_ns,
        pile=landed.pile,
        cards=cards,
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
