"""What a running table is made of: the parts that the settings name."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from hardware.cameras.choose import one_camera, watched_camera
from hardware.cameras.watched import WatchedCamera
from hardware.frames import Frame, FrameSource
from hardware.pads import MockPads, PadBackend, PadReader, contact_rules, pad_backend, pads_of
from hardware.pads.reader import NoteSink
from hardware.rig import NewsQueue, Seer
from hardware.signals import MockOutputs, Outputs, outputs_of
from hardware.tablefile import Table
from hardware.vision.eyes import Eyes
from hardware.vision.reader import Reader
from hardware.vision.snapshots import Album, Snapshots
from referee.errors import DeckError, DeviceError
from referee.log.header import Device
from referee.observations import AnyObservation
from referee.ports import ObservationSink
from referee.settings import Settings, SignalsSection, table_file

EyesMaker = Callable[[Album], Seer]
"""Builds the eyes, given where pictures are kept."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A table ready to be watched; `mock` are the pads if they are not real, `notices` what people must know."""

    source: str
    camera: FrameSource
    make_eyes: EyesMaker
    pads: PadReader
    outputs: Outputs
    mock: MockPads | None
    notices: tuple[str, ...] = ()
    on_first_frame: Callable[[Frame], None] = lambda frame: None

    def devices(self) -> tuple[Device, ...]:
        """Return what the log's header says about sensors and signals."""
        backend = self.pads.backend
        name = self.camera.name if isinstance(self.camera, WatchedCamera) else "simulated"
        width, height = self.camera.size_px
        return (
            Device(role="camera", name=f"{name}, {width}x{height} at {self.camera.fps:.0f} fps"),
            Device(role="pads", name=backend.name, uncertainty_ns=backend.uncertainty_ns),
            Device(role="signals", name=self.outputs.name),
        )


@dataclass(slots=True)
class SharpEyes:
    """Eyes that start with the first frame and keep a picture of every landing.

    They are made before the pads are opened, and what takes long to load is loaded then: a process that loads reads no
    levels and lights no lamp.
    """

    find: Callable[[Frame], Table]
    album: Album
    reader: Reader
    found: Callable[[Table], None] = lambda table: None
    """Is told the table once it is known."""
    _see: Callable[[Frame], list[AnyObservation]] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.reader.load()

    def see(self, frame: Frame) -> list[AnyObservation]:
        """Take a frame in; return what is new."""
        if self._see is None:
            self._see = self._open(frame)
        return self._see(frame)

    def _open(self, frame: Frame) -> Callable[[Frame], list[AnyObservation]]:
        table = self.find(frame)
        self.found(table)
        eyes, snapshots = Eyes(table, self.reader), Snapshots(table, self.album)
        return lambda frame: snapshots.see(frame, eyes.see(frame))


class Blind:
    """Eyes that see nothing: the table is being set up, nothing is judged."""

    def see(self, frame: Frame) -> list[AnyObservation]:
        """Let the frame pass."""
        return []


def real_parts(
    settings: Settings,
    table: Table | None,
    queue: NewsQueue,
    felt: ObservationSink,
    as_service: bool,
    found: Callable[[Table], None] = lambda table: None,
    notes: NoteSink = lambda note: None,
) -> Parts:
    """Return the parts that the settings name. Without a table nothing is judged: it is being set up.

    By hand, a machine without pins gets keys for pads and a drawing for lights, and a missing camera raises
    DeviceError with its cure; a service never takes other pads, and waits for them as for its camera.
    """
    if not as_service:
        try_camera(settings)
    notices: list[str] = []
    make_eyes = eyes_for(table, settings, as_service, notices, found)
    backend, mock = backend_or_keys(settings, as_service, notices)
    reader = PadReader(backend, pads_of(settings.pads), felt, notes, contact_rules(settings.pads))
    return Parts(
        source="live",
        camera=watched_camera(settings.camera, queue.put, behind_pads_ns=0 if table is None else table.behind_pads_ns),
        make_eyes=make_eyes,
        pads=reader,
        outputs=outputs_or_drawing(settings.signals, notices, as_service),
        mock=mock,
        notices=tuple(notices),
    )


def eyes_for(
    table: Table | None, settings: Settings, as_service: bool, notices: list[str], found: Callable[[Table], None]
) -> EyesMaker:
    """Return what makes the eyes for a table, or, while there is none, eyes that see nothing."""
    if table is None:
        return lambda album: Blind()
    reader = deck_reader(settings, as_service, notices)
    return lambda album: SharpEyes(lambda frame: table, album, reader, found)


def try_camera(settings: Settings) -> None:
    """Raise DeviceError with the cure if no picture can be had."""
    from msgspec.structs import replace

    camera = one_camera(replace(settings.camera, lock=False))
    with ExitStack() as stack:
        stack.callback(camera.close)
        camera.open()
        camera.read()


def backend_or_keys(settings: Settings, as_service: bool, notices: list[str]) -> tuple[PadBackend, MockPads | None]:
    """Return the pads' backend, and the same again if it is a mock."""
    try:
        backend = pad_backend(settings.pads, now=not as_service)
    except DeviceError as error:
        notices.append(f"NO REAL PADS: {error}. Keys stand in: A S for p1, K L for p2.")
        backend = MockPads(pads_of(settings.pads))
    return backend, backend if isinstance(backend, MockPads) else None


def deck_reader(settings: Settings, as_service: bool, notices: list[str]) -> Reader:
    """Return the reader for the enrolled deck beside the table file, if there is one.

    By hand a damaged deck file raises DeckError; a service says so and reads without it.
    """
    from hardware.vision.enrolled import deck_file, reader_for

    try:
        return reader_for(deck_file(table_file(settings)))
    except DeckError as error:
        if not as_service:
            raise
        notices.append(f"THE ENROLLED DECK IS NOT USED: {error}.")
        return reader_for(None)


def outputs_or_drawing(settings: SignalsSection, notices: list[str], as_service: bool = False) -> Outputs:
    """Return lights and buzzer. If there are none, a game goes on without them; a service looks for them again."""
    try:
        return outputs_of(settings)
    except DeviceError as error:
        notices.append(f"NO LIGHTS AND NO BUZZER: {error}.")
        return outputs_of(settings, now=False) if as_service else MockOutputs(keep=1)
