"""Playing cards as the strings that people read aloud: `10S`, `QH`, `AC`, joker `JK`, unread `??`.

A card is a value of the type `Card` (a string that went through `parse_card`), so logs, tests and rulings can be
read without a decoder, and a dictionary of cards costs no more than one of strings.
"""

from collections.abc import Mapping
from typing import Final, Literal, NewType

from referee.errors import NotationError

Card = NewType("Card", str)
Suit = Literal["S", "H", "D", "C"]
Colour = Literal["red", "black"]

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final[tuple[Suit, ...]] = ("S", "H", "D", "C")

PACK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""The 52 cards, suit by suit (R4)."""

JOKER: Final = Card("JK")
PACK_WITH_JOKERS: Final[tuple[Card, ...]] = (*PACK, Card("X1"), Card("X2"))
"""A pack with its two jokers, where they are told apart (R5)."""

JOKERS: Final = (JOKER, *PACK_WITH_JOKERS[len(PACK) :])
"""A joker as a reader names it, and the two of a pack."""

UNREAD: Final = Card("??")
"""A face that was not read."""

RANK_OF: Final[Mapping[Card, int]] = {Card(rank + suit): n for n, rank in enumerate(RANKS, 1) for suit in SUITS}
"""Rank of each suited card, ace 1 to king 13; jokers and `??` have none."""

COLOUR_OF: Final[Mapping[Card, Colour]] = {card: "red" if card[-1] in "HD" else "black" for card in PACK}

_SPELLINGS: Final[Mapping[str, Card]] = (
    {str(card): card for card in (*PACK, *JOKERS, UNREAD)}
    | {"T" + suit: Card("10" + suit) for suit in SUITS}
    | {"JOKER": JOKER}
)


def parse_card(text: str) -> Card:
    """Return the card that `text` names, in upper case with `10`; lower case and `TS` are accepted.

    >>> parse_card("ts")
    '10S'
    """
    try:
        return _SPELLINGS[text.strip().upper()]
    except KeyError:
        raise NotationError(f"{text!r} is not a card: write it like 10S, QH, AC, JK (joker) or ?? (unread)") from None


def is_joker(card: Card) -> bool:
    return card in JOKERS
