"""Slaps: who was first by the pads, never finer than they measure (R51 to R55)."""

from typing import Literal

from msgspec.structs import replace

from referee.game.announcements import DeadHeat
from referee.game.events import Slap
from referee.game.phases import Phase
from referee.game.rulings import Illegal, Legal, Undecided
from referee.game.slaps import decide, is_hard_play
from referee.observations import PadReleased, PadSlapped
from referee.table import OPPONENT, PILES, PLAYERS, Player
from referee.tracker import rowsync, telling
from referee.tracker.belief import UNREPORTED_NS, Touch
from referee.tracker.core import Core
from referee.tracker.worlds import World, shares
from referee.units import MS
from referee.verdicts import AnyVerdict, Award, SlapJudged

OWN_LANDING_NS = 300 * MS
ANY_LANDING_NS = 50 * MS
"""A pad that fires so close to a landing on its pile, by its player or by anybody, may have felt that card."""
SHAKEN_NS = 50 * MS
"""A pad that a card has shaken is free again before this, even if nobody saw the card land; a hand stays longer."""

BOTH_NS = 500 * MS
"""Two slaps for one pile are at most so far apart."""
OUT_NS = 2000 * MS
"""So short a time after his row was bare, a player may slap for that."""
END_NS = 50 * MS
"""A slap so short a time before the card that ended the deal may have come with it."""
MISCOUNT = 2
"""So many spit cards may be thought to be there that are not, once the counts are in doubt."""

Press = tuple[int, PadSlapped]


def contest(core: Core, presses: list[Press]) -> list[AnyVerdict]:
    """Decide the slap phase by all presses of its window together; the first one is the one that was waited for."""
    world = core.ended = rowsync.settled_by_the_end(core.worlds[0])
    core.takers = {}
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


def _lies_in_the_middle(world: World, player: Player) -> bool:
    """Whether the player has cards, and all of them have to come back from the middle piles."""
    row = world.position.side(player).row
    return any(stock.up for stock in row) and all(kind == "empty" for kind, _ in world.lies(player))


def _went_on(core: Core, world: World, at_ns: int) -> bool:
    """Whether the deal is known not to have been over at this moment: it has ended later, or somebody can play or spit
    (a player whose row shows no card is out, whatever was missed)."""
    position = world.position
    if position.phase is Phase.SLAP:
        return position.ended_ns > at_ns + END_NS
    if position.phase not in (Phase.PLAY, Phase.SPIT):
        return False
    for player, row in core.rows.items():
        if row.is_bare and not _lies_in_the_middle(world, player):
            return False
    if not any(position.can(player, core.rules) for player in PLAYERS):
        return position.p1.packet + position.p2.packet > (MISCOUNT if core.counts_doubtful else 0)
    return True


def outside(core: Core, n: int, press: PadSlapped, held_ns: int = 0) -> list[AnyVerdict] | None:
    """A slap before the deal is over (R51): nothing if a card may have shaken the pad, else said, without effect.
    None as long as later looks may still tell. `held_ns`: how long the pad was down, 0 if that is not known."""
    player: Player | None = press.player
    if player is None or core.is_quiet(press.at_ns, *PILES) or not core.position.is_started:
        return []
    event = Slap(at_ns=press.at_ns, player=player, pile=press.pile)
    if 0 < held_ns <= SHAKEN_NS or any(_may_have_shaken(touch, player, press, held_ns) for touch in core.landed):
        return []
    if is_hard_play(core.rules, core.position, event, (event,)):
        return []
    going_on = sum(share for world, share in zip(core.worlds, shares(core.worlds), strict=True)
                   if _went_on(core, world, press.at_ns))  # fmt: skip
    if going_on < core.caution.blame or _may_be_unreported(core, press):
        return None
    return [telling.false_slap(press.at_ns, core.now_ns, n, player, press.pile)]


def cards_lie(core: Core, at_ns: int) -> bool:
    """Whether both rows were seen to hold cards since, and did so for a while before: whose row was bare, though only
    because a card of his had to come back, takes the deal to be over."""
    return all(
        any(
            view.kind in ("face", "down") and view.seen_ns > at_ns and view.since_ns < at_ns - OUT_NS
            for view in row.places
        )
        for row in core.rows.values()
    )


def is_answered(core: Core, press: PadSlapped, presses: tuple[PadSlapped, ...]) -> bool:
    """Whether the other player slapped as well, about then: two who slap know that the deal is over, as far as their
    rows do not show otherwise."""
    return any(
        other.player is not None
        and other.player != press.player
        and abs(other.at_ns - press.at_ns) < BOTH_NS
        and not any(_may_have_shaken(touch, other.player, other) for touch in core.landed)
        for other in presses
    )


def held_ns(press: PadSlapped, releases: tuple[PadReleased, ...]) -> int:
    """How long a pad was down, 0 if it was not released yet."""
    return next(
        (one.contact_ns for one in releases if (one.player, one.pile) == (press.player, press.pile)
         and one.at_ns >= press.at_ns), 0)  # fmt: skip


def _may_be_unreported(core: Core, press: PadSlapped) -> bool:
    """Whether the pad may have felt a card whose landing nobody reported: a pile shows it, or a row misses it."""
    pile = core.piles[press.pile]
    if pile.strange and pile.seen_ns < press.at_ns:
        return True
    if not all(core.is_explained(player) for player in PLAYERS):
        return True
    unseen = sum(share for world, share in zip(core.worlds, shares(core.worlds), strict=True)
                 if any(n < 0 and claim.pile == press.pile and abs(claim.at_ns - press.at_ns) < UNREPORTED_NS
                        for n, claim in world.claims.items()))  # fmt: skip
    return unseen > 1 - core.caution.blame_late


def _may_have_shaken(touch: Touch, player: Player, press: PadSlapped, held_ns: int = 0) -> bool:
    """Whether the pad may have felt this card: its player's own, or anybody's at that very moment (R51)."""
    is_the_others = touch.player == OPPONENT[player]
    if touch.pile != press.pile or (is_the_others and held_ns > SHAKEN_NS):
        return False
    near_ns = ANY_LANDING_NS if is_the_others else OWN_LANDING_NS
    return abs(touch.at_ns - press.at_ns) <= near_ns
