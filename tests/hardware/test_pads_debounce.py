"""A table of edge trains and the slaps they are worth; times in milliseconds."""

from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.pads.debounce import Debouncer, PadEvent, slaps
from hardware.pads.edges import FOUR_PADS, Edge, Pad, PadNote, Reading
from hardware.pads.trains import Change, TrainPlayer, contact
from referee.observations import PadReleased
from referee.units import MS

P1A, P1B, P2A, P2B = FOUR_PADS
OWN_US = 50


def ms(value: float) -> int:
    return round(value * MS)


def closed(pad: Pad, *spans: tuple[float, float]) -> list[Change]:
    return [change for start, end in spans for change in contact(pad, ms(start), ms(end))]


@dataclass(frozen=True)
class Train:
    """`slaps`: (pad, first contact in ms); `notes`: what is said besides; `late_ms`: delay of delivery by pad."""

    name: str
    changes: list[Change]
    slaps: list[tuple[Pad, float]]
    notes: tuple[str, ...] = ()
    late_ms: dict[Pad, float] = field(default_factory=dict)
    lost_ms: tuple[float, ...] = ()
    asleep_ms: tuple[tuple[float, float], ...] = ()
    down_at_start: tuple[Pad, ...] = ()
    until_ms: float = 600

    def play(self) -> tuple[list[PadEvent], Debouncer]:
        def delivered(edge: Edge) -> int | None:
            return None if edge.at_ns in map(ms, self.lost_ms) else edge.at_ns + ms(self.late_ms.get(edge.pad, 0.2))

        debouncer = Debouncer(FOUR_PADS, OWN_US * 1000)
        asleep = [(ms(a), ms(b)) for a, b in self.asleep_ms]
        player = TrainPlayer(debouncer, delivered, asleep, dict.fromkeys(self.down_at_start, True))
        return player.play(self.changes, ms(self.until_ms)), debouncer


bounce_8ms = [(100 + n, 100 + n + 0.3) for n in range(8)]
burst = [(100 + n * 0.02, 100 + n * 0.02 + 0.01) for n in range(1000)]

TRAINS = [
    Train("a clean slap", closed(P1A, (100, 160)), [(P1A, 100)]),
    Train("a tap of 2 ms counts", closed(P1A, (100, 102.1)), [(P1A, 100)]),
    Train("bounce: first contact counts, once", closed(P1A, (100, 100.2), (100.6, 101), (101.8, 170)), [(P1A, 100)]),
    Train(
        "the bouncy pad hit first wins by 3 ms",
        closed(P2B, *bounce_8ms, (108, 180)) + closed(P1B, (103, 180)),
        [(P2B, 100), (P1B, 103)],
    ),
    Train("bounce at the release is no slap", closed(P1A, (100, 150), (151, 151.3), (155, 155.2)), [(P1A, 100)]),
    Train(
        "a second slap counts although nobody looked at the release for long enough",
        closed(P1A, (100, 130), (180, 230)),
        [(P1A, 100), (P1A, 180)],
        asleep_ms=((132, 186),),
    ),
    Train(
        "the processor was away from a hit until after its release, and the next one comes 8 ms later",
        closed(P1A, (100, 130), (231, 261)),
        [(P1A, 100), (P1A, 231)],
        asleep_ms=((108, 223),),
    ),
    Train(
        "the same, and its edge comes 9 ms late",
        closed(P1A, (100, 130), (231, 261)),
        [(P1A, 100), (P1A, 231)],
        asleep_ms=((110, 223),),
        late_ms={P1A: 9},
    ),
    Train(
        "two slaps while the processor was away",
        closed(P1A, (100, 130), (231, 261)) + closed(P2A, (101, 130), (232, 261)),
        [(P1A, 100), (P2A, 101), (P1A, 231), (P2A, 232)],
        asleep_ms=((99, 300),),
    ),
    Train(
        "a wire that shakes under a resting hand while the processor was away is no slap",
        closed(P1A, (100, 150), (150.2, 300)),
        [(P1A, 100)],
        asleep_ms=((104, 170),),
    ),
    Train(
        "a hand that rested for seconds makes no second slap as it leaves",
        closed(P1A, (100, 5000), (5000.3, 5000.8), (5001, 5001.4)),
        [(P1A, 100)],
        until_ms=6000,
    ),
    Train("a spike of 50 us is no slap", closed(P1A, (100, 100.05)), [], ("spike",)),
    Train("a spike of 0.5 ms is no slap", closed(P1A, (100, 100.5)), [], ("spike",)),
    Train("a spike, then a slap 30 ms later", closed(P1A, (100, 100.3), (130, 190)), [(P1A, 130)], ("spike",)),
    Train("all pads dip for 5 us", [c for p in FOUR_PADS for c in closed(p, (100, 100.005))], [], ("spike",) * 4),
    Train("all pads dip for 300 us", [c for p in FOUR_PADS for c in closed(p, (100, 100.3))], [], ("spike",) * 4),
    Train(
        "cross-talk: the neighbour's ghost comes 2 ms before the hit",
        closed(P2A, (98, 98.9)) + closed(P1A, (100, 180)),
        [(P1A, 100)],
        ("spike",),
    ),
    Train(
        "cross-talk after the hit",
        closed(P1A, (100, 180)) + closed(P2A, (101, 101.8)),
        [(P1A, 100)],
        ("spike",),
    ),
    Train(
        "a ghost of 2.5 ms before the hit cannot be told from a tap",
        closed(P2A, (98, 100.5)) + closed(P1A, (100, 180)),
        [(P2A, 98), (P1A, 100)],
        ("cross_talk",),
    ),
    Train("a pad held at the start", closed(P1B, (300, 340)), [(P1B, 300)], ("held_at_start",), down_at_start=(P2A,)),
    Train(
        "its release is no slap, and after it the pad counts",
        [Change(ms(100), P2A, False), *closed(P2A, (300, 350))],
        [(P2A, 300)],
        ("held_at_start", "free_again"),
        down_at_start=(P2A,),
    ),
    Train(
        "a pad held for ever does not hide the other",
        [Change(ms(100), P1A, True), *closed(P2A, (9000, 9060)), *closed(P2A, (12000, 12060))],
        [(P1A, 100), (P2A, 9000), (P2A, 12000)],
        ("held_long",),
        until_ms=15000,
    ),
    Train(
        "a lost edge is found by its level and its stamp is rough",
        closed(P1A, (130, 220)),
        [(P1A, 125)],
        ("edge_lost",),
        lost_ms=(130,),
    ),
    Train("a lost release edge changes nothing", closed(P1A, (100, 180), (300, 380)), [(P1A, 100), (P1A, 300)]),
    Train(
        "a burst of 1000 edges in 20 ms, another pad hit in the middle",
        closed(P2A, *burst) + closed(P1A, (110, 170)),
        [(P1A, 110)],
        ("spike",),
    ),
    Train(
        "out of order by 0.2 ms",
        closed(P1A, (100, 160)) + closed(P2A, (100.1, 160)),
        [(P1A, 100), (P2A, 100.1)],
        late_ms={P1A: 0.4, P2A: 0.1},
    ),
    Train("delivered 1 ms late", closed(P1A, (100, 160)), [(P1A, 100)], late_ms={P1A: 1}),
    Train("delivered 5 ms late", closed(P1A, (100, 160)), [(P1A, 100)], late_ms={P1A: 5}),
    Train("a tap delivered 30 ms late", closed(P1A, (100, 115)), [(P1A, 100)], late_ms={P1A: 30}),
    Train("delivered 3 s late", closed(P1A, (101, 116)), [(P1A, 101)], late_ms={P1A: 3000}, until_ms=4000),
    Train("a late spike", closed(P1A, (100, 100.3)) + closed(P2A, (99, 160)), [(P2A, 99)], ("spike",), {P1A: 4}),
    Train("the reader sleeps through a whole slap", closed(P1A, (100, 150)), [(P1A, 100)], asleep_ms=((99, 220),)),
    Train("two slaps 70 ms apart", closed(P1A, (100, 130), (170, 200)), [(P1A, 100), (P1A, 170)]),
    Train("both own pads together", closed(P1A, (100, 200)) + closed(P1B, (140, 220)), [(P1A, 100), (P1B, 140)]),
    Train("all four at once", [c for p in FOUR_PADS for c in closed(p, (100, 180))], [(p, 100) for p in FOUR_PADS]),
    Train(
        "20 presses a second",
        closed(P1A, *[(100 + 50 * n, 120 + 50 * n) for n in range(9)]),
        [(P1A, 100 + 50 * n) for n in range(9)],
    ),
]


@pytest.mark.parametrize("train", TRAINS, ids=lambda train: train.name)
def test_an_edge_train_is_worth_these_slaps(train: Train) -> None:
    events, _ = train.play()
    found = slaps(events)
    assert [(slap.player, slap.pile) for slap in found] == [tuple(pad) for pad, _ in train.slaps]
    assert [slap.at_ns for slap in found] == pytest.approx(
        [ms(at) for _, at in train.slaps], abs=0 if not train.lost_ms else ms(25)
    )
    assert sorted(e.what for e in events if isinstance(e, PadNote)) == sorted(train.notes)


def slap_of(train_name: str, pad: Pad) -> int:
    events, _ = next(train for train in TRAINS if train.name == train_name).play()
    return next(s.uncertainty_ns for s in slaps(events) if Pad(s.player, s.pile) == pad)


def test_a_clean_slap_has_the_uncertainty_of_the_backend() -> None:
    assert slap_of("a clean slap", P1A) == OWN_US * 1000


def test_a_lost_edge_is_uncertain_by_half_the_time_nobody_looked() -> None:
    uncertainty_ns = slap_of("a lost edge is found by its level and its stamp is rough", P1A)
    assert ms(20) <= uncertainty_ns <= ms(30)


def test_levels_that_were_asked_before_the_hit_do_not_make_it_a_spike() -> None:
    debouncer = Debouncer(FOUR_PADS, OWN_US * 1000)
    open_pads = dict.fromkeys(FOUR_PADS, False)
    debouncer.feed(Reading(ms(50), open_pads), Edge(ms(100), 1, P1A))
    debouncer.feed(Reading(ms(103), open_pads, lasted_ns=ms(4)), Reading(ms(180), open_pads))
    (slap,) = slaps(debouncer.advance(ms(300)))
    assert slap.at_ns == ms(100)


def test_a_dip_of_all_pads_together_points_at_the_supply_and_a_spike_of_one_at_its_wire() -> None:
    for pads, word in ((FOUR_PADS, "ground"), ((P1A,), "loose wire"), (FOUR_PADS[:3], "loose wire")):
        events, _ = Train("", [change for pad in pads for change in closed(pad, (100, 100.3))], []).play()
        assert [word in event.sentence for event in events if isinstance(event, PadNote)] == [True] * len(pads)


def test_a_possible_ghost_is_never_named_first() -> None:
    name = "a ghost of 2.5 ms before the hit cannot be told from a tap"
    assert slap_of(name, P2A) >= ms(2)
    assert slap_of(name, P1A) == OWN_US * 1000


@pytest.mark.parametrize("bounce_ms", [0.0, 5.0, 8.0])
def test_the_contact_time_runs_from_first_contact_to_the_last_opening(bounce_ms: float) -> None:
    bouncing = [(100 + n, 100 + n + 0.3) for n in range(int(bounce_ms))]
    events, _ = Train("", closed(P1A, *bouncing, (100 + bounce_ms, 150)), []).play()
    (released,) = [event for event in events if isinstance(event, PadReleased)]
    assert released.contact_ns == pytest.approx(ms(50), abs=ms(1.1))


def test_a_slap_is_told_within_10_ms_of_first_contact() -> None:
    debouncer = Debouncer(FOUR_PADS, 0)
    debouncer.feed(Reading(0, dict.fromkeys(FOUR_PADS, False)), Edge(ms(100), 1, P1A))
    for tenth in range(1000, 1101):
        if tenth % 10 == 2:
            debouncer.feed(Reading(ms(tenth / 10), dict.fromkeys(FOUR_PADS, False) | {P1A: True}))
        if slaps(debouncer.advance(ms(tenth / 10))):
            break
    assert 1040 <= tenth <= 1085


def test_levels_are_read_every_millisecond_from_an_edge_until_20_ms_after_release() -> None:
    seen: list[int] = []

    class Watched(Debouncer):
        def advance(self, now_ns: int) -> list[PadEvent]:
            seen.append(now_ns)
            return super().advance(now_ns)

    TrainPlayer(Watched(FOUR_PADS, 0)).play(closed(P1A, (100.5, 150)), ms(400))
    quick = [at for at in seen if ms(100.5) <= at <= ms(170)]
    assert max(b - a for a, b in pairwise(quick)) <= ms(1)
    assert [b - a for a, b in pairwise(seen)][-1] == ms(50)


def test_slaps_100_us_apart_come_in_the_right_order_a_thousand_times_of_a_thousand() -> None:
    chance = Random(1)
    changes, first = [], []
    for number in range(1000):
        at, gap = 100 + 200 * number, 0.1
        pads = chance.sample(FOUR_PADS, 2)
        for pad, start in zip(pads, (at, at + gap), strict=True):
            bounce = [(start + 0.3 * n, start + 0.3 * n + 0.1) for n in range(chance.randrange(4))]
            changes += closed(pad, *bounce, (start + 0.3 * len(bounce), at + 50 + 20 * chance.random()))
        first.append(pads)
    late = [ms(chance.uniform(0.1, 1.5)) for _ in range(97)]
    player = TrainPlayer(Debouncer(FOUR_PADS, OWN_US * 1000), lambda edge: edge.at_ns + late[edge.sequence % 97])
    found = slaps(player.play(changes, ms(200 * 1000 + 300)))
    pairs = list(zip(found[::2], found[1::2], strict=True))
    assert [[Pad(a.player, a.pile), Pad(b.player, b.pile)] for a, b in pairs] == first
    assert {b.at_ns - a.at_ns for a, b in pairs} == {100_000}


# Properties ----------------------------------------------------------------------------------------------------------

whole_slap = st.tuples(st.sampled_from(FOUR_PADS), st.floats(5, 120))


@given(
    st.lists(whole_slap, min_size=1, max_size=8),
    st.lists(st.floats(0.02, 2.9), max_size=5),
    st.lists(st.floats(0, 2.5), min_size=40, max_size=40),
)
def test_every_real_slap_is_counted_once_with_its_own_stamp(
    pressed: list[tuple[Pad, float]], gaps_ms: list[float], delays_ms: list[float]
) -> None:
    """Whatever the bounce in the first milliseconds and however delivery shuffles the edges."""
    changes, want, start = [], [], 100.0
    for pad, held in pressed:
        at = start
        for gap in gaps_ms:
            changes += closed(pad, (at, at + 0.01))
            at += gap
        changes += closed(pad, (at, at + held))
        want.append((ms(start), pad))
        start += 200
    debouncer = Debouncer(FOUR_PADS, 0)
    player = TrainPlayer(debouncer, lambda edge: edge.at_ns + ms(delays_ms[edge.sequence % 40]))
    found = slaps(player.play(changes, ms(start + 200)))
    assert [(slap.at_ns, Pad(slap.player, slap.pile)) for slap in found] == want


@given(st.lists(st.tuples(st.floats(50, 400), st.floats(0.001, 0.8)), max_size=60))
def test_spikes_alone_are_never_a_slap(spikes: list[tuple[float, float]]) -> None:
    """Contacts under a millisecond, 1 ms or more apart, in any pattern."""
    spaced, last = [], 0.0
    for at, length in sorted(spikes):
        if at >= last + 1.0:
            spaced.append((at, at + length))
            last = at + length
    assert slaps(Train("", closed(P2B, *spaced), []).play()[0]) == []


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(30, 200)), min_size=1, max_size=12), st.randoms())
def test_the_order_of_feeding_changes_nothing(pressed: list[tuple[int, float]], chance: Random) -> None:
    start, inputs = 100.0, []
    state = dict.fromkeys(FOUR_PADS, False)
    for number, (index, held) in enumerate(pressed):
        pad = FOUR_PADS[index]
        inputs.append(Edge(ms(start), number, pad))
        inputs += [Reading(ms(start + n + 0.5), state | {pad: n < held}) for n in range(int(held) + 30)]
        start += held + 60

    def heard(order: list[Edge | Reading]) -> list[PadEvent]:
        debouncer = Debouncer(FOUR_PADS, 0)
        debouncer.feed(Reading(0, state), *order)
        return debouncer.advance(ms(start + 100))

    shuffled = list(inputs)
    chance.shuffle(shuffled)
    assert heard(shuffled) == heard(inputs)
