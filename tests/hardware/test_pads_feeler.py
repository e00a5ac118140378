"""The pad's own light: what counts as a touch, and how soon it is known."""

from hardware.pads import FOUR_PADS, Pad
from hardware.pads.edges import Edge, Reading
from hardware.pads.feeler import Feeler

P1A, P2A = FOUR_PADS[0], FOUR_PADS[2]
MS = 1_000_000


def felt(
    feeler: Feeler,
    edges: dict[float, Pad],
    closed: dict[Pad, list[tuple[float, float]]],
    until_ms: int = 100,
    asleep: range = range(0),
):
    """Play contacts with a reading every millisecond but while `asleep`; return (ms, pad) of each touch."""
    touches, waiting = [], sorted(edges.items())
    for ms in (ms for ms in range(until_ms) if ms not in asleep):
        now = [Edge(round(at * MS), 0, pad) for at, pad in waiting if at <= ms]
        waiting = [(at, pad) for at, pad in waiting if at > ms]
        down = {pad: any(a <= ms < b for a, b in closed.get(pad, [])) for pad in FOUR_PADS}
        touches += [(ms, pad) for pad in feeler.feel(now, Reading(ms * MS, down))]
    return touches


def test_a_touch_is_known_as_soon_as_it_was_long_enough() -> None:
    assert felt(Feeler(), {10.0: P1A}, {P1A: [(10.0, 60)]}) == [(11, P1A)]


def test_a_spike_lights_nothing_and_hides_no_slap_after_it() -> None:
    assert felt(Feeler(), {10.0: P1A}, {P1A: [(10.0, 10.5)]}) == []
    assert felt(Feeler(), {10.0: P1A, 40.0: P1A}, {P1A: [(10.0, 10.5), (40.0, 70)]}) == [(41, P1A)]


def test_a_bouncing_contact_is_one_touch() -> None:
    edges = {10.0: P1A, 10.6: P1A, 11.9: P1A, 55.2: P1A}
    closed = {P1A: [(10.0, 10.3), (10.6, 11.5), (11.9, 55.0), (55.2, 55.4)]}
    assert felt(Feeler(), edges, closed) == [(13, P1A)]


def test_both_players_are_felt_and_each_again_after_letting_go() -> None:
    edges = {10.0: P1A, 10.1: P2A, 60.0: P1A}
    assert felt(Feeler(), edges, {P1A: [(10.0, 30), (60.0, 90)], P2A: [(10.1, 90)]}) == [
        (11, P1A),
        (12, P2A),
        (61, P1A),
    ]


def test_a_pad_that_is_down_without_an_edge_is_not_felt() -> None:
    assert felt(Feeler(), {}, {P1A: [(0, 90)]}) == []


def test_a_touch_that_passed_while_the_processor_had_other_work_is_felt_late_and_once() -> None:
    for asleep in (range(9, 70), range(11, 70)):
        assert felt(Feeler(), {10.0: P1A}, {P1A: [(10.0, 60)]}, asleep=asleep) == [(70, P1A)]
    assert felt(Feeler(), {10.0: P1A}, {P1A: [(10.0, 10.5)]}, asleep=range(12, 70)) == [], (
        "a spike that was seen to end"
    )
