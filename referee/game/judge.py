"""The judge: crisp events in, one ruling for each and what the table is told. The one mutable object of the engine."""

from collections.abc import Sequence

import msgspec

from referee.game.actions import see_hands
from referee.game.announcements import AnyAnnouncement
from referee.game.deal_end import settle
from referee.game.events import (
    AnyEvent,
    Call,
    Draw,
    Hands,
    Land,
    Layout,
    Move,
    Read,
    Refill,
    Slap,
    Spit,
    TakeBack,
    Tick,
    TurnUp,
)
from referee.game.landings import land, take_back
from referee.game.moves import draw, move, refill, turn_up
from referee.game.outcome import Burst, Outcome, Said, nothing
from referee.game.phases import Phase
from referee.game.position import Position
from referee.game.readings import lay_out, read
from referee.game.rulings import Ruling
from referee.game.slaps import decide, slap
from referee.game.spits import call, spit
from referee.rules.rule_set import RuleSet
from referee.table import Player


class Judgement(msgspec.Struct, frozen=True):
    """The answer to one event."""

    ruling: Ruling
    announcements: tuple[AnyAnnouncement, ...] = ()


class Judge:
    """Follow one game by `rules` from the position `start`; feed events in the order of contact.

    What happened in one burst (one call of `step`) is known together: slaps are compared with each other, a card that
    cannot be ordered finds its rival, two spit cards are an agreement. Everything else depends on the order alone.
    """

    def __init__(self, rules: RuleSet, start: Position) -> None:
        self.rules = rules
        self._position = start
        self._is_fresh = True  # nobody has asked yet whether the first position is stuck

    @property
    def position(self) -> Position:
        """The table after the last event, as a frozen value."""
        return self._position

    def can(self, player: Player) -> bool | None:
        """Whether the player can still do something (R40); None if that is not known."""
        return self._position.can(player, self.rules)

    def copy(self) -> "Judge":
        """A judge of the same position that goes its own way; costs nothing, for positions are values."""
        twin = Judge(self.rules, self._position)
        twin._is_fresh = self._is_fresh
        return twin

    def feed(self, event: AnyEvent) -> Judgement:
        """Judge one event that came alone."""
        ruling, said = self._judge(event, (event,))
        return Judgement(ruling, said)

    def step(self, events: Sequence[AnyEvent]) -> tuple[list[Ruling], list[AnyAnnouncement]]:
        """Judge a burst: one ruling for each event in order, and all announcements in order."""
        rulings: list[Ruling | None] = [None] * len(events)
        told: list[AnyAnnouncement] = []
        for n, event in enumerate(events):
            if rulings[n] is not None:
                continue  # a slap that was decided together with an earlier one
            if isinstance(event, Slap) and self._position.phase is Phase.SLAP:
                told += self._decide_slaps(rulings, events, n)
            else:
                rulings[n], said = self._judge(event, events)
                told += said
        return [ruling for ruling in rulings if ruling is not None], told

    def _judge(self, event: AnyEvent, burst: Burst) -> tuple[Ruling, Said]:
        """Rule on one event and call *stuck* if the table it leaves is."""
        earlier = self._settle(event.at_ns) if self._is_fresh else ()
        before = self._position
        ruling, self._position, said = judge(self.rules, before, event, burst)
        if _same_cards(before, self._position):
            return ruling, earlier + said
        return ruling, earlier + said + self._settle(event.at_ns)

    def _settle(self, at_ns: int) -> Said:
        self._is_fresh = False
        if self._position.phase is not Phase.PLAY:
            return ()
        self._position, said = settle(self.rules, self._position, at_ns)
        return said

    def _decide_slaps(self, rulings: list[Ruling | None], burst: Burst, start: int) -> Said:
        """Rule on the slap at `start` together with all later ones of the burst."""
        places = [n for n, event in enumerate(burst) if n >= start and isinstance(event, Slap)]
        slaps = [event for event in burst[start:] if isinstance(event, Slap)]
        decided, (self._position, said) = decide(self.rules, self._position, slaps, burst)
        for n, ruling in zip(places, decided, strict=True):
            rulings[n] = ruling
        return said


def _same_cards(before: Position, after: Position) -> bool:
    """Whether nothing happened that could leave the players stuck."""
    return (
        before.phase is after.phase
        and before.p1.row is after.p1.row
        and before.p2.row is after.p2.row
        and before.A.top is after.A.top
        and before.B.top is after.B.top
    )


def judge(rules: RuleSet, position: Position, event: AnyEvent, burst: Burst) -> Outcome:
    """Return the ruling on `event`, the table after it, and what is announced: the engine as one pure function."""
    match event:
        case Land():
            return land(rules, position, event, burst)
        case TurnUp():
            return turn_up(rules, position, event, burst)
        case TakeBack():
            return take_back(rules, position, event, burst)
        case Spit():
            return spit(rules, position, event, burst)
        case Move():
            return move(rules, position, event, burst)
        case Slap() if position.phase is Phase.SLAP:
            (ruling,), (position, said) = decide(rules, position, [event], burst)
            return ruling, position, said
        case Slap():
            return slap(rules, position, event, burst)
        case Refill():
            return refill(rules, position, event, burst)
        case Draw():
            return draw(rules, position, event, burst)
        case Read():
            return read(rules, position, event, burst)
        case Call():
            return call(rules, position, event, burst)
        case Hands():
            return see_hands(rules, position, event, burst)
        case Layout():
            return lay_out(rules, position, event, burst)
        case Tick():
            return nothing(position)
