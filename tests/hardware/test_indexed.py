"""Tops that only their indices show: white cards on a white cloth, where no edge can be seen."""

from unittest.mock import Mock

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulated.deck import Deck
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.vision.indexed import cards_of
from hardware.vision.piles import TopFinder
from hardware.vision.reader import CardReader, Reading
from hardware.vision.rectify import Patch, Pose
from hardware.vision.steps import at_once
from hardware.vision.tops import Top
from referee.cards import Card
from referee.demo import simulated_script

CARD_MM = (63.5, 88.9)
PX_PER_MM = 1.5
WHITE = 242
LYING = [
    ("7H", Pose(0.0, 0.0, 0.0)),
    ("QS", Pose(12.0, -8.0, 14.0)),
    ("10C", Pose(-15.0, 10.0, -22.0)),
    ("AD", Pose(6.0, 14.0, 31.0)),
    ("KC", Pose(-9.0, -12.0, -9.0)),
]

Picture = NDArray[np.uint8]


class Pile:
    """A pile seen from above, drawn card by card without a shadow at any edge."""

    def __init__(self, reader: CardReader, style: str = "club") -> None:
        table = Renderer(simulated_script(5, 1), Look()).table()
        self.patch = Patch.of(table, (0.0, 0.0), (133.0, 158.0), PX_PER_MM)
        self.finder = TopFinder(self.patch, CARD_MM, reader, (0.0, 0.0), 30.0, 40.0)
        self.deck = Deck(style, 3.0)
        self.picture: Picture = np.full_like(self.patch.picture, WHITE)

    def lay(self, card: str, pose: Pose) -> None:
        """Only print shows, for the cards are as white as the cloth."""
        art = self.deck.art(Card(card))[..., :3]
        height, width = art.shape[:2]
        corners = np.array([(0, 0), (width, 0), (width, height)], np.float32) - np.float32(0.5)
        to = self.patch.to_patch(pose.quad_mm(CARD_MM))[:3].astype(np.float32)
        turn = cv2.getAffineTransform(corners, to)
        size = self.patch.size_px
        laid = cv2.warpAffine(art, turn, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT)
        inside = cv2.warpAffine(np.full((height, width), 255, np.uint8), turn, size) > 127
        self.picture = np.where(inside[..., None], np.minimum(laid, WHITE), self.picture).astype(np.uint8)

    def seen(self) -> Picture:
        return np.asarray(cv2.GaussianBlur(self.picture, (0, 0), 0.7), np.uint8)


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader()


@pytest.mark.parametrize(("card", "pose"), LYING)
def test_a_white_card_on_a_white_cloth_is_read_and_placed_by_its_indices(
    reader: CardReader, card: str, pose: Pose
) -> None:
    pile = Pile(reader)
    pile.lay(card, pose)
    found = at_once(pile.finder.by_index(pile.seen()))
    assert found is not None and found.top.reading.best[0] == card and found.top.sure > 0.97
    assert found.top.pose.apart_mm(pose) < 10.0


def test_of_a_messy_pile_the_card_on_top_is_read_and_not_those_whose_corners_look_out(reader: CardReader) -> None:
    pile = Pile(reader)
    for card, pose in LYING:
        pile.lay(card, pose)
        found = at_once(pile.finder.by_index(pile.seen()))
        assert found is not None and found.top.reading.best[0] == card


def test_a_card_half_off_the_pile_is_the_new_one_though_the_old_index_still_shows(reader: CardReader) -> None:
    pile = Pile(reader)
    pile.lay("5H", Pose(-16.0, 0.0, 3.0))
    before = pile.seen()
    pile.lay("3C", Pose(24.0, 4.0, -6.0))
    found = at_once(pile.finder.by_index(pile.seen(), before))
    assert found is not None and found.top.reading.best[0] == "3C"


def test_indices_are_marked_in_one_frame_and_the_card_is_read_in_the_next(
    reader: CardReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    pile, read = Pile(reader), Mock(wraps=reader.read)
    monkeypatch.setattr(reader, "read", read)
    pile.lay("10C", Pose(-15.0, 10.0, -22.0))
    work = pile.finder.by_index(pile.seen())
    next(work)
    assert not read.called
    found = at_once(work)
    assert read.called and found is not None and found.top.reading.best[0] == "10C"


def test_where_nothing_came_no_index_is_new(reader: CardReader) -> None:
    pile = Pile(reader)
    pile.lay("5H", Pose(0.0, 0.0, 3.0))
    assert at_once(pile.finder.by_index(pile.seen(), pile.seen())) is None


def test_an_empty_place_has_no_index(reader: CardReader) -> None:
    pile = Pile(reader)
    assert at_once(pile.finder.by_index(pile.seen())) is None
    assert cards_of([], pile.patch, CARD_MM) == []


def test_both_indices_of_a_card_make_one_card(reader: CardReader) -> None:
    pile = Pile(reader)
    pile.lay("9D", Pose(3.0, -2.0, 11.0))
    first, *_ = cards_of(reader.marks(pile.seen()), pile.patch, CARD_MM)
    assert len(first.marks) >= 2 and first.pose.apart_mm(Pose(3.0, -2.0, 11.0)) < 10.0


def test_a_card_that_was_covered_at_once_is_named_by_the_index_beside_its_cover(reader: CardReader) -> None:
    pile, under, over = Pile(reader), Pose(9.0, -9.0, 4.0), Pose(-6.0, 8.0, -8.0)
    pile.lay("5H", Pose(0.0, 0.0, 3.0))
    before = pile.seen()
    pile.lay("8C", under)
    pile.lay("AS", over)
    [peeking] = pile.finder.beside(pile.seen(), before, ace_of_spades(over))
    assert peeking.reading.best[0] == "8C" and peeking.sure > 0.93
    assert peeking.pose.apart_mm(under) < 15.0


def test_beside_a_card_that_came_alone_no_new_index_shows(reader: CardReader) -> None:
    pile, over = Pile(reader), Pose(-6.0, 8.0, -8.0)
    pile.lay("5H", Pose(9.0, -9.0, 4.0))
    before = pile.seen()
    pile.lay("AS", over)
    assert pile.finder.beside(pile.seen(), before, ace_of_spades(over)) == []


def test_a_card_that_stands_exactly_where_it_stood_lies_and_one_that_sways_is_held(reader: CardReader) -> None:
    pile, empty = Pile(reader), Pile(reader).seen()
    pile.lay("8C", Pose(3.0, -2.0, 11.0))
    earlier, swayed = pile.seen(), Pile(reader)
    swayed.lay("8C", Pose(3.4, -1.7, 11.0))
    lying = at_once(pile.finder.by_index(pile.seen(), empty, None, earlier))
    assert lying is not None and lying.top.reading.best[0] == "8C"
    assert at_once(pile.finder.by_index(swayed.seen(), empty, None, earlier)) is None


def ace_of_spades(pose: Pose) -> Top:
    return Top(pose, Reading({Card("AS"): 1.0}, 0.0, 0.0))
