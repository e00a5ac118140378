"""Are lights and buzzer wired as the settings say? Each is switched on alone, and a person says what it was."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from hardware.checks.report import Answer, fail, ok
from hardware.signals import DARK, Output, Outputs
from referee.settings import SignalsSection
from referee.signals import Colour
from referee.table import PLAYERS

TONE_HZ: Final = 880
COLOURS: Final[tuple[Colour, ...]] = ("red", "green", "blue")
DARK_CURE: Final = "turn the LED round (long leg to the resistor), and check its wires to the pin and to ground"
SILENT_CURE: Final = (
    'check its transistor and wires, and set signals.buzzer = "active" if a tone of its own sounds at 3.3 V'
)


class Lamp(NamedTuple):
    """One output: what a person may answer it with, its pin and setting, and how it is switched on."""

    name: str
    pin: int
    setting: str
    on: Output


def lamps_of(settings: SignalsSection) -> list[Lamp]:
    """Return lights (each colour of a coloured one) and buzzer in the order in which they are switched on."""
    lamps: list[Lamp] = []
    for player in PLAYERS:
        pins: tuple[int, ...] = getattr(settings, f"led_{player}_rgb_pins")
        for colour, pin in zip(COLOURS, pins, strict=False):
            on = Output(player == "p1", player == "p2", 0, colour, colour)
            lamps.append(Lamp(f"{player} {colour}", pin, f"signals.led_{player}_rgb_pins", on))
        if not pins:
            pin = getattr(settings, f"led_{player}_pin")
            lamps.append(Lamp(player, pin, f"signals.led_{player}_pin", Output(player == "p1", player == "p2")))
    if settings.buzzer != "none":
        lamps.append(Lamp("buzzer", settings.buzzer_pin, "signals.buzzer_pin", Output(hz=TONE_HZ)))
    return lamps


def lamps_in_turn(
    settings: SignalsSection, outputs: Outputs, ask: Callable[[list[str]], str]
) -> Iterator[tuple[str, Answer]]:
    """Switch each on alone, ask for its name (`ask` gets the names there are, and returns one or `none`), and yield
    what that says; dark and silent at the end. Raises DeviceError where the pins are gone."""
    lamps = lamps_of(settings)
    names = [lamp.name for lamp in lamps]
    try:
        for lamp in lamps:
            outputs.show(lamp.on)
            said = ask(names)
            outputs.show(DARK)
            yield lamp.name, lamp_judged(lamp, next((one for one in lamps if one.name == said), None))
    finally:
        outputs.close()


def lamp_judged(asked: Lamp, seen: Lamp | None) -> Answer:
    """Return what it means that `seen` answered where `asked` was switched on; None: nothing did."""
    if seen == asked:
        return ok(f"answers on GPIO{asked.pin}")
    if seen is None:
        return fail(f"nothing answers on GPIO{asked.pin}", SILENT_CURE if asked.name == "buzzer" else DARK_CURE)
    if seen.setting == asked.setting:
        cure = f"swap these two wires, or GPIO{asked.pin} and GPIO{seen.pin} in {asked.setting}"
    else:
        cure = f"swap their two wires, or the pins of {asked.setting} and {seen.setting} in the settings"
    return fail(f"GPIO{asked.pin} is {seen.name}'s, expected {asked.name}", cure)
