"""From a log to the view model of its replay. Pure but for the reading of the log's lines."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from msgspec.structs import replace

from referee.log import LoggedGame
from referee.replay.chances import chances_in
from referee.replay.collect import Collected, collect
from referee.replay.moments import Chance, Deal, Duel, Edge, Moment, Span, Timeline
from referee.replay.piles import PileTaken, Shown, with_piles
from referee.replay.words import player_names
from referee.table import PLAYERS
from referee.verdicts import Award, DeadHeat

MOST_MOMENTS: Final = 20_000
"""About ten hours of play; of a longer log only these are shown, which is said."""
DROUGHT_NS: Final = 2_000_000_000
STRIP_NS: Final = 1_500_000_000
"""A duel's strip shows the pads this long before and after its decision."""

ENDS_OF_STUCK: Final = ("spit", "deal_over", "next_deal", "game_over", "paused")


def timeline_of(game: LoggedGame, most_moments: int = MOST_MOMENTS) -> Timeline:
    """Return the whole game as moments, spans and deals. Whatever the log lacks is in `troubles`, never an error."""
    names = player_names(game.header.players)
    found = collect(game.entries(), game.header.boot_id, names, most_moments)
    found.edges.sort(key=_start)
    moments, shown = with_piles(_in_order(found))
    deals = _deals(moments, found)
    moments = _numbered(moments, deals)
    chances = _Chances(found, shown, game.header.rules)
    spans = _spans(moments, deals, found.end_ns, chances)
    return Timeline(
        name=game.directory.stem if game.directory.is_file() else game.directory.name,
        header=game.header,
        moments=tuple(_with_duel(moment, found) for moment in _refused(moments, deals, chances)),
        spans=tuple(spans),
        deals=tuple(deals),
        length_ns=found.end_ns,
        result=_result(moments, deals, game.was_closed or found.is_cut_short),
        troubles=tuple(game.troubles),
        closed=game.was_closed or found.is_cut_short,
        is_cut_short=found.is_cut_short,
    )


def _in_order(found: Collected) -> list[Moment | PileTaken]:
    taken = [PileTaken(n, at_ns, pile) for n, at_ns, pile in found.taken]
    return sorted([*found.moments.values(), *taken], key=lambda moment: (moment.at_ns, moment.n))


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


def _numbered(moments: list[Moment], deals: list[Deal]) -> list[Moment]:
    """Give each moment the number of its deal and the time since the landing before it."""
    starts = [deal.start_ns for deal in deals]
    numbered: list[Moment] = []
    last_landing: tuple[int, int] | None = None
    for moment in moments:
        deal = deals[max(0, bisect_right(starts, moment.at_ns) - 1)].number
        since_ns = None
        if moment.is_landing:
            since_ns = moment.at_ns - last_landing[1] if last_landing and last_landing[0] == deal else None
            last_landing = (deal, moment.at_ns)
        numbered.append(replace(moment, deal=deal, since_ns=since_ns))
    return numbered


def _spans(moments: list[Moment], deals: list[Deal], end_ns: int, chances: "_Chances") -> list[Span]:
    marked = [
        *_between(moments, "stuck", ENDS_OF_STUCK, end_ns),
        *_between(moments, "paused", ("resumed", "game_over"), end_ns),
        *_between(moments, "cannot_tell", ("back_in_step", "deal_over", "game_over"), end_ns),
    ]
    landings_ns: dict[int, list[int]] = defaultdict(list)
    for moment in moments:
        if moment.is_landing:
            landings_ns[moment.deal].append(moment.at_ns)
    droughts = [
        replace(span, chances=chances.between(span.start_ns, span.end_ns))
        for deal in deals
        if deal.is_over
        for span in _droughts(deal, landings_ns[deal.number], marked)
    ]
    return sorted([*marked, *droughts], key=lambda span: span.start_ns)


class _Chances:
    """Answers what could have been played, from the rows as they were seen."""

    def __init__(self, found: Collected, shown: list[Shown], options: Mapping[str, Any]) -> None:
        rows = sorted(found.rows, key=lambda row: row.at_ns)
        self._rows = {player: [row for row in rows if row.player == player] for player in PLAYERS}
        self._shown, self._options = shown, options

    def between(self, start_ns: int, end_ns: int) -> tuple[Chance, ...] | None:
        return chances_in(start_ns, end_ns, self._rows, self._shown, self._options)


def _refused(moments: list[Moment], deals: list[Deal], chances: _Chances) -> list[Moment]:
    """Give each refused call, once its deal has ended, what lay there to be played."""
    over = {deal.number for deal in deals if deal.is_over}
    landings_ns = [moment.at_ns for moment in moments if moment.is_landing]
    done: list[Moment] = []
    for moment in moments:
        if moment.kind == "not_stuck" and moment.deal in over:
            index = bisect_right(landings_ns, moment.at_ns)
            start_ns = landings_ns[index - 1] if index else moment.at_ns
            end_ns = landings_ns[index] if index < len(landings_ns) else moment.at_ns
            found = chances.between(start_ns, end_ns)
            lying = found and tuple(one for one in found if one.start_ns <= moment.at_ns <= one.end_ns)
            moment = replace(moment, chances=lying)
        done.append(moment)
    return done


_SPAN_OF: Final = {"stuck": "stuck", "paused": "paused", "cannot_tell": "out_of_step"}


def _between(moments: list[Moment], opens: str, closes: tuple[str, ...], end_ns: int) -> list[Span]:
    spans: list[Span] = []
    opened: Moment | None = None
    for moment in moments:
        if moment.kind == opens and opened is None:
            opened = moment
        elif opened is not None and moment.kind in closes:
            spans.append(_span(opened, moment.at_ns))
            opened = None
    return spans if opened is None else [*spans, _span(opened, end_ns)]


def _span(opened: Moment, end_ns: int) -> Span:
    kind = _SPAN_OF[opened.kind]
    return Span(kind=kind, start_ns=opened.at_ns, end_ns=end_ns, reason=opened.sentence)  # type: ignore[arg-type]


def _droughts(deal: Deal, landings_ns: list[int], marked: list[Span]) -> list[Span]:
    """Stretches of play in which nobody landed, as long as the table was neither stuck nor paused."""
    if deal.play_ns is None or deal.over_ns is None:
        return []
    stops_ns = sorted(span.start_ns for span in marked if span.kind != "out_of_step")
    times = [time for time in [*landings_ns, deal.over_ns] if deal.play_ns <= time <= deal.over_ns]
    droughts: list[Span] = []
    for start, end in pairwise(times):
        index = bisect_left(stops_ns, start)
        free_ns = min(end, stops_ns[index]) if index < len(stops_ns) else end
        if free_ns - start >= DROUGHT_NS:
            droughts.append(Span(kind="drought", start_ns=start, end_ns=free_ns))
    return droughts


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
    return f"{ended}: {over} {'deal' if over == 1 else 'deals'} played."
