"""`spit-referee signals`: see and hear every signal, on the table's lights and buzzer where there are any."""

from time import monotonic_ns, sleep
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.options import ConfigOption
from referee.errors import DeviceError, SettingsError
from referee.settings import SignalsSection, load_settings
from referee.signals import SIGNALS, Signal, SignalName, cue

if TYPE_CHECKING:
    from hardware.signals import Outputs

CELL_MS: Final = 50
ONCE_MS: Final = 4_000
"""A repeating signal is played for so long."""


def signals(
    name: Annotated[str | None, typer.Argument(help="One of them; without: all, one after the other.")] = None,
    player: Annotated[str, typer.Option("--player", help="Whose light: p1 or p2.")] = "p1",
    listing: Annotated[bool, typer.Option("--list", help="Only print them.")] = False,
    config: ConfigOption = None,
) -> None:
    """See and hear what the lights and the buzzer say."""
    settings = load_settings(config).settings.signals
    names = [known(name)] if name else list(SIGNALS)
    if player not in ("p1", "p2"):
        raise SettingsError(f"--player {player}: there are only p1 and p2")
    outputs, place = (None, "") if listing else table_outputs(settings)
    if place:
        typer.echo(place)
    typer.echo(f"{'signal':12} light (#) and buzzer (o), one cell = {CELL_MS} ms")
    if outputs is None:
        for each in names:
            typer.echo(rendered(each))
        return
    play(names, player, outputs, settings)


def known(name: str) -> SignalName:
    """Return a signal's name as the table has it; raises SettingsError with the nearest one."""
    from difflib import get_close_matches

    for each in SIGNALS:
        if each == name.lower().replace("-", "_"):
            return each
    near = get_close_matches(name, SIGNALS, 1)
    raise SettingsError(
        f"there is no signal {name!r}; {f'did you mean {near[0]}?' if near else 'leave it out for all'}"
    )


def table_outputs(settings: SignalsSection) -> "tuple[Outputs | None, str]":
    """Return the table's lights and buzzer, or none and why they stay dark."""
    from hardware.signals import outputs_of

    if settings.backend in ("mock", "none"):
        return None, "Lights and buzzer are switched off in the settings: drawn here only."
    try:
        outputs = outputs_of(settings)
    except DeviceError as error:
        return None, f"Drawn here only: {error}"
    return outputs, f"On the table's lights and buzzer ({outputs.name}):"


def play(names: list[SignalName], player: str, outputs: "Outputs", settings: SignalsSection) -> None:
    """Play signals one after the other, each printed as it begins; dark and silent at the end, also on Ctrl-C."""
    from hardware.signals import SignalPlayer

    with SignalPlayer(outputs, settings) as player_of_signals:
        for name in names:
            typer.echo(rendered(name))
            begins_ns = player_of_signals.say(cue(name, "p2" if player == "p2" else "p1"))
            sleep(max(0, begins_ns - monotonic_ns()) / 1e9 + lasting_ms(SIGNALS[name]) / 1000)
            player_of_signals.end(name)
            sleep(0.7)
        if player_of_signals.fault:
            raise DeviceError(player_of_signals.fault)


def lasting_ms(signal: Signal) -> int:
    return ONCE_MS if signal.every_ms else signal.length_ms


def rendered(name: SignalName) -> str:
    """Return a signal as lines for a terminal: rhythm of light and buzzer as cells, tones, place and words."""
    signal = SIGNALS[name]
    light = sound = ""
    tones: list[int] = []
    for beat in signal.beats:
        cells = max(1, round(beat.ms / CELL_MS))
        light += ("#" if beat.lit else ".") * cells
        sound += ("o" if beat.hz else ".") * cells
        tones += [beat.hz] if beat.hz and beat.hz not in tones else []
    place = "own light" if signal.place == "own" else "both lights"
    heard = f"{' and '.join(map(str, tones))} Hz" if tones else "silent"
    again = f", again every {signal.every_ms / 1000:.0f} s" if signal.every_ms else ""
    indent = " " * 12
    return f"{name:12} {light}\n{indent} {sound}\n{indent} {signal.words} ({place}, {heard}{again})"
