"""Is the light good enough to read cards by? Brightness, glare, evenness, flicker and sharpness, each with its cure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.checks.report import Answer, fail, ok, skip, warn
from hardware.frames import Image
from hardware.tablefile import Points, Table
from hardware.vision.quads import card_quads
from hardware.vision.tablefinder import markers_in

Gray = NDArray[np.uint8]
Named = tuple[str, Answer]

DARK_PAPER, DIM_PAPER, WHITE_PAPER = 90.0, 130.0, 253.0
"""Gray level of white paper: under the first nothing is read surely, under the second it is noisy; at the last the
lightest print is lost."""
SPARSE: Final = 4
"""Of a running table every fourth pixel of every fourth line tells how bright it is."""
CLIPPED: Final = 250
"""A pixel whose three channels all reach this shows no print."""
GLARE_SOME, GLARE_MUCH = 0.01, 0.06
"""Share of a zone that is burnt out."""
EVEN, UNEVEN = 0.6, 0.4
"""Darkest against lightest part of the table."""
FLICKER_SOME, FLICKER_MUCH = 0.012, 0.04
"""Share by which the brightness of a picture, or of its rows, swings."""
FLICKER_FRAMES: Final = 8
SHARP_PX, SOFT_PX = 3.0, 4.5
"""Width in which a card's edge goes from a tenth to nine tenths of its step."""
DARKER: Final = 12.0
"""What is darker than the table around it by more gray levels is no paper."""
RISE_OF_BLUR: Final = 2.563
"""From a tenth to nine tenths a blurred edge takes so many standard deviations of the blur."""
LEAST_STEP: Final = 40.0
"""A card's edge that is fainter in gray levels does not tell sharpness."""


def light_answers(images: Sequence[Image], table: Table | None = None) -> list[Named]:
    """Return one answer a question about the light. Several pictures (of a video) tell flicker; a table file names the
    piles and rows where glare lies."""
    image = images[len(images) // 2]
    gray = _gray(image)
    quads = cards_lying(image, gray)
    return [
        ("brightness", brightness(gray, quads)),
        ("glare", glare(image, table)),
        ("evenness", evenness(gray, quads)),
        ("flicker", flicker(images)),
        ("sharpness", sharpness(gray, [*quads, *marker_quads(image)])),
    ]


def light_now(image: Image, table: Table | None) -> Answer:
    """Is a running table lit well enough? One answer, cheap enough for every few seconds: far too dark, dim, or a
    pile or row under glare."""
    level = paper_level(_gray(np.ascontiguousarray(image[::SPARSE, ::SPARSE])), [])
    if level < DIM_PAPER:
        return brightness_of(level)
    burnt = glare(image, table)
    return warn(burnt.says, burnt.cure) if burnt.state == "FAIL" else ok(f"white paper is at {level:.0f} of 255")


def cards_lying(image: Image, gray: Gray) -> list[Points]:
    """Return the outlines of what lies free and is brighter than the table around it: cards, and not the slap pads."""
    return [quad for quad in card_quads(image) if _stands_out(gray, quad)]


def marker_quads(image: Image) -> list[Points]:
    """Return the outlines of the mat's markers: edges as sharp as the lens draws any."""
    return [np.asarray(quad, np.float64) for quad in markers_in(image).values()]


def _stands_out(gray: Gray, quad: Points) -> bool:
    middle = quad.mean(axis=0)
    inside, outside = (middle + share * (quad - middle) for share in (0.9, 1.15))
    level = [cv2.remap(gray, ring[None, :, 0], ring[None, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
             for ring in (_ring(inside), _ring(outside))]  # fmt: skip
    return bool(np.median(level[0]) >= np.median(level[1]) - DARKER)


def _ring(quad: Points) -> NDArray[np.float32]:
    """Return points along a quad's sides."""
    shares = np.linspace(0.0, 1.0, 12)[:, None, None]
    return np.asarray(quad + shares * (np.roll(quad, -1, axis=0) - quad), np.float32).reshape(-1, 2)


def brightness(gray: Gray, quads: Sequence[Points]) -> Answer:
    """Is white paper white in the picture? Measured on cards lying free, else on the lightest parts."""
    return brightness_of(paper_level(gray, quads))


def paper_level(gray: Gray, quads: Sequence[Points]) -> float:
    """Return the gray level of white paper, 0 to 255: of cards lying free, else of the lightest parts."""
    papers = _papers(gray, quads)
    return float(np.median(papers)) if papers else float(np.quantile(gray, 0.98))


def brightness_of(level: float) -> Answer:
    """Say what a gray level of white paper means."""
    says = f"white paper is at {level:.0f} of 255"
    if level < DARK_PAPER:
        return fail(f"{says}: far too dark", "put a lamp over the table, or open the exposure")
    if level < DIM_PAPER:
        return warn(f"{says}: dim", "give it more light: pictures get noisy and hands blur")
    if level > WHITE_PAPER:
        return warn(f"{says}: too bright, fine print is lost", "dim the lamp or shorten the exposure")
    return ok(says)


def glare(image: Image, table: Table | None) -> Answer:
    """Is a pile or row burnt out? Without a table file the whole picture is judged."""
    shares = glare_shares(image, table)
    where, most = max(shares.items(), key=lambda item: item[1])
    says = f"{100 * most:.1f} % of {where} is burnt out"
    if most > GLARE_MUCH:
        return fail(says, "move the lamp to the side so that it does not mirror in the cards, or dim it")
    if most > GLARE_SOME:
        return warn(says, "turn or move the lamp a little")
    return ok(f"nowhere more than {100 * most:.1f} % burnt out")


def glare_shares(image: Image, table: Table | None) -> dict[str, float]:
    """Return which share of each pile and row place shows no print for light."""
    burnt = burnt_out(image)
    zones = _zones(table) if table is not None else {}
    shares = {name: _share_in(burnt, table.to_px(zone)) for name, zone in zones.items()} if table is not None else {}
    return shares or {"the picture": cv2.countNonZero(burnt) / burnt.size}


def burnt_out(image: Image) -> Gray:
    """Return where the picture is clipped in all three channels: 255 or 0; single pixels do not count."""
    mask = cv2.inRange(image, (CLIPPED, CLIPPED, CLIPPED), (255, 255, 255))
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)


def glare_map(image: Image) -> Image:
    """Return a copy of the picture with everything that is burnt out in red."""
    drawn = image.copy()
    drawn[burnt_out(image) > 0] = (0, 0, 255)
    return drawn


def evenness(gray: Gray, quads: Sequence[Points]) -> Answer:
    """Is the light the same all over the table? Compared on the paper of cards that lie apart."""
    papers = _papers(gray, quads)
    if len(papers) < 4:
        return skip("evenness is told by at least four cards lying apart on the table")
    share = min(papers) / max(papers)
    says = f"the darkest card has {100 * share:.0f} % of the light of the brightest"
    if share < UNEVEN:
        return fail(says, "put the lamp over the middle of the table, or a second one opposite")
    return ok(says) if share >= EVEN else warn(says, "move the lamp towards the darker side")


def flicker(images: Sequence[Image]) -> Answer:
    """Does the brightness swing from picture to picture, or in bands across them?"""
    swing = flicker_share(images)
    if swing is None:
        return skip(f"flicker is told by a video, or by the camera ({FLICKER_FRAMES} pictures or more)")
    says = f"the brightness swings by {100 * swing:.1f} %"
    if swing < FLICKER_SOME:
        return ok(says)
    cure = "set camera.mains_hz to that of your mains (50 or 60), or use another lamp"
    return fail(f"{says}: bands", cure) if swing > FLICKER_MUCH else warn(says, cure)


def flicker_share(images: Sequence[Image]) -> float | None:
    """Return by which share rows of the picture swing in brightness (standard deviation); None for too few pictures.

    The median over the columns' thirds is taken, so that a hand on one side makes no flicker.
    """
    if len(images) < FLICKER_FRAMES:
        return None
    bands = np.array([[third.mean(axis=(1, 2)) for third in np.array_split(im[::4], 3, axis=1)] for im in images])
    swings = bands.std(axis=0) / (bands.mean(axis=0) + 1.0)
    return float(np.median(swings))


def sharpness(gray: Gray, quads: Sequence[Points]) -> Answer:
    """Is the picture in focus? Measured on the edges of cards that lie free."""
    width = edge_width_px(gray, quads)
    if width is None:
        return skip("sharpness is told by the edge of a card: lay one apart from the others on a darker table")
    says = f"a card's edge is {width:.1f} pixels wide"
    if width > SOFT_PX:
        return fail(f"{says}: out of focus", "focus the lens on the table, wipe it, and hold the camera still")
    return ok(says) if width <= SHARP_PX else warn(f"{says}: soft", "focus the lens on the table and wipe it")


def edge_width_px(gray: Gray, quads: Sequence[Points]) -> float | None:
    """Return in how many pixels edges rise from a tenth to nine tenths; None where none is strong.

    The sharpest quarter counts: shadows and stacks make edges wide, and nothing makes them narrow but the lens.
    """
    widths = [width for quad in quads for width in _edge_widths(gray, quad)]
    return float(np.quantile(widths, 0.25)) if widths else None


def lens_blur_px(image: Image) -> float | None:
    """Return the standard deviation of the lens's own blur, by the edges of what lies still; None without one."""
    gray = _gray(image)
    width = edge_width_px(gray, [*cards_lying(image, gray), *marker_quads(image)])
    return None if width is None else width / RISE_OF_BLUR


def _edge_widths(gray: Gray, quad: Points) -> Iterator[float]:
    """Yield the width of the edge in the middle of each side of a card."""
    reach, steps = 8.0, np.linspace(-1.0, 1.0, 65)
    for a, b in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = (b - a) / max(1e-6, float(np.linalg.norm(b - a)))
        across = np.array([along[1], -along[0]])
        for share in (0.3, 0.4, 0.5, 0.6, 0.7):
            line = (a + share * (b - a) + reach * steps[:, None] * across).astype(np.float32)
            profile = cv2.remap(gray, line[None, :, 0], line[None, :, 1], cv2.INTER_LINEAR).ravel().astype(np.float64)
            low, high = float(profile[-16:].mean()), float(profile[:16].mean())
            if abs(high - low) < LEAST_STEP:
                continue
            rise = (profile - low) / (high - low)
            crossed = [int(np.argmax(rise < level)) for level in (0.9, 0.1)]
            if 0 < crossed[0] < crossed[1]:
                yield (crossed[1] - crossed[0]) * 2 * reach / (len(steps) - 1)


def _papers(gray: Gray, quads: Sequence[Points]) -> list[float]:
    """Return the gray level of each card's paper."""
    papers = []
    for quad in quads:
        x0, y0 = np.maximum(quad.min(axis=0), 0).astype(int)
        x1, y1 = quad.max(axis=0).astype(int) + 1
        mask = np.zeros(gray[y0:y1, x0:x1].shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad - (x0, y0)).astype(np.int32), 255)
        inside = gray[y0:y1, x0:x1][mask > 0]
        if inside.size:
            papers.append(float(np.quantile(inside, 0.75)))
    return papers


def _zones(table: Table) -> Mapping[str, Points]:
    piles = {f"pile {pile}": zone for pile, zone in table.piles.items()}
    rows = {f"{p}'s place {n}": zone for p, row in table.rows.items() for n, zone in enumerate(row, 1)}
    return piles | rows


def _share_in(mask: Gray, zone_px: Points) -> float:
    inside = np.zeros_like(mask)
    cv2.fillConvexPoly(inside, np.round(zone_px).astype(np.int32), 255)
    return cv2.countNonZero(cv2.bitwise_and(mask, inside)) / max(1, cv2.countNonZero(inside))


def _gray(image: Image) -> Gray:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
