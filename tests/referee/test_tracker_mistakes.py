"""Looks that seem to contradict what is known: a face that has moved, a card that was seen before its touch."""

from at_the_table import MS, START, AtTheTable, blamed

from referee.cards import Card, parse_card
from referee.observations import CardTakenBack, PileRead, PlaceSeen
from referee.tracker.rows import RowView
from referee.verdicts import SlapJudged

EMPTY = PlaceSeen(empty=0.98)


def face(card: str, p: float = 0.995) -> PlaceSeen:
    return PlaceSeen(cards={parse_card(card): p})


def test_a_top_that_shows_at_another_place_has_left_its_own_however_well_it_was_read_there() -> None:
    row, nothing_gone = RowView(), frozenset[Card]()
    for at_ns in range(4):
        row.look((EMPTY, face("2C")), at_ns, nothing_gone)
    row.look((face("2C"), PlaceSeen()), 5, nothing_gone)
    row.look((face("2C"), face("4C", 0.87)), 6, nothing_gone)
    assert [view.card for view in row.places[:2]] == ["2C", "4C"]


def test_a_card_on_the_missing_pile_is_called_although_a_look_saw_it_before_its_touch() -> None:
    start = START | {
        "p2": {"row": ["0:4D", "1:6D", "2:9H", "3:QC", "4:QS"], "spit": 0},
        "middle": {"A": {"top": "8S", "count": 1, "started_by": "p1"}},
        "piles": 1,
    }
    table = AtTheTable(start)
    table.wait(1000)
    table.feed(PileRead(at_ns=(table.now_ms + 590) * MS, pile="B", cards={Card("QS"): 0.995}))
    assert blamed(table.land("p2", 5, "B") + table.wait(2000)) == [("p2", "pile_not_in_use")]


def test_R51_two_who_slap_because_a_row_was_bare_are_not_blamed_though_a_stolen_card_came_back_to_it() -> None:
    """One of p2's last two cards is stolen, he lays the other; his row is bare until the thief brings his card back."""
    table = AtTheTable(START | {"p2": {"row": ["0:7D", "0:9H", "-", "-", "-"], "spit": 9}})
    table.wait(3000)
    table.rows["p1"][4].append(table.rows["p2"][0].pop())
    told = table.land("p1", 5, "A") + table.land("p2", 2, "A", after_ms=300) + table.wait(500)
    table.piles["A"].remove("7D")
    table.rows["p2"][0].append("7D")
    taken = CardTakenBack(at_ns=table.now_ms * MS, pile="A", cards={Card("7D"): 0.995}, players={"p1": 0.9995})
    told += table.feed(taken) + table.wait(700)
    told += table.slap("p1", "A") + table.slap("p2", "A", after_us=170_000) + table.let_go() + table.wait(2500)
    assert [v.player for v in told if isinstance(v, SlapJudged) and v.ruling == "false_slap"] == []
