"""The camera's delay against the pads, from a light that blinks in the picture."""

import random
from threading import Condition

import numpy as np
import pytest

from calibration.offset import Look, Switched, film_blinking, look_at, offset_of
from hardware.cameras.faulty import FaultyCamera, noise
from hardware.frames import Frame
from hardware.signals import MockOutputs
from referee.errors import DeviceError

MS = 1_000_000
S = 1000 * MS


def blinking(seed: int, seconds: float = 6.0) -> list[Switched]:
    rng, at_ns, lit = random.Random(seed), 500 * MS, False
    switched = [Switched(0, False)]
    while at_ns < seconds * 1e9:
        lit = not lit
        switched.append(Switched(at_ns, lit))
        at_ns += rng.randint(110, 260) * MS
    return switched


def filmed(
    switched: list[Switched], behind_ms: float, fps: float = 30.0, exposure_ms: float = 10.0, step: float = 60.0
) -> list[Look]:
    """A small light in a noisy picture in which a hand moves as well; stamps come `behind_ms` late."""
    chance = np.random.default_rng(1)
    looks = []
    for number in range(int(6.0 * fps)):
        true_ms = number * 1000 / fps + chance.uniform(-0.5, 0.5)
        moments = true_ms + np.linspace(-0.5, 0.5, 40) * exposure_ms
        share = np.mean([[one.lit for one in switched if one.at_ns <= ms * MS][-1:] == [True] for ms in moments])
        grey = 70 + chance.normal(0, 3, (45, 80))
        grey[30:40, (number * 2) % 60 :][:, :20] += 50
        grey[8:10, 60:62] += step * share
        looks.append(Look(round((true_ms + behind_ms) * MS), np.clip(grey, 0, 255).astype(np.uint8)))
    return looks


@pytest.mark.parametrize("behind_ms", [-12.0, 0.0, 38.0, 141.5])
@pytest.mark.parametrize("fps, exposure_ms", [(30.0, 10.0), (30.0, 33.0), (15.0, 4.0)])
def test_the_delay_comes_out_finer_than_the_time_between_pictures(
    behind_ms: float, fps: float, exposure_ms: float
) -> None:
    switched = blinking(3)
    found = offset_of(filmed(switched, behind_ms, fps, exposure_ms), switched)
    error_ms = abs(found.behind_ns / MS - behind_ms)
    assert error_ms * MS <= found.uncertainty_ns
    assert found.uncertainty_ns <= 6 * MS
    assert found.at_px[0] // 4 in range(59, 63) and found.at_px[1] // 4 in range(7, 11)


def test_a_light_that_is_not_seen_is_said_with_its_cure() -> None:
    switched = blinking(4)
    with pytest.raises(DeviceError, match="put a light where the camera sees it"):
        offset_of(filmed(switched, 20.0, step=0.0), switched)


def test_a_light_that_blinks_otherwise_is_not_taken_for_it() -> None:
    with pytest.raises(DeviceError, match="no light blinks"):
        offset_of(filmed(blinking(5), 20.0), blinking(6))


def test_too_few_pictures_are_said() -> None:
    with pytest.raises(DeviceError, match="too few"):
        offset_of(filmed(blinking(4), 0.0)[:20], blinking(4))


def test_what_is_kept_of_a_picture_is_small_and_grey() -> None:
    look = look_at(Frame(at_ns=5, image=np.full((40, 80, 3), 90, np.uint8), number=0))
    assert look.at_ns == 5 and look.grey.shape == (10, 20) and int(look.grey[0, 0]) == 90


class DrivenTime:
    """One clock for the camera and for the thread that blinks: only pictures move it on, and whoever sleeps wakes at
    the very moment that was wanted, however busy the machine is."""

    def __init__(self) -> None:
        self.now_ns, self._due_ns, self._over = S, None, False  # type: int, int | None, bool
        self._changed = Condition()

    def wait(self, seconds: float) -> bool:
        """Sleep, as an Event does that is set at the end."""
        with self._changed:
            self._due_ns = self.now_ns + round(seconds * S)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._due_ns is None or self._over)
            return self._over

    def set(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def move(self, by_ns: int) -> None:
        """Let time pass, and everybody who wakes in it do his work."""
        until_ns = self.now_ns + by_ns
        with self._changed:
            while self._changed.wait_for(lambda: self._due_ns is not None) and self._due_ns <= until_ns:
                self.now_ns, self._due_ns = self._due_ns, None
                self._changed.notify_all()
            self.now_ns = until_ns


def test_a_camera_that_films_its_own_light_learns_its_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole measurement with its thread: a mock light, and a camera that shows it and stamps 60 ms late."""
    time, outputs, grain = DrivenTime(), MockOutputs(), noise((160, 120))
    monkeypatch.setattr("calibration.offset.Event", lambda: time)

    class Camera(FaultyCamera):
        def read(self) -> Frame:
            time.move(S // 60)
            picture = grain(0)
            picture[40:60, 40:60] += np.uint8(90 if outputs.now.p1 else 0)
            return Frame(time.now_ns + 60 * MS, picture, 0)

    found = film_blinking(Camera(), outputs, 6.0, lambda: time.now_ns)
    assert abs(found.behind_ns - 60 * MS) <= min(found.uncertainty_ns, 10 * MS)
    assert found.at_px[0] in range(38, 62) and found.at_px[1] in range(38, 62)
    assert outputs.shown, "the lights were used"
