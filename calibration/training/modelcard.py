"""The page beside the weights: what the network learnt from, how large it is, how well it reads, what it cannot."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.training.artwork import printed_decks
from hardware.vision.reader import CLASSES, CROP_SIZE

MEASURED = ("<!-- measured: begin -->", "<!-- measured: end -->")
"""Between these lines `evaluate --card` writes its tables."""

_PAGE = """# The card reader's network

`reader.onnx` names the card in a crop of {width} x {height} pixels (BGR, 0 to 255, the card filling it but for a
margin of 4 pixels, either way up): logits of {classes} classes, whose softmax is calibrated odds. {parameters} weights,
{megabytes:.1f} MB in half precision, operators of ONNX 11. Made by `python -m calibration.training.train`.

## What it learnt from

{samples} crops, made by `calibration/training/`, seed {seed}, {steps} steps of 128. {note}
No photograph was used. Four of five decks were drawn by the project's own generator, with {fonts} typefaces of the
npm scope @fontsource (SIL Open Font License 1.1, Apache-2.0) and DejaVu (Bitstream Vera licence); the others are
published decks, fetched when training:

| deck | licence | source | use |
|---|---|---|---|
{decks}

Not used, because readers are judged with them or with decks like them: Debian's gnome-cards-data, all decks with
C. Aguilar's art, KDE's dondorf, gm-paris, nicu-ornamental, nicu-white and tigullio-international; `lookalike` checks.
The weights are licensed as the project is.

## Decks kept out of training

{kept} crops of decks whose typefaces and art had no part in training, temperature {temperature:.2f} fitted on them.

| picture | crops | likeliest is right | named at 0.9 | of these wrong |
|---|---|---|---|---|
{figures}

## Photographs and rendered tables

{begin}
{measured}
{end}

## Known weaknesses

- Courts are read by their index. Where glare, a hand or another card hides every index of a court, it is a guess.
- Courts of a strange deck may be taken for those of another suit, every time anew: so at the table two corners of
  each court are read by the index reader too (`CardReader.checked`, finder.md).
- Indices in letters other than English, German and French were not learnt; nor were cards of other suit systems.
- Jokers differ more than any other card: some are taken for a court or for "none".
- Smears over 4 mm leave clubs and spades, hearts and diamonds apart only by odds near a half.
- A quad that is over 4 mm off, or holds another card's index, may name that card.
"""


@dataclass(frozen=True)
class Facts:
    """What `train` knows at its end."""

    seed: int
    steps: int
    note: str
    """How this run differed from the standard one: empty, or a sentence."""
    samples: int
    parameters: int
    temperature: float
    odds: NDArray[np.float32]
    """(N, classes) over the validation crops."""
    labels: NDArray[np.int64]
    visible: NDArray[np.float32]


def write(weights: Path, data: Path, facts: Facts) -> None:
    """Write the page beside `weights`. What `evaluate` measured before is dropped: it was another network's."""
    decks = printed_decks(data / "decks")
    rows = [
        f"| {deck.folder.name} | {deck.licence} | {deck.source} | {'kept out' if deck.validation else 'training'} |"
        for deck in decks
    ]
    weights.with_suffix(".md").write_text(
        _PAGE.format(
            width=CROP_SIZE[0],
            height=CROP_SIZE[1],
            classes=len(CLASSES),
            parameters=facts.parameters,
            megabytes=weights.stat().st_size / 1e6,
            samples=facts.samples,
            seed=facts.seed,
            steps=facts.steps,
            note=facts.note,
            fonts=len(list((data / "fonts").glob("*.woff"))),
            decks="\n".join(rows),
            kept=len(facts.labels),
            temperature=facts.temperature,
            figures="\n".join(_figures(facts)),
            begin=MEASURED[0],
            end=MEASURED[1],
            measured="Not yet measured: `python -m calibration.training.evaluate --card` writes it here.",
        )
    )


def _figures(facts: Facts) -> Iterator[str]:
    names = np.array(CLASSES)[facts.labels]
    rank = np.array([name[:-1] if name[-1] in "SHDC" and name != "face_down" else name for name in names])
    clear = facts.visible > 0.98
    kinds = {
        "number card, nothing over it": clear & np.isin(rank, [*"A23456789", "10"]),
        "court, nothing over it": clear & np.isin(rank, list("JQK")),
        "joker": names == "JK",
        "face down": names == "face_down",
        "up to 30 % covered": ~clear & (facts.visible > 0.7),
        "30 to 60 % covered": (facts.visible <= 0.7) & (facts.visible > 0.4),
        "no card, or hidden": names == "none",
    }
    right, sure = facts.odds.argmax(1) == facts.labels, facts.odds.max(1) >= 0.9
    for kind, members in kinds.items():
        n, named = int(members.sum()), int((members & sure).sum())
        wrong = int((members & sure & ~right).sum())
        if n:
            yield f"| {kind} | {n} | {right[members].mean():.1%} | {named / n:.1%} | {wrong} |"


def put_measured(page: Path, text: str) -> None:
    """Replace what stands between the marks by `text`."""
    before, rest = page.read_text().split(MEASURED[0])
    page.write_text(f"{before}{MEASURED[0]}\n{text}\n{MEASURED[1]}{rest.split(MEASURED[1])[1]}")
