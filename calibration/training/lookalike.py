"""Refuses training cards that look like cards of decks kept out for judging.

    python -m calibration.training.lookalike DATA KEPT...

Each KEPT is a folder of card pictures (`KS.png`...) or a sheet of a card game (`.svgz` with one object a card, as
Debian's gnome-cards-data and kdegames-card-data have them). Courts and backs are compared: the number cards, jokers
and plain aces of all French decks look alike. Exit 1 and a list if one correlates over 0.9 with a kept-out card.
"""

import argparse
import gzip
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.training.artwork import court_panels, printed_decks
from calibration.training.decks import FACES, Deck
from calibration.training.fetch import draw_sheet
from calibration.training.glyphs import fonts_below
from referee.cards import RANKS

TELLING = tuple(face for face in FACES if (face[:-1] in ("J", "Q", "K") and face != "JK") or face == "back")
"""Faces whose picture is a publisher's own."""
TOO_ALIKE = 0.9
DRAWN_DECKS = 40
"""Decks from the generator that are compared, as a sample."""
_SIZE = (48, 66)

Print = NDArray[np.float32]


@dataclass(frozen=True)
class Likeness:
    """A training card and the kept-out card that it resembles most."""

    ours: str
    theirs: str
    correlation: float


def fingerprint(picture: NDArray[np.uint8]) -> Print:
    """What is printed in the middle of a card, without its paper, index and tint: unit length, (3168,)."""
    gray = cv2.cvtColor(picture[..., :3], cv2.COLOR_BGR2GRAY)
    h, w = gray.shape
    panel = gray[int(0.12 * h) : int(0.88 * h), int(0.18 * w) : int(0.82 * w)]
    middle = cv2.resize(panel, _SIZE, interpolation=cv2.INTER_AREA)
    detail = middle.astype(np.float32) - cv2.GaussianBlur(middle, (0, 0), 6).astype(np.float32)
    return np.asarray(detail.ravel() / max(1e-6, float(np.linalg.norm(detail))), np.float32)


def nearest(ours: Mapping[str, Print], theirs: Mapping[str, Print]) -> Iterator[Likeness]:
    """For each of our cards the kept-out card that correlates most."""
    names, prints = list(theirs), np.stack(list(theirs.values()))
    for name, print_ in ours.items():
        likeness = prints @ print_
        best = int(likeness.argmax())
        yield Likeness(name, names[best], float(likeness[best]))


def folder_prints(folder: Path) -> dict[str, Print]:
    """Fingerprints of a folder of card pictures."""
    found = {}
    for face in TELLING:
        file = folder / f"{face}.png"
        if file.exists():
            found[f"{folder.name} {face}"] = fingerprint(cv2.imread(str(file), cv2.IMREAD_UNCHANGED))
    return found


def kept_prints(kept: Path) -> dict[str, Print]:
    """Fingerprints of a kept-out deck: a folder, or a sheet that is drawn for this."""
    if kept.is_dir():
        return folder_prints(kept)
    with tempfile.TemporaryDirectory() as box:
        folder = Path(box) / kept.stem
        if b"king_heart" in gzip.decompress(kept.read_bytes()):
            draw_sheet(kept, folder, TELLING, height_px=150)
        else:
            cut_grid(kept, folder)
        return folder_prints(folder)


def cut_grid(packed: Path, folder: Path) -> None:
    """Cut a sheet that is a plain grid of 13 x 5 (clubs, diamonds, hearts, spades; jokers and back) into cards."""
    folder.mkdir(parents=True)
    svg, sheet = folder / "sheet.svg", folder / "sheet.png"
    svg.write_bytes(gzip.decompress(packed.read_bytes()))
    subprocess.run(["rsvg-convert", "--height", "1000", "--keep-aspect-ratio", "--output", sheet, svg], check=True)
    picture = cv2.imread(str(sheet), cv2.IMREAD_UNCHANGED)
    width, height = picture.shape[1] / 13, picture.shape[0] / 5
    cells = {f"{rank}{suit}": (x, y) for y, suit in enumerate("CDHS") for x, rank in enumerate(RANKS)}
    for face, (x, y) in (cells | {"JK": (0, 4), "back": (2, 4)}).items():
        cell = picture[int(y * height) : int((y + 1) * height), int(x * width) : int((x + 1) * width)]
        cv2.imwrite(str(folder / f"{face}.png"), cell)


def training_prints(data: Path) -> Iterator[dict[str, Print]]:
    """Fingerprints of every published deck that training uses, then of a sample of drawn decks."""
    decks = printed_decks(data / "decks")
    for deck in decks:
        yield folder_prints(deck.folder)
    lent = next((court_panels(deck) for deck in decks if deck.folder.name == "kennard-2color"), None)
    fonts = fonts_below(data / "fonts")
    for seed in range(DRAWN_DECKS):
        drawn = Deck(seed, fonts, lent)
        yield {f"drawn {seed} {face}": fingerprint(drawn.draw(face, 2.0)) for face in TELLING}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path, nargs="+")
    given = parser.parse_args()
    theirs: dict[str, Print] = {}
    for kept in given.kept:
        theirs |= kept_prints(kept)
    pairs = [pair for ours in training_prints(given.data) for pair in nearest(ours, theirs)]
    pairs.sort(key=lambda pair: -pair.correlation)
    refused = [pair for pair in pairs if pair.correlation > TOO_ALIKE]
    for pair in refused or pairs[:5]:
        print(f"{pair.correlation:.2f}  {pair.ours}  ~  {pair.theirs}")
    print(f"{len(pairs)} training cards against {len(theirs)} kept out: {len(refused)} too alike")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
