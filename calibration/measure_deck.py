"""What enrolling a deck gains: rendered packs, enrolled from two pictures and read in others under worse conditions.

`python -m calibration.measure_deck` prints right, wrong and unsure as k of n with the 95 % interval, without and with
the enrolled deck. Cards are cut out at their true places, moved by what the eyes are usually off by.
"""

from dataclasses import dataclass
from typing import Annotated, Final

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

from calibration.deck import Enrolment
from calibration.figures import Share, run
from hardware.frames import Image
from hardware.simulated.dealt import Dealt, Light, deal_out
from hardware.simulated.deck import DECK_STYLES, Deck
from hardware.vision.enrolled import EnrolledReader
from hardware.vision.reader import CardReader, rectify
from hardware.vision.stills import StillReader
from referee.cards import PACK

NAMED: Final = 0.9


@dataclass(frozen=True, slots=True)
class Condition:
    """How a pack is seen while it is played with."""

    px_per_mm: float
    light: Light
    off_mm: float = 0.7
    """How far a card is from where it was found."""
    covered: float = 0.0
    smeared_mm: float = 0.0


CONDITIONS: Final = {
    "clear": Condition(2.0, Light()),
    "small": Condition(1.2, Light(blur_px=0.8, noise=3, warmth=0.6, slope=0.3)),
    "dim": Condition(1.2, Light(exposure=0.5, blur_px=0.9, noise=5, warmth=-0.5)),
    "2 mm off": Condition(1.6, Light(), off_mm=2.0),
    "30 % covered": Condition(1.6, Light(warmth=0.5), covered=0.3),
    "45 % covered": Condition(1.6, Light(warmth=0.5), covered=0.45),
    "smeared 4 mm": Condition(1.6, Light(exposure=0.7), smeared_mm=4.0),
    "out of focus": Condition(1.3, Light(blur_px=1.8, exposure=0.7, noise=4)),
}


def enrolled(style: str, seed: int, reader: CardReader) -> tuple[EnrolledReader, Enrolment]:
    """Return a reader that learned a rendered pack from two pictures of half of it each, as a person would do."""
    deck, gathered, stills = Deck(style, 1.6), Enrolment(), StillReader(reader=reader)
    for n, half in enumerate((PACK[:26], PACK[26:])):
        gathered.see(deal_out(deck, half, seed=2 * seed + n).image, stills, reader, f"picture {n + 1}")
    gathered.settle_rest()
    return EnrolledReader(gathered.learned(reader)[0], reader), gathered


def crops_of(dealt: Dealt, condition: Condition, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the cards of a picture as the eyes would cut them out of it."""
    image = _smeared(dealt.image, round(condition.smeared_mm * condition.px_per_mm))
    slack = condition.off_mm * condition.px_per_mm
    cut = [
        rectify(image, quad + rng.normal(0, slack / 1.4, (1, 2)) + rng.normal(0, 0.4 * slack, (4, 2)))
        for _, quad in dealt.cards
    ]
    for crop in cut:
        hidden = int(crop.shape[0] * condition.covered)
        crop[crop.shape[0] - hidden :] = (116, 150, 205)
    return np.stack(cut)


def _smeared(image: Image, length_px: int) -> Image:
    return np.asarray(cv2.blur(image, (length_px, 1)), np.uint8) if length_px > 1 else image


def main(packs: Annotated[int, typer.Option("--packs", min=1, help="Packs a style and condition.")] = 2) -> None:
    """Print what is read right and wrong without and with enrolment."""
    cv2.setNumThreads(1)
    plain = CardReader()
    readers: dict[str, dict[str, CardReader]] = {}
    for style in DECK_STYLES:
        known, gathered = enrolled(style, 1, plain)
        typer.echo(f"{style}: {len(known.deck.known)} cards enrolled, {len(gathered.doubtful)} not named surely")
        readers[style] = {"without": plain, "enrolled": known}
    total = {way: (Share(), Share()) for way in ("without", "enrolled")}
    for name, condition in CONDITIONS.items():
        shares = {way: (Share(), Share()) for way in total}
        for style in DECK_STYLES:
            for pack in range(packs):
                dealt = deal_out(Deck(style, condition.px_per_mm), PACK, 13, 100 + pack, condition.light)
                crops = crops_of(dealt, condition, np.random.default_rng(pack))
                for way, reader in readers[style].items():
                    for card, reading in zip(PACK, reader.read(crops), strict=True):
                        best, p = reading.best
                        shares[way][0].count(p >= NAMED and best == card)
                        shares[way][1].count(p >= NAMED and best != card)
        for way, (right, wrong) in shares.items():
            typer.echo(f"{name:13} {way:9} right {right}   wrong {wrong}")
            total[way][0].add(right)
            total[way][1].add(wrong)
    for way, (right, wrong) in total.items():
        typer.echo(f"{'all':13} {way:9} right {right}   wrong {wrong}")


if __name__ == "__main__":
    run(lambda: typer.run(main))
