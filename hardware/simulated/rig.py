"""The simulated table as a rig: a camera that films a script, and pads that its slaps close."""

import random
from collections.abc import Callable, Iterable, Iterator
from time import sleep
from typing import Final

from hardware.frames import Frame
from hardware.pads.edges import FOUR_PADS, Pad
from hardware.pads.trains import Change, contact, debounced
from hardware.simulated.renderer import Renderer
from hardware.simulated.trouble import Trouble, troubled
from referee.observations import PadReleased, PadSlapped
from referee.script import Script, Slap
from referee.units import MS

PAD_UNCERTAINTY_NS: Final = 50_000
"""Half-width of a simulated stamp's uncertainty: that of gpiod on a Pi."""

_BOUNCE_NS: Final = (80_000, 700_000)


class SimulatedCamera:
    """A FrameSource over a rendered script.

    Without a clock it hands out every frame as fast as it is asked, in the script's time. With a clock
    (CLOCK_MONOTONIC) it keeps real time: it waits for the next frame and leaves out those that are already past.
    """

    def __init__(
        self, renderer: Renderer, clock: Callable[[], int] | None = None, troubles: Iterable[Trouble] = ()
    ) -> None:
        self.renderer = renderer
        self.fps = renderer.look.fps
        self.size_px = renderer.look.camera.size_px
        self.dropped = 0
        self._clock = clock
        self._troubles = tuple(troubles)
        self._closed = False

    def frames(self) -> Iterator[Frame]:
        """Yield frames until the script ends or the camera is closed."""
        yield from troubled(self._filmed(), self._troubles)

    def close(self) -> None:
        """Stop after the frame that is being taken."""
        self._closed = True

    def _filmed(self) -> Iterator[Frame]:
        count = int(self.renderer.choreography.script.end_ns * self.fps / 1e9)
        start_ns = self._clock() if self._clock else 0
        number = 0
        while number < count and not self._closed:
            if self._clock:
                late = min(self._wait(start_ns, number), count - number)
                self.dropped += late
                number += late
                if number == count:
                    return
            frame = self.renderer.frame(number)
            yield Frame(at_ns=frame.at_ns + start_ns, image=frame.image, number=number)
            number += 1

    def _wait(self, start_ns: int, number: int) -> int:
        """Wait until a frame is due; return how many must be left out because they are past."""
        assert self._clock is not None
        ahead_ns = start_ns + round(number * 1e9 / self.fps) - self._clock()
        if ahead_ns > 0:
            sleep(ahead_ns / 1e9)
        return max(0, int(-ahead_ns * self.fps / 1e9))


def pad_changes(script: Script, bounce: bool = True) -> list[Change]:
    """Return every closing and opening of the four pads, with the bounce of real contacts if wanted."""
    rng = random.Random(f"pads {script.seed}")
    changes: list[Change] = []
    for action in script.actions:
        if isinstance(action, Slap):
            pad, begin = Pad(action.player, action.pile), action.at_ns
            for _ in range(rng.randrange(4) if bounce else 0):
                opens = begin + rng.randint(*_BOUNCE_NS)
                changes += contact(pad, begin, opens)
                begin = opens + rng.randint(*_BOUNCE_NS)
            changes += contact(pad, begin, max(action.release_ns, begin + MS))
    return sorted(changes)


def pad_observations(script: Script, bounce: bool = True) -> list[PadSlapped | PadReleased]:
    """Return what the pads tell about the script's slaps, debounced as on a real table, in order of their stamps."""
    events = debounced(pad_changes(script, bounce), FOUR_PADS, PAD_UNCERTAINTY_NS)
    return [event for event in events if isinstance(event, PadSlapped | PadReleased)]
