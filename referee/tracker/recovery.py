"""When the thread is lost: begin again from what lies there, and blame nobody for what was missed."""

from msgspec.structs import replace

from referee.cards import Card
from referee.game.phases import Phase
from referee.game.position import Middle, Position, Side
from referee.rules.rows import EMPTY, Stock
from referee.table import PILES, PLAYERS, Pile, Player
from referee.tracker.belief import AT_ONCE, NOT_YET, QUIET_NS
from referee.tracker.core import Core
from referee.tracker.rows import PlaceView
from referee.tracker.worlds import World
from referee.verdicts import AnyVerdict, BackInStep, CannotTell

LOST_AFTER = 3
"""So many landings in a row that could not be judged, and the table is read afresh."""


def find_the_thread(core: Core) -> list[AnyVerdict]:
    """Take the table as it was last seen, once too many landings could not be judged and both rows were looked at."""
    if core.lost < LOST_AFTER or any(row.read_ns <= core.moved_ns for row in core.rows.values()):
        return []
    tops = {pile: top for pile in PILES if (top := core.piles[pile].shown) is not None and not core.piles[pile].is_old}
    if not tops or not any(row.count("face") for row in core.rows.values()):
        return []
    core.worlds = (World(_as_it_lies(core, tops)),)
    core.open, core.counts_doubtful, landings, core.lost = {}, True, core.lost, 0
    core.layout.laid, core.quiet_until_ns = frozenset(PLAYERS), core.now_ns + QUIET_NS
    for view in core.piles.values():
        view.strange = ()
    return [
        CannotTell(at_ns=core.now_ns, decided_ns=core.now_ns, about="table"),
        BackInStep(at_ns=core.now_ns, decided_ns=core.now_ns, landings=landings),
    ]


def due_ns(core: Core) -> int:
    """When `find_the_thread` may have something to say next."""
    return NOT_YET if core.lost < LOST_AFTER else AT_ONCE


def _as_it_lies(core: Core, tops: dict[Pile, Card]) -> Position:
    """The table as it was last seen; what is hidden is counted as before."""
    position = core.position
    middles = {pile: _middle(position.middle(pile), tops.get(pile)) for pile in PILES}
    sides = {player: _side(core, player) for player in PLAYERS}
    return replace(
        position, phase=Phase.PLAY, p1=sides["p1"], p2=sides["p2"], A=middles["A"], B=middles["B"],
        piles=2 if "B" in tops else 1, cleared_by=None, seen=0,
    )  # fmt: skip


def _middle(middle: Middle, top: Card | None) -> Middle:
    return Middle(top=top, count=max(middle.count, 1 if top else 0), started_by=middle.started_by)


def _side(core: Core, player: Player) -> Side:
    side = core.position.side(player)
    row = tuple(_stock(stock, view) for stock, view in zip(side.row, core.rows[player].places, strict=False))
    return replace(side, row=row, due=(), has_spat=False, has_called=False)


def _stock(stock: Stock, view: PlaceView) -> Stock:
    match view.kind:
        case "face" if view.card is not None:
            return Stock(stock.down, (view.card,))
        case "down":
            return Stock(max(1, stock.down))
        case "empty":
            return EMPTY
        case _:
            return stock
