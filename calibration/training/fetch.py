"""Gets what training draws with: typefaces and published decks, all of a known licence, none kept in the repository.

    python -m calibration.training.fetch DATA

Needs `npm`, `apt-get` (Debian 12) and `rsvg-convert` on the path. Each deck becomes a folder of
pictures with a `deck.toml`.
"""

import argparse
import gzip
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.training.decks import FACES
from referee.cards import PACK

FONTS = (
    "abril-fatface",
    "alfa-slab-one",
    "anton",
    "antonio",
    "archivo-narrow",
    "arimo",
    "arvo",
    "b612-mono",
    "barlow-condensed",
    "bebas-neue",
    "besley",
    "bitter",
    "bodoni-moda",
    "bree-serif",
    "cabin",
    "caladea",
    "chivo",
    "cinzel",
    "clear-sans",
    "courier-prime",
    "cousine",
    "crimson-text",
    "dejavu-sans",
    "dm-serif-display",
    "domine",
    "dosis",
    "eb-garamond",
    "fira-sans-condensed",
    "fjalla-one",
    "frank-ruhl-libre",
    "gelasio",
    "gfs-didot",
    "gloock",
    "graduate",
    "hepta-slab",
    "ibm-plex-mono",
    "inconsolata",
    "jetbrains-mono",
    "josefin-sans",
    "khand",
    "lato",
    "league-gothic",
    "libre-baskerville",
    "libre-caslon-text",
    "libre-franklin",
    "lora",
    "merriweather",
    "montserrat",
    "noto-serif",
    "nunito",
    "old-standard-tt",
    "oswald",
    "overpass-mono",
    "patua-one",
    "playfair-display",
    "prata",
    "pt-sans-narrow",
    "pt-serif",
    "quattrocento",
    "quicksand",
    "raleway",
    "roboto-condensed",
    "roboto-slab",
    "rokkitt",
    "rufina",
    "saira-condensed",
    "sanchez",
    "share-tech-mono",
    "slabo-27px",
    "spectral",
    "teko",
    "tinos",
    "titillium-web",
    "unna",
    "varela-round",
    "vollkorn",
    "yanone-kaffeesatz",
    "yeseva-one",
    "zilla-slab",
)
"""Families of the npm scope @fontsource (SIL Open Font License, Apache-2.0 or Bitstream Vera)."""

SIGNED_FONTS = "dejavu-fonts-ttf"
"""Typefaces that have the suit signs too (Bitstream Vera licence)."""
DEBIAN_PACKAGE = "kdegames-card-data-kf5"
DEBIAN_DECKS = ("jolly-royal", "oxygen", "oxygen-air", "oxygen-white", "standard")
"""Its decks with ordinary faces (GPL-2+). Left out: those that resemble the decks that readers are judged by (dondorf,
gm-paris, nicu-ornamental, nicu-white, tigullio-international) and those that are no French deck to look at."""
KENNARD_PACKAGE = "@heruka_urgyen/react-playing-cards"
KENNARD_DECKS = ("2color", "2color-bf", "4color-bf")
"""Adrian Kennard's decks (CC0): normal and large index, two and four colours."""
KEPT_OUT = ("standard", "kennard-4color-bf")
"""Decks for validation alone."""
HEIGHT_PX = 450


@dataclass(frozen=True)
class Drawing:
    """One card as an SVG file, or as one object in it."""

    card: str
    svg: Path
    part: str | None = None


def fetch_fonts(folder: Path) -> None:
    """Typefaces, upright, regular and bold."""
    folder.mkdir(parents=True, exist_ok=True)
    for family in FONTS:
        if not any(folder.glob(f"{family}-latin-*")):
            _unpack(f"@fontsource/{family}", r"package/files/.*-latin-[47]00-normal\.woff", folder)
    _unpack(SIGNED_FONTS, r"package/ttf/DejaVu(Sans|Sans-Bold|Serif-Bold|SansCondensed-Bold)\.ttf", folder)


def _unpack(package: str, wanted: str, folder: Path) -> None:
    """The files of an npm package whose whole path matches, without their folders."""
    with tempfile.TemporaryDirectory() as box, tarfile.open(_packed(package, Path(box))) as packed:
        for member in packed.getmembers():
            if re.fullmatch(wanted, member.name):
                member.name = Path(member.name).name
                packed.extract(member, folder, filter="data")


def _packed(package: str, box: Path) -> Path:
    subprocess.run(["npm", "pack", "--silent", package], cwd=box, check=True, stdout=subprocess.DEVNULL)
    return next(box.glob("*.tgz"))


def fetch_debian_decks(folder: Path) -> None:
    """The decks of KDE's card games."""
    with tempfile.TemporaryDirectory() as box:
        subprocess.run(["apt-get", "download", DEBIAN_PACKAGE], cwd=box, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["dpkg-deb", "-x", str(next(Path(box).glob("*.deb"))), box], check=True)
        for name in _not_there(folder, DEBIAN_DECKS):
            packed = next((Path(box) / "usr/share/carddecks" / f"svg-{name}").glob("*.svgz"))
            draw_sheet(packed, folder / name)
            _describe(folder / name, "GPL-2+", f"Debian {DEBIAN_PACKAGE}, svg-{name}")


def draw_sheet(packed: Path, folder: Path, faces: Sequence[str] = FACES, height_px: int = HEIGHT_PX) -> None:
    """Draw the cards of a packed SVG sheet, one object a card, into a folder."""
    with tempfile.TemporaryDirectory() as box:
        svg = Path(box) / "sheet.svg"
        svg.write_bytes(gzip.decompress(packed.read_bytes()))
        _draw_all(folder, [drawing for drawing in _kde_drawings(svg) if drawing.card in faces], height_px)


def _kde_drawings(svg: Path) -> Iterator[Drawing]:
    suits = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}
    ranks = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
    parts = {str(card): f"{ranks.get(card[:-1], card[:-1])}_{suits[card[-1]]}" for card in PACK}
    known = svg.read_text(errors="replace")
    for card, part in (*parts.items(), ("JK", "joker"), ("JK", "black_joker"), ("back", "back")):
        if f'id="{part}"' in known:
            yield Drawing(card, svg, part)


def fetch_kennard_decks(folder: Path) -> None:
    """Adrian Kennard's decks."""
    with tempfile.TemporaryDirectory() as box:
        with tarfile.open(_packed(KENNARD_PACKAGE, Path(box))) as packed:
            packed.extractall(box, filter="data")
        for name in _not_there(folder, KENNARD_DECKS, "kennard-"):
            art = Path(box) / "package/src/images" / name
            names = {card: card.replace("10", "T") for card in PACK} | {"JK": "2J", "back": "1B"}
            drawings = [Drawing(card, art / f"{file}.svg") for card, file in names.items()]
            drawings = [drawing for drawing in drawings if drawing.svg.exists()]
            _draw_all(folder / f"kennard-{name}", drawings, HEIGHT_PX)
            _describe(folder / f"kennard-{name}", "CC0-1.0", f"npm {KENNARD_PACKAGE}, {name}")


def _draw_all(folder: Path, drawings: list[Drawing], height_px: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for drawing in drawings:
        rough = _drawn(drawing, 1.0, folder)
        picture = _drawn(drawing, height_px / rough.shape[0], folder)
        cv2.imwrite(str(folder / f"{drawing.card}.png"), picture)


def _not_there(folder: Path, names: Sequence[str], prefix: str = "") -> list[str]:
    """Decks still to be drawn: one that an earlier run described is whole."""
    return [name for name in names if not (folder / f"{prefix}{name}" / "deck.toml").exists()]


def _describe(folder: Path, licence: str, source: str) -> None:
    validation = "true" if folder.name in KEPT_OUT else "false"
    (folder / "deck.toml").write_text(f'source = "{source}"\nlicence = "{licence}"\nvalidation = {validation}\n')


def _drawn(drawing: Drawing, zoom: float, folder: Path) -> NDArray[np.uint8]:
    """The card alone, BGRA; a part of a sheet is cut out of it."""
    file = folder / "drawn.png"
    part = ["--export-id", drawing.part] if drawing.part else []
    options = [*part, "--zoom", f"{zoom:.4f}", "--output", str(file)]
    subprocess.run(["rsvg-convert", *options, str(drawing.svg)], check=True)
    picture = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
    file.unlink()
    x, y, w, h = cv2.boundingRect((picture[..., 3] > 40).astype(np.uint8))
    return picture[y : y + h, x : x + w]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    for tool in ("npm", "apt-get", "dpkg-deb", "rsvg-convert"):
        if shutil.which(tool) is None:
            parser.error(f"{tool} is not installed: training needs it to fetch typefaces and decks")
    fetch_fonts(data / "fonts")
    fetch_kennard_decks(data / "decks")
    fetch_debian_decks(data / "decks")


if __name__ == "__main__":
    main()
