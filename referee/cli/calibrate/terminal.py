"""The bench of the set-up at a terminal: camera or saved pictures, pads or keys, and lines for what is found."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice, takewhile
from pathlib import Path
from time import monotonic_ns
from typing import Final

import typer

from calibration.bench import Ask, Found, Scene, Shown, Told
from calibration.camera import Filmed, film
from calibration.corners import save_picture
from calibration.deck import Doubtful
from calibration.offset import Offset, film_blinking
from calibration.wires import Listener, Press, listening
from hardware.cameras.choose import one_camera
from hardware.cameras.video import VideoFile
from hardware.frames import Frame
from hardware.pads import MockPads, pad_backend, pads_of
from hardware.pads.mock_pads import key_listener
from hardware.signals import outputs_of
from referee.cards import Card, parse_card
from referee.cli.calibrate.options import alike, picture
from referee.cli.check import show
from referee.cli.keyboard import Keyboard
from referee.errors import DeckError, DeviceError, NotationError
from referee.settings import PadsSection, Settings, table_file

NO_TERMINAL: Final = "--keys needs a terminal to read keys from; run it in one, or wire the pads and leave --keys out"


class TerminalBench:
    """Use it in a `with` block: the pads are taken when they are first listened to, and given back at its end."""

    def __init__(
        self,
        settings: Settings,
        table: Path | None = None,
        images: Sequence[Path] = (),
        video: Path | None = None,
        keys: bool = False,
    ) -> None:
        """`images` or a `video` stand in for the camera, `keys` for the pads."""
        self.settings = settings
        self.table_path = table or table_file(settings)
        self._images, self._video, self._keys = images, video, keys
        self._stack = ExitStack()
        self._listener: Listener | None = None

    def __enter__(self) -> "TerminalBench":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def film(self, count: int) -> Filmed:
        """Return pictures of the camera, or the saved ones."""
        if self._video is not None:
            video = VideoFile(self._video)
            try:
                return Filmed(str(self._video), list(islice(video.frames(), count)), 0, [])
            finally:
                video.close()
        if self._images:
            images = alike([picture(path, self.settings) for path in self._images])
            return Filmed("saved", [Frame(at_ns=0, image=image, number=n) for n, image in enumerate(images)], 0, [])
        return film(self.settings.camera, count)

    def watch(self, seconds: float) -> Iterator[Frame]:
        """Yield pictures of the camera or the video for so long."""
        if self._images:
            return
        if self._video is not None:
            with closing(VideoFile(self._video)) as video:
                yield from takewhile(lambda frame: frame.at_ns < seconds * 1e9, video.frames())
            return
        with closing(one_camera(self.settings.camera)) as camera:
            camera.open()
            end_ns = monotonic_ns() + round(seconds * 1e9)
            while monotonic_ns() < end_ns:
                yield camera.read()

    def press(self, patience_ns: int) -> Press | None:
        """Return the next press; raises DeviceError where there are no pads."""
        return self._pads().press(patience_ns)

    def race(self, patience_ns: int) -> list[Press]:
        """Return the first slaps of two pads; raises DeviceError where there are no pads."""
        return self._pads().race(patience_ns)

    def _pads(self) -> Listener:
        if self._listener is None:
            self._listener = self._stack.enter_context(pads_or_keys(self.settings.pads, self._keys))
        return self._listener

    def blink(self, seconds: float) -> Offset:
        """Blink the table's own lights in front of its own camera."""
        camera, outputs = one_camera(self.settings.camera), outputs_of(self.settings.signals)
        try:
            camera.open()
            return film_blinking(camera, outputs, seconds)
        finally:
            outputs.close()
            camera.close()

    def another(self, ask: str) -> bool:
        """Ask at the terminal."""
        if not sys.stdin.isatty():
            raise DeckError(
                "without pictures this step asks for the pack in parts: run it in a terminal, or give --image"
            )
        typer.echo(ask)
        answer = typer.prompt("Enter takes a picture, f finishes", default="", show_default=False)
        return not answer.strip().lower().startswith("f")

    def names_of(self, doubtful: Sequence[Doubtful], missing: Sequence[Card]) -> list[Card | None]:
        """Ask for each in words; where nobody can answer, all are left out."""
        if not sys.stdin.isatty():
            return [None] * len(doubtful)
        return [self._name_of(one, missing) for one in doubtful]

    def _name_of(self, one: Doubtful, missing: Sequence[Card]) -> Card | None:
        perhaps = " or ".join(one.likely(missing)[:3])
        while True:
            text = typer.prompt(
                f"{one.where} (perhaps {perhaps}): which card? Enter leaves it out", default="", show_default=False
            ).strip()
            if not text:
                return None
            try:
                return parse_card(text)
            except NotationError as error:
                typer.echo(f"{error}", err=True)

    def lies(self, scene: Scene) -> None:
        """The person has laid the cards."""


def print_step(told: Told, as_json: bool = False, pictures: Mapping[str, Path] | None = None) -> None:
    """Go through a step: a line for what is asked and what is found; its pictures are saved where `pictures` says."""
    for event in told:
        match event:
            case Ask():
                typer.echo(event.text, err=as_json)
            case Found():
                show(event.name, event.answer, as_json)
            case Shown():
                if (path := (pictures or {}).get(event.name)) is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    save_picture(path, event.image)
                    typer.echo(f"{path}: {event.words[:1].lower()}{event.words[1:]}", err=as_json)


@contextmanager
def pads_or_keys(settings: PadsSection, keys: bool) -> Iterator[Listener]:
    """Listen to the real pads, or to the keyboard in their place; raises DeviceError where there are none."""
    with ExitStack() as stack:
        if keys:
            if not sys.stdin.isatty():
                raise DeviceError(NO_TERMINAL)
            mock = MockPads(pads_of(settings))
            stack.enter_context(Keyboard(key_listener(mock)))
            yield stack.enter_context(listening(mock, settings))
            return
        if settings.backend in ("mock", "none"):
            raise DeviceError(f"pads.backend is {settings.backend}: no pads are wired; set it to auto, or try --keys")
        try:
            backend = pad_backend(settings)
            listener = stack.enter_context(listening(backend, settings))
        except DeviceError as error:
            raise DeviceError(f"{error} (to try this step without pads: --keys)") from None
        yield listener
