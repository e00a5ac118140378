"""What each stage costs on this machine: process CPU time, as a ratio to decoding the same frame as a JPEG.

One OpenCV thread, one ONNX Runtime thread. The video is the simulated table's, or one that is given.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time_ns
from typing import Final

import cv2
import numpy as np

from hardware.cameras.video import VideoFile
from hardware.frames import Frame
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.simulated.rig import SimulatedCamera
from hardware.vision.eyes import Eyes
from hardware.vision.reader import CROP_SIZE, CardReader
from hardware.vision.steps import at_once
from hardware.vision.tablefinder import find_table
from referee.errors import PictureError
from referee.script import SpitDown
from referee.simulated.players import play_deal

JPEG_QUALITY: Final = 85
SIZE_PX: Final = (1280, 720)
SEED: Final = 7
BEFORE_NS: Final = 2_000_000_000
"""So long before the first card on a pile the bench begins."""
PI_NETWORK_MS: Final = {"Pi 5": 2.3, "Pi 4": 8.0}
"""What one core needs for the card reader's network, one way up, by published single-core figures of small networks."""
NETWORK: Final = "the network, one way up"


@dataclass(frozen=True, slots=True)
class Stage:
    """`ms`: CPU time of one call; `ratio`: to decoding one frame; `target`: the ratio that it should stay below."""

    name: str
    ms: float
    ratio: float
    target: float | None = None

    @property
    def reached(self) -> bool | None:
        return None if self.target is None else self.ratio <= self.target


@dataclass(slots=True)
class Measured:
    """CPU time per frame in ms, by what went on at the table."""

    decode: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    play: list[float] = field(default_factory=list)


def pi_factors(stages: Sequence[Stage]) -> dict[str, float]:
    """Return how many times slower each Pi is than this machine, as the time of the network tells; an estimate."""
    here_ms = next((stage.ms for stage in stages if stage.name == NETWORK), 0.0)
    return {name: ms / here_ms if here_ms else 0.0 for name, ms in PI_NETWORK_MS.items()}


def bench_vision(
    video: Path | None, seconds: float, folder: Path, progress: Callable[[float], None] = lambda share: None
) -> list[Stage]:
    """Return the cost of the eyes' stages, then of whole frames: still table, mean during play, 99 of 100 frames.

    `folder`: the pictures are written there as JPEG first, so that nothing else runs while they are watched.

    Raises:
        PictureError: no card is played in them.
    """
    cv2.setNumThreads(1)
    moments: dict[Path, int] = {}
    for share, shown in _frames(video, seconds):
        progress(share / 2)
        path = folder / f"{shown.number:06d}.jpg"
        cv2.imwrite(str(path), shown.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        moments[path] = shown.at_ns
    measured = Measured()
    eyes: Eyes | None = None
    sample: Frame | None = None
    for number, (path, at_ns) in enumerate(moments.items()):
        progress((1 + number / len(moments)) / 2)
        code = np.fromfile(path, np.uint8)
        begun = process_time_ns()
        picture = cv2.imdecode(code, cv2.IMREAD_COLOR)
        measured.decode.append((process_time_ns() - begun) / 1e6)
        frame = Frame(at_ns, np.asarray(picture, np.uint8), number)
        if eyes is None:
            eyes = Eyes(find_table(frame.image), CardReader())
            eyes.see(frame)
            continue
        cost = _ms(eyes.see, frame)
        (measured.play if eyes.busy else measured.idle).append(cost)
        if eyes.busy:
            sample = frame
    if eyes is None or sample is None:
        raise PictureError(
            "nothing is played in what was watched: give a video in which cards are laid, or more --seconds"
        )
    return [*_parts(eyes, sample, measured), *_whole(measured)]


def _frames(video: Path | None, seconds: float) -> Iterator[tuple[float, Frame]]:
    """Yield frames of 1280 x 720 with the share that is done."""
    if video is not None:
        source = VideoFile(video)
        for frame in source.frames():
            picture = frame.image
            if source.size_px != SIZE_PX:
                picture = np.asarray(cv2.resize(picture, SIZE_PX, interpolation=cv2.INTER_AREA), np.uint8)
            yield frame.number / max(1, source.count), Frame(frame.at_ns, picture, frame.number)
        source.close()
        return
    script = play_deal(SEED)
    camera = SimulatedCamera(Renderer(script, Look()))
    begin = next(action.at_ns for action in script.actions if isinstance(action, SpitDown)) - BEFORE_NS
    for frame in camera.frames():
        done = (frame.at_ns - begin) / (seconds * 1e9)
        if done > 1:
            return
        if done >= 0:
            yield done, frame


def _parts(eyes: Eyes, frame: Frame, measured: Measured) -> list[Stage]:
    decode = float(np.mean(measured.decode))
    reader = CardReader()
    crop = np.zeros((1, CROP_SIZE[1], CROP_SIZE[0], 3), np.uint8)
    upright = np.zeros((1, 3, CROP_SIZE[1], CROP_SIZE[0]), np.float32)
    spot = eyes.piles["A"].spot
    parts: list[tuple[str, Callable[[], object]]] = [
        ("motion", lambda: eyes.motion.see(Frame(frame.at_ns + 40_000_000, frame.image, frame.number))),
        ("hands", eyes.motion.hands),
        ("keeping the middle", lambda: eyes.ring.add(frame.at_ns, frame.image)),
        ("rectify a pile", lambda: spot.patch.cut(frame.image)),
        (NETWORK, lambda: reader.network(upright)),
        ("reading a card", lambda: reader.odds(crop)),
        ("finding a card by its indices", lambda: at_once(spot.finder.by_index(spot.picture))),
        ("searching a card everywhere", lambda: spot.finder.search(spot.picture, None)),
    ]
    stages = [Stage("decode one frame", decode, 1.0)]
    for name, call in parts:
        call()
        cost = float(np.median([_ms(call) for _ in range(15)]))
        stages.append(Stage(name, cost, cost / decode))
    return stages


def _whole(measured: Measured) -> list[Stage]:
    decode = float(np.mean(measured.decode))
    both = measured.idle + measured.play
    figures = [
        ("still table, mean", float(np.mean(measured.idle)) if measured.idle else 0.0, 0.1),
        ("during play, mean", float(np.mean(measured.play)) if measured.play else 0.0, 0.3),
        ("any frame, 99 of 100 below", float(np.percentile(both, 99)), 2.0),
    ]
    return [Stage(name, cost, cost / decode, target) for name, cost, target in figures]


def _ms(call: Callable[..., object], *given: object) -> float:
    begun = process_time_ns()
    call(*given)
    return (process_time_ns() - begun) / 1e6
