"""The rig to practise on: a rendered table in real time, with troubles that a person switches on and off."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from time import monotonic_ns, sleep
from typing import Final, Literal

import cv2
import numpy as np

from hardware.cameras.judge import Limits
from hardware.cameras.port import Clock
from hardware.cameras.watched import WatchedCamera
from hardware.frames import Frame, Image
from hardware.simulated.carried import CarriedCard
from hardware.simulated.dealt import deal_out
from hardware.simulated.hands import corners_mm, draw_hand
from hardware.simulated.look import Look
from hardware.simulated.motion import HandAt
from hardware.simulated.renderer import Renderer
from hardware.simulated.sprites import Box, Sprite, covering, warp
from hardware.simulated.switches import Troubles
from hardware.simulated.trouble import Trouble, troubled
from hardware.simulated.view import View
from referee.cards import PACK
from referee.errors import DeviceError
from referee.ports import ObservationSink
from referee.script import Script, SpitDown

_FOR_EVER: Final = 1 << 62
_SPOILING: Final[Mapping[str, Trouble]] = {
    "nudge": Trouble("nudge", 0, _FOR_EVER, 15.0),
    "glare": Trouble("glare", 0, _FOR_EVER, 0.9),
    "lamp": Trouble("lamp", 0, _FOR_EVER, 0.25),
}
Scene = Literal["dealt", "tops", "pack 1", "pack 2", "carried"]
"""What lies on the table while it is set up: both rows; rows and both tops; a half of the pack, the cards apart; both
rows, and a hand that carries a card to and fro over the middle."""
_NEVER: Final = -1
_STEP_NS: Final = 50_000_000
_SETTLED_NS: Final = 400_000_000
_ROWS: Final = 10
"""So many stacks are laid before both rows lie."""
_SILENCE: Final = "the simulated table is not drawn in time; end other programs on this machine"
_PATIENCE_NS: Final = 4_000_000_000
"""A rendered table may stall on a busy laptop, or be slow; a camera may not."""


class PracticeCamera:
    """A Camera that films `picture(at_ns, number)` in real time, at the look's rate, through the troubles.

    `starts` is told the moment of the first picture, once; the camera may be opened again after it was pulled.
    """

    def __init__(
        self,
        picture: Callable[[int, int], Image],
        look: Look,
        troubles: Troubles,
        starts: Callable[[int], None] = lambda at_ns: None,
        clock: Clock = monotonic_ns,
    ) -> None:
        self.name, self.size_px, self.fps = "simulated", look.camera.size_px, look.fps
        self.complaints: list[str] = []
        self.start_ns = _NEVER
        self._picture, self._troubles, self._starts, self._clock = picture, troubles, starts, clock
        self._number = 0
        self._hand = _Hand(look)

    def open(self) -> None:
        """Start; raises DeviceError while the camera is pulled out."""
        self._refuse_if_pulled()
        if self.start_ns == _NEVER:
            self.start_ns = self._clock()
            self._starts(self.start_ns)

    def read(self) -> Frame:
        """Return the next picture when it is due, leaving out those that are past."""
        self._refuse_if_pulled()
        now = int((self._clock() - self.start_ns) * self.fps / 1e9)
        self._number = max(self._number + 1, now)
        at_ns = round(self._number * 1e9 / self.fps)
        ahead_ns = self.start_ns + at_ns - self._clock()
        if ahead_ns > 0:
            sleep(ahead_ns / 1e9)
        frame = Frame(at_ns=self.start_ns + at_ns, image=self._picture(at_ns, self._number), number=self._number)
        on = self._troubles.on
        if "hand" in on:
            frame = replace(frame, image=self._hand.over(frame.image))
        return next(troubled([frame], [trouble for name, trouble in _SPOILING.items() if name in on]))

    def close(self) -> None:
        """Nothing to give back."""

    def _refuse_if_pulled(self) -> None:
        if "pulled" in self._troubles.on:
            sleep(0.05)
            raise DeviceError("the simulated camera was pulled out; plug it in again with the same button")


class PracticeFilm(WatchedCamera):
    """A practice camera with its watchdog, which ends when the script is over."""

    def __init__(self, camera: PracticeCamera, sink: ObservationSink, length_ns: int | None) -> None:
        limits = Limits(late_ns=_PATIENCE_NS, slow_share=0.0)
        super().__init__(lambda: camera, sink, lost_after_ns=_PATIENCE_NS, limits=limits, silence=_SILENCE)
        self._camera, self._length_ns = camera, length_ns

    def frames(self) -> Iterator[Frame]:
        """Yield the newest good picture each time, until the script is over or the camera is closed."""
        for frame in super().frames():
            yield frame
            if self._length_ns is not None and frame.at_ns - self._camera.start_ns >= self._length_ns:
                return


class StillTable:
    """A table that is being set up: what lies on it changes when the next step wants something else there."""

    def __init__(self, script: Script, look: Look) -> None:
        """The cards are those of the script's beginning."""
        self.look = look
        self._renderer = Renderer(script, look)
        spits = [action for action in script.actions if isinstance(action, SpitDown)]
        self._from_to = {
            "dealt": (0, spits[0].start_ns - _STEP_NS),
            "tops": (max(spit.at_ns for spit in spits[:2]) + _SETTLED_NS, script.end_ns),
        }
        self._moments: dict[Scene, int] = {}
        self._packs: dict[Scene, Image] = {}
        self._noise = np.random.default_rng(1).integers(0, 5, (8, *look.camera.size_px[::-1], 1), np.uint8)
        self._carried: CarriedCard | None = None
        self._scene: Scene = "dealt"
        self.lay("dealt")

    @property
    def card_mm(self) -> tuple[float, float]:
        """Size of the cards that lie there."""
        return self._renderer.deck.size_mm

    def lay(self, scene: Scene) -> None:
        """Lay the table anew; what takes time is done before the camera sees anything of it."""
        if scene == "carried":
            self.lay("dealt")
            self._carried = self._carried or CarriedCard(self.look, self._renderer.deck)
        elif scene in self._from_to:
            self._moments.setdefault(scene, self._still_after(*self._from_to[scene]))
        elif scene not in self._packs:
            self._packs[scene] = self._pack(scene)
        self._scene = scene

    def picture(self, at_ns: int, number: int) -> Image:
        """Return what the camera sees now."""
        scene = self._scene
        if scene == "carried" and self._carried is not None:
            return self._carried.over(self._renderer.picture(self._moments["dealt"], number), at_ns)
        if scene in self._moments:
            return self._renderer.picture(self._moments[scene], number)
        noise = self._noise[number % len(self._noise)]
        return np.asarray(cv2.add(self._packs[scene], np.repeat(noise, 3, axis=2)), np.uint8)

    def _still_after(self, at_ns: int, end_ns: int) -> int:
        """Return the first moment from `at_ns` on at which both rows lie and no hand is there; else `end_ns`."""
        hands, changes = self._renderer.choreography.hands.values(), self._renderer.choreography.changes
        rows_lie_ns = sorted(change.at_ns for change in changes if change.cards)[_ROWS - 1]
        at_ns = max(at_ns, rows_lie_ns)
        while at_ns < end_ns and any(path.at(at_ns) is not None for path in hands):
            at_ns += _STEP_NS
        return min(at_ns, end_ns)

    def _pack(self, scene: Scene) -> Image:
        """Return half of the pack, laid out in the middle of the picture."""
        width, height = self.look.camera.size_px
        half, seed = (PACK[:26], 2) if scene == "pack 1" else (PACK[26:], 3)
        dealt = deal_out(self._renderer.deck, half, seed=seed).image
        fits = min(1.0, width / dealt.shape[1], height / dealt.shape[0])
        dealt = np.asarray(cv2.resize(dealt, None, fx=fits, fy=fits, interpolation=cv2.INTER_AREA), np.uint8)
        down, across = height - dealt.shape[0], width - dealt.shape[1]
        edges = down // 2, down - down // 2, across // 2, across - across // 2
        return np.asarray(cv2.copyMakeBorder(dealt, *edges, cv2.BORDER_REPLICATE), np.uint8)


class _Hand:
    """A hand that lies over the middle of the table."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._whole = Box(0, 0, *look.camera.size_px)
        self._sprite: Sprite | None = None

    def over(self, image: Image) -> Image:
        """Return a copy of the picture with the hand over pile B."""
        picture = image.copy()
        self._sprite = self._sprite or self._drawn()
        self._sprite.lay_on(picture, self._whole)
        return picture

    def _drawn(self) -> Sprite:
        at = HandAt(player="p1", hand="R", x_mm=48.0, y_mm=10.0, z_mm=25.0, angle_deg=4.0, pose="flat")
        art = draw_hand(self._look.hands["p1"], at.hand, at.pose)
        quad = View(self._look.camera).px(corners_mm(at, self._look.hands["p1"].size))
        box = Box.around(quad, 2, self._whole.size) or self._whole
        return covering(box, warp(art.picture, quad, box))
