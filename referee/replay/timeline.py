"""From a log to the view model of its replay. Pure but for the reading of the log's lines."""

from bisect import bisect_left, bisect_right
from typing import Final

from msgspec.structs import replace

from referee.log import LoggedGame
from referee.replay.chances import Chances
from referee.replay.collect import Collected, collect
from referee.replay.moments import Deal, Duel, Edge, Moment, Timeline
from referee.replay.piles import PileTaken, with_piles
from referee.replay.spans import spans_of, with_chances
from referee.replay.words import player_names
from referee.units import counted
from referee.verdicts import Award, DeadHeat

MOST_MOMENTS: Final = 20_000
"""About ten hours of play; of a longer log only these are shown, which is said."""
STRIP_NS: Final = 1_500_000_000
"""A duel's strip shows the pads this long before and after its decision."""


def timeline_of(game: LoggedGame, most_moments: int = MOST_MOMENTS) -> Timeline:
    """Return the whole game as moments, spans and deals. Whatever the log lacks is in `troubles`, never an error."""
    names = player_names(game.header.players)
    found = collect(game.entries(), game.header.boot_id, names, most_moments, game.film())
    found.edges.sort(key=_start)
    moments, shown = with_piles(_in_order(found))
    standing = [moment for moment in moments if not moment.dismissed]
    deals = _deals(standing, found)
    result = _result(standing, deals, game.was_closed or found.is_cut_short)
    if game.was_closed:
        deals[-1] = _broken_off(deals[-1])
    moments = _numbered(moments, deals)
    chances = Chances(found.rows, shown, game.header.rules)
    spans = spans_of([moment for moment in moments if not moment.dismissed], deals, found.end_ns, chances)
    return Timeline(
        name=game.directory.stem if game.directory.is_file() else game.directory.name,
        header=game.header,
        moments=tuple(_with_duel(moment, found) for moment in with_chances(moments, deals, chances)),
        spans=tuple(spans),
        deals=tuple(deals),
        length_ns=found.end_ns,
        result=result,
        troubles=tuple(game.troubles),
        closed=game.was_closed or found.is_cut_short,
        is_cut_short=found.is_cut_short,
    )


def _in_order(found: Collected) -> list[Moment | PileTaken]:
    return sorted([*found.moments.values(), *found.taken], key=lambda moment: (moment.at_ns, moment.n))


def _deals(moments: list[Moment], found: Collected) -> list[Deal]:
    """Cut the game at each `next_deal`, or where a deal that is over is followed by another spit."""
    deals = [Deal(number=1, start_ns=0, end_ns=found.end_ns)]
    for moment in moments:
        deal = deals[-1]
        if moment.kind == "next_deal" or (moment.kind == "spit" and deal.is_over):
            if deal.play_ns is None and not deal.is_over:
                continue
            deals[-1] = replace(deal, end_ns=moment.at_ns)
            deals.append(Deal(number=deal.number + 1, start_ns=moment.at_ns, end_ns=found.end_ns))
            deal = deals[-1]
        if moment.is_landing and deal.play_ns is None:
            deals[-1] = replace(deal, play_ns=moment.at_ns)
        elif moment.kind in ("deal_over", "game_over") and not deal.is_over:
            deals[-1] = replace(deal, over_ns=moment.at_ns, result=moment.sentence)
        elif moment.kind == "award":
            deals[-1] = replace(deal, over_ns=deal.over_ns or moment.at_ns, result=moment.sentence)
    return deals


def _broken_off(deal: Deal) -> Deal:
    """A deal that the log was closed in is played no more: its figures may be told."""
    return deal if deal.is_over or deal.play_ns is None else replace(deal, over_ns=deal.end_ns, result="not finished")


def _numbered(moments: list[Moment], deals: list[Deal]) -> list[Moment]:
    """Give each moment the number of its deal and the time since the landing before it. The slap that ended a deal
    belongs to it, even if the next one was announced in the same moment."""
    starts = [deal.start_ns for deal in deals]
    numbered: list[Moment] = []
    last_landing: tuple[int, int] | None = None
    for moment in moments:
        ends_deal = moment.kind in ("award", "slap", "dead_heat")
        place = (bisect_left if ends_deal else bisect_right)(starts, moment.at_ns)
        deal = deals[max(0, place - 1)].number
        since_ns = None
        if moment.is_landing and not moment.dismissed:
            since_ns = moment.at_ns - last_landing[1] if last_landing and last_landing[0] == deal else None
            last_landing = (deal, moment.at_ns)
        numbered.append(replace(moment, deal=deal, since_ns=since_ns))
    return numbered


def _with_duel(moment: Moment, found: Collected) -> Moment:
    if moment.kind not in ("award", "dead_heat"):
        return moment
    verdict = found.verdicts.get(moment.n)
    edges = _edges_around(found.edges, moment.at_ns)
    match verdict:
        case Award():
            duel = Duel(
                edges=edges, first=verdict.first, margin_us=verdict.margin_us, uncertainty_us=verdict.uncertainty_us
            )
        case DeadHeat():
            duel = Duel(edges=edges, margin_us=verdict.margin_us, uncertainty_us=verdict.uncertainty_us)
        case _:
            return moment
    return replace(moment, duel=duel)


def _edges_around(edges: list[Edge], at_ns: int) -> tuple[Edge, ...]:
    first = bisect_left(edges, at_ns - STRIP_NS, key=_start)
    return tuple(edges[first : bisect_right(edges, at_ns + STRIP_NS, key=_start)])


def _start(edge: Edge) -> int:
    return edge.start_ns


def _result(moments: list[Moment], deals: list[Deal], closed: bool) -> str:
    won = next((moment.sentence for moment in reversed(moments) if moment.kind == "game_over"), "")
    if won:
        return won
    over = sum(deal.is_over for deal in deals)
    ended = "The game was not finished" if closed else "The log ends in the middle of the game"
    return f"{ended}: {counted(over, 'deal')} played to the end."
