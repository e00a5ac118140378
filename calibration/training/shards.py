"""Makes training pictures and keeps them in files of a few thousand: `shard_0000.npz` with crops, labels and covers.

    python -m calibration.training.shards DATA OUT --shards 50 [--validation]

DATA is the folder that `fetch` filled. Decks of validation share no font and no artwork with those of training.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np

from calibration.training.artwork import court_panels, printed_decks
from calibration.training.decks import FACES, Deck
from calibration.training.glyphs import fonts_below
from calibration.training.scenes import Face, Sample, Scenes
from hardware.vision.reader import CROP_SIZE, FACE_DOWN

SHARD = 4000
"""Samples in one file."""
SCENES_A_DECK = {False: 100, True: 25}
"""Scenes, of two samples each, before the next deck: fewer in validation, where every deck should count alike."""
PX_PER_MM = 3.5
"""Fineness at which faces are drawn before they are laid on the table."""
ARTWORK_SHARE = 0.2
"""Share of decks that are published artwork; the others are drawn by `decks`."""
COURTS_FROM = "kennard-2color"
"""The published deck whose courts are lent to drawn decks."""
KEPT_FONTS = 7
"""One font in seven, by its name, is for validation alone."""


class DeckSource:
    """Draws a deck at random, from the fonts and artwork of one side of the split."""

    def __init__(self, data: Path, validation: bool) -> None:
        fonts = fonts_below(data / "fonts")
        self._fonts = [font for font in fonts if (crc32(font.name.encode()) % KEPT_FONTS == 0) == validation]
        self._printed = [deck for deck in printed_decks(data / "decks") if deck.validation == validation]
        lent = [deck for deck in self._printed if deck.folder.name == COURTS_FROM]
        self._courts = court_panels(lent[0]) if lent else None

    def __call__(self, rng: np.random.Generator) -> list[Face]:
        if self._printed and rng.random() < ARTWORK_SHARE:
            return self._printed[rng.integers(len(self._printed))].faces(rng, PX_PER_MM)
        deck = Deck(int(rng.integers(1 << 40)), self._fonts, self._courts)
        size = deck.style.width_mm, deck.style.height_mm
        return [Face(FACE_DOWN if card == "back" else card, deck.draw(card, PX_PER_MM), *size) for card in FACES]


def make(data: Path, out: Path, first: int, count: int, validation: bool) -> None:
    """Write shards `first` to `first + count - 1`, each with its own seed; those already there are left alone."""
    cv2.setNumThreads(1)
    out.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        file = out / f"shard_{number:04d}.npz"
        if not file.exists():
            scenes = Scenes(DeckSource(data, validation), np.random.default_rng((number, int(validation))))
            _write_shard(file, scenes.samples(SCENES_A_DECK[validation]))


def _write_shard(file: Path, samples: Iterator[Sample]) -> None:
    crops = np.zeros((SHARD, CROP_SIZE[1], CROP_SIZE[0], 3), np.uint8)
    labels, visible = np.zeros(SHARD, np.int64), np.zeros(SHARD, np.float32)
    for n, sample in zip(range(SHARD), samples, strict=False):
        crops[n], labels[n], visible[n] = sample.crop, sample.label, sample.visible
    half = file.with_suffix(".part")
    with half.open("wb") as stream:
        np.savez(stream, crops=crops, labels=labels, visible=visible)
    half.replace(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--shards", type=int, default=50)
    parser.add_argument("--validation", action="store_true")
    given = parser.parse_args()
    make(given.data, given.out, given.first, given.shards, given.validation)


if __name__ == "__main__":
    main()
