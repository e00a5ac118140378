"""A second, slow reading of the rules of a landing (R4, R20 to R25, R71), compared with the engine on random tables."""

import random
from typing import Any

import pytest

from referee.game.protocol import Session

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
PACK = [rank + suit for rank in RANKS for suit in "SHDC"]
HOUSES: list[dict[str, Any]] = [
    {"preset": "pagat"},
    {"preset": "wikipedia"},
    {"preset": "pagat", "colours": "alternate"},
    {"preset": "pagat", "jokers": "wild"},
    {"preset": "pagat", "decks": "own"},
]


def table(chance: random.Random, house: dict[str, Any]) -> dict[str, Any]:
    """Two rows of single cards, stacked pairs, hidden tops and spaces, and two started piles."""
    pack = [*PACK, *(("X1", "X2") if house.get("jokers") else ())]
    chance.shuffle(pack)

    def pile() -> str:
        match chance.randrange(6):
            case 0:
                return "-"
            case 1:
                return f"{chance.randrange(1, 4)}:"
            case 2:
                return f"{chance.randrange(3)}:{pack.pop()}+{pack.pop()}"
            case _:
                return f"{chance.randrange(3)}:{pack.pop()}"

    row = {player: [*(pile() for _ in range(4)), f"2:{pack.pop()}"] for player in ("p1", "p2")}
    return {
        "phase": "play",
        "p1": {"row": row["p1"], "spit": 10},
        "p2": {"row": row["p2"], "spit": 10},
        "middle": {
            "A": {"top": pack.pop(), "count": 1, "started_by": "p1"},
            "B": {"top": pack.pop(), "count": 1, "started_by": "p2"},
        },
    }


def faces(row: list[str]) -> list[list[str]]:
    return [text.partition(":")[2].split("+") if text[-1] not in "-:" else [] for text in row]


def slow_ruling(house: dict[str, Any], start: dict[str, Any], player: str, pile: str, card: str) -> str:
    """By FORMAT's readings in their order: whose card it is and from where, then whether it follows."""
    own, other = (faces(start[who]["row"]) for who in (player, "p2" if player == "p1" else "p1"))
    tops = [up[-1] for up in own if up]
    if card not in tops:
        if card in [up[-1] for up in other if up]:
            return "not_your_card"
        if house.get("decks") != "own" and card in (start["middle"]["A"]["top"], start["middle"]["B"]["top"]):
            return "misread"
        if any(card in up for up in own + other):
            return "not_a_top_card"
        if not any(text.endswith(":") for text in start[player]["row"]):
            return "not_a_top_card"
    top = start["middle"][pile]["top"]
    if "X" in card + top:
        return "legal" if house.get("jokers") else "not_adjacent"
    if abs(RANKS.index(card[:-1]) - RANKS.index(top[:-1])) not in (1, 12):
        return "not_adjacent"
    same_colour = (card[-1] in "HD") == (top[-1] in "HD")
    return "same_colour" if house.get("colours") == "alternate" and same_colour else "legal"


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: " ".join(house.values()))
def test_R20_R22_every_card_of_the_pack_on_random_tables(house: dict[str, Any]) -> None:
    chance = random.Random(repr(house))
    cards = [*PACK, *(("X1", "X2") if house.get("jokers") else ())]
    seen: set[str] = set()
    for _ in range(40):
        start = table(chance, house)
        for card in cards:
            player, pile = chance.choice(("p1", "p2")), chance.choice("AB")
            session = Session()
            session.answer({"load": {"ruleset": house, "start": start}})
            event = {"t": 1000, "do": "land", "player": player, "pile": pile, "card": card}
            ruling = session.step([event])["rulings"][0]
            expected = slow_ruling(house, start, player, pile, card)
            assert ruling.get("reason", ruling["ruling"]) == expected, (start, event)
            seen.add(expected)
    assert {"legal", "not_adjacent", "not_your_card", "not_a_top_card"} <= seen
