"""A player's row as a value: stock piles with hidden cards under a face (R8, R9), and their one-line notation.

`"2:9S"` is two face-down cards under the 9 of spades, `"3:"` three face-down cards (the top one may be turned up),
`"1:7H+7S"` a stacked pair with the 7 of spades on top, `"-"` an empty space. Places count from 1 at the owner's left.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from referee.cards import Card, parse_card
from referee.errors import NotationError


class Stock(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One stock pile: `down` cards face down, and over them the face-up cards, the top one last."""

    down: int = 0
    up: tuple[Card, ...] = ()

    @property
    def top(self) -> Card | None:
        """The face-up top card; None if the pile is empty or its top lies face down."""
        return self.up[-1] if self.up else None

    @property
    def count(self) -> int:
        return self.down + len(self.up)

    @property
    def is_empty(self) -> bool:
        return not self.up and not self.down

    @property
    def can_turn(self) -> bool:
        """Whether the top lies face down, so that it may be turned up (R34)."""
        return self.down > 0 and not self.up

    def without_top(self) -> "Stock":
        """The pile after its top card has left it, face up or not."""
        if self.up:
            return Stock(self.down, self.up[:-1])
        return Stock(self.down - 1)

    def with_top(self, card: Card) -> "Stock":
        return Stock(self.down, (*self.up, card))

    def turned(self, card: Card) -> "Stock":
        """The pile after its face-down top was turned and shows `card`."""
        return Stock(self.down - 1, (card,))

    def __str__(self) -> str:
        return "-" if self.is_empty else f"{self.down}:{'+'.join(self.up)}"


EMPTY: Final = Stock()

MOST_DIGITS: Final = 3
"""A stock pile of a thousand cards is a slip of the pen."""

Row = tuple[Stock, ...]


def parse_stock(text: str) -> Stock:
    """Return the stock pile that `text` describes; `str` undoes it.

    >>> parse_stock("1:7H+7S").top
    '7S'
    """
    if text == "-":
        return EMPTY
    down, colon, up = text.partition(":")
    if not colon or not down.isdecimal() or len(down) > MOST_DIGITS:
        raise NotationError(f'{text!r} is not a stock pile: write it like "2:9S", "3:" or "-"')
    return Stock(int(down), tuple(parse_card(card) for card in up.split("+")) if up else ())


def parse_row(texts: Iterable[str]) -> Row:
    return tuple(parse_stock(text) for text in texts)


def count_cards(row: Row) -> int:
    return sum(stock.down + len(stock.up) for stock in row)


def with_place(row: Row, place: int, stock: Stock) -> Row:
    """The row with another pile at `place` (1 is the owner's left)."""
    return (*row[: place - 1], stock, *row[place:])


def place_of_top(row: Row, card: Card) -> int | None:
    """The place whose face-up top is `card`, or None."""
    for place, stock in enumerate(row, 1):
        if stock.up and stock.up[-1] == card:
            return place
    return None


def place_to_turn(row: Row) -> int | None:
    """The first place whose top lies face down, or None."""
    for place, stock in enumerate(row, 1):
        if stock.down and not stock.up:
            return place
    return None
