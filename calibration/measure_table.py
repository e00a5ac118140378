"""What the eyes read in pictures of a whole table with known truth: tops of the piles and of the rows.

`python -m calibration.measure_table FOLDER` takes pictures with a JSON of the truth beside each: `cards` with `pile`
(`middle0`, `stockA0`, ...), `on_top`, `card` (null: face down) and `occluded`. It finds each table by itself.
"""

from pathlib import Path
from typing import Annotated, Final

import cv2
import msgspec
import typer

from calibration.figures import Share, run
from hardware.frames import Frame
from hardware.vision.eyes import Eyes
from hardware.vision.reader import CardReader
from hardware.vision.spots import Spot
from hardware.vision.stills import open_picture
from hardware.vision.tablefinder import find_table
from hardware.vision.tops import Top
from referee.cards import parse_card
from referee.errors import PictureError, cause_of
from referee.files import read_given

FREE: Final = 0.1
"""A card of which less is covered counts as visible."""
SURE: Final = 0.5


class TrueCard(msgspec.Struct, frozen=True):
    """A card of a picture; `card` None: face down."""

    pile: str
    on_top: bool
    card: str | None
    occluded: float


class TrueTable(msgspec.Struct, frozen=True):
    """What lies on the table of the picture `file`."""

    file: str
    cards: tuple[TrueCard, ...]


def truths_in(folder: Path) -> dict[Path, TrueTable]:
    """Return the truths of a folder by their files; raises PictureError where there is none, or a damaged one."""
    truths: dict[Path, TrueTable] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            truths[path] = msgspec.json.decode(read_given(path), type=TrueTable)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise PictureError(
                f"{path} does not say what lies there ({cause_of(error)}): mend it or take it out"
            ) from None
    if not truths:
        raise PictureError(f"{folder} holds no truth of a picture (*.json): give a folder of pictures with their truth")
    return truths


def spots_by_pile(eyes: Eyes) -> dict[str, Spot]:
    """Return the eyes' spots under the names of the truth files."""
    named = {"middle0": eyes.piles["A"].spot, "middle1": eyes.piles["B"].spot}
    for (player, place), spot in eyes.rows.spots.items():
        named[f"stock{'A' if player == 'p1' else 'B'}{place - 1}"] = spot
    return named


def told(top: Top | None) -> str:
    """Return what the eyes say lies there: a card, `down`, `empty` or `unsure`."""
    if top is None:
        return "empty"
    if top.reading.face_down > SURE:
        return "down"
    card, p = top.reading.best
    return card if p > SURE else "unsure"


def main(
    folder: Annotated[Path, typer.Argument(help="Pictures with a JSON of the truth beside each.")],
    verbose: Annotated[bool, typer.Option("--verbose", help="Print each mistake.")] = False,
) -> None:
    """Print right, unsure and wrong for visible tops of piles and rows, with the 95 % interval."""
    cv2.setNumThreads(1)
    shares = {f"{what} {how}": Share() for what in ("pile top", "row top") for how in ("right", "unsure", "wrong")}
    reader = CardReader()
    for path, truth in truths_in(folder).items():
        image = open_picture(folder / Path(truth.file).name)
        try:
            eyes = Eyes(find_table(image), reader)
        except PictureError as error:
            print(f"{path.name}: {error}")
            continue
        eyes.see(Frame(0, image, 0))
        spots = spots_by_pile(eyes)
        for card in truth.cards:
            if not card.on_top or card.pile not in spots or card.occluded > FREE:
                continue
            really = parse_card(card.card) if card.card else "down"
            seen = told(spots[card.pile].top)
            what = "pile top" if card.pile.startswith("middle") else "row top"
            shares[f"{what} right"].count(seen == really)
            shares[f"{what} unsure"].count(seen in ("unsure", "empty"))
            shares[f"{what} wrong"].count(seen not in (really, "unsure", "empty"))
            if verbose and seen != really:
                print(f"{path.stem}: {card.pile} shows {really}, told {seen}")
    for name, share in shares.items():
        print(f"{name:20} {share}")


if __name__ == "__main__":
    run(lambda: typer.run(main))
