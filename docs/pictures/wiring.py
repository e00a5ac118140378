"""Draws `wiring.svg` from the default pins of the settings: `python docs/pictures/wiring.py`."""

from html import escape
from pathlib import Path
from typing import Final

from referee.settings import Settings

HEADER_PLACE_OF_BCM: Final = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22, 11: 23,
    8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""Where a GPIO number lies on the 40-pin header."""

FIVE_VOLTS: Final = 2
GROUND_LEFT, GROUND_RIGHT = 9, 30
WIDTH, HEIGHT = 1000, 720
ROW_PX, TOP_PX = 26, 110
COLUMN_X: Final = (472, 528)
COLOURS: Final = {"ground": "#333", "power": "#c22", "p1": "#0a62b8", "p2": "#b35900", "sound": "#6a1b9a"}
FONT: Final = "font-family='DejaVu Sans, Arial, sans-serif'"

Point = tuple[float, float]


def place_of(pin: int) -> Point:
    """Return where a place of the header (1..40) is drawn."""
    row, column = divmod(pin - 1, 2)
    return COLUMN_X[column], TOP_PX + row * ROW_PX


def text(x: float, y: float, words: str, size: int = 14, anchor: str = "start", weight: str = "normal") -> str:
    style = f"font-size='{size}' text-anchor='{anchor}' font-weight='{weight}' {FONT} fill='#222'"
    return f"<text x='{x}' y='{y}' {style}>{escape(words)}</text>"


def wire(colour: str, *points: Point) -> str:
    line = " ".join(f"{x},{y}" for x, y in points)
    style = f"fill='none' stroke='{COLOURS[colour]}' stroke-width='3' stroke-linejoin='round'"
    return f"<polyline points='{line}' {style}/>"


def box(x: float, y: float, width: float, height: float, colour: str, *lines: str) -> str:
    """A part: a frame with its name in bold and what it is below."""
    frame = f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='8' fill='#fff' stroke='{COLOURS[colour]}'"
    words = [text(x + 12, y + 22, lines[0], 15, weight="bold")]
    words += [text(x + 12, y + 42 + 18 * n, line, 12) for n, line in enumerate(lines[1:])]
    return f"{frame} stroke-width='2'/>" + "".join(words)


def header(used: dict[int, str]) -> str:
    """The 40 places, the used ones coloured and numbered on both sides."""
    bcm = {place: number for number, place in HEADER_PLACE_OF_BCM.items()}
    top, bottom = place_of(1)[1] - 22, place_of(40)[1] + 22
    parts = [f"<rect x='446' y='{top}' width='108' height='{bottom - top}' rx='6' fill='#222'/>"]
    for pin in range(1, 41):
        x, y = place_of(pin)
        fill = {"ground": "#999"}.get(used.get(pin, ""), COLOURS.get(used.get(pin, ""), "#e9c46a"))
        opacity = 1 if pin in used else 0.35
        parts.append(f"<circle cx='{x}' cy='{y}' r='9' fill='{fill}' fill-opacity='{opacity}' stroke='#000'/>")
        parts.append(f"<text x='{x}' y='{y + 4}' font-size='10' text-anchor='middle' {FONT} fill='#fff'>{pin}</text>")
        name = {FIVE_VOLTS: "5 V", GROUND_LEFT: "ground", GROUND_RIGHT: "ground"}.get(pin, f"GPIO {bcm.get(pin)}")
        if pin in used:
            side, anchor = (-28, "end") if pin % 2 else (28, "start")
            parts.append(text(x + side, y - 5, name, 11, anchor))
    return "".join(parts)


def drawing(settings: Settings) -> str:
    """Return the whole picture as SVG."""
    pads, signals = settings.pads, settings.signals
    at = {
        name: place_of(HEADER_PLACE_OF_BCM[pin])
        for name, pin in {
            "p1_a": pads.p1_a_pin,
            "p1_b": pads.p1_b_pin,
            "p2_a": pads.p2_a_pin,
            "p2_b": pads.p2_b_pin,
            "led_p1": signals.led_p1_pin,
            "led_p2": signals.led_p2_pin,
            "buzzer": signals.buzzer_pin,
        }.items()
    }
    used = {
        HEADER_PLACE_OF_BCM[pads.p1_a_pin]: "p1",
        HEADER_PLACE_OF_BCM[pads.p1_b_pin]: "p1",
        HEADER_PLACE_OF_BCM[pads.p2_a_pin]: "p2",
        HEADER_PLACE_OF_BCM[pads.p2_b_pin]: "p2",
        HEADER_PLACE_OF_BCM[signals.led_p1_pin]: "p1",
        HEADER_PLACE_OF_BCM[signals.led_p2_pin]: "p2",
        HEADER_PLACE_OF_BCM[signals.buzzer_pin]: "sound",
        FIVE_VOLTS: "power",
        GROUND_LEFT: "ground",
        GROUND_RIGHT: "ground",
    }
    wires = left_wires(at) + right_wires(at)
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' role='img'>"
    title = text(40, 40, "Spit referee: pads, lights and buzzer on a Raspberry Pi's header", 20, weight="bold")
    under = text(40, 62, "Seen from above, place 1 at the end away from the USB sockets. Switch off before wiring.", 13)
    paper = f"<rect width='{WIDTH}' height='{HEIGHT}' fill='#fbfaf7'/>"
    return f"{head}{paper}{title}{under}{''.join(wires)}{header(used)}{parts()}{notes()}</svg>\n"


def left_wires(at: dict[str, Point]) -> list[str]:
    ground = place_of(GROUND_LEFT)
    return [
        wire("ground", ground, (396, ground[1]), (396, 88), (40, 88), (40, 410)),
        *[wire("ground", (40, y), (60, y)) for y in (150, 280, 410)],
        wire("p1", at["p1_a"], (380, at["p1_a"][1]), (380, 150), (300, 150)),
        wire("p1", at["p1_b"], (380, at["p1_b"][1]), (380, 280), (300, 280)),
        wire("p2", at["p2_a"], (396, at["p2_a"][1]), (396, 410), (300, 410)),
    ]


def right_wires(at: dict[str, Point]) -> list[str]:
    ground, power = place_of(GROUND_RIGHT), place_of(FIVE_VOLTS)
    return [
        wire("power", power, (690, power[1])),
        wire("sound", at["buzzer"], (620, at["buzzer"][1]), (620, 150), (690, 150)),
        wire("p2", at["p2_b"], (650, at["p2_b"][1]), (650, 280), (690, 280)),
        wire("p1", at["led_p1"], (635, at["led_p1"][1]), (635, 400), (690, 400)),
        wire("p2", at["led_p2"], (610, at["led_p2"][1]), (610, 500), (690, 500)),
        wire("ground", ground, (585, ground[1]), (585, 600), (970, 600), (970, 140)),
        *[wire("ground", (970, y), (950, y)) for y in (140, 280, 400, 500)],
    ]


def parts() -> str:
    contact = "foil on card, or a switch"
    return "".join(
        [
            box(60, 115, 240, 70, "p1", "pad p1 / A", contact, "closes to ground when slapped"),
            box(60, 245, 240, 70, "p1", "pad p1 / B", contact, "closes to ground when slapped"),
            box(60, 375, 240, 70, "p2", "pad p2 / A", contact, "closes to ground when slapped"),
            box(690, 90, 260, 110, "sound", "buzzer", "GPIO - 1 kΩ - base of an NPN transistor",
                "buzzer between 5 V and collector", "diode across it, stripe to 5 V", "a small piezo: no transistor"),
            box(690, 245, 260, 70, "p2", "pad p2 / B", contact, "closes to ground when slapped"),
            box(690, 370, 260, 60, "p1", "light p1", "GPIO - 330 Ω - long leg of an LED"),
            box(690, 470, 260, 60, "p2", "light p2", "GPIO - 330 Ω - long leg of an LED"),
        ]
    )  # fmt: skip


def notes() -> str:
    lines = (
        "Pads need no resistor: the Pi pulls them up.",
        "Leads over half a metre: 10 kΩ from the",
        "pad's pin to 3.3 V and 100 nF to ground,",
        "at the Pi. Same pad, same cable for both.",
        "Two pads only: p1/A is pile A, p2/A pile B.",
    )
    frame = "<rect x='60' y='510' width='330' height='130' rx='8' fill='#f3efe2' stroke='#bbb'/>"
    return frame + "".join(text(74, 536 + 22 * n, line, 13) for n, line in enumerate(lines))


def main() -> None:
    Path(__file__).with_name("wiring.svg").write_text(drawing(Settings()), encoding="utf-8")


if __name__ == "__main__":
    main()
