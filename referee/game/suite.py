"""Scenarios and tables of expected answers: play one through the engine and name every difference.

A scenario is a start and steps, each a burst with the rulings, announcements and state that it should give; only the
keys that are given are compared. A table (`kind`) asks one question of the rules over and over.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from referee.cards import PACK
from referee.errors import NotationError
from referee.game.protocol import Session, ask

Plain = Mapping[str, Any]


class Step(msgspec.Struct):
    """A burst of events and what should come of it."""

    events: list[dict[str, Any]]
    rulings: Any = msgspec.UNSET
    say: Any = msgspec.UNSET
    state: Any = msgspec.UNSET


class Scenario(msgspec.Struct):
    """A game step by step. `differences`, as of every kind here, yields a line for each answer that is another one."""

    ruleset: dict[str, Any]
    start: dict[str, Any]
    steps: list[Step]

    def differences(self) -> Iterator[str]:
        session = Session()
        session.answer({"load": {"ruleset": self.ruleset, "start": self.start}})
        for n, step in enumerate(self.steps, 1):
            answer = session.step(step.events)
            expected = {"rulings": step.rulings, "say": step.say, "state": step.state}
            found = first_difference({k: v for k, v in expected.items() if v is not msgspec.UNSET}, answer)
            if found:
                yield f"step {n}: {found}"


class LegalityTable(msgspec.Struct, tag_field="kind", tag="legality"):
    """For each top one bit per card of `deck`: whether it may be played."""

    options: dict[str, Any]
    deck: list[str]
    tops: dict[str, str]

    def differences(self) -> Iterator[str]:
        for top, bits in self.tops.items():
            if len(bits) != len(self.deck):
                raise NotationError(f"the top {top} has {len(bits)} answers for {len(self.deck)} cards")
            for card, bit in zip(self.deck, bits, strict=True):
                question = {"ask": "plays", "options": self.options, "card": card, "top": top}
                if card != top and ask(question) != (bit == "1"):
                    yield f"{card} on {top}: expected {bit}"


class StuckCase(msgspec.Struct):
    """Two rows under two tops: whether each player can still do something."""

    tops: list[str]
    p1: list[str]
    p2: list[str]
    can: tuple[bool | None, bool | None]
    decks: tuple[int, int] | None = None


class StuckGroup(msgspec.Struct):
    """Cases under the same options."""

    name: str
    options: dict[str, Any]
    cases: list[StuckCase]


class StuckTable(msgspec.Struct, tag_field="kind", tag="stuck"):
    """Who can still do something (R40)."""

    groups: list[StuckGroup]

    def differences(self) -> Iterator[str]:
        for group in self.groups:
            for case in group.cases:
                for n, row in enumerate((case.p1, case.p2)):
                    deck = None if case.decks is None else case.decks[n]
                    question = {"ask": "can", "options": group.options, "tops": case.tops, "row": row, "deck": deck}
                    if ask(question) != case.can[n]:
                        yield f"{group.name}: p{n + 1} of {msgspec.to_builtins(case)}"


class ShapeCase(msgspec.Struct):
    """How so many cards are laid out."""

    options: dict[str, Any]
    cards: int
    row: list[int]


class NextDealCase(msgspec.Struct):
    """What follows when the players hold so many cards."""

    options: dict[str, Any]
    p1: int
    p2: int
    piles: int
    first_spit: Any


class DealsTable(msgspec.Struct, tag_field="kind", tag="deals"):
    """Lay-outs and deals to come (R59 to R64)."""

    shapes: list[ShapeCase]
    next_deals: list[NextDealCase]

    def differences(self) -> Iterator[str]:
        for shape in self.shapes:
            if ask({"ask": "shape", "options": shape.options, "cards": shape.cards}) != shape.row:
                yield f"shape of {msgspec.to_builtins(shape)}"
        for deal in self.next_deals:
            answer = ask({"ask": "next_deal", "options": deal.options, "p1": deal.p1, "p2": deal.p2})
            if answer != {"piles": deal.piles, "first_spit": deal.first_spit}:
                yield f"deal after {msgspec.to_builtins(deal)}"


class RaceCase(msgspec.Struct):
    """Two cards for one pile, the second so long after the first."""

    top: str
    first: str
    second: str
    after_ms: int
    second_is: str
    top_then: str


class RacesTable(msgspec.Struct, tag_field="kind", tag="races"):
    """Who was beaten (R31)."""

    cases: list[RaceCase]

    def differences(self) -> Iterator[str]:
        for case in self.cases:
            answer = _one_step({"preset": "pagat"}, _race_start(case), _race(case))
            second = answer["rulings"][1]
            if second.get("reason", second["ruling"]) != case.second_is or answer["state"]["top_A"] != case.top_then:
                yield f"{msgspec.to_builtins(case)}: got {second}"


class SlapsCase(msgspec.Struct):
    """Slaps (player, pile, microseconds), and who takes what, or a dead heat."""

    slaps: list[tuple[str, str, float]]
    resolution_us: int
    result: dict[str, Any]


class SlapsTable(msgspec.Struct, tag_field="kind", tag="slaps"):
    """Who was first, and when nobody was (R51 to R56)."""

    cases: list[SlapsCase]

    def differences(self) -> Iterator[str]:
        for case in self.cases:
            rules = {"preset": "pagat", "slap_resolution_us": case.resolution_us}
            slaps = [
                {"t": t_us / 1000, "do": "slap", "player": player, "pile": pile, "t_us": t_us}
                for player, pile, t_us in case.slaps
            ]
            said = _one_step(rules, SLAP_START, slaps)["say"]
            result = {"pile": case.result["dead_heat"]} if "dead_heat" in case.result else case.result
            if not said or first_difference(result, said[0]):
                yield f"{msgspec.to_builtins(case)}: got {said[:1]}"


Table = LegalityTable | StuckTable | DealsTable | RacesTable | SlapsTable


def differences(document: Plain) -> Iterator[str]:
    """Yield one line for each step or case whose answer differs; raises NotationError for what is no scenario."""
    if "steps" not in document and "kind" not in document:
        raise NotationError("this is no scenario: it has neither steps nor a kind of table")
    kind: Any = Scenario if "steps" in document else Table
    try:
        exam: Scenario | Table = msgspec.convert(document, kind)
    except (msgspec.ValidationError, UnicodeError, RecursionError) as error:
        raise NotationError(f"this scenario cannot be played: {error}") from None
    yield from exam.differences()


def first_difference(expected: Any, got: Any, path: str = "") -> str | None:
    """Return where `got` differs from what is expected of it, or None; keys that are not expected do not count."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        parts = [(f"{path}.{key}", value, got.get(key)) for key, value in expected.items()]
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        parts = [(f"{path}[{n}]", *pair) for n, pair in enumerate(zip(expected, got, strict=True))]
    else:
        return None if expected == got else f"{path.lstrip('.')}: expected {expected!r}, got {got!r}"
    return next((found for name, one, other in parts if (found := first_difference(one, other, name))), None)


def _race_start(case: RaceCase) -> Plain:
    rest = [card for card in PACK if card not in (case.top, case.first, case.second)]
    return {
        "phase": "play",
        "p1": {"row": [f"0:{case.first}", "2:", f"2:{rest[1]}", f"3:{rest[2]}", f"4:{rest[3]}"], "spit": 10},
        "p2": {"row": [f"0:{case.second}", "2:", f"2:{rest[5]}", f"3:{rest[6]}", f"4:{rest[7]}"], "spit": 10},
        "middle": {"A": {"top": case.top, "count": 1}, "B": {"top": rest[8], "count": 1}},
    }


def _race(case: RaceCase) -> list[Plain]:
    return [
        {"t": 1000, "do": "land", "player": "p1", "pile": "A", "card": case.first},
        {"t": 1000 + case.after_ms, "do": "land", "player": "p2", "pile": "A", "card": case.second},
    ]


SLAP_START: Plain = {
    "phase": "slap",
    "cleared_by": "p1",
    "p1": {"row": ["-"] * 5, "spit": 5},
    "p2": {"row": ["0:7S", "1:QH", "-", "-", "-"], "spit": 5},
    "middle": {"A": {"top": "8D", "count": 19}, "B": {"top": "KC", "count": 20}},
}


def _one_step(rules: Plain, start: Plain, events: Sequence[Plain]) -> dict[str, Any]:
    session = Session()
    session.answer({"load": {"ruleset": rules, "start": start}})
    return session.step(list(events))
