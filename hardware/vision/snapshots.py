"""The picture that goes with a call: both middle piles from straight above, as the referee saw them."""

from collections.abc import Callable
from typing import Final

import cv2
import msgspec

from hardware.frames import Frame
from hardware.tablefile import Table
from hardware.vision.rectify import Patch
from referee.observations import AnyObservation, CardLanded, CardTakenBack

_SIZE_MM: Final = (220.0, 150.0)
_PX_PER_MM: Final = 1.6
_QUALITY: Final = 82

KeepPicture = Callable[[str, bytes], bool]
"""Takes a name and a JPEG, and says whether it was kept."""


class Snapshots:
    """Keeps a picture for each card that landed or was taken back, and names it in the observation."""

    def __init__(self, table: Table, keep: KeepPicture) -> None:
        self._patch = Patch.of(table, (0.0, 0.0), _SIZE_MM, _PX_PER_MM)
        self._keep = keep

    def attach(self, frame: Frame, seen: AnyObservation) -> AnyObservation:
        """Return the observation with the name of the picture that shows it, if one was kept."""
        if not isinstance(seen, CardLanded | CardTakenBack) or seen.frame is not None:
            return seen
        what = "after" if isinstance(seen, CardLanded) else "back"
        name = f"{frame.number:06d}-{seen.pile}-{what}.jpg"
        done, data = cv2.imencode(".jpg", self._patch.cut(frame.image), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        if not done or not self._keep(name, data.tobytes()):
            return seen
        return msgspec.structs.replace(seen, frame=name)
