"""A spot is where one stack of cards lies: a middle pile or a place of a row. It is looked at again when it has settled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hardware.frames import Frame, Image
from hardware.tablefile import Table, rectangle
from hardware.vision.motion import Hand, Motion
from hardware.vision.piles import LEAST_CHANGE_MM2, Mask, Reader, Top, TopFinder, area_mm2, biggest_change, changed_pixels
from hardware.vision.rectify import Patch
from referee.table import Player

QUIET_NS: Final = 25_000_000
"""A spot has settled when neither hand nor motion was over it for so long, and in two frames at least."""
MOVING_SHARE: Final = 0.012
COVERED_SHARE: Final = 0.02
SCALE: Final = 1.25
"""Pixels a millimetre of the pictures in which cards are looked for."""
SURE: Final = 0.85
MOST_LOOKS: Final = 4
"""So many frames are looked at before an unsure reading is taken as it is."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A spot that lies still again after something was over it."""

    since_ns: int
    """When the disturbance began."""
    at_ns: int
    visits: dict[Player, int]
    """Whose hands were over it, and when last."""
    before: Top | None
    before_picture: Image
    now: Top | None
    changed_mm2: float


class Spot:
    """Watches one spot; `top` is what lay there when it was last settled."""

    def __init__(
        self, table: Table, motion: Motion, reader: Reader, centre_mm: tuple[float, float], reach_mm: float, turned: float
    ) -> None:
        width, height = table.card_size_mm
        room = 2 * reach_mm
        self.centre_mm = centre_mm
        self.zone = motion.zone(rectangle(*centre_mm, width + 0.6 * room, height + 0.6 * room))
        patch = Patch.of(table, centre_mm, (width + room + 10.0, height + room + 10.0), SCALE)
        self._finder = TopFinder(table, patch, reader, centre_mm, reach_mm)
        self._turned = turned
        self._motion = motion
        self.top: Top | None = None
        self.picture: Image = patch.picture.copy()
        self.disturbed_ns: int | None = None
        self._quiet_ns: int | None = None
        self._visits: dict[Player, int] = {}
        self._looks: list[Top | None] = []

    @property
    def patch(self) -> Patch:
        return self._finder.patch

    @property
    def still(self) -> bool:
        """Whether nothing is or was over it since it was last looked at."""
        return self.disturbed_ns is None

    def start(self, image: Image) -> None:
        """Look at the spot as it lies."""
        self._keep(self.patch.cut(image))
        self.top = self._finder.find(image, self.picture, turned=self._turned)

    def see(self, frame: Frame, hands: Sequence[Hand]) -> Settled | None:
        """Take a frame in; return what is new once the spot has settled after a disturbance."""
        if self._busy(frame.at_ns, hands):
            return None
        if self.disturbed_ns is None:
            return None
        if self._quiet_ns is None:
            self._quiet_ns = frame.at_ns
            return None
        if frame.at_ns - self._quiet_ns < QUIET_NS:
            return None
        return self._look(frame)

    def _busy(self, at_ns: int, hands: Sequence[Hand]) -> bool:
        over = [hand for hand in hands if self.zone.share(hand.cells) > COVERED_SHARE]
        for hand in over:
            self._visits[hand.player] = at_ns
        if not over and self.zone.share(self._motion.moving) <= MOVING_SHARE:
            return False
        self.disturbed_ns = at_ns if self.disturbed_ns is None else self.disturbed_ns
        self._quiet_ns = None
        self._looks.clear()
        return True

    def _look(self, frame: Frame) -> Settled | None:
        picture = self.patch.cut(frame.image)
        changed = changed_pixels(picture, self.picture)
        area = area_mm2(changed, self.patch)
        now = self.top if area < LEAST_CHANGE_MM2 else self._find(frame.image, picture, changed)
        if area >= LEAST_CHANGE_MM2 and (now is None or now.sure < SURE) and len(self._looks) + 1 < MOST_LOOKS:
            self._looks.append(now)
            return None
        assert self.disturbed_ns is not None
        now = max((now, *self._looks), key=lambda top: -1.0 if top is None else top.sure)
        seen = Settled(self.disturbed_ns, frame.at_ns, dict(self._visits), self.top, self.picture.copy(), now, area)
        self._keep(picture)
        self.top = now
        self._motion.accept(self.zone)
        self.disturbed_ns = self._quiet_ns = None
        self._visits.clear()
        self._looks.clear()
        return seen

    def _find(self, image: Image, picture: Image, changed: Mask) -> Top | None:
        near = [self.top.pose] if self.top is not None else []
        return self._finder.find(image, picture, biggest_change(changed, self.patch), near, self._turned)

    def _keep(self, picture: Image) -> None:
        self.picture[:] = picture
