"""Stretches of a game: stuck, paused, out of step, and those in which nobody played."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Final, Literal

from msgspec.structs import replace

from referee.replay.chances import Chances
from referee.replay.moments import Deal, Moment, Span

DROUGHT_NS: Final = 2_000_000_000
ENDS_OF_STUCK: Final = ("spit", "deal_over", "next_deal", "game_over", "paused")


def spans_of(moments: list[Moment], deals: list[Deal], end_ns: int, chances: Chances) -> list[Span]:
    """Return stuck spans, pauses, times without the thread, and droughts of deals that have ended, in order of time."""
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


def with_chances(moments: list[Moment], deals: list[Deal], chances: Chances) -> list[Moment]:
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


_SPAN_OF: Final[Mapping[str, Literal["stuck", "paused", "out_of_step"]]] = {
    "stuck": "stuck",
    "paused": "paused",
    "cannot_tell": "out_of_step",
}


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
    return Span(kind=_SPAN_OF[opened.kind], start_ns=opened.at_ns, end_ns=end_ns, reason=opened.sentence)


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
