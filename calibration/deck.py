"""Enrolling the deck at hand: pictures of its cards lying apart become what `hardware.vision.enrolled` learns from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.cardquads import fitted
from hardware.vision.enrolled import NAMES, Confusion, EnrolledDeck
from hardware.vision.outlines import free_outlines
from hardware.vision.quads import Quad, card_quads
from hardware.vision.reader import CLASSES, CardReader, rectify
from hardware.vision.stills import StillReader
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
MISSHAPEN: Final = 0.07
"""An outline whose sides differ more from the others is not enrolled."""
LIKELY: Final = 6
"""So many names are offered before all others."""
MOST_OF_ONE: Final = 4
"""More pictures of one card are not kept."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A card that was not named surely: its crop, the general reader's odds (55,), and where it lies, in words."""

    crop: NDArray[np.uint8]
    odds: NDArray[np.float32]
    where: str

    @property
    def best(self) -> Card:
        return Card(CLASSES[int(self.odds[: len(NAMES)].argmax())])

    def likely(self, missing: Sequence[Card]) -> list[Card]:
        """Return the cards that it may be, the likeliest first; those that are missing before all others."""
        chances = [float(self.odds[NAMES.index(card)]) for card in PACK]
        by_chance = sorted(zip(PACK, chances, strict=True), key=lambda one: (one[0] not in missing, -one[1]))
        return [card for card, _ in by_chance[:LIKELY]]

    def share(self, card: Card, among: Sequence[Card]) -> float:
        """Return how likely it is this card if it is one of `among`."""
        odds = {one: float(self.odds[NAMES.index(one)]) + 1e-6 for one in among}
        return odds[card] / sum(odds.values())


@dataclass(slots=True)
class Enrolment:
    """Cards gathered from pictures, one picture after the other."""

    names: list[Card] = field(default_factory=list)
    crops: list[NDArray[np.uint8]] = field(default_factory=list)
    doubtful: list[Doubtful] = field(default_factory=list)

    def see(
        self, image: Image, stills: StillReader, reader: CardReader, picture: str, order: Sequence[Card] | None = None
    ) -> int:
        """Take a picture in; return how many cards lie free in it.

        `picture`: its name, for messages; `order`: the cards in reading order, for all that lie free.

        Raises:
            DeckError: `order` names another number of cards.
        """
        seen = in_reading_order(free_cards(image, stills, reader))
        if order is not None and len(order) != len(seen):
            raise DeckError(
                f"{picture}: {len(seen)} cards lie free, --order names {len(order)}; "
                "lay the cards farther apart, or name them in rows from left to right"
            )
        for n, (name, quad) in enumerate(seen):
            crop = rectify(image, quad)
            if order is not None:
                self._keep(order[n], crop)
            elif name != UNREAD:
                self._keep(name, crop)
            else:
                self.doubtful.append(Doubtful(crop, reader.odds(crop[None])[0], f"{picture}, card {n + 1}"))
        return len(seen)

    @property
    def missing(self) -> tuple[Card, ...]:
        """Cards of the pack that were not seen yet."""
        return tuple(card for card in PACK if card not in self.names)

    def settle_rest(self) -> None:
        """Where no card of the pack was seen twice, those not named surely are among those that are missing."""
        if len(self.doubtful) > len(self.missing) or len(self.names) != len(set(self.names)):
            return
        while self.doubtful:
            missing, all_seen = self.missing, len(self.doubtful) == len(self.missing)
            chances = [
                (one.share(card, missing), n, card)
                for n, one in enumerate(self.doubtful)
                for card in missing
                if all_seen or card == one.best
            ]
            chance, n, card = max(chances, default=(0.0, 0, UNREAD))
            if chance < SURE:
                return
            self._keep(card, self.doubtful.pop(n).crop)

    def take_names(self, names: Sequence[Card | None]) -> None:
        """A person has named the doubtful pictures, in their order; None leaves one out, and it stays doubtful."""
        left = []
        for one, name in zip(self.doubtful, names, strict=True):
            if name is None:
                left.append(one)
            else:
                self._keep(name, one.crop)
        self.doubtful = left

    def picture_of(self, card: Card) -> NDArray[np.uint8]:
        """Return the first picture of a card that was seen, uint8 BGR."""
        return self.crops[self.names.index(card)]

    def _keep(self, name: Card, crop: NDArray[np.uint8]) -> None:
        if self.names.count(name) < MOST_OF_ONE:
            self.names.append(name)
            self.crops.append(crop)

    def learned(self, reader: CardReader) -> tuple[EnrolledDeck, list[Confusion]]:
        """Return the deck and its pairs of cards, the hardest to tell apart first.

        Raises:
            DeckError: nothing was seen.
            TwinsError: two cards of the deck cannot be told apart.
        """
        if not self.crops:
            raise DeckError("no card was named in these pictures; lay the cards apart, or name them with --order")
        deck, pairs = EnrolledDeck.examined(reader, self.names, np.stack(self.crops))
        refuse_twins(pairs)
        return deck, pairs


class TwinsError(DeckError):
    """Two cards of a deck that cannot be told apart."""

    def __init__(self, first: Card, second: Card) -> None:
        super().__init__(
            f"{first} and {second} of this deck cannot be told apart; "
            "take sharper pictures with more light, or play with another deck"
        )
        self.cards = first, second


def refuse_twins(pairs: Iterable[Confusion]) -> None:
    """Raise TwinsError for a pair of cards that cannot be told apart."""
    for pair in pairs:
        if pair.odds < LEAST_ODDS or pair.right < LEAST_RIGHT * pair.tried:
            raise TwinsError(*pair.cards)


def free_cards(image: Image, stills: StillReader, reader: CardReader) -> list[tuple[Card, Quad]]:
    """Return the cards that lie free and face up, each with its corners; `??` for one that is not named surely.

    All lie on one table under one camera, so that an outline of another size than most is not of a whole card.
    """
    read = stills.read(image)
    free = [(card.card if card.p >= SURE else UNREAD, card.quad) for card in read if card.top and card.quad is not None]
    outlines = [*card_quads(image), *(np.asarray(quad, np.float64) for quad in free_outlines(image))]
    for quad in outlines:
        if not any(_same_place(quad, other) for _, other in free) and _shows_face(image, quad, reader):
            free.append((UNREAD, quad))
    if not free:
        return []
    size = np.median([_sides(quad) for _, quad in free], axis=0)
    chosen = [(name, _best_shaped(image, quad, outlines, size)) for name, quad in free]
    return [(name, quad) for name, quad in chosen if _misshapen(quad, size) < MISSHAPEN]


def _same_place(quad: Quad, other: Quad) -> bool:
    return bool(np.linalg.norm(quad.mean(axis=0) - other.mean(axis=0)) < 0.4 * _sides(other)[0])


def _shows_face(image: Image, quad: Quad, reader: CardReader) -> bool:
    return bool(reader.odds(rectify(image, quad)[None])[0, : len(NAMES)].sum() > 0.5)


def _best_shaped(image: Image, quad: Quad, outlines: Sequence[Quad], size: NDArray[np.float64]) -> Quad:
    """Return the outline of a card that comes nearest to the size of the others."""
    others = [outline for outline in outlines if _same_place(outline, quad)]
    return min([quad, fitted(image, quad), *others], key=lambda one: _misshapen(one, size))


def _sides(quad: Quad) -> NDArray[np.float64]:
    """Return the mean length of the short and of the long sides in px."""
    lengths = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return np.sort([(lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2])


def _misshapen(quad: Quad, size: NDArray[np.float64]) -> float:
    """Return by which share a side differs from the usual size, or from the side opposite."""
    lengths = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    skew = np.abs(lengths[:2] - lengths[2:]) / (lengths[:2] + lengths[2:]) * 2
    return float(max(np.abs(_sides(quad) / size - 1).max(), skew.max()))


def in_reading_order(cards: Sequence[tuple[Card, Quad]]) -> list[tuple[Card, Quad]]:
    """Return cards in rows from the top, each from left to right; a row is what overlaps its first card's middle."""
    left = sorted(cards, key=lambda card: float(card[1][:, 1].mean()))
    ordered: list[tuple[Card, Quad]] = []
    while left:
        below = float(left[0][1][:, 1].mean()) + 0.5 * float(np.ptp(left[0][1][:, 1]))
        row = [card for card in left if card[1][:, 1].mean() < below]
        ordered += sorted(row, key=lambda card: float(card[1][:, 0].mean()))
        left = left[len(row) :]
    return ordered


def parse_order(text: str) -> list[Card]:
    """Return the cards of a list like `AS 2S 3S` (spaces or commas); raises NotationError."""
    return [parse_card(word) for word in text.replace(",", " ").split()]


def report(deck: EnrolledDeck, pairs: Sequence[Confusion], doubtful: Sequence[Doubtful]) -> list[str]:
    """Return what a person should know of an enrolled deck, in lines."""
    lines = [f"{len(deck.known)} cards enrolled from {len(deck.names)} pictures of them"]
    lines += [
        f"left out: {one.where} (perhaps {one.best}); name it, or with saved pictures give --order" for one in doubtful
    ]
    if deck.missing:
        lines.append(f"missing: {' '.join(deck.missing)} (read without the deck's help; show them in another picture)")
    weak = [pair for pair in pairs if pair.odds < WEAK_ODDS] or list(pairs[:3])
    for pair in weak[:8]:
        first, second = pair.cards
        told = f"{pair.right} of {pair.tried} varied pictures told apart, {_odds(pair)}"
        lines.append(f"closest: {first} and {second}, {told}")
    return lines


def _odds(pair: Confusion) -> str:
    return f"{pair.odds:.0f} to 1" if pair.odds < 10_000 else "over 10000 to 1"
