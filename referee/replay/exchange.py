"""A logged game for other programs: as notation, as a table of comma separated values; and notation as a log again."""

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.cards import UNREAD, Card
from referee.errors import NotationError
from referee.log import GameLog, Header
from referee.observations import AnyObservation, Called, CardLanded, CardTakenBack, PadSlapped, Tick
from referee.replay.moments import Moment, Timeline
from referee.replay.notation import Event, Notated, What
from referee.replay.words import plain
from referee.rules.rule_set import PRESETS, rule_set
from referee.table import Player
from referee.units import MS
from referee.verdicts import (
    AnyVerdict,
    Award,
    DeadHeat,
    DealOver,
    GameOver,
    NotStuck,
    Paused,
    PlayJudged,
    Resumed,
    RowJudged,
    SlapJudged,
    SpitJudged,
    Stuck,
    TakenBack,
)

LONGEST_TAG: Final = 60
EXACT: Final = 1.0
"""Who writes a card down has seen it."""


def notation_of(timeline: Timeline) -> Notated:
    """Return the game in notation: what happened on the table and how it was ruled, without sensors and pictures."""
    tags = {
        "Game": plain(timeline.name, LONGEST_TAG),
        "Started": plain(timeline.header.started, 40),
        "Rules": plain(timeline.header.rules_name, 40),
        "p1": plain(timeline.header.players.get("p1"), LONGEST_TAG),
        "p2": plain(timeline.header.players.get("p2"), LONGEST_TAG),
    }
    deals: list[list[Event]] = [[] for _ in timeline.deals]
    for moment in timeline.moments:
        if not moment.dismissed and (event := _event(moment)) is not None:
            deals[moment.deal - 1].append(event)
    return Notated(tags={name: value for name, value in tags.items() if value}, deals=tuple(map(tuple, deals)))


_WHAT: Final[Mapping[str, What]] = {
    "play": "play",
    "spit": "spit",
    "taken_back": "takes_back",
    "stuck": "stuck",
    "called": "calls",
    "not_stuck": "not_stuck",
    "slap": "slap",
    "dead_heat": "too_close",
    "award": "takes",
    "paused": "paused",
    "resumed": "goes_on",
}


def _event(moment: Moment) -> Event | None:
    """The line of a moment; None for those that notation leaves out (a correction has already changed its landing)."""
    if (what := _what(moment)) is None:
        return None
    duel = moment.duel
    ruled = moment.ruling or "legal"
    return Event(
        at_ms=moment.at_ns // MS,
        what=what,
        player=moment.player,
        pile=moment.pile,
        card=moment.card if moment.is_landing or moment.kind in ("taken_back", "row") else None,
        place=moment.place,
        to_place=moment.to_place,
        ruling=ruled if what in ("play", "spit", "turns_up", "moves", "slap") else "legal",
        reason=_reason(moment) if ruled != "legal" else "",
        p1=moment.takes.get("p1"),
        p2=moment.takes.get("p2"),
        margin_us=round(duel.margin_us) if duel and duel.margin_us is not None else None,
    )


ROW_WORDS: Mapping[str, What] = {"turn_up": "turns_up", "move": "moves"}


def _what(moment: Moment) -> What | None:
    match moment.kind:
        case "row":
            return ROW_WORDS.get(moment.action)
        case "deal_over":
            return "blocked" if moment.reason == "stuck_out" else "out"
        case "game_over":
            return "draw" if moment.player == "unknown" else "wins"
        case "slap" if moment.ruling is None:
            return None
        case kind:
            return _WHAT.get(kind)


def _reason(moment: Moment) -> str:
    """Reasons of the rules are one word; what else a foreign log holds is left out."""
    reason = moment.reason or ""
    if reason == moment.ruling:
        return ""
    return reason if reason.isascii() and reason.replace("_", "").isalpha() and reason.islower() else ""


# --- comma separated values

COLUMNS: Final = (
    "n", "at_ms", "deal", "kind", "player", "pile", "card", "p", "ruling", "reason", "rule", "top", "since_ms",
    "decided_ms", "margin_us", "uncertainty_us", "sentence", "was",
)  # fmt: skip


def csv_of(timeline: Timeline) -> str:
    """Return all moments as a table with a header line. No cell begins like a formula, whatever the players' names."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(COLUMNS)
    for moment in timeline.moments:
        writer.writerow([_cell(value) for value in _row(moment)])
    return sheet.getvalue()


def _row(moment: Moment) -> tuple[object, ...]:
    duel = moment.duel
    return (
        moment.n,
        moment.at_ns / MS,
        moment.deal,
        moment.kind,
        moment.player,
        moment.pile,
        moment.card,
        moment.p,
        moment.ruling,
        moment.reason,
        moment.rule,
        moment.top,
        None if moment.since_ns is None else moment.since_ns / MS,
        None if moment.decided_ns is None else moment.decided_ns / MS,
        duel.margin_us if duel else None,
        duel.uncertainty_us if duel else None,
        moment.sentence,
        moment.was,
    )


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value


# --- notation as a log again


def write_log(game: Notated, games: Path) -> Path:
    """Write a game in notation as a new log under `games` and return its folder. It holds exact observations and the
    rulings of the text, so that it can be looked at; what notation does not say (pictures, pads) is not there.

    Raises NotationError for a date that cannot be, or rules that nobody knows."""
    rules_name = game.tags.get("Rules", "")
    refuse_strange_tags(rules_name, game.tags.get("Started", ""))
    players: dict[Player, str] = {}
    for player in ("p1", "p2"):
        if player in game.tags:
            players[player] = plain(game.tags[player], LONGEST_TAG)
    header = Header(
        source="notation",
        started=game.tags.get("Started", ""),
        players=players,
        rules_name=rules_name,
        rules=msgspec.to_builtins(rule_set(rules_name)) if rules_name in PRESETS else {},
    )
    with GameLog.create(games, header, live=False) as log:
        log.observation(Tick(at_ns=0))  # the game's start, from which its times count
        for event in (event for deal in game.deals for event in deal):
            seen = _sighting(event)
            of = log.observation(seen) if seen else None
            for verdict in _verdicts(event, of):
                log.verdict(verdict)
    return log.directory


def refuse_strange_tags(rules_name: str, started: str) -> None:
    """Raise NotationError for a date that cannot be, or rules that nobody knows."""
    if rules_name and rules_name not in PRESETS:
        known = ", ".join(PRESETS)
        raise NotationError(f"there are no rules {plain(rules_name, 40)!r}: name one of {known}, or leave [Rules] out")
    try:
        if started:
            datetime.fromisoformat(started)
    except ValueError:
        raise NotationError(
            f"[Started] {plain(started, 40)!r} is no moment: write it like 2026-11-30T20:15:00, or leave it out"
        ) from None


def _sighting(event: Event) -> AnyObservation | None:
    at_ns = event.at_ms * MS
    player = None if event.player == "unknown" else event.player
    players: dict[Player, float] = {player: EXACT} if player else {}
    cards: dict[Card, float] = {event.card: EXACT} if event.card and event.card != UNREAD else {}
    match event.what:
        case "play" | "spit" if event.pile:
            return CardLanded(
                at_ns=at_ns, earliest_ns=at_ns, latest_ns=at_ns, pile=event.pile, cards=cards, players=players
            )
        case "takes_back" if event.pile:
            return CardTakenBack(at_ns=at_ns, pile=event.pile, cards=cards, players=players)
        case "slap" if event.pile:
            return PadSlapped(at_ns=at_ns, player=player, pile=event.pile, uncertainty_ns=500_000)
        case "calls" if player:
            return Called(at_ns=at_ns, player=player, word="spit")
        case _:
            return None


def _verdicts(event: Event, of: int | None) -> Iterator[AnyVerdict]:
    about: dict[str, Any] = {"at_ns": event.at_ms * MS, "of": of}
    ruled: dict[str, Any] = {"ruling": event.ruling, "reason": event.reason or None}
    where: dict[str, Any] = {"player": event.player, "pile": event.pile}
    match event.what:
        case "play":
            yield PlayJudged(**about, **where, **ruled, card=event.card or UNREAD, p=EXACT)
        case "spit":
            yield SpitJudged(**about, **where, **ruled, card=event.card or UNREAD, p=EXACT)
        case "takes_back":
            yield TakenBack(**about, **where, card=event.card or UNREAD, was_due=True)
        case "slap":
            yield SlapJudged(**about, **where, **ruled)
        case "calls":
            return
        case "turns_up" | "moves":
            yield RowJudged(
                **about,
                **ruled,
                player=event.player,
                what="turn_up" if event.what == "turns_up" else "move",
                place=event.place or 1,
                to_place=event.to_place,
                card=event.card or UNREAD,
            )
        case _:
            yield _announcement(event, about)


def _announcement(event: Event, about: dict[str, Any]) -> AnyVerdict:
    match event.what:
        case "stuck":
            return Stuck(**about)
        case "not_stuck":
            return NotStuck(**about, who=())
        case "out":
            return DealOver(**about, reason="cleared", by=None if event.player == "unknown" else event.player)
        case "blocked":
            return DealOver(**about, reason="stuck_out")
        case "too_close":
            return DeadHeat(**about, pile=event.pile or "A", margin_us=event.margin_us or 0, uncertainty_us=0)
        case "takes":
            return Award(**about, p1=event.p1, p2=event.p2, first=event.player, margin_us=event.margin_us)
        case "paused":
            return Paused(**about, reason="as the notation says")
        case "goes_on":
            return Resumed(**about)
        case _:
            winner = event.player if event.player != "unknown" else "draw"
            return GameOver(**about, winner=winner)
