"""Enrolling the deck at hand: pictures of its cards lying apart become what `hardware.vision.enrolled` learns from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.enrolled import Confusion, EnrolledDeck
from hardware.vision.reader import CardReader, rectify
from hardware.vision.stills import StillCard, StillReader
from referee.cards import PACK, UNREAD, Card, parse_card
from referee.errors import DeckError

SURE: Final = 0.95
"""A name of the general reader that is taken without asking."""
LEAST_ODDS: Final = 3.0
"""Two cards whose typical picture speaks for the right one by less cannot be told apart."""
LEAST_RIGHT: Final = 0.75
"""The same for the share of varied pictures that are nearer to the right one."""
WEAK_ODDS: Final = 100.0
"""Pairs under this are shown."""
MOST_OF_ONE: Final = 4
"""More pictures of one card are not kept."""


@dataclass(slots=True)
class Enrolment:
    """Cards gathered from pictures, one picture after the other."""

    names: list[Card] = field(default_factory=list)
    crops: list[NDArray[np.uint8]] = field(default_factory=list)
    doubtful: list[tuple[NDArray[np.uint8], Card, str]] = field(default_factory=list)
    """Cards that were not named surely: crop, best guess, and where, in words."""

    def see(self, image: Image, reader: StillReader, picture: str, order: Sequence[Card] | None = None) -> int:
        """Take a picture in; return how many cards lie free in it.

        `picture`: its name, for messages; `order`: the cards in reading order, for all that lie free.

        Raises:
            DeckError: `order` names another number of cards.
        """
        seen = in_reading_order([card for card in reader.read(image) if card.top and card.quad is not None])
        if order is not None and len(order) != len(seen):
            raise DeckError(
                f"{picture}: {len(seen)} cards lie free, --order names {len(order)}; "
                "lay the cards farther apart, or name them in rows from left to right"
            )
        for n, card in enumerate(seen):
            assert card.quad is not None
            crop = rectify(image, card.quad)
            name = order[n] if order is not None else card.card if card.p >= SURE else UNREAD
            if name == UNREAD:
                self.doubtful.append((crop, card.best, f"{picture}, card {n + 1}"))
            elif self.names.count(name) < MOST_OF_ONE:
                self.names.append(name)
                self.crops.append(crop)
        return len(seen)

    @property
    def missing(self) -> tuple[Card, ...]:
        """Cards of the pack that were not seen yet."""
        return tuple(card for card in PACK if card not in self.names)

    def settle_last(self) -> None:
        """If one card is missing and one was doubtful, they are the same."""
        if len(self.missing) == 1 and len(self.doubtful) == 1:
            crop, _, _ = self.doubtful.pop()
            self.names.append(self.missing[0])
            self.crops.append(crop)

    def learned(self, reader: CardReader) -> tuple[EnrolledDeck, list[Confusion]]:
        """Return the deck and its pairs of cards, the hardest to tell apart first.

        Raises:
            DeckError: nothing was seen, or two cards of the deck cannot be told apart.
        """
        if not self.crops:
            raise DeckError("no card was named in these pictures; lay the cards apart, face up, or name them with --order")
        deck, pairs = EnrolledDeck.examined(reader, self.names, np.stack(self.crops))
        refuse_twins(pairs)
        return deck, pairs


def refuse_twins(pairs: Iterable[Confusion]) -> None:
    """Raise DeckError for a pair of cards that cannot be told apart."""
    for pair in pairs:
        if pair.odds < LEAST_ODDS or pair.right < LEAST_RIGHT * pair.tried:
            first, second = pair.cards
            raise DeckError(
                f"{first} and {second} of this deck cannot be told apart; "
                "take sharper pictures with more light, or play with another deck"
            )


def in_reading_order(cards: Sequence[StillCard]) -> list[StillCard]:
    """Return cards in rows from the top, each from left to right; a row is what overlaps its first card's middle."""
    left = sorted((card for card in cards if card.quad is not None), key=_middle_y)
    ordered: list[StillCard] = []
    while left:
        first = left[0]
        assert first.quad is not None
        reach = 0.5 * float(np.ptp(first.quad[:, 1]))
        row = [card for card in left if _middle_y(card) - _middle_y(first) < reach]
        ordered += sorted(row, key=_middle_x)
        left = [card for card in left if card not in row]
    return ordered


def _middle_x(card: StillCard) -> float:
    assert card.quad is not None
    return float(card.quad[:, 0].mean())


def _middle_y(card: StillCard) -> float:
    assert card.quad is not None
    return float(card.quad[:, 1].mean())


def parse_order(text: str) -> list[Card]:
    """Return the cards of a list like `AS 2S 3S` (spaces or commas); raises NotationError."""
    return [parse_card(word) for word in text.replace(",", " ").split()]


def report(deck: EnrolledDeck, pairs: Sequence[Confusion], doubtful: Sequence[tuple[object, Card, str]]) -> list[str]:
    """Return what a person should know of an enrolled deck, in lines."""
    lines = [f"{len(deck.known)} cards enrolled from {len(deck.names)} pictures of them"]
    lines += [f"not named surely: {where} (perhaps {best}); name it with --order" for _, best, where in doubtful]
    if deck.missing:
        lines.append(f"missing: {' '.join(deck.missing)} (read without the deck's help; show them in another picture)")
    weak = [pair for pair in pairs if pair.odds < WEAK_ODDS] or list(pairs[:3])
    for pair in weak[:8]:
        first, second = pair.cards
        lines.append(f"closest: {first} and {second}, {pair.right} of {pair.tried} varied pictures told apart, {_odds(pair)}")
    return lines


def _odds(pair: Confusion) -> str:
    return f"{pair.odds:.0f} to 1" if pair.odds < 10_000 else "over 10000 to 1"
