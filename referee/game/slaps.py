"""Slaps: who was first, who takes which pile, dead heats, and hits that are no slaps (R51 to R56)."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from referee.game.announcements import DeadHeat, FalseSlap
from referee.game.deal_end import Ended, award, open_end
from referee.game.events import Land, Slap, Spit
from referee.game.outcome import Burst, Outcome, ignored
from referee.game.phases import Phase
from referee.game.position import Position
from referee.game.rulings import IGNORED, Doubt, Facts, Legal, Ruling, Undecided
from referee.rules.rule_set import RuleSet
from referee.table import OPPONENT, OTHER_PILE, Pile, Player
from referee.units import MS

NS_PER_US: Final = 1_000

SECOND_HIT_MS: Final = 100
"""No hand leaves a pile and comes down on it again sooner than this; later, in the slap phase, it has slapped."""


def slap(rules: RuleSet, position: Position, event: Slap, burst: Burst) -> Outcome:
    """A slap outside the slap phase changes nothing; it is announced unless it may have been a card landing (R51).

    Nor is it held against anybody while it is open whether the last card has ended the deal.
    """
    if position.phase is Phase.OVER or not position.is_started or is_hard_play(rules, position, event, burst):
        return ignored(position)
    if open_end(rules, position):
        return ignored(position)
    return ignored(position, FalseSlap(who=event.player))


def is_hard_play(rules: RuleSet, position: Position, event: Slap, burst: Burst) -> bool:
    """Whether the pad felt the player's own card (or one of nobody known) landing on that pile.

    Once the deal is over, a hit that may be either is a slap: whoever plays his last card may slap that pile at once.
    """
    window_ms = rules.slap_play_window_ms
    window_ns = MS * (min(window_ms, SECOND_HIT_MS) if position.phase is Phase.SLAP else window_ms)
    p1, p2, unknown = position.middle(event.pile).touched_ns
    own = {"p1": (p1, unknown), "p2": (p2, unknown), "unknown": (p1, p2, unknown)}[event.player]
    if any(abs(event.at_ns - touched_ns) <= window_ns for touched_ns in own):
        return True
    return any(
        isinstance(other, Land | Spit)
        and other.pile == event.pile
        and (other.player == event.player or "unknown" in (other.player, event.player))
        and abs(event.at_ns - other.at_ns) <= window_ns
        and getattr(other, "touched", True)
        for other in burst
    )


def decide(rules: RuleSet, position: Position, slaps: Sequence[Slap], burst: Burst) -> tuple[list[Ruling], Ended]:
    """Rule on all slaps of a burst in the slap phase together; the first valid one decides (R53, R55).

    Returns one ruling for each of `slaps`, and the table and announcements afterwards.
    """
    rulings: list[Ruling] = [IGNORED] * len(slaps)
    contest: list[Contender] = []
    for n in sorted(range(len(slaps)), key=lambda n: slaps[n].at_ns):
        hit = slaps[n]
        if is_hard_play(rules, position, hit, burst):
            continue
        if hit.player == "unknown":
            rulings[n] = Undecided(Doubt.SLAPPER_UNKNOWN, hit.player, Facts(pile=hit.pile))
        elif _may_choose(rules, position, hit.player) and all(hit.player != rival.player for rival in contest):
            contest.append(Contender(n, hit.player, hit))
    if not contest:
        return rulings, (position, ())
    winner = _winner(rules, contest)
    if winner is None:
        facts = Facts(pile=contest[0].slap.pile, after_ns=_apart_ns(contest), limit=rules.slap_resolution_us)
        for rival in contest:
            rulings[rival.n] = Undecided(Doubt.DEAD_HEAT, rival.player, facts)
        return rulings, (position, (DeadHeat(pile=contest[0].slap.pile),))
    for rival in contest:
        if rival is winner or rival.slap.pile != winner.slap.pile:
            rulings[rival.n] = Legal(rival.player)
    taken: dict[Player, Pile] = {
        winner.player: winner.slap.pile,
        OPPONENT[winner.player]: OTHER_PILE[winner.slap.pile],
    }
    return rulings, award(rules, position, taken)


class Contender(NamedTuple):
    """A player's first slap of a burst; `n` is its place among the slaps."""

    n: int
    player: Player
    slap: Slap


def _may_choose(rules: RuleSet, position: Position, player: Player) -> bool:
    """Whether the player's slap counts; in one variant only that of the player who cleared (R56)."""
    return rules.pile_choice == "slap" or position.cleared_by in (None, player)


def _winner(rules: RuleSet, contest: Sequence[Contender]) -> Contender | None:
    """Who was first; None for a dead heat. On different piles nothing is in dispute (R52)."""
    earliest = contest[0]
    if len(contest) == 1 or contest[1].slap.pile != earliest.slap.pile:
        return earliest
    if _apart_ns(contest) > rules.slap_resolution_us * NS_PER_US:
        return earliest
    underneath = [rival for rival in contest if rival.slap.under]
    return underneath[0] if len(underneath) == 1 else None


def _apart_ns(contest: Sequence[Contender]) -> int:
    return contest[1].slap.at_ns - contest[0].slap.at_ns
