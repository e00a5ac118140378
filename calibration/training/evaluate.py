"""How well the reader reads pictures that had no part in its training, given where the cards are.

    python -m calibration.training.evaluate --table ../shared/table --photos ../shared/photos --worst worst.png

Prints right, unsure and wrong by deck and by kind as k of n with 95 % intervals, and a reliability table of the odds.
The pictures are measured with, never learnt from.
"""

import argparse
import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.figures import run
from calibration.labels import labels_in
from calibration.training.modelcard import put_measured
from hardware.vision.cardquads import area, fitted
from hardware.vision.outlines import free_outlines
from hardware.vision.reader import CLASSES, CROP_SIZE, FACE_DOWN, NOTHING, CardReader, Image, Quad, rectify
from hardware.vision.stills import open_picture
from referee.cards import JOKER, parse_card
from referee.errors import PictureError
from referee.files import read_given_text
from referee.shares import share

SURE = 0.9
"""A card is named from this probability on; below it is "unsure"."""
MOST_COVERED = 0.6
NO_OUTLINE = ("stretched", "index only")
"""Notes of photographs whose cards have no outline of a card's shape to be found by."""
SMALLEST = 0.03
"""Share of the picture that a photograph's only card fills at least; smaller outlines are something printed on it."""
FRAMES_APART = 10
"""Every tenth frame of a clip; those between show the same again."""


@dataclass(frozen=True)
class Case:
    """One card in one picture."""

    crop: Image
    truth: str
    """One of CLASSES."""
    deck: str
    kind: str
    where: str


def table_cases(folder: Path) -> Iterator[Case]:
    """Cards of rendered tables with their true quads: stills, and every tenth frame of clips."""
    for about in sorted(folder.rglob("*.json")):
        try:
            facts = json.loads(read_given_text(about))
            deck = facts["deck"]["name"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise PictureError(f"{about} does not say what lies there ({error}): mend it or take it out") from None
        if "cards" in facts:
            yield from _cards_of(open_picture(about.with_suffix(".jpg")), facts["cards"], deck, "still", about.stem)
        elif "frame_truth" in facts:
            video = cv2.VideoCapture(str(about.with_suffix(".mp4")))
            for number, frame in enumerate(facts["frame_truth"]):
                there, image = video.read()
                if there and number % FRAMES_APART == 0:
                    yield from _cards_of(image, frame.get("cards", []), deck, "clip", f"{about.stem}:{number}")


def _cards_of(image: Image, cards: list[dict[str, object]], deck: str, medium: str, where: str) -> Iterator[Case]:
    for card in cards:
        covered = float(str(card["occluded"]))
        quad = np.array(card["quad_px"], np.float64)
        if covered < MOST_COVERED and _inside(quad, image):
            cover = "free" if covered < 0.05 else "covered to 30 %" if covered < 0.3 else "covered to 60 %"
            yield Case(rectify(image, quad), str(card["card"] or FACE_DOWN), deck, f"{medium}, {cover}", where)


def _inside(quad: Quad, image: Image) -> bool:
    return bool((quad > -0.5).all() and (quad < np.array(image.shape[1::-1]) - 0.5).all())


def photo_cases(folder: Path) -> Iterator[Case]:
    """Labelled photographs: quads from `card_quads.csv` where it is there, else found free cards that match a label."""
    known = _known_quads(folder / "card_quads.csv")
    for row in labels_in(folder):
        unfit = any(word in row["notes"] for word in NO_OUTLINE) and row["file"] not in known
        if unfit or row["kind"] in ("video", "empty"):
            continue
        image = open_picture(folder / "set" / row["file"])
        names = [_class_of(name) for name in row["cards"].replace("top:", "").split()]
        quads = known.get(row["file"]) or list(_matched(image, names, row.get("boxes", "")))
        for name, quad in quads:
            yield Case(rectify(image, quad), name, row["deck"], f"photo, {row['kind']}", row["file"])


def _class_of(label: str) -> str:
    return {"back": FACE_DOWN, "joker": str(JOKER)}.get(label) or str(parse_card(label))


def _known_quads(file: Path) -> dict[str, list[tuple[str, Quad]]]:
    if not file.exists():
        return {}
    quads: dict[str, list[tuple[str, Quad]]] = {}
    with file.open() as stream:
        for row in csv.DictReader(stream):
            points = [float(value) for key, value in row.items() if key not in ("file", "card")][:8]
            quads.setdefault(row["file"], []).append((_class_of(row["card"]), np.array(points).reshape(4, 2)))
    return quads


def _matched(image: Image, names: Sequence[str], boxes: str) -> Iterator[tuple[str, Quad]]:
    """Free cards that a finder outlines, with the label whose box they fill; in a picture of one card, the largest."""
    found = [quad for quad in free_outlines(image) if _has_a_cards_shape(quad)]
    if len(names) == 1 and not boxes:
        large = [quad for quad in found if area(quad) > SMALLEST * image.shape[0] * image.shape[1]]
        yield from ((names[0], fitted(image, quad)) for quad in large[:1])
        return
    for name, box in zip(names, boxes.split(";"), strict=False):
        wanted = np.array([float(value) for value in box.split(",") if value])
        filling = [quad for quad in found if len(wanted) and _overlap(_box_of(quad), wanted) > 0.75]
        yield from ((name, fitted(image, quad)) for quad in filling[:1])


def _has_a_cards_shape(quad: Quad) -> bool:
    a, b, c, d = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    return bool(0.58 < min(a + c, b + d) / max(a + c, b + d) < 0.82)


def _box_of(quad: Quad) -> NDArray[np.float64]:
    return np.concatenate([quad.min(axis=0), quad.max(axis=0)])


def _overlap(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    shared = float(np.prod(np.maximum(high - low, 0)))
    return shared / (float(np.prod(a[2:] - a[:2])) + float(np.prod(b[2:] - b[:2])) - shared)


@dataclass(frozen=True)
class Verdicts:
    """What the reader said of all cases."""

    cases: list[Case]
    odds: NDArray[np.float32]

    @property
    def right(self) -> NDArray[np.bool_]:
        return np.array([CLASSES[i] == case.truth for i, case in zip(self.odds.argmax(1), self.cases, strict=True)])

    @property
    def named(self) -> NDArray[np.bool_]:
        return (self.odds.max(1) >= SURE) & (self.odds.argmax(1) != CLASSES.index(NOTHING))

    def groups(self, key: Callable[[Case], str]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        names = np.array([key(case) for case in self.cases])
        for name in sorted(set(names)):
            yield str(name), names == name

    def report(self) -> Iterator[str]:
        """Lines of text: by kind, by deck, reliability."""
        for title, key in (("kind", lambda c: c.kind), ("deck", lambda c: c.deck)):
            yield f"\n{title:32s} {'right':38s} unsure  wrong"
            for name, members in (("all", np.ones(len(self.cases), bool)), *self.groups(key)):
                said, right = self.named[members], self.right[members]
                n, k, wrong = int(members.sum()), int((said & right).sum()), int((said & ~right).sum())
                yield f"{name:32s} {share(k, n):38s} {n - k - wrong:6d} {wrong:6d}"
        yield "\nodds given      cards   mean odds   really right"
        p, error = self.odds.max(1), 0.0
        for low, high in zip((0, 0.5, 0.7, 0.9, 0.97, 0.99), (0.5, 0.7, 0.9, 0.97, 0.99, 1.01), strict=True):
            members = (p >= low) & (p < high)
            if members.any():
                said, true = float(p[members].mean()), float(self.right[members].mean())
                error += members.mean() * abs(said - true)
                yield f"{low:4.2f} to {min(high, 1):4.2f}   {int(members.sum()):6d}   {said:9.3f}   {true:12.3f}"
        yield f"expected calibration error {100 * error:.1f} %"
        yield f"likeliest is right {share(int(self.right.sum()), len(p))}"

    def worst(self, count: int = 40) -> Image:
        """A sheet of the surest mistakes, `truth > said odds` under each."""
        odds = self.odds.max(1)
        order = [i for i in np.argsort(-odds) if not self.right[i]][:count]
        pictures = []
        for i in order:
            picture = cv2.resize(self.cases[i].crop, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
            said = f"{self.cases[i].truth} > {CLASSES[self.odds[i].argmax()]} {odds[i]:.2f}"
            strip = np.zeros((20, picture.shape[1], 3), np.uint8)
            cv2.putText(strip, said, (3, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 255, 255), 1, cv2.LINE_AA)
            pictures.append(np.vstack([picture, strip]))
        blank = np.zeros((2 * CROP_SIZE[1] + 20, 2 * CROP_SIZE[0], 3), np.uint8)
        pictures += [blank] * (-len(pictures) % 8 if pictures else 8)
        return np.asarray(np.vstack([np.hstack(pictures[i : i + 8]) for i in range(0, len(pictures), 8)]), np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, help="folder of rendered tables with JSON beside each picture")
    parser.add_argument("--photos", type=Path, help="folder with labels.csv and set/")
    parser.add_argument("--weights", type=Path, help="an ONNX file in place of the packaged one")
    parser.add_argument("--card", type=Path, help="put the report into this model card")
    parser.add_argument("--worst", type=Path, help="write a sheet of the worst mistakes here")
    given = parser.parse_args()
    cases = [*(table_cases(given.table) if given.table else ()), *(photo_cases(given.photos) if given.photos else ())]
    if not cases:
        parser.error("nothing to measure with: give --table or --photos")
    reader = CardReader(given.weights)
    crops = np.stack([case.crop for case in cases])
    odds = np.concatenate([reader.odds(crops[i : i + 64]) for i in range(0, len(crops), 64)])
    verdicts = Verdicts(cases, odds)
    report = "\n".join(verdicts.report())
    print(report)
    if given.card:
        put_measured(given.card, f"```text{report}\n```")
    if given.worst:
        cv2.imwrite(str(given.worst), verdicts.worst())


if __name__ == "__main__":
    run(main)
