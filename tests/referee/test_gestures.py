"""Pad presses that are words: call, ready, undo (CONTRACT: slaps and pad gestures)."""

import pytest
from at_the_table import AtTheTable

from referee.observations import Called, PadReleased, PadSlapped, Tick, Undo
from referee.rules.rule_set import PRESETS
from referee.table import PILES, PLAYERS, Pile, Player
from referee.tracker.gestures import Gestures
from referee.verdicts import AnyVerdict, Corrected, PlayJudged, SpitCall

MS = 1_000_000


def press(at_ms: int, player: Player | None = "p1", pile: Pile = "A") -> PadSlapped:
    return PadSlapped(at_ns=at_ms * MS, player=player, pile=pile, uncertainty_ns=0)


def pressed(*presses: PadSlapped) -> Gestures:
    gestures = Gestures()
    for one in presses:
        gestures.press(one)
    return gestures


@pytest.mark.parametrize(("apart_ms", "meaning"), [(0, "call"), (150, "call"), (151, "slap")])
def test_both_own_pads_within_150_ms_are_a_call(apart_ms: int, meaning: str) -> None:
    first, second = press(1000), press(1000 + apart_ms, pile="B")
    assert pressed(first, second).meaning(first) == meaning


def test_a_call_is_said_once() -> None:
    first, second = press(1000), press(1040, pile="B")
    gestures = pressed(first, second)
    assert (gestures.meaning(first), gestures.meaning(second)) == ("call", "nothing")


def test_pads_of_two_players_are_two_slaps() -> None:
    first, second = press(1000), press(1010, "p2", "B")
    assert pressed(first, second).meaning(first) == "slap"


@pytest.mark.parametrize(("landing_ms", "meaning"), [(750, "slap"), (1249, "slap"), (1300, "call"), (700, "call")])
def test_a_landing_within_250_ms_makes_it_no_call(landing_ms: int, meaning: str) -> None:
    first, second = press(1000), press(1010, pile="B")
    gestures = pressed(first, second)
    gestures.land(landing_ms * MS)
    assert gestures.meaning(first) == meaning


def test_a_shared_pad_says_nothing() -> None:
    first, second = press(1000, None), press(1010, None, "B")
    assert pressed(first, second).meaning(first) == "slap"


def test_both_own_pads_held_for_a_second_are_ready_and_only_once() -> None:
    gestures = pressed(press(1000), press(1100, pile="B"))
    assert gestures.holding(2099 * MS) == []
    assert gestures.holding(2100 * MS) == [Called(at_ns=2100 * MS, player="p1", word="ready")]
    assert gestures.holding(2500 * MS) == []


def test_a_released_pad_is_not_ready() -> None:
    gestures = pressed(press(1000), press(1100, pile="B"))
    gestures.release(PadReleased(at_ns=1500 * MS, player="p1", pile="B", contact_ns=0))
    assert gestures.holding(3000 * MS) == []


def test_all_four_pads_for_two_seconds_are_undo() -> None:
    gestures = pressed(press(0), press(0, pile="B"), press(0, "p2"), press(100, "p2", "B"))
    assert gestures.holding(2050 * MS) == []
    assert gestures.holding(2100 * MS) == [Undo(at_ns=2100 * MS)]


def all_four_pads(table: AtTheTable, held_ms: int) -> list[AnyVerdict]:
    """What is told while all four pads are down, and after they are let go."""
    told = [verdict for player in PLAYERS for pile in PILES for verdict in table.slap(player, pile)]
    for _ in range(held_ms // 100):
        table.now_ms += 100
        told += table.feed(Tick(at_ns=table.now_ms * MS))
    return told + table.let_go()


def test_R46_both_players_on_both_pads_agree_to_spit_once_they_let_go() -> None:
    table = AtTheTable(rules=PRESETS["wikipedia"])
    table.wait(1500)
    assert [type(verdict) for verdict in all_four_pads(table, 600)][:1] == [SpitCall]


def test_all_four_pads_held_take_a_ruling_back_and_call_nothing() -> None:
    table = AtTheTable(rules=PRESETS["wikipedia"])
    table.wait(1500)
    table.land("p1", 5, "A")
    table.wait(600)
    assert [verdict.ruling for verdict in table.said if isinstance(verdict, PlayJudged)] == ["illegal"]
    assert [type(verdict) for verdict in all_four_pads(table, 2300)] == [Corrected]
