"""How well `spit-referee read` reads labelled photographs of decks that it never saw.

`python -m calibration.measure_stills PHOTOS` takes a folder with labels.csv (`file`, `kind`, `cards`, `deck`, `notes`)
and set/. It prints right, unsure and wrong as k of n with the 95 % interval, by kind and by deck, top cards, and how
far the probabilities are true; `--sheet` makes a picture of the ten worst mistakes.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

from calibration.figures import Share, run
from calibration.labels import labels_in
from hardware.vision.stills import StillCard, StillReader, open_picture
from referee.cards import JOKER, UNREAD, parse_card

PARTLY_LABELLED: Final = ("unlabelled", "cut", "hidden")
"""Notes of pictures that show more cards than their labels name: what is read beyond is neither right nor wrong."""
BOUNDS: Final = (0.0, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0001)
"""Probabilities between which readings are put together for the reliability table."""
_TILE_PX: Final = (320, 260)


@dataclass(frozen=True, slots=True)
class Photo:
    """One labelled picture."""

    path: Path
    kind: str
    deck: str
    cards: tuple[str, ...]
    tops: tuple[str, ...]
    """Those of `cards` that are known to lie on top of others."""
    whole: bool
    """Every card that can be read is labelled."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A picture and what was read in it."""

    photo: Photo
    read: list[StillCard]

    @property
    def named(self) -> Counter[str]:
        return Counter(str(card.card) for card in self.read if card.card != UNREAD)

    @property
    def wrong(self) -> Counter[str]:
        return self.named - Counter(self.photo.cards) if self.photo.whole else Counter()

    @property
    def missed(self) -> Counter[str]:
        return Counter(self.photo.cards) - self.named


def photos(folder: Path) -> Iterator[Photo]:
    """Yield the labelled pictures of a folder in the order of its list."""
    for row in labels_in(folder):
        if row["kind"] == "video":
            continue
        labels = [label for label in row["cards"].split() if "back" not in label.lower()]
        cards = tuple(_card(label) for label in labels)
        tops = tuple(_card(label) for label in labels if label.startswith("top:"))
        whole = not any(word in row["notes"].lower() for word in PARTLY_LABELLED)
        yield Photo(folder / "set" / row["file"], row["kind"], row["deck"], cards, tops, whole)


def _card(label: str) -> str:
    name = label.removeprefix("top:")
    return str(JOKER) if name.lower() == "joker" else str(parse_card(name))


def report(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the tables as lines of text."""
    for title, key in (("kind", lambda o: o.photo.kind), ("deck", lambda o: o.photo.deck)):
        yield f"{title:24} {'right':38} unsure  wrong   tops"
        groups = _by(outcomes, key)
        for name, group in (("all", outcomes), *sorted(groups.items())):
            right, tops, wrong = Share(), Share(), sum(sum(o.wrong.values()) for o in group)
            for one in group:
                upper = {card.card for card in one.read if card.top}
                right.add(Share(sum((Counter(one.photo.cards) & one.named).values()), len(one.photo.cards)))
                tops.add(Share(sum(card in upper for card in one.photo.tops), len(one.photo.tops)))
            yield f"{name:24} {right!s:38} {right.n - right.k:6d} {wrong:6d}   {tops}"
        yield ""
    yield from reliability(outcomes)


def _by(outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        groups[key(one)].append(one)
    return groups


def reliability(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the reliability table: how probable the likeliest names were, and how many of them are in the picture.

    Readings beyond the labels of a partly labelled picture are left out.
    """
    told = [
        (card.p, str(card.best) in one.photo.cards)
        for one in outcomes
        for card in one.read
        if one.photo.whole or str(card.best) in one.photo.cards
    ]
    yield "probability     cards   mean    really right"
    error = 0.0
    for low, high in pairwise(BOUNDS):
        members = [one for one in told if low <= one[0] < high]
        if members:
            p, right = (float(np.mean([one[n] for one in members])) for n in (0, 1))
            error += len(members) / len(told) * abs(p - right)
            yield f"{low:4.2f} to {min(high, 1.0):4.2f}   {len(members):6d}   {p:.3f}   {right:.3f}"
    yield f"expected calibration error {100 * error:.1f} %"


def sheet(outcomes: Sequence[Outcome], most: int = 10) -> NDArray[np.uint8]:
    """Draw the worst mistakes: pictures with wrong names first, then those with most cards not named."""
    bad = [one for one in outcomes if one.wrong or one.missed]
    bad.sort(key=lambda one: (-sum(one.wrong.values()), -sum(one.missed.values()) / len(one.photo.cards)))
    tiles = [_tile(one) for one in bad[:most]]
    tiles += [np.zeros_like(tiles[0]) if tiles else np.zeros((*_TILE_PX[::-1], 3), np.uint8)] * (-len(tiles) % 5 or 0)
    rows = [np.hstack(tiles[i : i + 5]) for i in range(0, len(tiles), 5)]
    return np.vstack(rows) if rows else np.zeros((*_TILE_PX[::-1], 3), np.uint8)


def _tile(one: Outcome) -> NDArray[np.uint8]:
    image = open_picture(one.photo.path)
    width, height = _TILE_PX[0], _TILE_PX[1] - 36
    scale = min(width / image.shape[1], height / image.shape[0])
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    for card in one.read:
        if card.quad is None:
            continue
        corners = np.rint(card.quad * scale).astype(np.int32)
        named = card.card != UNREAD
        cv2.polylines(small, [corners], True, (80, 220, 80) if named else (60, 160, 255), 1, cv2.LINE_AA)
        at = corners.mean(axis=0).astype(int).tolist()
        _write(small, f"{card.best} {card.p:.2f}", (at[0] - 22, at[1]), (80, 220, 80) if named else (60, 160, 255))
    tile = np.zeros((*_TILE_PX[::-1], 3), np.uint8)
    tile[: small.shape[0], : small.shape[1]] = small
    there = "wrong " + " ".join(one.wrong.elements()) if one.wrong else ""
    _write(tile, f"{there} not named {' '.join(one.missed.elements())}".strip(), (3, height + 14), (90, 120, 255))
    _write(tile, one.photo.path.name[-48:], (3, height + 30), (200, 200, 200))
    return tile


def _write(picture: NDArray[np.uint8], text: str, at: tuple[int, int], colour: tuple[int, int, int]) -> None:
    for thickness, ink in ((3, (0, 0, 0)), (1, colour)):
        cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.38, ink, thickness, cv2.LINE_AA)


def main(
    folder: Annotated[Path, typer.Argument(help="Folder with labels.csv and set/.")],
    every: Annotated[int, typer.Option("--every", min=1, help="Take every n-th picture only.")] = 1,
    rest: Annotated[bool, typer.Option("--rest", help="Take those that --every leaves out.")] = False,
    sheet_file: Annotated[Path | None, typer.Option("--sheet", help="Picture of the ten worst mistakes.")] = None,
) -> None:
    """Print right, unsure and wrong by kind and by deck, and the reliability of the probabilities."""
    cv2.setNumThreads(1)
    reader = StillReader()
    chosen = [photo for n, photo in enumerate(photos(folder)) if (n % every == 0) != rest]
    outcomes = [Outcome(photo, reader.read(open_picture(photo.path))) for photo in chosen]
    for line in report(outcomes):
        typer.echo(line)
    if sheet_file is not None:
        cv2.imwrite(str(sheet_file), sheet(outcomes))


if __name__ == "__main__":
    run(lambda: typer.run(main))
