"""Stuck is exact (R40): a corpus of positions with counts, and a slow search that shares no code with the engine."""

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import PACK, UNREAD, Card
from referee.rules.rows import Row, Stock, parse_row
from referee.rules.rule_set import RuleSet, rule_set_from
from referee.rules.stuck import can_still_play

HOUSES = {
    "pagat": RuleSet(),
    "stacking": RuleSet(row_stack_same_rank=True),
    "alternate": RuleSet(colours="alternate"),
    "stacking, alternate": RuleSet(row_stack_same_rank=True, colours="alternate"),
    "jokers": RuleSet(jokers="wild"),
    "jokers, stacking": RuleSet(jokers="wild", row_stack_same_rank=True),
}
LADDER = "A23456789TJQK"

Words = tuple[tuple[str, ...], ...]
"""A row as nothing but words: each pile from the bottom, `#` for a face-down card."""


def slow_can(row: Words, tops: tuple[str, ...], house: str) -> bool:
    """The rules as a beginner would try them out: every move of every card, round and round, until nothing is new."""
    reached, todo = set(), [row]
    while todo:
        row = todo.pop()
        for pile in filter(None, row):
            if pile[-1] == "#" or any(slow_goes_on(pile[-1], top, house) for top in tops):
                return True
        for giver, taker in itertools.permutations(range(len(row)), 2):
            if row[giver] and slow_may_lie_on(row[giver][-1], row[taker], house):
                after = list(row)
                after[taker], after[giver] = (*row[taker], row[giver][-1]), row[giver][:-1]
                if tuple(sorted(after)) not in reached:
                    reached.add(tuple(sorted(after)))
                    todo.append(tuple(after))
    return False


def slow_goes_on(card: str, top: str, house: str) -> bool:
    if "X" in (card[0], top[0]):
        return "jokers" in house
    steps = [LADDER[n - 1] + LADDER[n] for n in range(13)]
    near = any({slow_rank(card), slow_rank(top)} == set(step) for step in steps)
    return near and not ("alternate" in house and (card[-1] in "HD") == (top[-1] in "HD"))


def slow_may_lie_on(card: str, pile: tuple[str, ...], house: str) -> bool:
    if not pile:
        return True
    return "stacking" in house and "#" not in (card, pile[-1]) and slow_rank(card) == slow_rank(pile[-1])


def slow_rank(card: str) -> str:
    return "X" if card[0] == "X" else card[:-1].replace("10", "T")


def in_words(row: Row) -> Words:
    return tuple(("#",) * stock.down + tuple(map(str, stock.up)) for stock in row)


def random_position(chance: random.Random, jokers: bool) -> tuple[Row, tuple[Card, ...]]:
    """A row as it may stand late in a deal: small piles, spaces, stacked pairs, few ranks so that equals meet."""
    pack = [card for card in PACK if card[:-1] in chance.sample(("A", "2", "5", "6", "9", "10", "Q", "K"), 5)]
    pack += [Card("X1"), Card("X2")] if jokers else []
    chance.shuffle(pack)
    row: list[Stock] = []
    for _ in range(5):
        kind = chance.random()
        if kind < 0.25:
            row.append(Stock())
            continue
        up = [pack.pop()]
        twin = next((card for card in pack if slow_rank(card) == slow_rank(up[0])), None)
        if kind < 0.4 and twin:
            pack.remove(twin)
            up.append(twin)
        row.append(Stock(chance.choice((0, 0, 0, 0, 1, 2)), tuple(up)))
    return tuple(row), (pack.pop(), pack.pop())


def corpus(house: str, positions: int = 500) -> Iterator[tuple[Row, tuple[Card, ...]]]:
    chance = random.Random(house)
    for _ in range(positions):
        yield random_position(chance, "jokers" in house)


@pytest.mark.parametrize(
    ("house", "stuck"),
    [
        ("pagat", 69),
        ("stacking", 43),
        ("alternate", 114),
        ("stacking, alternate", 75),
        ("jokers", 26),
        ("jokers, stacking", 35),
    ],
)
def test_R40_the_corpus_agrees_with_the_slow_search_position_by_position_and_in_number(house: str, stuck: int) -> None:
    found = 0
    for row, tops in corpus(house):
        can = can_still_play(row, tops, HOUSES[house])
        assert can is slow_can(in_words(row), tops, house), (row, tops)
        found += can is False
    assert found == stuck


@pytest.mark.parametrize("house", list(HOUSES))
def test_R40_an_unread_face_is_answered_as_if_every_card_it_may_be_had_been_tried(house: str) -> None:
    chance = random.Random(f"unread {house}")
    faces = [card for card in PACK if card[-1] in "SH"] + ([Card("X1")] if "jokers" in house else [])
    answers = set()
    for _ in range(60):
        row, tops = random_position(chance, "jokers" in house)
        places = [place for place, stock in enumerate(row) if stock.up]
        if places and chance.random() < 0.8:
            place = chance.choice(places)
            asked = (with_face(row, place, UNREAD), tops)
            tried = {slow_can(in_words(with_face(row, place, face)), tops, house) for face in faces}
        else:
            asked = (row, (UNREAD, tops[1]))
            tried = {slow_can(in_words(row), (face, tops[1]), house) for face in faces}
        answer = can_still_play(*asked, HOUSES[house])
        assert answer is (None if len(tried) == 2 else tried.pop()), asked
        answers.add(answer)
    assert answers >= {True, None}


def with_face(row: Row, place: int, face: Card) -> Row:
    """The row with another card on top of one of its piles."""
    return (*row[:place], Stock(row[place].down, (*row[place].up[:-1], face)), *row[place + 1 :])


@pytest.mark.parametrize(
    ("row", "can"),
    [
        ("0:2S 1:QH 2:3D 3:10C 4:5H", False),
        ("0:2S 2: 2:3D 3:10C 4:5H", True),  # a card can be turned up
        ("- 2:QH 2:3D 3:10C 4:5H", True),  # a space, and something under another pile
        ("- 0:QH 0:3D - 0:5H", False),  # spaces, but only single cards
        ("- 1:5H+5S 0:3D 0:2S 0:QH", False),  # a pair over a hidden card needs two spaces
        ("- 1:5H+5S 0:3D - 0:QH", True),
    ],
)
def test_R35_a_space_helps_only_if_it_uncovers_something(row: str, can: bool) -> None:
    assert can_still_play(parse_row(row.split()), (Card("8D"), Card("8C")), RuleSet()) is can


def test_R38_stacking_helps_if_it_frees_a_space_for_a_pile_with_hidden_cards() -> None:
    tops, stacking = (Card("8D"), Card("8C")), RuleSet(row_stack_same_rank=True)
    row = parse_row(["0:3S", "0:QH", "0:3D", "3:10C", "0:5H"])
    assert can_still_play(row, tops, stacking) is True
    assert can_still_play(row, tops, RuleSet()) is False


def test_R76_a_gap_and_cards_in_the_deck_are_something_to_do() -> None:
    row = parse_row(["0:2S", "-", "0:3D", "0:10C"])
    bicycle = rule_set_from({"extends": "bicycle"})
    assert can_still_play(row, (Card("8D"), Card("8C")), bicycle, deck=1) is True
    assert can_still_play(row, (Card("8D"), Card("8C")), bicycle, deck=0) is False


def test_R88_a_hidden_hand_is_never_judged() -> None:
    assert can_still_play((), (Card("8D"), Card("8C")), rule_set_from({"extends": "speed"})) is None


@settings(max_examples=200)
@given(st.integers(0, 10**9), st.sampled_from(list(HOUSES)), st.randoms(use_true_random=False))
def test_R40_the_order_of_the_piles_does_not_matter(seed: int, house: str, chance: random.Random) -> None:
    row, tops = random_position(random.Random(seed), "jokers" in house)
    shuffled = list(row)
    chance.shuffle(shuffled)
    assert can_still_play(row, tops, HOUSES[house]) == can_still_play(tuple(shuffled), tops[::-1], HOUSES[house])
