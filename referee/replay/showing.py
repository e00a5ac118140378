"""What of a log's values is shown: known cards, and of odds the likeliest, if it is likelier than not."""

from collections.abc import Mapping
from typing import Final, TypeVar

from referee.cards import JOKERS, PACK, UNREAD, Card
from referee.table import Player

KNOWN_CARDS: Final = frozenset((*PACK, *JOKERS, UNREAD))
NAMED_AT: Final = 0.5

Option = TypeVar("Option", Card, Player)


def known(card: Card | None) -> Card | None:
    """Return the card if it is one, else `??`: a foreign log may hold any text in its place. None stays None."""
    return card if card is None or card in KNOWN_CARDS else UNREAD


def likeliest(odds: Mapping[Option, float]) -> Option | None:
    """Return what is likelier than everything else together, None if nothing is."""
    best = max(odds, key=lambda option: odds[option], default=None)
    return best if best is not None and odds[best] > NAMED_AT else None


def likeliest_card(odds: Mapping[Card, float]) -> tuple[Card, float | None]:
    """Return the likeliest card with its probability; `??` and None if none stands out."""
    card = likeliest(odds)
    return (known(card) or UNREAD, odds[card]) if card is not None else (UNREAD, None)


def face(odds: Mapping[Card, float]) -> Card | None:
    """Return the face of a place in a row, None if it was not read."""
    card = likeliest(odds)
    return card if card in KNOWN_CARDS and card != UNREAD else None
