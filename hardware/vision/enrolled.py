"""The deck at hand: what the card reader says of each of its cards, learned once, and used as a second opinion.

The network has seen many decks but not this one. It may take one court of a strange deck for another, every time with
the same odds; so the odds themselves tell the cards of one deck apart. From one picture of each card, varied in light,
place, blur and cover, the typical odds of each card and their common spread are learned (linear discriminant analysis
on log-odds). It costs one small product beyond the network, and relearns itself where the network was replaced.
"""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.vision.reader import CLASSES, CardReader
from hardware.wholefile import replace_whole
from referee.cards import JOKER, PACK, Card
from referee.errors import DeckError

Crops = NDArray[np.uint8]
"""Cards as from `rectify`: uint8 (N, 120, 88, 3)."""
Features = NDArray[np.float64]
"""Log-odds less their mean: float64 (N, 55)."""

FILE_NAME: Final = "deck.npz"
SCHEMA: Final = 1
NAMES: Final = (*PACK, JOKER)
VARIANTS: Final = 16
"""Pictures of each card that are learned from, one of them as it was taken."""
SHRINK: Final = 0.1
"""Share of an even spread in the learned one: there are few pictures and many odds."""
TEMPER: Final = 8.0
"""Distances count an eighth: varied copies of one picture vary less than the table will. Set on rendered decks."""
NETWORK_SHARE: Final = 0.3
"""Weight of the network's own log-odds beside the deck's."""
FAINTEST: Final = 1e-6
FLOOR: Final = 1e-3
"""The network is never believed to be surer than this against a card of the deck."""
SAME_NETWORK: Final = 0.5
"""Log-odds of the kept pictures differ by less on the same network, whichever library runs it."""
CURE: Final = "enrol the deck again with `spit-referee calibrate deck`"


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two cards and how well they are told apart: `odds` in favour of the right one, `right` of `tried` pictures."""

    cards: tuple[Card, Card]
    odds: float
    right: int
    tried: int


@dataclass(frozen=True, slots=True)
class EnrolledDeck:
    """What is known of a deck. `names[i]` is the card on `crops[i]`; a card may be there more than once."""

    names: tuple[Card, ...]
    crops: Crops
    known: tuple[Card, ...]
    """The enrolled cards in the order of `centres`."""
    centres: Features
    """(M, 55): typical features of each card."""
    precision: NDArray[np.float64]
    """(55, 55): inverse of their common spread."""
    typical: float
    """Squared distance within which nearly all pictures of a card lie from its centre."""
    own: Features
    """Features of the kept crops on the network that was learned from."""

    @classmethod
    def learned(cls, reader: CardReader, names: Sequence[Card], crops: Crops, seed: int = 0) -> Self:
        """Return the deck learned from crops whose cards are known."""
        return cls._learned(reader, names, crops, seed)[0]

    @classmethod
    def examined(
        cls, reader: CardReader, names: Sequence[Card], crops: Crops, seed: int = 0
    ) -> tuple[Self, list[Confusion]]:
        """Return the deck, and its pairs of cards, those that are hardest to tell apart first."""
        deck, cards, features = cls._learned(reader, names, crops, seed)
        return deck, deck._confusions(cards, features)

    @classmethod
    def _learned(
        cls, reader: CardReader, names: Sequence[Card], crops: Crops, seed: int
    ) -> tuple[Self, NDArray[np.int64], Features]:
        """Return the deck, and the varied pictures it was learned from: which card each is, and its features."""
        known = tuple(card for card in NAMES if card in names)
        if not known:
            raise DeckError("no card of the deck was seen; lay cards apart on the table, face up, and try again")
        rng = np.random.default_rng(seed)
        cards = np.repeat([known.index(card) for card in names], VARIANTS)
        features = np.concatenate([_features(reader.odds(varied(crop, rng))) for crop in crops])
        centres = np.stack([features[cards == n].mean(axis=0) for n in range(len(known))])
        off = features - centres[cards]
        spread = off.T @ off / max(1, len(off) - len(known))
        even = np.trace(spread) / len(CLASSES) * np.eye(len(CLASSES))
        precision = np.linalg.inv((1 - SHRINK) * spread + SHRINK * even)
        typical = float(np.quantile(np.einsum("nk,kl,nl->n", off, precision, off), 0.98))
        deck = cls(tuple(names), crops, known, centres, precision, typical, _features(reader.odds(crops)))
        return deck, cards, features

    @property
    def missing(self) -> tuple[Card, ...]:
        """The cards of a pack (without jokers) that were not enrolled."""
        return tuple(card for card in PACK if card not in self.known)

    def fits(self, reader: CardReader) -> bool:
        """Return whether the reader is the one that was learned from."""
        sample = slice(0, 4)
        return bool(np.abs(_features(reader.odds(self.crops[sample])) - self.own[sample]).max() < SAME_NETWORK)

    def sharpened(self, odds: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the network's odds (N, 55) with what is known of this deck.

        Where both agree they grow surer, where they differ less sure. Face down and nothing keep their odds, and far
        from every card of the deck the network is left alone.
        """
        mine = [NAMES.index(card) for card in self.known]
        others = [n for n in range(len(NAMES)) if n not in mine]
        network = odds.astype(np.float64)
        distances = self._distances(_features(odds))
        nearest = distances.min(axis=1, keepdims=True)
        trust = np.minimum(1.0, 2 * self.typical / np.maximum(nearest, 1e-9))
        logs = -0.5 / TEMPER * trust * distances
        logs += (1 - (1 - NETWORK_SHARE) * trust) * np.log(np.maximum(network[:, mine], FLOOR))
        powers = np.exp(logs - logs.max(axis=1, keepdims=True))
        known, unknown = (network[:, which].sum(axis=1, keepdims=True) for which in (mine, others))
        # a card that was not enrolled seldom looks like one that was
        unlikely = np.exp(-0.5 / TEMPER * np.maximum(0.0, self.typical - nearest))
        not_enrolled = unknown * unlikely / np.maximum(known + unknown * unlikely, 1e-9)
        told = network.copy()
        told[:, mine] = (known + unknown) * (1 - not_enrolled) * powers / powers.sum(axis=1, keepdims=True)
        told[:, others] *= (known + unknown) * not_enrolled / np.maximum(unknown, 1e-9)
        return np.asarray(told, np.float32)

    def _distances(self, features: Features) -> NDArray[np.float64]:
        """Squared distances (N, M) of pictures from the cards."""
        off = features[:, None] - self.centres[None]
        return np.asarray(np.einsum("nmk,kl,nml->nm", off, self.precision, off))

    def _confusions(self, cards: NDArray[np.int64], features: Features) -> list[Confusion]:
        """Return every pair of cards by how well its varied pictures are told apart, the worst first."""
        logs = -0.5 / TEMPER * self._distances(features)
        ahead = logs[np.arange(len(cards)), cards][:, None] - logs
        found = []
        for i, card in enumerate(self.known):
            for j in range(i):
                both = np.concatenate([ahead[cards == i, j], ahead[cards == j, i]])
                odds = float(np.exp(min(50.0, np.median(both))))
                found.append(Confusion((self.known[j], card), odds, int((both > 0).sum()), len(both)))
        return sorted(found, key=lambda pair: (pair.odds, pair.cards))


class EnrolledReader(CardReader):
    """A card reader that knows the deck at hand; everything else is as without."""

    def __init__(self, deck: EnrolledDeck, reader: CardReader | None = None) -> None:
        """`reader`: the one without the deck. A deck of another network is learned anew from its pictures."""
        super().__init__()
        self._reader = reader or CardReader()
        same = deck.fits(self._reader)
        self.deck = deck if same else EnrolledDeck.learned(self._reader, deck.names, deck.crops)

    def _odds(self, crops: NDArray[np.uint8], enough: float) -> NDArray[np.float32]:
        """With the second opinion, which was learned from readings of both ways up."""
        odds = self._reader.odds(crops)
        return self.deck.sharpened(odds) if len(odds) else odds


def varied(crop: NDArray[np.uint8], rng: np.random.Generator) -> Crops:
    """Return VARIANTS of a crop: as it is, then moved, relit, tinted, softened, partly covered and noisy."""
    return np.stack([crop, *(_variant(crop, rng) for _ in range(VARIANTS - 1))])


def _variant(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    height, width = crop.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    moved = corners + rng.normal(0, 1.2, (1, 2)) + rng.normal(0, 0.7, (4, 2))
    warp = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    seen = cv2.warpPerspective(crop, warp, (width, height), borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    seen *= rng.uniform(0.55, 1.08) * (1 + rng.normal(0, 0.04, 3)).astype(np.float32)
    chance = rng.random()
    if chance < 0.5:
        seen = cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.4, 1.6)).astype(np.float32)
    elif chance < 0.65:
        smear = int(rng.integers(3, 9))
        seen = cv2.blur(seen, (smear, 1) if rng.random() < 0.5 else (1, smear)).astype(np.float32)
    if rng.random() < 0.35:
        _cover(seen, rng)
    seen += rng.normal(0, rng.uniform(1, 6), seen.shape)
    return np.clip(seen, 0, 255).astype(np.uint8)


def _cover(seen: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Hide up to two fifths of the card from one side, as a hand or another card does."""
    height, width = seen.shape[:2]
    share = rng.uniform(0.1, 0.4)
    sides = (
        seen[: int(height * share)],
        seen[int(height * (1 - share)) :],
        seen[:, : int(width * share)],
        seen[:, int(width * (1 - share)) :],
    )
    sides[int(rng.integers(4))][:] = rng.uniform(20, 220, 3)


def _features(odds: NDArray[np.float32]) -> Features:
    logs = np.log(np.maximum(odds, FAINTEST).astype(np.float64))
    return np.asarray(logs - logs.mean(axis=1, keepdims=True))


def deck_file(table_file: Path) -> Path:
    """Return where the deck that belongs to a table file lies, whether it is there or not."""
    return table_file.with_name(FILE_NAME)


def save_deck(deck: EnrolledDeck, path: Path) -> None:
    """Write the deck so that a power cut leaves the old or the new one whole; keep the old one as `.previous`."""
    packed = io.BytesIO()
    np.savez_compressed(
        packed,
        schema=np.array(SCHEMA),
        names=np.array(deck.names),
        crops=deck.crops,
        centres=deck.centres,
        precision=deck.precision,
        typical=np.array(deck.typical),
        own=deck.own,
    )
    replace_whole(path, packed.getvalue(), keep_previous=True)


def load_deck(path: Path) -> EnrolledDeck:
    """Return an enrolled deck.

    Raises:
        DeckError: the file is missing, damaged, or no enrolled deck.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if int(file["schema"]) != SCHEMA:
                raise DeckError(f"{path} is not a deck file of schema {SCHEMA}; {CURE}")
            names = tuple(Card(str(name)) for name in file["names"])
            known = tuple(card for card in NAMES if card in names)
            deck = EnrolledDeck(
                names, file["crops"], known, file["centres"], file["precision"], float(file["typical"]), file["own"]
            )
    except FileNotFoundError:
        raise DeckError(f"{path} does not exist; {CURE.replace(' again', '')}") from None
    except DeckError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, MemoryError, zipfile.BadZipFile):
        raise DeckError(f"{path} is damaged or no deck file; {CURE}") from None
    odds = len(CLASSES)
    shapes = (deck.crops.ndim, deck.centres.shape, deck.precision.shape, deck.own.shape)
    if shapes != (4, (len(known), odds), (odds, odds), (len(names), odds)):
        raise DeckError(f"{path} is damaged or no deck file; {CURE}")
    return deck


def reader_for(path: Path | None, must_exist: bool = False) -> CardReader:
    """Return the reader for a deck file, or the general one where there is none; raises DeckError for a damaged one."""
    if path is None or not (must_exist or path.exists()):
        return CardReader()
    return EnrolledReader(load_deck(path))
