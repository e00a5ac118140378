"""`python -m hardware.signals.silence`: lights out, buzzer off. For the end of a service that was killed.

On a Pi a pin keeps its last state when its process dies, so a killed referee would leave the buzzer on.
"""

import sys

from hardware.gpio import find_header_chip, has_gpiod
from hardware.signals.outputs import outputs_of
from referee.errors import RefereeError
from referee.settings import SignalsSection, load_settings


def silence(settings: SignalsSection) -> None:
    """Drive every signal pin low and let it go; raises DeviceError where there are no pins."""
    if not has_gpiod():  # an old board: by the way on which its lights are driven
        outputs_of(settings).close()
        return
    chip = find_header_chip()
    import gpiod

    low = gpiod.LineSettings(direction=gpiod.line.Direction.OUTPUT, output_value=gpiod.line.Value.INACTIVE)
    pins = [*(settings.led_p1_rgb_pins or [settings.led_p1_pin])]
    pins += settings.led_p2_rgb_pins or [settings.led_p2_pin]
    if settings.buzzer != "none":
        pins.append(settings.buzzer_pin)
    for pin in pins:  # one by one: a pin that is taken must not keep the others on
        try:
            gpiod.request_lines(str(chip), consumer="spit-referee end", config={pin: low}).release()
        except OSError as error:
            print(f"GPIO {pin} could not be switched off ({error}); switch the table's power off", file=sys.stderr)


def main() -> None:
    """Switch off what the settings name; a machine without pins has nothing to switch off."""
    try:
        settings = load_settings().settings.signals
    except RefereeError:
        settings = SignalsSection()
    try:
        silence(settings)
    except RefereeError as error:
        print(f"spit-referee: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
