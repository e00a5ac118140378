"""What a simulated table looks like: one seeded value for deck, table top, lamp, camera and hands."""

import random
from dataclasses import dataclass, field, replace
from math import atan, degrees
from typing import Final, Self

from hardware.simulated.deck import DECK_STYLES
from hardware.simulated.suits import BGR
from hardware.simulated.view import Camera
from referee.table import Player

TABLE_TOPS: Final = ("felt green", "felt blue", "felt red", "cloth grey", "cloth sand", "oak", "walnut", "white")
MATS: Final = ("printed", "cloth green", "cloth black", "cloth grey", "cards", "none")
"""`printed`: the mat of `calibrate mat`. `cloth`: a plain cloth with the four markers on it. `cards`: the markers lie
on the table, cut out. `none`: no markers at all."""

_SKINS: Final[tuple[BGR, ...]] = (
    (168, 196, 236), (142, 172, 222), (116, 150, 205), (90, 126, 182), (66, 98, 150), (48, 72, 116), (38, 54, 86),
)  # fmt: skip
_GLOVES: Final[tuple[BGR, ...]] = ((232, 232, 230), (52, 50, 48), (178, 122, 60), (70, 60, 170))
_SLEEVES: Final[tuple[BGR, ...]] = (
    (90, 62, 40), (44, 40, 40), (226, 226, 222), (60, 50, 150), (120, 110, 100), (70, 110, 60), (160, 130, 70),
    (90, 150, 200),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HandLook:
    """One person's hands. Colours are blue green red under a white lamp."""

    skin: BGR = (116, 150, 205)
    glove: bool = False
    sleeve: BGR = (90, 62, 40)
    sleeve_pattern: str = "plain"
    sleeve_from_mm: float = 190.0
    """Where the cuff is, from the fingertips; beyond 500 the arm is bare."""
    size: float = 1.0
    seed: int = 1

    @classmethod
    def seeded(cls, rng: random.Random) -> Self:
        glove = rng.random() < 0.12
        return cls(
            skin=rng.choice(_GLOVES if glove else _SKINS),
            glove=glove,
            sleeve=rng.choice(_SLEEVES),
            sleeve_pattern=rng.choice(("plain", "plain", "stripes", "check")),
            sleeve_from_mm=rng.choice((165.0, 185.0, 215.0, 260.0, 600.0)),
            size=rng.uniform(0.86, 1.1),
            seed=rng.randrange(1 << 30),
        )


@dataclass(frozen=True, slots=True)
class Lamp:
    """The light: a wide lamp beside the table, and what the camera makes of it."""

    at_mm: tuple[float, float] = (-300.0, 500.0)
    falloff_mm: float = 1100.0
    """Distance over the table at which it gives half its light."""
    shadow_slope: tuple[float, float] = (0.35, -0.45)
    """How far a shadow falls, in mm for each mm of height."""
    shadow: float = 0.38
    """Share of the light that a shadow takes away."""
    warmth: float = 0.0
    """-1 bluish to 1 yellowish."""
    exposure: float = 1.0
    vignette: float = 0.16
    """Share of the light that is missing in the corners."""
    glare: float = 0.0
    """Strength of a bright reflection, 0 to 1."""
    glare_at_mm: tuple[float, float] = (40.0, 30.0)


@dataclass(frozen=True, slots=True)
class Look:
    """A whole simulated table, as frozen numbers: the same look and script give the same frames."""

    seed: int = 0
    deck: str = "parlour"
    table_top: str = "oak"
    mat: str = "printed"
    pads: bool = True
    """Whether slap pads lie on the table."""
    clutter: bool = False
    """Whether a mug and a phone lie beside the mat."""
    camera: Camera = field(
        default_factory=lambda: Camera(tilt_deg=2.0, roll_deg=0.6, lens_k1k2p1p2k3=(-0.03, 0.0, 0.0, 0.0, 0.0))
    )
    lamp: Lamp = field(default_factory=Lamp)
    hands: dict[Player, HandLook] = field(
        default_factory=lambda: {
            "p1": HandLook(seed=5, sleeve_pattern="stripes", sleeve=(150, 96, 52)),
            "p2": HandLook(seed=6, skin=(66, 98, 150), sleeve=(44, 40, 120)),
        }
    )
    fps: float = 30.0
    shutter_s: float = 0.010
    noise: float = 2.6
    """Standard deviation in levels of 255."""
    defocus_px: float = 0.7
    jpeg_quality: int | None = None
    tossed: float = 0.0
    """Share of cards that are thrown rather than laid."""
    untidy: float = 1.0
    """How far cards lie from where they should: 1 is a careful player."""

    @classmethod
    def seeded(cls, seed: int) -> Self:
        """Return one of endless plausible tables, the same for the same seed."""
        rng = random.Random(f"look {seed}")
        camera = Camera(
            height_mm=rng.uniform(600, 800),
            hfov_deg=62.0,
            tilt_deg=rng.uniform(-5, 5),
            pan_deg=rng.uniform(-3, 3),
            roll_deg=rng.uniform(-4, 4),
            aim_mm=(rng.uniform(-12, 12), rng.uniform(-8, 8)),
            lens_k1k2p1p2k3=(rng.choice((0.0, rng.uniform(-0.08, 0.02))), 0.0, 0.0, 0.0, 0.0),
        )
        return cls(
            seed=seed,
            deck=rng.choice(sorted(DECK_STYLES)),
            table_top=rng.choice(TABLE_TOPS),
            mat=rng.choice(MATS[:-1]),
            clutter=rng.random() < 0.4,
            camera=_filling(camera, rng.uniform(0.72, 0.93)),
            lamp=_seeded_lamp(rng),
            hands={"p1": HandLook.seeded(rng), "p2": HandLook.seeded(rng)},
            shutter_s=rng.uniform(0.004, 0.014),
            noise=rng.uniform(1.2, 4.5),
            defocus_px=rng.uniform(0.45, 1.05),
            tossed=rng.choice((0.0, 0.1, 0.25)),
            untidy=rng.uniform(0.6, 1.8),
        )


def _filling(camera: Camera, share: float) -> Camera:
    """Return the camera with the field of view at which the mat's height fills `share` of the picture's height."""
    width, height = camera.size_px
    across_mm = 420.0 / share * width / height
    return replace(camera, hfov_deg=2 * degrees(atan(across_mm / 2 / camera.height_mm)))


def _seeded_lamp(rng: random.Random) -> Lamp:
    x, y = rng.uniform(-600, 600), rng.uniform(-600, 600)
    return Lamp(
        at_mm=(x, y),
        falloff_mm=rng.uniform(600, 1600),
        shadow_slope=(-x / 1000 + rng.uniform(-0.1, 0.1), -y / 1000 + rng.uniform(-0.1, 0.1)),
        shadow=rng.uniform(0.15, 0.5),
        warmth=rng.uniform(-0.7, 0.9),
        exposure=rng.uniform(0.55, 1.12),
        vignette=rng.uniform(0.05, 0.3),
        glare=rng.choice((0.0, 0.0, rng.uniform(0.1, 0.4))),
        glare_at_mm=(rng.uniform(-200, 200), rng.uniform(-120, 120)),
    )
