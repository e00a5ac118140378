"""R31: who was in time hangs on touches that a camera knows between two bounds only."""

import pytest
from at_the_table import AtTheTable, rulings

RACE = {
    "phase": "play",
    "total": 52,
    "p1": {"row": ["0:7C", "1:3S", "2:KC", "3:AS", "4:10S"], "spit": 10},
    "p2": {"row": ["0:4D", "1:6D", "2:9H", "3:QC", "4:QS"], "spit": 10},
    "middle": {"A": {"top": "8S", "count": 1, "started_by": "p1"}, "B": {"top": "4S", "count": 1, "started_by": "p2"}},
}


def raced(after_ms: int, seen_ms: tuple[int, int], cover_seen_ms: tuple[int, int] = (10, 10)) -> tuple[str, str | None]:
    """The ruling on a nine that p2 aimed at the eight, so long after p1's seven covered it."""
    table = AtTheTable(RACE)
    table.look()
    told = table.land("p1", 1, "A", seen_ms=cover_seen_ms)
    told += table.land("p2", 3, "A", after_ms=after_ms - 200, seen_ms=seen_ms) + table.wait(2500)
    [(_, _, ruling, reason)] = [one for one in rulings(told) if one[0] == "p2"]
    return ruling, reason


def test_R31_a_card_within_the_window_is_beaten_and_one_long_after_it_is_illegal() -> None:
    assert raced(300, (10, 10)) == ("beaten", "beaten")
    assert raced(700, (10, 10)) == ("illegal", "not_adjacent")


@pytest.mark.parametrize(
    ("after_ms", "seen_ms", "cover_seen_ms"),
    [
        (560, (150, 10), (10, 10)),  # it may have touched in time
        (560, (10, 10), (10, 150)),  # the other one may have touched later
        (450, (10, 90), (10, 10)),  # it may have touched too late
        (450, (10, 10), (90, 10)),  # the other one may have touched sooner
    ],
)
def test_R31_a_touch_that_was_hidden_while_the_window_closed_is_neither_beaten_nor_a_fault(
    after_ms: int, seen_ms: tuple[int, int], cover_seen_ms: tuple[int, int]
) -> None:
    assert raced(after_ms, seen_ms, cover_seen_ms) == ("cannot_tell", "order_unknown")


def test_R31_a_hidden_touch_far_from_the_window_s_end_changes_nothing() -> None:
    assert raced(200, (90, 90), (90, 90)) == ("beaten", "beaten")
