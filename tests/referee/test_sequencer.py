"""Order in time: quick sensors wait for slow ones, and nothing depends on how observations arrive."""

from hypothesis import given
from hypothesis import strategies as st

from referee.observations import PadSlapped
from referee.tracker.sequencer import Sequencer


def slap(at_ns: int) -> PadSlapped:
    return PadSlapped(at_ns=at_ns, player="p1", pile="A", uncertainty_ns=0)


def test_nothing_is_released_before_time_has_passed() -> None:
    sequencer = Sequencer()
    sequencer.hold(0, slap(100))
    sequencer.hear(150)
    assert list(sequencer.release(60)) == []
    sequencer.hear(160)
    assert list(sequencer.release(60)) == [(0, slap(100))]


def test_a_later_slap_never_overtakes_an_earlier_one() -> None:
    sequencer = Sequencer()
    for n, at_ns in enumerate((300, 100, 200)):
        sequencer.hold(n, slap(at_ns))
    sequencer.hear(1000)
    assert [seen.at_ns for _, seen in sequencer.release(10)] == [100, 200, 300]


def test_time_never_runs_backwards() -> None:
    sequencer = Sequencer()
    sequencer.hear(500)
    sequencer.hear(100)
    assert sequencer.now_ns == 500


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=8, unique=True), st.randoms())
def test_the_order_of_arrival_does_not_matter(moments: list[int], random: object) -> None:
    def released(order: list[int]) -> list[int]:
        sequencer = Sequencer()
        for at_ns in order:
            sequencer.hold(at_ns, slap(at_ns))
        sequencer.hear(5000)
        return [seen.at_ns for _, seen in sequencer.release(100)]

    shuffled = list(moments)
    random.shuffle(shuffled)  # hypothesis hands in a random.Random
    assert released(moments) == released(shuffled) == sorted(moments)


def test_a_copy_goes_its_own_way() -> None:
    sequencer = Sequencer()
    sequencer.hold(0, slap(1))
    twin = sequencer.copy()
    assert list(sequencer.flush()) == [(0, slap(1))]
    assert len(twin) == 1 and twin.first_ns() == 1
