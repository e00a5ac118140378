"""The wiring page and its drawing say what the settings say."""

import re
import runpy
from pathlib import Path

from referee.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"


def pins() -> dict[str, int]:
    settings = Settings()
    names = {f"pads.{n}": getattr(settings.pads, n) for n in ("p1_a_pin", "p1_b_pin", "p2_a_pin", "p2_b_pin")}
    return names | {f"signals.{n}": getattr(settings.signals, n) for n in ("led_p1_pin", "led_p2_pin", "buzzer_pin")}


def test_the_drawing_is_the_one_that_its_script_makes() -> None:
    script = runpy.run_path(str(DOCS / "pictures" / "wiring.py"))
    assert (DOCS / "pictures" / "wiring.svg").read_text(encoding="utf-8") == script["drawing"](Settings())


def test_table_and_pin_out_name_the_default_pins_with_both_numbers() -> None:
    page = (DOCS / "wiring.md").read_text(encoding="utf-8")
    place_of = runpy.run_path(str(DOCS / "pictures" / "wiring.py"))["HEADER_PLACE_OF_BCM"]
    rows = dict(re.findall(r"\| (\d+ \| \d+) \| `([a-z0-9_.]+)` \|", page))
    assert {name: numbers for numbers, name in rows.items()} == {
        name: f"{pin} | {place_of[pin]}" for name, pin in pins().items()
    }
    for pin in pins().values():
        assert re.search(rf"GPIO {pin}  ?\({place_of[pin]}\)|\({place_of[pin]}\) GPIO {pin}\b", page)
