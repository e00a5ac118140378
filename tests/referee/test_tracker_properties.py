"""What no example can prove: cuts, order of arrival, mirrored seats, absurd input, and a small score."""

import random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.cards import PACK
from referee.game.scenario import read_start
from referee.observations import (
    AnyObservation,
    Called,
    CardLanded,
    CardTakenBack,
    Correction,
    HandsSeen,
    PadReleased,
    PadSlapped,
    PileRead,
    PilesTaken,
    PlaceSeen,
    Recount,
    RowRead,
    SensorBack,
    SensorLost,
    Tick,
    Undo,
)
from referee.rules.rule_set import RuleSet, rule_set_from
from referee.shares import wilson
from referee.simulated.noise import PERFECT, Noise, observe
from referee.simulated.players import play_deal
from referee.simulated.score import Score, score_game
from referee.table import OPPONENT, OTHER_PILE
from referee.tracker import Tracker
from referee.tracker.belief import AT_ONCE
from referee.verdicts import AnyVerdict, NextDeal, PlayJudged, SpitJudged

MS = 1_000_000


def deal(seed: int, noise: Noise = PERFECT) -> list[AnyObservation]:
    return [seen.observation for seen in observe(play_deal(seed), noise, seed)]


def feed(tracker: Tracker, seen: list[AnyObservation]) -> list[AnyVerdict]:
    return [verdict for one in seen for verdict in tracker.feed(one)]


def rulings(told: list[AnyVerdict]) -> set[tuple[int, str, str, str]]:
    """The last ruling on each landing, by its moment: what stands in the end."""
    last = {v.at_ns: (v.at_ns, v.player, v.card, v.ruling) for v in told if isinstance(v, PlayJudged | SpitJudged)}
    return set(last.values())


@pytest.mark.parametrize(
    "house",
    [
        {"extends": "wikipedia"},
        {"extends": "bicycle"},
        {"extends": "speed"},
        {"piles": 4},
        {"setup": "canfield", "spit_when": "called", "decks": "own"},
        {"jokers": "wild", "colours": "alternate", "one_pile": "below_layout", "solo_spit": "chosen_pile"},
    ],
    ids=lambda house: ",".join(house.values()) if "extends" in house else next(iter(house)),
)
def test_a_game_can_be_judged_by_rules_it_was_not_played_by(house: dict[str, object]) -> None:
    rules = rule_set_from(house)
    start = read_start(
        {
            "phase": "await_spit",
            "pending": {"p1": ["A"], "p2": ["B"]},
            "p1": {"row": ["1:", "2:", "3:", "4:", "5:"], "spit": 11},
            "p2": {"row": ["1:", "2:", "3:", "4:", "5:"], "spit": 11},
        }
    )
    for seen, begin in ((deal(0), None), (deal(1, Noise(misreads=0.1)), start)):
        feed(Tracker(rules, begin), seen)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_observations_bring_the_same_verdicts_and_a_cut_anywhere_changes_none(seed: int) -> None:
    seen = deal(seed, Noise(misreads=0.03))
    first = Tracker(RuleSet())
    whole = [first.feed(one) for one in seen]
    lines = [msgspec.json.encode(one) for one in seen]
    for cut in range(0, len(seen), max(1, len(seen) // 7)):
        again = Tracker(RuleSet())  # after a power cut the lines of the log are fed to a new tracker
        feed(again, [msgspec.json.decode(line, type=AnyObservation) for line in lines[:cut]])
        assert [again.feed(one) for one in seen[cut:]] == whole[cut:]


@pytest.mark.parametrize("seed", range(2))
def test_how_often_the_table_is_looked_at_changes_no_ruling(seed: int) -> None:
    told = [
        rulings(feed(Tracker(RuleSet()), deal(seed, replace(PERFECT, pile_read_ms=pile, row_read_ms=row))))
        for pile, row in ((500, 1000), (250, 500), (1000, 1000), (120, 240))
    ]
    assert told[0]
    assert told == [told[0]] * len(told)


@pytest.mark.parametrize("seed", range(2))
def test_that_time_passes_changes_no_ruling(seed: int) -> None:
    seen = deal(seed)
    ticking = [one for look in seen for one in (look, Tick(at_ns=look.at_ns))]
    assert rulings(feed(Tracker(RuleSet()), ticking)) == rulings(feed(Tracker(RuleSet()), seen))


def test_a_copy_goes_on_like_the_original() -> None:
    seen = deal(1, Noise(misreads=0.03))
    tracker = Tracker(RuleSet())
    feed(tracker, seen[: len(seen) // 2])
    twin = tracker.copy()
    assert feed(tracker, seen[len(seen) // 2 :]) == feed(twin, seen[len(seen) // 2 :])


@pytest.mark.parametrize("seed", range(3))
def test_reports_of_landings_may_arrive_in_another_order(seed: int) -> None:
    seen = deal(seed)
    late = list(seen)
    for n in range(len(late) - 1):
        one, two = late[n], late[n + 1]
        if isinstance(one, CardLanded) and not isinstance(two, CardLanded | CardTakenBack | RowRead):
            late[n], late[n + 1] = two, one  # reported after what was seen next
    assert rulings(feed(Tracker(RuleSet()), late)) == rulings(feed(Tracker(RuleSet()), seen))


def mirrored(seen: AnyObservation) -> AnyObservation:
    """The same moment with the seats exchanged."""
    plain = msgspec.to_builtins(seen)
    for name in ("player",):
        if plain.get(name):
            plain[name] = OPPONENT[plain[name]]
    if plain.get("pile"):
        plain["pile"] = OTHER_PILE[plain["pile"]]
    if isinstance(plain.get("players"), dict):
        plain["players"] = {OPPONENT[player]: p for player, p in plain["players"].items()}
    elif "players" in plain:
        plain["players"] = [OPPONENT[player] for player in plain["players"]]
    for origin in plain.get("origins", ()):
        origin["player"] = OPPONENT[origin["player"]]
    return msgspec.convert(plain, type(seen))


@pytest.mark.parametrize("seed", range(4))
def test_the_two_seats_are_treated_alike(seed: int) -> None:
    seen = deal(seed)
    told = feed(Tracker(RuleSet()), seen)
    other = feed(Tracker(RuleSet()), [mirrored(one) for one in seen])
    assert {(at, OPPONENT[who], card, ruling) for at, who, card, ruling in rulings(told)} == rulings(other)


def test_cards_are_conserved_in_every_next_deal() -> None:
    for seed in range(4):
        for verdict in feed(Tracker(RuleSet()), deal(seed, Noise(misreads=0.03))):
            if isinstance(verdict, NextDeal):
                assert verdict.p1.cards + verdict.p2.cards == 52


CARDS = st.dictionaries(st.sampled_from(PACK), st.floats(0, 1), max_size=2)
PLAYER = st.sampled_from(("p1", "p2"))
PILE = st.sampled_from(("A", "B"))
AT = st.integers(0, 20_000 * MS)
HANDS = st.dictionaries(PLAYER, st.floats(0, 1), max_size=2)
PLACE = st.builds(PlaceSeen, cards=CARDS, face_down=st.floats(0, 1), empty=st.floats(0, 1))
ABSURD = st.one_of(
    st.builds(CardLanded, at_ns=AT, earliest_ns=AT, latest_ns=AT, pile=PILE, cards=CARDS, players=HANDS,
              together=st.integers(1, 2)),
    st.builds(CardTakenBack, at_ns=AT, pile=PILE, cards=CARDS, players=HANDS),
    st.builds(PileRead, at_ns=AT, pile=PILE, cards=CARDS, empty=st.floats(0, 1)),
    st.builds(RowRead, at_ns=AT, player=PLAYER, places=st.lists(PLACE, min_size=0, max_size=6).map(tuple)),
    st.builds(HandsSeen, at_ns=AT, players=st.lists(PLAYER, max_size=2).map(tuple)),
    st.builds(PilesTaken, at_ns=AT, pile=PILE, players=HANDS),
    st.builds(PadSlapped, at_ns=AT, player=st.none() | PLAYER, pile=PILE, uncertainty_ns=st.integers(0, 10**6)),
    st.builds(PadReleased, at_ns=AT, player=PLAYER, pile=PILE, contact_ns=st.integers(0, 10**9)),
    st.builds(Called, at_ns=AT, player=PLAYER, word=st.sampled_from(("spit", "ready"))),
    st.builds(Undo, at_ns=AT),
    st.builds(Correction, at_ns=AT, of=st.integers(0, 200), card=st.none() | st.sampled_from(PACK),
              player=st.none() | PLAYER, pile=st.none() | PILE, place=st.none() | st.integers(-1, 7),
              ruling=st.sampled_from((None, "legal", "illegal", "beaten", "nonsense")), first=st.none() | PLAYER,
              missed_ns=st.none() | AT, dismiss=st.booleans()),
    st.builds(Recount, at_ns=AT, player=PLAYER, spit=st.none() | st.integers(0, 30)),
    st.builds(Tick, at_ns=AT),
    st.builds(SensorLost, at_ns=AT, sensor=st.just("camera"), reason=st.just("dark")),
    st.builds(SensorBack, at_ns=AT, sensor=st.just("camera")),
)  # fmt: skip


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.lists(ABSURD, max_size=40), st.integers(0, 3))
def test_no_sequence_however_absurd_raises(absurd: list[AnyObservation], seed: int) -> None:
    tracker = Tracker(RuleSet())
    seen = deal(seed)[:150]
    random.Random(seed).shuffle(absurd)
    for n, one in enumerate(seen):
        tracker.feed(one)
        if n < len(absurd):
            tracker.feed(absurd[n])


class Restless(Tracker):
    """A tracker that asks after every observation whether there is something to say."""

    def _next_due_ns(self, *_: object) -> int:
        return AT_ONCE


HARD = Noise(misreads=0.05, missed_landings=0.03, swapped_players=0.03, hidden_places=0.35, late_landings=0.3)


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(0, 400), ABSURD), max_size=8))
def test_who_asks_only_when_something_is_new_or_due_hears_the_same_at_the_same_moment(
    seed: int, absurd: list[tuple[int, AnyObservation]]
) -> None:
    seen = deal(seed, HARD)
    for place, one in absurd:
        seen.insert(place, one)
    rested, restless = Tracker(RuleSet()), Restless(RuleSet())
    for one in seen:
        assert rested.feed(one) == restless.feed(one)


def test_over_perfect_sensors_nobody_is_accused_wrongly_and_nearly_every_breach_is_found() -> None:
    score = Score()
    for seed in range(3):
        score.add(score_game(seed, PERFECT))
    assert score.false_accusations == 0, score.stories
    assert score.found >= 0.97 * score.breaches
    assert max(score.out_of_step, default=0) <= 3


@pytest.mark.slow
def test_with_three_percent_misread_most_breaches_are_found_and_false_accusations_are_rare() -> None:
    score = Score()
    for seed in range(8):
        score.add(score_game(seed, Noise(misreads=0.03)))
    assert score.false_accusations <= 1, score.stories
    assert score.found >= 0.92 * score.breaches


def test_the_interval_of_a_share() -> None:
    low, high = wilson(0, 3000)
    assert low < 1e-9 and high < 0.0013
    assert wilson(1, 1)[1] == 1.0
