"""Slaps: who was first by the pads, never finer than they measure (R51 to R55)."""

from typing import Literal

from msgspec.structs import replace

from referee.game.announcements import DeadHeat, FalseSlap
from referee.game.events import Slap
from referee.game.judge import judge
from referee.game.phases import Phase
from referee.game.rulings import Illegal, Legal, Undecided
from referee.game.slaps import decide
from referee.observations import PadSlapped
from referee.table import PLAYERS, Player
from referee.tracker import rowsync, telling
from referee.tracker.belief import MS
from referee.tracker.core import Core
from referee.verdicts import AnyVerdict, Award, SlapJudged

NEAR_LANDING_NS = 300 * MS
"""A pad that fires so close to any landing on its pile may have felt that card."""

Press = tuple[int, PadSlapped]


def contest(core: Core, presses: list[Press]) -> list[AnyVerdict]:
    """Decide the slap phase by all presses of its window together; the first one is the one that was waited for."""
    world = rowsync.settled_by_the_end(core.worlds[0])
    slaps = [Slap(at_ns=p.at_ns, player=p.player or "unknown", pile=p.pile, under=p.under) for _, p in presses]
    uncertainty = _uncertainty_ns(presses)
    resolution_us = max(core.rules.slap_resolution_us, -(-uncertainty // 1000))
    rules = replace(core.rules, slap_resolution_us=resolution_us)
    rulings, (position, said) = decide(rules, world.position, slaps, slaps)
    core.become([world.moved_to(position)])
    told: list[AnyVerdict] = []
    for (n, press), ruling in zip(presses, rulings, strict=True):
        word: Literal["legal", "ignored", "cannot_tell"] = "ignored"
        if isinstance(ruling, Legal | Undecided):
            word = "legal" if isinstance(ruling, Legal) else "cannot_tell"
        reason = ruling.reason.value if isinstance(ruling, Undecided | Illegal) else None
        told.append(SlapJudged(at_ns=press.at_ns, decided_ns=core.now_ns, of=n, player=press.player or "unknown",
                               pile=press.pile, ruling=word, reason=reason))  # fmt: skip
    n, first = presses[0]
    margin = _margin_ns(presses)
    for one in said:
        if isinstance(one, DeadHeat):
            told.append(telling.dead_heat(first.at_ns, core.now_ns, n, one.pile, margin or 0, uncertainty))
    for verdict in telling.announced(said, first.at_ns, core.now_ns, n, core.counts_known):
        if isinstance(verdict, Award) and margin is not None:
            verdict = replace(verdict, first=first.player or "unknown", margin_us=margin / 1000,
                              uncertainty_us=uncertainty / 1000)  # fmt: skip
        elif isinstance(verdict, Award):
            verdict = replace(verdict, first=first.player or "unknown")
        told.append(verdict)
    return told


def _rival(presses: list[Press]) -> PadSlapped | None:
    """The first press by somebody else than the first one's player."""
    _, first = presses[0]
    return next((press for _, press in presses[1:] if press.player != first.player), None)


def _margin_ns(presses: list[Press]) -> int | None:
    rival = _rival(presses)
    return None if rival is None else rival.at_ns - presses[0][1].at_ns


def _uncertainty_ns(presses: list[Press]) -> int:
    """What the two stamps that matter may be off together."""
    rival = _rival(presses)
    return presses[0][1].uncertainty_ns + (rival.uncertainty_ns if rival else 0)


def _is_certain_to_go_on(core: Core) -> bool:
    """Whether it was seen that the deal is not over: both rows show cards, and somebody can play or spit."""
    if any(row.count("face") + row.count("down") == 0 for row in core.rows.values()):
        return False
    position = core.position
    return not core.counts_doubtful or any(position.can(player, core.rules) for player in PLAYERS)


def outside(core: Core, n: int, press: PadSlapped) -> list[AnyVerdict]:
    """A slap before the deal is over (R51): nothing if a card may have shaken the pad, else said, without effect."""
    if core.position.phase not in (Phase.PLAY, Phase.SPIT) or not core.is_sure():
        return []
    if any(pile == press.pile and abs(at_ns - press.at_ns) <= NEAR_LANDING_NS for at_ns, pile in core.landed):
        return []
    view = core.piles[press.pile]
    if view.odd_looks or view.seen_ns < press.at_ns:
        return []
    player: Player | None = press.player
    if player is None or press.at_ns < core.quiet_until_ns or not _is_certain_to_go_on(core):
        return []
    event = Slap(at_ns=press.at_ns, player=player, pile=press.pile)
    _, _, said = judge(core.rules, core.position, event, (event,))
    if not any(isinstance(one, FalseSlap) for one in said):
        return []
    return [telling.false_slap(press.at_ns, core.now_ns, n, player, press.pile)]
