"""Over a still table: catch up with what was missed, and call *stuck* (R40) when nothing is in doubt."""

from msgspec.structs import replace

from referee.cards import UNREAD
from referee.game.deal_end import cleared, has_cleared, settle
from referee.game.phases import Phase
from referee.rules.rows import EMPTY
from referee.table import PILES, PLAYERS, Pile
from referee.tracker import rowsync, telling
from referee.tracker.belief import NOT_YET, QUIET_NS
from referee.tracker.core import Core
from referee.tracker.worlds import World
from referee.units import MS
from referee.verdicts import AnyVerdict, BackInStep

CATCH_UP_NS = 1_500 * MS
"""A row that disagrees for so long, with nothing moving, is believed."""


def when_still(core: Core) -> list[AnyVerdict]:
    """What is to be said because the table has been still for a while."""
    still_since_ns = max(core.hands_ns, core.moved_ns)
    if core.now_ns - still_since_ns < core.caution.still_ms * MS:
        return []
    position = core.position
    if position is core.not_stuck or position.phase is not Phase.PLAY:
        return []
    if core.waits_for_a_landing() or not core.is_sure():
        return []
    if any(row.read_ns <= still_since_ns for row in core.rows.values()):
        return []
    told = _catch_up(core)
    if core.position.phase is not Phase.PLAY or not all(core.agrees(player, core.moved_ns) for player in PLAYERS):
        return told
    return told + _call_stuck(core)


def due_ns(core: Core) -> int:
    """When `when_still` may have something to say next."""
    if core.hands_ns == NOT_YET or core.position is core.not_stuck or core.position.phase is not Phase.PLAY:
        return NOT_YET
    return max(core.hands_ns, core.moved_ns) + core.caution.still_ms * MS


def _catch_up(core: Core) -> list[AnyVerdict]:
    """Believe the rows where they have disagreed with the world for long: something was played unseen."""
    if core.now_ns - max(core.moved_ns, core.hands_ns) < CATCH_UP_NS:
        return []
    world = core.worlds[0]
    onto: Pile = max(PILES, key=lambda pile: core.piles[pile].changed_ns)
    for player in PLAYERS:
        world = rowsync.caught_up(world, player, core.rows[player], onto, core.now_ns)
    if world is core.worlds[0]:
        return []
    core.worlds, core.counts_doubtful, core.quiet_until_ns = (world,), True, core.now_ns + QUIET_NS
    told: list[AnyVerdict] = [BackInStep(at_ns=core.now_ns, decided_ns=core.now_ns, landings=core.lost)]
    core.lost = 0
    return told + _cleared_unseen(core, world, onto)


def _cleared_unseen(core: Core, world: World, onto: Pile) -> list[AnyVerdict]:
    """A row that turns out to be empty ends the deal, although nobody saw its last card land."""
    for player in PLAYERS:
        if has_cleared(core.rules, world.position.side(player)):
            position, said = cleared(core.rules, world.position, player, onto, core.now_ns)
            core.worlds = (world.moved_to(position),)
            return telling.announced(said, core.now_ns, core.now_ns, None, core.counts_known)
    return []


def _call_stuck(core: Core) -> list[AnyVerdict]:
    position = core.position
    if any(one.card not in core.worlds[0].stayed for _, one in position.must_go_back) or UNREAD in position.tops:
        return []
    if not core.counts_known and any(EMPTY in position.side(player).row for player in PLAYERS):
        return []
    after, said = settle(core.rules, position, core.now_ns)
    if after is position:
        core.not_stuck = position
        return []
    core.worlds = (core.worlds[0].moved_to(replace(after)),)
    return telling.announced(said, core.now_ns, core.now_ns, None, core.counts_known)
