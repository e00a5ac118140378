"""Plays at the simulated table for the eyes' tests, and a reader that knows its one deck by heart."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Frame
from hardware.simulated.deck import Deck
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.vision.corners import Index
from hardware.vision.eyes import Eyes
from hardware.vision.reader import CROP_MARGIN, CROP_SIZE, Reading
from referee.cards import PACK, Card, parse_card
from referee.observations import AnyObservation, CardLanded
from referee.script import AnyAction, Deal, Lay, Script, SpitDown

MS = 1_000_000
P1_ROW = "7H 5C 10D KS 2S"
P2_ROW = "9C 4D JH 6S QD"
P1_SPIT, P2_SPIT = "8D 3H", "QS AC"


class DeckReader:
    """Names the card of one simulated deck that the crop looks most like."""

    def __init__(self, deck: Deck) -> None:
        self._names = [*PACK, None]
        self._back = _colour(_crop(deck, None))
        self._known = np.stack([self._features(_crop(deck, card)) for card in self._names])

    def load(self) -> None: ...

    def read(self, crops: NDArray[np.uint8]) -> list[Reading]:
        return [self._reading(crop) for crop in crops]

    def checked(self, reading: Reading, image: NDArray[np.uint8], quad_px: NDArray[np.float64]) -> Reading:
        return reading  # no court of this deck is mistaken for another

    def marks(self, image: NDArray[np.uint8]) -> list[Index]:
        return []  # whole cards are enough

    def with_indices(
        self, reading: Reading, image: NDArray[np.uint8], marks: Sequence[Index], complete: float
    ) -> Reading:
        return reading

    def _reading(self, crop: NDArray[np.uint8]) -> Reading:
        alike = np.maximum(self._known @ self._features(crop), self._known @ self._features(crop[::-1, ::-1]))
        alike[-1] = max(alike[-1], 1.0 - 4.0 * float(np.abs(_colour(crop) - self._back).sum()))
        odds = np.exp(90 * (np.append(alike, 0.55) - max(alike.max(), 0.55)))
        odds /= odds.sum()
        cards = {card: float(p) for card, p in zip(self._names, odds, strict=False) if card is not None and p > 0.001}
        best_first = dict(sorted(cards.items(), key=lambda item: -item[1]))
        return Reading(cards=best_first, face_down=float(odds[-2]), nothing=float(odds[-1]))

    @staticmethod
    def _features(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
        small = cv2.resize(crop[8:-8, 8:-8], (60, 84), interpolation=cv2.INTER_AREA).astype(np.float32)
        flat = (small - small.mean(axis=(0, 1))).ravel()
        return flat / (np.linalg.norm(flat) + 1e-3)


def _colour(crop: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The share of blue, green and red in the middle of a crop: tells a back from any face."""
    mean = crop[20:-20, 20:-20].mean(axis=(0, 1))
    return mean / mean.sum()


def _crop(deck: Deck, card: Card | None) -> NDArray[np.uint8]:
    size = (CROP_SIZE[0] - 2 * CROP_MARGIN, CROP_SIZE[1] - 2 * CROP_MARGIN)
    face = cv2.resize(deck.art(card)[..., :3], size, interpolation=cv2.INTER_AREA)
    m = CROP_MARGIN
    return cv2.copyMakeBorder(face, m, m, m, m, cv2.BORDER_REPLICATE)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(word) for word in text.split())


def lay(at_ms: float, player: str, place: int, pile: str, card: str, **more: float) -> Lay:
    """A row card that touches a pile at `at_ms`, carried for 350 ms."""
    at = round(at_ms * MS)
    return Lay(
        at_ns=at, start_ns=at - 350 * MS, player=player, place=place, pile=pile, card=parse_card(card), hand="R", **more
    )


def play(*actions: AnyAction, until_ms: float, seed: int = 1) -> Script:
    """Two rows of one face-up card over one face-down card, an 8D on A and a QS on B, then the actions."""
    under = iter(cards("2H 3C 4S 5D 6C 7D 8S 9H 10C JD"))
    deals = [
        Deal(at_ns=0, start_ns=0, player=p, row=tuple((next(under), card) for card in cards(row)), spit=cards(spit))
        for p, row, spit in (("p1", P1_ROW, P1_SPIT), ("p2", P2_ROW, P2_SPIT))
    ]
    spits = [
        SpitDown(at_ns=600 * MS, start_ns=300 * MS, player=p, pile=pile, card=cards(spit)[0], hand="R")
        for p, pile, spit in (("p1", "A", P1_SPIT), ("p2", "B", P2_SPIT))
    ]
    return Script(seed=seed, rules="pagat", actions=(*deals, *spits, *actions), end_ns=round(until_ms * MS))


def film(script: Script, look: Look | None = None, from_ms: float = 1200.0) -> tuple[Renderer, list[Frame]]:
    """The frames of a play from `from_ms` on, when both spit cards lie and the hands have gone."""
    renderer = Renderer(script, look or replace(Look(), deck="club", noise=1.5))
    fps = renderer.look.fps
    numbers = range(round(from_ms * fps / 1000), int(script.end_ns * fps / 1e9))
    return renderer, [renderer.frame(number) for number in numbers]


def watch(renderer: Renderer, frames: Iterable[Frame]) -> list[AnyObservation]:
    """Everything that the eyes tell of the frames."""
    eyes = Eyes(renderer.table(), DeckReader(renderer.deck))
    seen = [one for frame in frames for one in eyes.see(frame)]
    return seen + eyes.finish()


def landings(seen: Sequence[AnyObservation]) -> list[str]:
    """Each landing as `player:pile:card`, in the order in which it was told."""
    return [
        f"{max(one.players, key=one.players.get)}:{one.pile}:{max(one.cards, key=one.cards.get)}"
        for one in seen
        if isinstance(one, CardLanded)
    ]
