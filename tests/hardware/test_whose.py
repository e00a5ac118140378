"""Whose card was it, and which: the row that lost it, the way it came, and the hand that was there."""

import cv2
import numpy as np

from hardware.frames import Image
from hardware.tablefile import default_rows
from hardware.vision.landings import Landed
from hardware.vision.reader import Reading
from hardware.vision.rectify import Patch, Pose
from hardware.vision.rows import Departure
from hardware.vision.tops import Top
from hardware.vision.touch import Touch, touch_of
from hardware.vision.whose import Whose, players_of
from referee.cards import Card
from referee.table import PLAYERS, Player

MS = 1_000_000
CARD_MM = (63.0, 88.0)
PICTURE = np.zeros((148, 122, 3), np.uint8)
MAPS = np.zeros((1, 1, 2), np.int16), np.zeros((1, 1), np.uint16)
PATCH = Patch(-61.0, 74.0, 1.0, *MAPS, PICTURE)
AT_REST = Pose(0.0, 0.0, 0.0)


def top(**cards: float) -> Top:
    return Top(AT_REST, Reading(cards={Card(card): p for card, p in cards.items()}, face_down=0.0, nothing=0.0))


def landed(read: Top, came_mm: tuple[float, float] = (0.0, 0.0), **stirred: float) -> Landed:
    """A card that touched in the middle of the table at 1 s while both hands were there."""
    touch = Touch(1000 * MS, 980 * MS, 1020 * MS, thrown=False, came_mm=came_mm)
    visits: dict[Player, int] = dict.fromkeys(PLAYERS, 1000 * MS)
    return Landed("A", touch, read, visits, 1200 * MS, frozenset(PLAYERS), stirred)


def left(player: Player, place: int, read: Top, from_ms: int = 700, to_ms: int = 1100) -> Departure:
    return Departure(player, place, read, from_ms * MS, to_ms * MS, PICTURE, PATCH)


def whose() -> Whose:
    return Whose(default_rows())


def player_of(card: Landed, *gone: Departure) -> Player:
    odds = players_of(whose().origins(card, gone))
    return max(PLAYERS, key=lambda player: odds.get(player, 0.0))


def test_R20_a_spit_card_is_whose_side_it_came_from_when_both_hands_are_there():
    assert player_of(landed(top(**{"7H": 1.0}), came_mm=(2.0, -9.0))) == "p1"
    assert player_of(landed(top(**{"7H": 1.0}), came_mm=(2.0, 9.0))) == "p2"


def test_R20_a_spit_card_that_slides_in_from_the_side_is_from_the_spit_cards_that_lie_there():
    assert player_of(landed(top(**{"7H": 1.0}), came_mm=(20.0, 1.0))) == "p1"
    assert player_of(landed(top(**{"7H": 1.0}), came_mm=(-20.0, -1.0))) == "p2"


def test_R20_a_card_is_from_the_hand_that_has_just_come_and_not_from_the_one_that_rests_there():
    assert player_of(landed(top(**{"7H": 1.0}), p1=0.4, p2=0.0)) == "p1"
    assert player_of(landed(top(**{"7H": 1.0}), p1=0.0, p2=0.4)) == "p2"


def test_R20_a_card_of_a_row_is_its_owner_s():
    assert player_of(landed(top(**{"7H": 1.0})), left("p2", 3, top(**{"7H": 1.0}))) == "p2"


def test_R20_a_card_that_is_missed_in_a_row_is_from_there_though_no_hand_was_seen():
    touch = Touch(1000 * MS, 980 * MS, 1020 * MS, thrown=False, came_mm=(0.0, -20.0))
    card = Landed("A", touch, top(**{"6S": 1.0}), {"p1": 1000 * MS}, 1200 * MS, frozenset({"p1"}))
    assert player_of(card, left("p2", 5, top(**{"6S": 1.0}))) == "p2", "a black glove over a black table"


def test_a_card_that_is_hard_to_read_is_the_one_that_left_the_row():
    named = whose().named(landed(top(QH=0.7, QC=0.1)), [left("p2", 2, top(KS=1.0))])
    assert max(named, key=lambda card: named[card]) == "KS"
    assert named["KS"] < 0.9, "it may be another all the same"


def test_a_card_that_is_read_surely_is_not_overruled_by_a_row():
    named = whose().named(landed(top(QH=0.99)), [left("p2", 2, top(KS=1.0))])
    assert max(named, key=lambda card: named[card]) == "QH"


def test_a_card_that_still_lay_in_its_row_is_not_the_one_that_touched():
    owners, card = whose(), landed(top(**{"10S": 1.0}))
    late = left("p2", 3, top(**{"9H": 1.0}), from_ms=990)
    owners.origins(card, [late])
    assert owners.missing([late], card.touch.at_ns) == []


def test_a_card_that_was_misread_explains_what_left_its_row():
    owners, card, king = whose(), landed(top(QH=0.6)), left("p2", 2, top(KS=1.0))
    owners.origins(card, [king])
    assert owners.unexplained([king]) == []


def picture(card_at: tuple[int, int] | None, hand_from_row: int | None = None) -> Image:
    """A table with a card at (right, down) mm off its rest, and a hand that covers all from a row downwards."""
    seen = np.full((148, 122, 3), (60, 90, 60), np.uint8)
    if card_at is not None:
        x, y = 29 + card_at[0], 30 + card_at[1]
        cv2.rectangle(seen, (x, y), (x + 63, y + 88), (250, 250, 250), -1)
        for row in range(5):
            cv2.circle(seen, (x + 12 + 9 * row, y + 12 + 16 * row), 5, (20, 20, 20), -1)
            cv2.circle(seen, (x + 50 - 8 * row, y + 10 + 15 * row), 4, (30, 30, 160), -1)
    if hand_from_row is not None:
        seen[hand_from_row:] = (120, 150, 210)
    return seen


def test_a_card_that_a_resting_hand_hides_for_half_a_second_touched_before_that():
    frames = [picture(None), picture((0, 40)), picture((0, 12)), picture((0, 0)), picture((0, 0))]
    frames += [picture((0, 0), hand_from_row=20)] * 15 + [picture((0, 0))] * 3
    timed = [(n * 33 * MS, frame) for n, frame in enumerate(frames)]
    touch = touch_of(timed, PATCH, AT_REST, CARD_MM, frames[0])
    assert touch is not None
    assert 33 * MS <= touch.at_ns <= 132 * MS, "before the hand came"
    assert touch.came_mm[1] < -2.0 and abs(touch.came_mm[0]) < 1.0, "it came up from p1's side"


def test_a_hand_that_rested_there_before_the_card_came_does_not_date_it_earlier():
    frames = [picture(None)] * 3 + [picture(None, hand_from_row=100)] * 10
    frames += [picture((0, 30), hand_from_row=130)] + [picture((0, 0), hand_from_row=100)] * 3 + [picture((0, 0))] * 2
    timed = [(n * 33 * MS, frame) for n, frame in enumerate(frames)]
    touch = touch_of(timed, PATCH, AT_REST, CARD_MM, frames[0])
    assert touch is not None
    assert 13 * 33 * MS <= touch.at_ns <= 15 * 33 * MS
    assert touch.earliest_ns > 10 * 33 * MS
