"""How a spot lay when it was last still, and what still shows of that."""

from collections.abc import Sequence
from typing import Final

from hardware.frames import Frame, Image
from hardware.tablefile import Table
from hardware.vision.cardfit import Free
from hardware.vision.changes import Change
from hardware.vision.likeness import Likeness, Shown
from hardware.vision.looks import Glimpse
from hardware.vision.piles import TopFinder
from hardware.vision.rectify import Patch
from hardware.vision.tops import Top

UNMOVED: Final = 0.8
"""Correlation from which the free end of a card shows the same as before."""
NEVER: Final = -1_000_000_000


class LastStill:
    """The picture of a spot when it was last still, and the card that lay on top."""

    def __init__(self, table: Table, patch: Patch, finder: TopFinder, is_pile: bool) -> None:
        """`is_pile`: a card of much the same print may be laid exactly on the one that lies there."""
        self._table, self._patch, self._finder, self._is_pile = table, patch, finder, is_pile
        self.top: Top | None = None
        self.free: Free = "whole"
        """The end of the top that was free when it was read."""
        self.picture: Image = patch.picture.copy()
        """Replaced, never written into: whoever looks back at it may hold on to it."""
        self.known: Sequence[Top] = ()
        """Cards that are known to lie below the top: under a hand none of them is taken for a new one."""
        self.share = 0.0
        """Which share of the top's print showed in its place when it was last asked for."""
        self.shown_ns = NEVER
        """When that was."""
        self._likeness: Likeness | None = None

    @property
    def lying(self) -> Sequence[Top]:
        """Every card that is known to lie here, the top last."""
        return self.known if self.top is None else (*self.known, self.top)

    def keep(self, picture: Image, top: Top | None, free: Free = "whole") -> None:
        """This is how the spot lies from now on."""
        if picture is not self.picture:
            self.picture = picture.copy()
            self._likeness = None
        self.top, self.free = top, free

    def renew(self, picture: Image) -> None:
        """Keep a newer picture of the same bare card; its print is compared with the first one, lest it drifts."""
        self.picture = picture.copy()

    def shown(self, frame: Frame) -> Shown:
        """Return what shows of the top in its place, and whether it lies bare, no card on it or beside it.

        A hand or another card may cover the rest. The `share` that is kept is, of a card that was read under a hand,
        that of the end which was free then.
        """
        likeness = self._like_before()
        shown = Shown(False, 0.0) if likeness is None else likeness.shown(frame.image)
        if likeness is not None and shown.bare and self._is_pile and likeness.is_another(frame.image):
            shown = Shown(False, 0.0)
        self.share, self.shown_ns = shown.share, frame.at_ns
        if likeness is not None and self.free != "whole":
            self.share = likeness.share(frame.image, self.free == "upper")
        return shown

    def is_bare_at(self, image: Image, ends: Sequence[Free]) -> bool:
        """Whether the top still shows at the ends that hands leave free: no card was laid on it."""
        likeness = self._like_before()
        if likeness is None or not all(likeness.is_bare_at(image, end == "upper") for end in ends):
            return False
        return not any(likeness.is_another(image, end == "upper") for end in ends)

    def shows_free_end(self, image: Image) -> bool:
        """Whether the end of the top that was free when it was read under a hand still shows."""
        return self.free != "whole" and self.is_bare_at(image, [self.free])

    def changed(self, picture: Image) -> Change:
        """Return where a picture of the spot differs from the kept one."""
        return Change.between(picture, self.picture, self._patch)

    def is_same_card(self, picture: Image) -> bool:
        """Whether the card that was read under a hand shows as it did then, at the end that was free."""
        if self.top is None or self.free == "whole":
            return False
        return self._finder.alike(picture, self.picture, self.top.pose, self.free) > UNMOVED

    def shows(self, glimpse: Glimpse, picture: Image) -> bool:
        """Whether the card of a glimpse still lies there bare."""
        return self._finder.alike(picture, glimpse.picture, glimpse.top.pose, glimpse.free) > UNMOVED

    def _like_before(self) -> Likeness | None:
        if self._likeness is None and self.top is not None:
            quad_mm = self.top.pose.quad_mm(self._table.card_size_mm)
            quad, quad_px = self._patch.to_patch(quad_mm), self._table.to_px(quad_mm)
            self._likeness = Likeness(self._table.card_size_mm, self.picture, quad, quad_px)
        return self._likeness
