"""Every face-up card in a still photograph, without calibration.

Indices are found and named first (`corners`), the indices of one card are put together, the card's outline is fitted to
the picture, and a card that lies free is read once more as a whole (`reader`). Readings that agree name the card;
readings that differ leave it unread: a wrong name is worse than none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frames import Image
from hardware.vision.cardquads import Quad, alike, area, fitted, is_card_like, overlap, place_on, slenderness
from hardware.vision.corners import NAMES, CornerReader, Index, joined, mixed
from hardware.vision.outlines import free_outlines
from hardware.vision.paper import negative, on_light_paper
from hardware.vision.reader import CardReader, rectify
from referee.cards import JOKER, UNREAD, Card
from referee.errors import PictureError

NAMED_FROM: Final = 0.95
"""Least probability with which a card is named; below it is `??`."""
OUTLINE_FROM: Final = 0.97
"""The same for a card that only its outline and its whole face show."""
FAINTEST: Final = 0.35
"""Least product of the finder's score and the likeliest name's probability for something to be a card at all."""
_INDEX_SLACK: Final = 0.03
"""How far a marked index may reach out of its card's outline, as a share of the card."""
_STRETCHES: Final = ((1.6, 1.0), (1.0, 1.4))
"""How far a picture is stretched across and down: a slanting view squeezes cards, and so do tools that make pictures
square."""
_SURE_MARK: Final = 0.65
"""Score of a mark that is an index in most pictures."""
_LONGEST_STRETCHED_PX: Final = 2560
_USUAL_SHAPE: Final = (0.6, 0.85)
"""Width over length of cards that are seen without much slant (0.64 to 0.73 from straight above)."""
LARGEST_PX: Final = 50_000_000
"""Most pixels of a picture that is opened."""


@dataclass(frozen=True, slots=True)
class StillCard:
    """One face-up card of a photograph."""

    card: Card
    """Its name, or `??` where the readings do not settle on one."""
    best: Card
    """The likeliest name all the same."""
    p: float
    """Probability of `best`."""
    top: bool
    """Nothing lies on it."""
    quad: Quad | None
    """Its own top left, top right, bottom right, bottom left in px (either way up), None where only an index shows."""


@dataclass(frozen=True, slots=True)
class _Card:
    """A card while it is being judged."""

    odds: NDArray[np.float64]
    """(54,) over NAMES and "no card"."""
    quad: Quad
    complete: float
    """Probability that nothing lies on it."""
    indices: list[Index]
    bare: float
    """Grows with all that speaks for an open face: both indices show, the whole face says the same."""

    @property
    def best(self) -> Card:
        return NAMES[int(np.argmax(self.odds[:-1]))]

    @property
    def p(self) -> float:
        return float(self.odds[:-1].max())

    @property
    def score(self) -> float:
        """How surely there is an index at all."""
        return max((i.score for i in self.indices), default=1.0)

    @property
    def strength(self) -> float:
        return self.p * (sum(i.score for i in self.indices) or 0.5) * (0.2 + self.complete)

    @property
    def named(self) -> bool:
        return self.p >= NAMED_FROM and (self.best != JOKER or self._shows_a_joker)

    @property
    def _shows_a_joker(self) -> bool:
        """No stray mark: jokers differ so much that what is nothing else is taken for one."""
        return not self.indices or self.score > _SURE_MARK

    def scaled(self, by: NDArray[np.float64]) -> "_Card":
        """The same card in a picture `by` times (across, down) as large."""

        def moved(points: Quad) -> Quad:
            return (points + 0.5) * by - 0.5

        indices = [replace(index, index=moved(index.index), card=moved(index.card)) for index in self.indices]
        return replace(self, quad=moved(self.quad), indices=indices)

    def said(self, top: bool) -> StillCard:
        bare = self.complete > 0.3 or len(self.indices) > 1
        name = self.best if self.named else UNREAD
        return StillCard(name, self.best, self.p, top, self.quad if bare else None)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at a picture shows."""

    cards: list[_Card]
    open: bool
    """Another look may show more."""


def open_picture(path: Path) -> Image:
    """Read a picture, uint8 (height, width, 3) BGR, turned as its camera noted.

    Raises PictureError, with the cure, for a file that is missing, empty, no picture, or too large.
    """
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise PictureError(f"cannot open {path}: {error.strerror or error}; give the path of a picture") from None
    if data.size == 0:
        raise PictureError(f"{path} is empty: take or copy the picture again")
    size = _size_px(data)
    if size and (min(size) < 16 or size[0] * size[1] > LARGEST_PX):
        raise PictureError(f"{path} is {size[0]} x {size[1]} pixels: give one between 16 x 16 and 50 megapixels")
    image = _decoded(data, cv2.IMREAD_COLOR) if size else None
    if image is None:
        raise PictureError(f"{path} is no picture that can be read: give a JPEG or PNG file")
    return np.asarray(image, np.uint8)


def _size_px(data: NDArray[np.uint8]) -> tuple[int, int] | None:
    """Width and height before all of it is unpacked: a small file can hold more pixels than the memory."""
    head = data[:24].tobytes()
    if head.startswith(b"\x89PNG") and len(head) == 24:
        return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    jpeg = head.startswith(b"\xff\xd8")
    image = _decoded(data, cv2.IMREAD_REDUCED_GRAYSCALE_8 if jpeg else cv2.IMREAD_GRAYSCALE)
    return None if image is None else (image.shape[1] * (8 if jpeg else 1), image.shape[0] * (8 if jpeg else 1))


def _decoded(data: NDArray[np.uint8], way: int) -> NDArray[Any] | None:
    try:
        return cv2.imdecode(data, way)
    except cv2.error:  # more pixels than OpenCV takes
        return None


class StillReader:
    """Reads whole photographs; networks are loaded at the first one. Not for two threads at once."""

    def __init__(self, corners: CornerReader | None = None, reader: CardReader | None = None) -> None:
        """`corners`, `reader`: in place of those with the packaged networks."""
        self._corners = corners or CornerReader()
        self._reader = reader or CardReader()

    def read(self, image: Image) -> list[StillCard]:
        """Every face-up card in the picture, the surest first."""
        looks = [self._look(image)]
        for look_again in self._other_looks(image):
            if not looks[-1].open:
                break
            looks.append(look_again())
        cards = _together(looks)
        return _each_once([card.said(_is_top(card, cards)) for card in cards])

    def _look(self, image: Image) -> _Look:
        outlines = free_outlines(image)
        groups = _grouped([index for index in self._corners.indices(image) if is_card_like(index.card)])
        judged = [self._judged(image, group, outlines) for group in groups]
        cards = _without_echoes([card for card in judged if card] + self._outlined(image, outlines))
        lost = [group[0] for group, card in zip(groups, judged, strict=True) if not card]
        return _Look(cards, _is_open(cards, lost))

    def _other_looks(self, image: Image) -> Iterator[Callable[[], _Look]]:
        """Ways to look that show what the plain look may miss: squeezed cards, and light print on dark paper."""
        for across, down in _STRETCHES:
            yield partial(self._stretched_look, image, across, down)
        if any(on_light_paper(cut := rectify(image, quad)) is not cut for quad in free_outlines(image)):
            yield partial(self._look, negative(image))

    def _stretched_look(self, image: Image, across: float, down: float) -> _Look:
        fits = min(1.0, _LONGEST_STRETCHED_PX / max(image.shape[1] * across, image.shape[0] * down))
        size = round(image.shape[1] * across * fits), round(image.shape[0] * down * fits)
        stretched = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), np.uint8)
        scale = np.array([image.shape[1] / size[0], image.shape[0] / size[1]])
        look = self._look(stretched)
        return replace(look, cards=[card.scaled(scale) for card in look.cards])

    def _judged(self, image: Image, group: list[Index], outlines: list[Quad]) -> _Card | None:
        """What the indices of one card, and its whole face if it lies free, say together; None for no card."""
        complete = float(np.mean([i.complete for i in group]))
        odds, quad = mixed([i.odds for i in group]), _outline(group)
        near = [*(other for other in outlines if alike(quad, other) > 0.6), fitted(image, quad)]
        quads = [*(other for other in near if _holds(other, group)), quad]
        whole = self._whole(image, quads)
        chosen = _most_exact(whole)
        odds = joined(odds, whole[chosen], complete * _within(image, quads[chosen]) ** 2)
        quad = quads[chosen] if complete > 0.3 else quad
        face = float(whole[chosen, int(np.argmax(odds[:-1]))])
        card = _Card(odds, quad, complete, group, complete * (0.1 + face) * len(group))
        return card if card.p > odds[-1] and card.p * card.score > FAINTEST else None

    def _outlined(self, image: Image, outlines: list[Quad]) -> list[_Card]:
        """Cards that their outline and their whole face show, whether or not an index was found."""
        if not outlines:
            return []
        odds = self._whole(image, outlines)
        seen = [_Card(own, quad, 1.0, [], 1.0) for own, quad in zip(odds, outlines, strict=True)]
        return [card for card in seen if card.p > OUTLINE_FROM]

    def _whole(self, image: Image, quads: list[Quad]) -> NDArray[np.float64]:
        """Odds (N, 54) over NAMES and "no face" from whole cards."""
        odds = self._reader.odds(np.stack([on_light_paper(rectify(image, quad)) for quad in quads])).astype(np.float64)
        return np.concatenate([odds[:, :53], odds[:, 53:].sum(axis=1, keepdims=True)], axis=1)


def _is_open(cards: list[_Card], lost: list[Index]) -> bool:
    """Another look is due: nothing was read or something not surely, a mark that looks like an index was not read, or a
    bare card looks narrower or wider than cards are."""
    if not cards or not all(card.named for card in cards) or any(index.score > _SURE_MARK for index in lost):
        return True
    shapes = [slenderness(card.quad) for card in cards if card.complete > 0.5]
    return bool(shapes) and not (_USUAL_SHAPE[0] < min(shapes) and max(shapes) < _USUAL_SHAPE[1])


def _together(looks: list[_Look]) -> list[_Card]:
    """Several looks at one picture: the one that names most, and what others name beside it. Where two name the same
    place differently, neither is believed; where one is surer, it stays."""
    kept, *others = (look.cards for look in sorted(looks, key=_yield, reverse=True))
    for card in (card for look in others for card in look if card.named):
        at = next((n for n, one in enumerate(kept) if _same_place(one, card)), None)
        if at is None:
            kept.append(card)
        elif kept[at].best != card.best:
            kept[at] = replace(kept[at], odds=mixed([kept[at].odds, card.odds]))
        elif card.p > kept[at].p or not kept[at].named:
            kept[at] = card
    return _without_echoes(kept)


def _yield(look: _Look) -> tuple[float, int]:
    return sum(card.p for card in look.cards if card.named), len(look.cards)


def _same_place(a: _Card, b: _Card) -> bool:
    """They share an index, or an outline."""
    reach = 0.5 * min((index.height_px for index in a.indices), default=0.0)
    if any(float(np.linalg.norm(i.centre - j.centre)) < reach for i in a.indices for j in b.indices):
        return True
    return not (a.indices and b.indices) and alike(a.quad, b.quad) > 0.5


def _within(image: Image, quad: Quad) -> float:
    """Share of a card that is in the picture: of a close-up's card the face is not to be seen."""
    height, width = image.shape[:2]
    frame = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    return overlap(quad, frame) / max(area(quad), 1e-9)


def _most_exact(whole: NDArray[np.float64]) -> int:
    """Which outline of a card to take, given the most exact first: the first that reads nearly as surely as any."""
    sure = whole[:, :-1].max(axis=1)
    return int(np.argmax(sure > 0.9 * sure.max()))


def _outline(group: list[Index]) -> Quad:
    """The card as its indices draw it, the surest counting most, as the first of them reads."""
    quads = np.array([_same_way(group[0], other) for other in group])
    weights = np.array([i.score * (0.05 + i.complete) for i in group])
    return np.asarray((quads * weights[:, None, None]).sum(axis=0) / weights.sum())


def _holds(quad: Quad, group: list[Index]) -> bool:
    """The indices are printed within the outline: it is no frame inside the card, and no other card's."""
    places = np.array([place_on(quad, corner) for index in group for corner in index.index])
    return bool(places.min() > -_INDEX_SLACK and places.max() < 1 + _INDEX_SLACK)


def _grouped(indices: list[Index]) -> list[list[Index]]:
    """Indices of the same card together, the surest first."""
    groups: list[list[Index]] = []
    for index in indices:
        home = next((g for g in groups if all(_same_card(other, index) for other in g)), None)
        if home is None:
            groups.append([index])
        else:
            home.append(index)
    return groups


def _same_card(a: Index, b: Index) -> bool:
    """The two stand where one card prints both (on four-corner decks neighbours too) and do not differ."""
    alike_names = float(a.odds @ b.odds) / float(np.sqrt((a.odds @ a.odds) * (b.odds @ b.odds)))
    if alike_names < 0.02:
        return False
    heads = float(_heading(a) @ _heading(b))
    own, other = place_on(a.card, a.centre), place_on(a.card, b.centre)
    opposite, beside, below = np.array([1 - own, (1 - own[0], own[1]), (own[0], 1 - own[1])])
    reach = 0.45 if alike_names > 0.8 else 0.12
    near = [float(np.linalg.norm(other - place)) < reach for place in (opposite, beside, below)]
    return (heads < -0.85 and (near[0] or near[2])) or (heads > 0.85 and near[1])


def _heading(index: Index) -> NDArray[np.float64]:
    up = index.index[:2].mean(axis=0) - index.index[2:].mean(axis=0)
    return np.asarray(up / max(float(np.linalg.norm(up)), 1e-9))


def _same_way(first: Index, other: Index) -> Quad:
    """The other's card outline in the order of the first's."""
    return np.roll(other.card, -2, axis=0) if _heading(first) @ _heading(other) < 0 else other.card


def _without_echoes(cards: list[_Card]) -> list[_Card]:
    """Drop what is no card of its own: an index in a bare face, an outline over another card, one place named twice."""
    kept: list[_Card] = []
    for card in sorted(cards, key=lambda c: -c.strength):
        if not any(_is_echo(card, other) for other in kept):
            kept.append(card)
    return [card for card in kept if not any(_is_part(card, other) for other in kept if other is not card)]


def _is_echo(card: _Card, other: _Card) -> bool:
    if other.complete > 0.6 and (len(other.indices) != 1 or not card.named) and _printed_on(card, other.quad):
        return True
    if not card.indices and overlap(card.quad, other.quad) > 0.1 * min(area(card.quad), area(other.quad)):
        return True
    return card.best == other.best and alike(card.quad, other.quad) > 0.3


def _is_part(card: _Card, other: _Card) -> bool:
    """An index of the other card, drawn with a card on the wrong side of it, as happens with four-corner decks."""
    return card.best == other.best and card.bare < other.bare and _printed_on(card, other.quad)


def _printed_on(card: _Card, quad: Quad) -> bool:
    """All that was found of the card's print stands within the outline."""
    places = [place_on(quad, index.centre) for index in card.indices]
    return bool(places) and all(bool((place > 0.0).all() and (place < 1.0).all()) for place in places)


def _each_once(cards: list[StillCard]) -> list[StillCard]:
    """A pack has each card once: of two readings of one name the less sure is not believed."""
    surest = {card.best: card for card in sorted(cards, key=lambda c: c.p)}
    return [card if surest[card.best] is card else replace(card, card=UNREAD) for card in cards]


def _is_top(card: _Card, cards: list[_Card]) -> bool:
    """Nothing lies on it: it does not look covered, and no card that shares its place lies over it."""
    if card.complete < 0.12:
        return False
    rivals = (other for other in cards if other is not card and _lies_over(other, card))
    return all(overlap(card.quad, rival.quad) < 0.06 * min(area(card.quad), area(rival.quad)) for rival in rivals)


def _lies_over(card: _Card, other: _Card) -> bool:
    """An index that shows within the other's outline hides the other there; else the barer lies over it."""
    inside, outside = _shows_within(card, other.quad), _shows_within(other, card.quad)
    return inside if inside != outside else card.bare > other.bare


def _shows_within(card: _Card, quad: Quad) -> bool:
    places = (place_on(quad, index.centre) for index in card.indices)
    return any(bool((place > 0.06).all() and (place < 0.94).all()) for place in places)
