"""Scenarios and tables of expected answers: play one through the engine and name every difference.

A scenario is a start and steps, each a burst with the rulings, announcements and state that it should give; only the
keys that are given are compared. A table (`kind`) asks one question of the rules over and over.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from referee.cards import PACK
from referee.errors import NotationError
from referee.game.protocol import Session, ask

Document = Mapping[str, Any]


def differences(document: Document) -> Iterator[str]:
    """Yield one line for each step or case whose answer differs; raises NotationError for what is no scenario."""
    try:
        if "steps" in document:
            yield from _play(document)
        elif document.get("kind") in _TABLES:
            yield from _TABLES[document["kind"]](document)
        else:
            raise NotationError("this is no scenario: it has neither steps nor a known kind of table")
    except (AttributeError, KeyError, TypeError) as error:
        raise NotationError(f"this scenario cannot be played: {error!r} is missing or out of place") from None


def first_difference(expected: Any, got: Any, path: str = "") -> str | None:
    """Return where `got` differs from what is expected of it, or None; keys that are not expected do not count."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        parts = [(f"{path}.{key}", value, got.get(key)) for key, value in expected.items()]
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        parts = [(f"{path}[{n}]", *pair) for n, pair in enumerate(zip(expected, got, strict=True))]
    else:
        return None if expected == got else f"{path.lstrip('.')}: expected {expected!r}, got {got!r}"
    return next((found for name, one, other in parts if (found := first_difference(one, other, name))), None)


def _play(scenario: Document) -> Iterator[str]:
    session = Session()
    session.answer({"load": {"ruleset": scenario["ruleset"], "start": scenario["start"]}})
    for n, step in enumerate(scenario["steps"], 1):
        answer = session.step(step["events"])
        expected = {key: step[key] for key in ("rulings", "say", "state") if key in step}
        found = first_difference(expected, answer)
        if found:
            yield f"step {n}: {found}"


def _legality(table: Document) -> Iterator[str]:
    for top, bits in table["tops"].items():
        for card, bit in zip(table["deck"], bits, strict=True):
            question = {"options": table["options"], "card": card, "top": top}
            if card != top and ask("plays", question) != (bit == "1"):
                yield f"{card} on {top}: expected {bit}"


def _stuck(table: Document) -> Iterator[str]:
    for group in table["groups"]:
        for case in group["cases"]:
            for n, player in enumerate(("p1", "p2")):
                deck = case["decks"][n] if "decks" in case else None
                question = {"options": group["options"], "tops": case["tops"], "row": case[player], "deck": deck}
                if ask("can", question) != case["can"][n]:
                    yield f"{group['name']}: {player} of {case}"


def _deals(table: Document) -> Iterator[str]:
    for case in table["shapes"]:
        if ask("shape", case) != case["row"]:
            yield f"shape of {case}"
    for case in table["next_deals"]:
        if ask("next_deal", case) != {"piles": case["piles"], "first_spit": case["first_spit"]}:
            yield f"deal after {case}"


def _races(table: Document) -> Iterator[str]:
    for case in table["cases"]:
        rest = [card for card in PACK if card not in (case["top"], case["first"], case["second"])]
        hidden = ["2:", f"2:{rest[1]}", f"3:{rest[2]}", f"4:{rest[3]}"]
        middle = {"A": {"top": case["top"], "count": 1}, "B": {"top": rest[8], "count": 1}}
        start = {
            "phase": "play",
            "p1": {"row": [f"0:{case['first']}", *hidden], "spit": 10},
            "p2": {"row": [f"0:{case['second']}", "2:", f"2:{rest[5]}", f"3:{rest[6]}", f"4:{rest[7]}"], "spit": 10},
            "middle": middle,
        }
        events = [
            {"t": 1000, "do": "land", "player": "p1", "pile": "A", "card": case["first"]},
            {"t": 1000 + case["after_ms"], "do": "land", "player": "p2", "pile": "A", "card": case["second"]},
        ]
        answer = _one_step({"preset": "pagat"}, start, events)
        second = answer["rulings"][1]
        if second.get("reason", second["ruling"]) != case["second_is"] or answer["state"]["top_A"] != case["top_then"]:
            yield f"{case}: got {second}"


def _slaps(table: Document) -> Iterator[str]:
    start = {
        "phase": "slap",
        "cleared_by": "p1",
        "p1": {"row": ["-"] * 5, "spit": 5},
        "p2": {"row": ["0:7S", "1:QH", "-", "-", "-"], "spit": 5},
        "middle": {"A": {"top": "8D", "count": 19}, "B": {"top": "KC", "count": 20}},
    }
    for case in table["cases"]:
        rules = {"preset": "pagat", "slap_resolution_us": case["resolution_us"]}
        slaps = [
            {"t": t_us / 1000, "do": "slap", "player": player, "pile": pile, "t_us": t_us}
            for player, pile, t_us in case["slaps"]
        ]
        said = _one_step(rules, start, slaps)["say"][0]
        result = {"pile": case["result"]["dead_heat"]} if "dead_heat" in case["result"] else case["result"]
        if first_difference(result, said):
            yield f"{case}: got {said}"


def _one_step(rules: Document, start: Document, events: Sequence[Document]) -> dict[str, Any]:
    session = Session()
    session.answer({"load": {"ruleset": rules, "start": start}})
    return session.step(list(events))


_TABLES: Final[Mapping[str, Callable[[Document], Iterator[str]]]] = {
    "legality": _legality,
    "stuck": _stuck,
    "deals": _deals,
    "races": _races,
    "slaps": _slaps,
}
