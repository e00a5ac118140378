"""How they played: figures per player, for the whole game and for each deal that has ended. Medians, with counts."""

from collections import defaultdict
from itertools import pairwise
from statistics import median

import msgspec

from referee.replay.moments import Deal, Moment, Span, Timeline
from referee.table import PLAYERS, Player

LONGEST_REACTION_NS = 10_000_000_000
"""Who waits longer than this has not reacted to the card but waited for a better one."""
TEMPO_BINS = 60


class Sample(msgspec.Struct, frozen=True):
    """Some measured times: how many, the middle one, the shortest and the longest, in nanoseconds; None without any."""

    count: int
    median_ns: int | None = None
    shortest_ns: int | None = None
    longest_ns: int | None = None
    values_ns: tuple[int, ...] = ()


class PlayerFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One player's figures over the deals in question."""

    plays: int
    """Legal plays onto the middle piles."""
    per_minute: float | None
    """Legal plays per minute of play; None for less than five seconds of it."""
    between: Sample
    """Time from one legal play to the player's next one in the same deal."""
    reaction: Sample
    """Time from a card of the opponent (or a spit card) coming down to the player's play on it."""
    longest_drought_ns: int | None
    """Longest stretch of play without a landing of this player."""
    spits: int
    illegal: int
    beaten: int
    unsure: int
    taken_back: int
    false_slaps: int
    breaches: int
    slaps_won: int
    slaps_lost: int
    margins_us: tuple[float, ...]
    """Of the slaps won, where there were two."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Both players' figures over one deal or the whole game."""

    deal: int | None
    """None: the whole game, of which only deals that have ended count."""
    play_ns: int
    players: dict[Player, PlayerFigures]


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """The game's figures, then those of each deal that has ended, then plays over time."""

    game: Figures
    deals: tuple[Figures, ...]
    tempo_bin_ns: int
    tempo: dict[Player, tuple[int, ...]]
    """Legal plays in each bin of time."""


def statistics_of(timeline: Timeline) -> Statistics:
    """Return the figures of all deals that have ended: while a deal is played nobody learns anything from them."""
    over = [deal for deal in timeline.deals if deal.is_over]
    by_deal: dict[int, list[Moment]] = defaultdict(list)
    for moment in timeline.moments:
        if not moment.dismissed:
            by_deal[moment.deal].append(moment)
    stops = [span for span in timeline.spans if span.kind in ("stuck", "paused")]
    all_moments = [moment for deal in over for moment in by_deal[deal.number]]
    bin_ns = max(1_000_000_000, -(-timeline.length_ns // TEMPO_BINS))
    return Statistics(
        game=_figures(None, over, all_moments, stops),
        deals=tuple(_figures(deal.number, [deal], by_deal[deal.number], stops) for deal in over),
        tempo_bin_ns=bin_ns,
        tempo={player: _tempo(player, all_moments, timeline.length_ns, bin_ns) for player in PLAYERS},
    )


def _figures(number: int | None, deals: list[Deal], moments: list[Moment], stops: list[Span]) -> Figures:
    play_ns = sum(_play_ns(deal, stops) for deal in deals)
    return Figures(
        deal=number,
        play_ns=play_ns,
        players={player: _player_figures(player, deals, moments, play_ns) for player in PLAYERS},
    )


def _play_ns(deal: Deal, stops: list[Span]) -> int:
    """Time from the first spit to the end of the deal, without pauses and stuck spans."""
    if deal.play_ns is None or deal.over_ns is None:
        return 0
    stopped = sum(max(0, min(span.end_ns, deal.over_ns) - max(span.start_ns, deal.play_ns)) for span in stops)
    return max(0, deal.over_ns - deal.play_ns - stopped)


def _player_figures(player: Player, deals: list[Deal], moments: list[Moment], play_ns: int) -> PlayerFigures:
    own = [moment for moment in moments if moment.player == player]
    plays = [moment for moment in own if moment.kind == "play" and moment.ruling == "legal"]
    decided = [moment.duel for moment in moments if moment.kind == "award" and moment.duel]
    contested = [duel for duel in decided if duel.first in PLAYERS and duel.margin_us is not None]
    won = [duel for duel in contested if duel.first == player]
    return PlayerFigures(
        plays=len(plays),
        per_minute=len(plays) * 60e9 / play_ns if play_ns >= 5_000_000_000 else None,
        between=_sample([after.at_ns - before.at_ns for before, after in pairwise(plays) if after.deal == before.deal]),
        reaction=_sample(_reactions_ns(player, moments)),
        longest_drought_ns=_longest_drought_ns(own, deals),
        spits=_count(own, "spit", "legal"),
        illegal=_count(own, "play", "illegal") + _count(own, "spit", "illegal") + _count(own, "row", "illegal"),
        beaten=_count(own, "play", "beaten"),
        unsure=_count(own, "play", "cannot_tell"),
        taken_back=sum(moment.kind == "taken_back" for moment in own),
        false_slaps=_count(own, "slap", "false_slap"),
        breaches=sum(moment.kind == "breach" for moment in own),
        slaps_won=len(won),
        slaps_lost=len(contested) - len(won),
        margins_us=tuple(duel.margin_us for duel in won if duel.margin_us is not None),
    )


def _count(moments: list[Moment], kind: str, ruling: str) -> int:
    return sum(moment.kind == kind and moment.ruling == ruling for moment in moments)


def _reactions_ns(player: Player, moments: list[Moment]) -> list[int]:
    """How soon the player covered a card that somebody else had put there, or a spit card."""
    reactions: list[int] = []
    last: dict[str | None, Moment] = {}
    for moment in moments:
        if not moment.is_landing or moment.ruling != "legal":
            continue
        under = last.get(moment.pile)
        if moment.kind == "play" and moment.player == player and under is not None and under.deal == moment.deal:
            is_new = under.kind == "spit" or under.player != player
            after_ns = moment.at_ns - under.at_ns
            if is_new and 0 < after_ns <= LONGEST_REACTION_NS:
                reactions.append(after_ns)
        last[moment.pile] = moment
    return reactions


def _longest_drought_ns(own: list[Moment], deals: list[Deal]) -> int | None:
    waits: list[int] = []
    times: dict[int, list[int]] = defaultdict(list)
    for moment in own:
        if moment.is_landing:
            times[moment.deal].append(moment.at_ns)
    for deal in deals:
        if deal.play_ns is not None and deal.over_ns is not None:
            borders = [deal.play_ns, *times[deal.number], deal.over_ns]
            waits += [after - before for before, after in pairwise(borders)]
    return max(waits, default=None)


def _tempo(player: Player, moments: list[Moment], length_ns: int, bin_ns: int) -> tuple[int, ...]:
    counts = [0] * (length_ns // bin_ns + 1)
    for moment in moments:
        if moment.kind == "play" and moment.ruling == "legal" and moment.player == player:
            counts[min(len(counts) - 1, max(0, moment.at_ns // bin_ns))] += 1
    return tuple(counts)


def _sample(values_ns: list[int]) -> Sample:
    if not values_ns:
        return Sample(0)
    ordered = sorted(values_ns)
    return Sample(len(ordered), round(median(ordered)), ordered[0], ordered[-1], tuple(ordered))
