"""A game as text that reads aloud, one line an event, and back again; the grammar is in docs/notation.md.

    [p1 "Ann"]
    [p2 "Bob"]

    deal 1
    0:07.582 p1 spits 9C on A
    0:14.351 p2 5S on B, illegal (not_adjacent)

Printing and parsing are each other's inverse: `parse(text)` of what `text_of` wrote gives the same value.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from referee.cards import Card, parse_card
from referee.errors import NotationError
from referee.table import Pile, Who

What = Literal[
    "play", "spit", "takes_back", "turns_up", "moves", "stuck", "calls", "not_stuck", "out", "blocked", "slap",
    "too_close", "takes", "paused", "goes_on", "wins", "draw",
]  # fmt: skip


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line. Which fields are filled depends on `what`; all others have their default."""

    at_ms: int
    what: What
    player: Who = "unknown"
    pile: Pile | None = None
    card: Card | None = None
    place: int | None = None
    to_place: int | None = None
    ruling: str = "legal"
    reason: str = ""
    p1: Pile | None = None
    p2: Pile | None = None
    margin_us: int | None = None


class Notated(msgspec.Struct, frozen=True, kw_only=True):
    """A whole game: its tags in order, and each deal's events in order of time."""

    tags: dict[str, str]
    deals: tuple[tuple[Event, ...], ...]


_WHO: Final = r"(?P<player>p1|p2|somebody)"
_CARD: Final = r"(?P<card>10[SHDC]|[2-9AJQK][SHDC]|JK|X1|X2|\?\?)"
_PILE: Final = r"(?P<pile>[AB])"
_RULED: Final = r"(?:, (?P<ruling>illegal|beaten|cannot tell|too early|ignored)(?: \((?P<reason>[a-z_]+)\))?)?"
_FIRST: Final = r"(?:, (?P<first>p1|p2) first(?: by (?P<margin>\d+\.\d{3}) ms)?)?"

PHRASES: Final[tuple[tuple[What, str], ...]] = (
    ("play", rf"{_WHO} {_CARD} on {_PILE}{_RULED}"),
    ("spit", rf"{_WHO} spits {_CARD} on {_PILE}{_RULED}"),
    ("takes_back", rf"{_WHO} takes {_CARD} back from {_PILE}"),
    ("turns_up", rf"{_WHO} turns up {_CARD} on (?P<place>[1-5]){_RULED}"),
    ("moves", rf"{_WHO} moves {_CARD} from (?P<place>[1-5]) to (?P<to_place>[1-5]){_RULED}"),
    ("stuck", r"stuck"),
    ("calls", rf"{_WHO} calls"),
    ("not_stuck", r"not stuck"),
    ("out", rf"{_WHO} is out"),
    ("blocked", r"nobody can go on"),
    ("slap", rf"{_WHO} slaps {_PILE}{_RULED}"),
    ("too_close", rf"too close on {_PILE}, (?P<margin>\d+\.\d{{3}}) ms"),
    ("takes", rf"p1 takes (?P<p1>[AB]|nothing), p2 takes (?P<p2>[AB]|nothing){_FIRST}"),
    ("paused", r"paused"),
    ("goes_on", r"play goes on"),
    ("wins", rf"{_WHO} wins"),
    ("draw", r"draw"),
)
"""Every line after its time; a line fits exactly one of them."""

_TIME: Final = re.compile(
    r"(?:(?P<hours>[1-9]\d{0,5}):(?=\d\d:))?(?P<minutes>[0-5]?\d):(?P<seconds>[0-5]\d)\.(?P<ms>\d{3})", re.ASCII
)
_TAG: Final = re.compile(r'\[(?P<name>[A-Za-z][A-Za-z0-9_]*) "(?P<value>(?:[^"\\]|\\.)*)"\]')
_PATTERNS: Final = tuple((what, re.compile(pattern, re.ASCII)) for what, pattern in PHRASES)


def text_of(game: Notated) -> str:
    """Return the game as text, ending with a newline."""
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in game.tags.items()]
    for number, events in enumerate(game.deals, 1):
        lines += ["", f"deal {number}", *(f"{_time(event.at_ms)} {_phrase(event)}" for event in events)]
    return "\n".join(lines) + "\n"


def parse(text: str) -> Notated:
    """Return the game that a text describes. Empty lines and lines that begin with `#` are passed over.

    Raises NotationError that names the line."""
    tags: dict[str, str] = {}
    deals: list[list[Event]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            name, value = _tag(number, line)
            tags[name] = value
        elif line == f"deal {len(deals) + 1}":
            deals.append([])
        elif not deals:
            raise NotationError(
                f"line {number}: {line[:50]!r} stands before `deal 1`: begin each deal with such a line"
            )
        else:
            deals[-1].append(_event(number, line))
    return Notated(tags=tags, deals=tuple(map(tuple, deals)))


def _tag(number: int, line: str) -> tuple[str, str]:
    match = _TAG.fullmatch(line)
    if match is None:
        raise NotationError(f'line {number}: {line[:60]!r} is no tag; write it like [p1 "Ann"]')
    return match["name"], re.sub(r"\\(.)", r"\1", match["value"])


def _event(number: int, line: str) -> Event:
    time, _, phrase = line.partition(" ")
    clock = _TIME.fullmatch(time)
    if clock is None:
        raise NotationError(f"line {number}: {time[:20]!r} is no time; write it like 1:02.158")
    for what, pattern in _PATTERNS:
        if found := pattern.fullmatch(phrase):
            return Event(at_ms=_milliseconds(clock), what=what, **_fields(found.groupdict()))
    raise NotationError(f"line {number}: {phrase[:60]!r} is no event; write it like `p1 8H on B`")


def _fields(words: Mapping[str, str | None]) -> dict[str, Any]:
    """The fields of an event from the words of its line; what the line does not say keeps its default."""
    fields: dict[str, Any] = {}
    for name, word in words.items():
        if word is None or name in ("first", "margin"):
            continue
        fields[name] = _value(name, word)
    if words.get("first"):
        fields["player"] = words["first"]
    if margin := words.get("margin"):
        fields["margin_us"] = round(float(margin) * 1000)
    return fields


def _value(name: str, word: str) -> Any:
    match name:
        case "card":
            return parse_card(word)
        case "player":
            return "unknown" if word == "somebody" else word
        case "p1" | "p2":
            return None if word == "nothing" else word
        case "place" | "to_place":
            return int(word)
        case "ruling":
            return RULING_OF[word]
        case _:
            return word


RULING_OF: Final[Mapping[str, str]] = {
    "illegal": "illegal",
    "beaten": "beaten",
    "cannot tell": "cannot_tell",
    "too early": "false_slap",
    "ignored": "ignored",
}
WORDS_OF: Final = {ruling: words for words, ruling in RULING_OF.items()}


def _phrase(event: Event) -> str:
    who = "somebody" if event.player == "unknown" else event.player
    card, pile, ruled = event.card, event.pile, _ruled(event)
    match event.what:
        case "play":
            return f"{who} {card} on {pile}{ruled}"
        case "spit":
            return f"{who} spits {card} on {pile}{ruled}"
        case "takes_back":
            return f"{who} takes {card} back from {pile}"
        case "turns_up":
            return f"{who} turns up {card} on {event.place}{ruled}"
        case "moves":
            return f"{who} moves {card} from {event.place} to {event.to_place}{ruled}"
        case "slap":
            return f"{who} slaps {pile}{ruled}"
        case "too_close":
            return f"too close on {pile}, {(event.margin_us or 0) / 1000:.3f} ms"
        case "takes":
            return f"p1 takes {event.p1 or 'nothing'}, p2 takes {event.p2 or 'nothing'}{_first(event)}"
        case "calls" | "wins":
            return f"{who} {event.what}"
        case "out":
            return f"{who} is out"
        case _:
            return _PLAIN[event.what]


_PLAIN: Final[Mapping[str, str]] = {
    "stuck": "stuck",
    "not_stuck": "not stuck",
    "blocked": "nobody can go on",
    "paused": "paused",
    "goes_on": "play goes on",
    "draw": "draw",
}


def _ruled(event: Event) -> str:
    if event.ruling == "legal":
        return ""
    return f", {WORDS_OF[event.ruling]}" + (f" ({event.reason})" if event.reason else "")


def _first(event: Event) -> str:
    if event.player == "unknown":
        return ""
    by = "" if event.margin_us is None else f" by {event.margin_us / 1000:.3f} ms"
    return f", {event.player} first{by}"


def _time(at_ms: int) -> str:
    minutes, ms = divmod(at_ms, 60_000)
    hours, minutes = divmod(minutes, 60)
    lead = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
    return f"{lead}:{ms // 1000:02d}.{ms % 1000:03d}"


def _milliseconds(clock: re.Match[str]) -> int:
    minutes = int(clock["hours"] or 0) * 60 + int(clock["minutes"])
    return (minutes * 60 + int(clock["seconds"])) * 1000 + int(clock["ms"])


def _escaped(value: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", value)
