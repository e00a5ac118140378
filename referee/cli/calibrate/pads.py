"""The steps of the calibration that feel: wires, and who sits where."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.calibrate.options import ConfigOption, JsonOption, TableOption
from referee.cli.check import show
from referee.errors import DeviceError
from referee.settings import PadsSection, load_settings, table_file

if TYPE_CHECKING:
    from calibration.wires import Listener

KeysOption = Annotated[bool, typer.Option("--keys", help="Try it without pads: keys A S for p1, K L for p2.")]
WaitOption = Annotated[float, typer.Option("--patience-s", min=0.1, help="How long to wait for each press.")]
NO_TERMINAL: Final = "--keys needs a terminal to read keys from; run it in one, or wire the pads and leave --keys out"


def wires(
    presses: Annotated[int, typer.Option("--presses", min=1, help="How often each pad is pressed.")] = 1,
    patience_s: WaitOption = 20.0,
    keys: KeysOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Press each pad in turn: which pin moved, for how long, and how clean its contact was."""
    from calibration.wires import as_asked, judged, pads_in_turn

    settings = load_settings(config).settings.pads
    with _pads(settings, keys) as listener:
        for pad in pads_in_turn(settings):
            for n in range(presses):
                count = f" ({n + 1} of {presses})" if presses > 1 else ""
                typer.echo(f"Press {as_asked(pad)} and let go{count}.", err=as_json)
                show(str(pad), judged(pad, listener.press(round(patience_s * 1e9)), settings), as_json)
    typer.echo("Lights and buzzer: `spit-referee signals`", err=as_json)


def sides(
    table: TableOption = None,
    patience_s: WaitOption = 20.0,
    keys: KeysOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Touch one pad to tell who sits at the bottom edge of the picture; turns the table file round if need be."""
    from calibration.sides import settled
    from hardware.tablefile import load_table, save_table

    settings = load_settings(config).settings
    path = table or table_file(settings)
    known = load_table(path)
    with _pads(settings.pads, keys) as listener:
        typer.echo("You at the bottom edge of the camera's picture: press your left pad.", err=as_json)
        press = listener.press(round(patience_s * 1e9))
    if press is None:
        raise DeviceError("no pad was pressed; try again, or check the pads with `spit-referee calibrate wires`")
    turned, answer = settled(known, press.pad)
    if turned is not known:
        save_table(turned, path)
    show("sides", answer, as_json)


@contextmanager
def _pads(settings: PadsSection, keys: bool) -> "Iterator[Listener]":
    """Listen to the real pads, or to the keyboard in their place; raises DeviceError where there are none."""
    import sys

    from calibration.wires import listening
    from hardware.pads import MockPads, pad_backend, pads_of
    from hardware.pads.mock_pads import key_listener
    from referee.cli.keyboard import Keyboard

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
