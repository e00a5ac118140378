"""What the eyes make of cards that land, nearly land, or lie there all the time."""

from dataclasses import replace

import numpy as np
import pytest

from hardware.frames import Frame
from hardware.simulated.look import Look
from hardware.simulated.trouble import Trouble, troubled
from hardware.vision.eyes import Eyes
from hardware.vision.landings import PileWatch
from referee.observations import CardLanded, CardTakenBack, HandsSeen, PileRead, RowRead, SensorLost
from referee.script import Hover, Knock, TakeBack, TurnUp
from tests.hardware.eyetest import MS, P1_ROW, P2_ROW, DeckReader, cards, film, landings, lay, play, watch

FRAME_NS = 1e9 / 30


def test_R8_both_rows_and_both_tops_are_read_from_the_first_picture():
    renderer, frames = film(play(until_ms=1300))
    seen = watch(renderer, frames[:1])
    rows = {one.player: [max(p.cards, key=p.cards.get) for p in one.places] for one in seen if isinstance(one, RowRead)}
    tops = {one.pile: max(one.cards, key=one.cards.get) for one in seen if isinstance(one, PileRead)}
    assert rows == {"p1": list(cards(P1_ROW)), "p2": list(cards(P2_ROW))}
    assert tops == {"A": "8D", "B": "QS"}


def test_R20_a_card_that_lands_is_named_with_its_player_its_place_and_its_touch():
    renderer, frames = film(play(lay(2000, "p1", 1, "A", "7H"), until_ms=3000))
    seen = watch(renderer, frames)
    [landed] = [one for one in seen if isinstance(one, CardLanded)]
    assert landings(seen) == ["p1:A:7H"]
    assert (landed.origins[0].player, landed.origins[0].place) == ("p1", 1)
    assert abs(landed.at_ns - 2000 * MS) < FRAME_NS
    assert landed.earliest_ns <= landed.at_ns <= landed.latest_ns


def test_R30_until_a_hand_came_the_pile_is_told_to_have_lain_as_before():
    renderer, frames = film(play(lay(2000, "p1", 1, "A", "7H"), until_ms=3000))
    seen = watch(renderer, frames)
    [landed] = [one for one in seen if isinstance(one, CardLanded)]
    [*_, before] = [one for one in seen if isinstance(one, PileRead) and (one.pile, "8D" in one.cards) == ("A", True)]
    assert landed.at_ns - 400 * MS < before.at_ns < landed.earliest_ns, "no other card came between"


def test_R20_after_the_play_the_row_shows_the_face_down_card_below():
    renderer, frames = film(play(lay(2000, "p1", 1, "A", "7H"), until_ms=3200))
    last = [one for one in watch(renderer, frames) if isinstance(one, RowRead) and one.player == "p1"][-1]
    assert last.places[0].face_down > 0.5


def test_R31_two_cards_on_one_pile_70_ms_apart_are_told_in_the_order_of_their_touch():
    script = play(lay(2000, "p1", 2, "B", "5C"), lay(2070, "p2", 3, "B", "JH"), until_ms=3600)
    seen = watch(*film(script))
    assert landings(seen) == ["p1:B:5C", "p2:B:JH"]


def test_R31_one_card_on_each_pile_at_the_same_moment():
    script = play(lay(2000, "p1", 1, "A", "7H"), lay(2010, "p2", 1, "B", "9C"), until_ms=3200)
    assert sorted(landings(watch(*film(script)))) == ["p1:A:7H", "p2:B:9C"]


def test_a_card_that_lands_exactly_on_its_pile_is_seen_by_its_face():
    script = play(lay(2000, "p2", 1, "B", "9C", dx_mm=0.0, dy_mm=0.0, angle_deg=0.0), until_ms=3000)
    assert landings(watch(*film(script))) == ["p2:B:9C"]


def test_a_card_that_hangs_half_off_its_pile_still_lies_on_top():
    script = play(lay(2000, "p1", 4, "A", "KS", dx_mm=-20.0, dy_mm=-12.0, angle_deg=18.0), until_ms=3000)
    assert landings(watch(*film(script))) == ["p1:A:KS"]


def test_a_hand_that_hovers_over_a_pile_lays_nothing():
    hover = Hover(at_ns=2000 * MS, start_ns=1700 * MS, player="p1", pile="B", hand="R", end_ns=2400 * MS)
    seen = watch(*film(play(hover, until_ms=3000)))
    assert landings(seen) == []
    assert next(one.players for one in seen if isinstance(one, HandsSeen)) == ("p1",)
    assert [one.players for one in seen if isinstance(one, HandsSeen)][-1] == ()


def test_a_knocked_pile_is_no_landing():
    knock = Knock(at_ns=2000 * MS, start_ns=1700 * MS, player="p2", pile="A", dx_mm=9.0, dy_mm=-6.0, angle_deg=7.0)
    assert landings(watch(*film(play(knock, until_ms=3000)))) == []


def test_R29_a_card_that_is_laid_and_taken_back_is_both():
    back = TakeBack(at_ns=3300 * MS, start_ns=2900 * MS, player="p1", place=1, pile="A", card=cards("7H")[0], hand="R")
    seen = watch(*film(play(lay(2000, "p1", 1, "A", "7H"), back, until_ms=4600)))
    [taken] = [one for one in seen if isinstance(one, CardTakenBack)]
    assert landings(seen) == ["p1:A:7H"]
    assert max(taken.cards, key=taken.cards.get) == "7H"


def test_R29_a_card_that_is_put_back_covers_the_one_that_was_turned_up_there():
    turn = TurnUp(at_ns=2700 * MS, start_ns=2400 * MS, player="p1", place=1, card=cards("2H")[0], hand="R")
    back = TakeBack(at_ns=4000 * MS, start_ns=3600 * MS, player="p1", place=1, pile="A", card=cards("7H")[0], hand="R")
    renderer, frames = film(play(lay(1800, "p1", 1, "A", "7H"), turn, back, until_ms=5000))
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    for frame in frames:
        eyes.see(frame)
    assert eyes.rows.departures == []  # no 2H that must have landed somewhere


@pytest.mark.parametrize("fps", [60.0, 120.0])
def test_a_faster_camera_dates_the_touch_to_its_own_frame(fps):
    look = replace(Look(), deck="club", noise=1.5, fps=fps)
    renderer, frames = film(play(lay(2000, "p2", 1, "A", "9C"), until_ms=2800), look, from_ms=1500)
    seen = watch(renderer, frames)
    [landed] = [one for one in seen if isinstance(one, CardLanded)]
    assert landings(seen) == ["p2:A:9C"]
    assert abs(landed.at_ns - 2000 * MS) < 1e9 / fps


@pytest.mark.parametrize("pixels", [3.0, 15.0, 40.0])
def test_a_nudged_camera_is_followed_and_the_next_card_is_still_seen(pixels):
    renderer, frames = film(play(lay(3000, "p1", 1, "A", "7H"), until_ms=4000), from_ms=1500)
    nudge = Trouble(what="nudge", from_ns=300 * MS, until_ns=60_000 * MS, amount=pixels)
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    before = eyes.table.to_px(np.zeros((1, 2)))[0]
    seen = [one for frame in troubled(frames, [nudge]) for one in eyes.see(frame)]
    after = eyes.table.to_px(np.zeros((1, 2)))[0]
    assert np.allclose(after - before, (pixels, pixels / 2), atol=0.7)
    assert landings(seen + eyes.finish()) == ["p1:A:7H"]


def test_a_nudge_is_noticed_by_the_last_three_cards_in_view():
    renderer, frames = film(play(lay(3000, "p1", 1, "A", "7H"), until_ms=4000), from_ms=1500)
    nudge = Trouble(what="nudge", from_ns=300 * MS, until_ns=60_000 * MS, amount=15.0)
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    before = eyes.table.to_px(np.zeros((1, 2)))[0]
    for n, frame in enumerate(troubled(frames, [nudge])):
        eyes.see(frame)
        for place, spot in eyes.rows.spots.items():
            if n == 0 and place != ("p1", 1):
                spot.last.keep(spot.picture, None)
    after = eyes.table.to_px(np.zeros((1, 2)))[0]
    assert np.allclose(after - before, (15.0, 7.5), atol=0.7)


def test_a_camera_that_is_nudged_while_both_hands_play_is_followed_without_a_pause():
    script = play(
        Hover(at_ns=1850 * MS, start_ns=1500 * MS, player="p2", pile="A", hand="R", end_ns=2250 * MS),
        lay(2100, "p1", 1, "B", "7H"), lay(2800, "p2", 1, "A", "9C"), lay(2950, "p1", 3, "B", "10D"), until_ms=3900,
    )  # fmt: skip
    renderer, frames = film(script)
    nudge = Trouble(what="nudge", from_ns=700 * MS, until_ns=60_000 * MS, amount=15.0)
    seen = watch(renderer, troubled(frames, [nudge]))
    assert sorted(landings(seen)) == ["p1:B:10D", "p1:B:7H", "p2:A:9C"]
    assert not [one for one in seen if isinstance(one, SensorLost)]


@pytest.mark.parametrize("pixels", [3.0, 8.0])
def test_a_camera_that_is_nudged_when_cards_and_hands_lie_everywhere_is_followed(pixels):
    plays = [
        lay(1800 + 250 * n, who, 1 + n // 2, "A" if n % 4 < 2 else "B", card)
        for n, (who, card) in enumerate(zip(("p1", "p2") * 3, cards("7H 9C 5C 4D 10D JH"), strict=True))
    ]
    rest = Hover(at_ns=3500 * MS, start_ns=3300 * MS, player="p2", pile="A", hand="R", end_ns=4900 * MS)
    script = play(*plays, rest, lay(4200, "p1", 5, "B", "2S"), until_ms=5000)
    renderer, frames = film(script)
    nudge = Trouble(what="nudge", from_ns=1650 * MS, until_ns=60_000 * MS, amount=pixels)
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    before = eyes.table.to_px(np.zeros((1, 2)))[0]
    seen = [one for frame in troubled(frames, [nudge]) for one in eyes.see(frame)]
    after = eyes.table.to_px(np.zeros((1, 2)))[0]
    assert np.allclose(after - before, (pixels, pixels / 2), atol=0.7)
    assert "p1:B:2S" in landings(seen + eyes.finish())


def test_a_nudge_while_a_pile_is_taken_forgets_no_hand_that_was_over_it():
    renderer, frames = film(play(lay(2000, "p1", 1, "A", "7H"), until_ms=3000))
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    pile = eyes.piles["A"]
    for frame in frames:
        eyes.see(frame)
        if "p1" in pile.spot.visits:
            break
    moved = PileWatch("A", eyes.table, eyes.motion, DeckReader(renderer.deck), eyes.ring)
    moved.take_over(pile)
    assert moved.spot.visits == pile.spot.visits == {"p1": frame.at_ns}
    assert moved.spot.presence.at(frame.at_ns) == {"p1"}


def test_a_lamp_that_is_dimmed_is_no_landing():
    renderer, frames = film(play(until_ms=3000), from_ms=1500)
    lamp = Trouble(what="lamp", from_ns=400 * MS, until_ns=60_000 * MS, amount=0.75)
    seen = watch(renderer, troubled(frames, [lamp]))
    assert landings(seen) == []
    assert not [one for one in seen if isinstance(one, CardTakenBack | SensorLost)]


def test_a_view_of_something_else_is_said_and_paused():
    renderer, frames = film(play(until_ms=2500), from_ms=1500)
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    noise = np.random.default_rng(1).integers(0, 255, frames[0].image.shape, dtype=np.uint8)
    seen = [one for frame in frames[:5] for one in eyes.see(frame)]
    for frame in frames[5:]:
        seen += eyes.see(Frame(frame.at_ns, noise, frame.number))
    lost = [one for one in seen if isinstance(one, SensorLost)]
    assert [one.sensor for one in lost] == ["table"]
    assert landings(seen) == []
