"""The steps of the set-up. The terminal and the pages drive the same ones; each can be repeated alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from calibration import corners as corner
from calibration.bench import Ask, Bench, Found, Shown, Told
from calibration.camera import cameras_there, stream_answers, view_answers
from calibration.deck import Enrolment, TwinsError, report
from calibration.light import glare_map, lens_blur_px, light_answers
from calibration.sides import settled
from calibration.smear import Movement, smear_answer
from calibration.trial import answers, measured, read_table, slapped_together
from calibration.wires import as_asked, judged, pads_in_turn
from hardware.checks.report import Answer, ok, skip, warn
from hardware.frames import Image
from hardware.tablefile import POKER_MM, Points, Table, load_table, save_table
from hardware.vision.enrolled import deck_file, reader_for, save_deck
from hardware.vision.reader import CardReader
from hardware.vision.stills import StillReader
from hardware.vision.tablefinder import find_table
from referee.errors import DeviceError, PictureError, TableFileError
from referee.units import counted

RESTING: Final = 9
"""So many pictures tell what the table looks like without a hand over it."""
FILMED: Final = 45
"""So many pictures tell flicker and rate: a second and a half at 30 a second."""
PATIENCE_NS: Final = 20_000_000_000
TOGETHER_NS: Final = 15_000_000_000
BLINKS_S: Final = 8.0
SURE_DELAY_NS: Final = 5_000_000


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Four corners that a person showed, in pixels (4, 2): p1-left, p1-right, p2-right, p2-left; and its size."""

    points_px: Points
    size_mm: tuple[float, float]


def wires(bench: Bench, presses: int = 1, patience_ns: int = PATIENCE_NS) -> Told:
    """Press each pad in turn: which pin moved, for how long, and how clean its contact was."""
    settings = bench.settings.pads
    for pad in pads_in_turn(settings):
        for n in range(presses):
            count = f" ({n + 1} of {presses})" if presses > 1 else ""
            yield Ask(f"Press {as_asked(pad)} and let go{count}.")
            yield Found(str(pad), judged(pad, bench.press(patience_ns), settings))


def camera(bench: Bench) -> Told:
    """Look through the camera: which there are, size, rate, age, sharpness, height, turn."""
    bench.lies("dealt")
    filmed = bench.film(FILMED)
    if len(filmed.frames) > 1:
        for name in cameras_there():
            yield Found("there is", ok(name))
        for what, answer in stream_answers(filmed, bench.settings.camera):
            yield Found(what, answer)
    for what, answer in view_answers(filmed.frames[-1].image, table_if_any(bench)):
        yield Found(what, answer)


def light(bench: Bench) -> Told:
    """Judge the light: brightness, glare, evenness, flicker, sharpness, motion blur, each with its cure."""
    bench.lies("pack")
    images = [frame.image for frame in bench.film(FILMED).frames]
    for what, answer in light_answers(images, table_if_any(bench)):
        yield Found(what, answer)
    yield Shown("glare", glare_map(images[len(images) // 2]), "Red is burnt out: nothing can be read there.")
    yield from motion_blur(bench)


def motion_blur(bench: Bench, patience_s: float = PATIENCE_NS / 1e9) -> Told:
    """Let a person move a card over the table: how far it smears, and so how long the shutter is open."""
    bench.lies("dealt")
    resting = [frame.image for frame in bench.film(RESTING).frames]
    if len(resting) < RESTING:
        yield Found("motion blur", smear_answer(None, None))
        return
    yield Ask("Take an ace, face up, and move it to and fro over the middle of the table as fast as you play.")
    bench.lies("carried")
    movement = Movement(resting, lens_blur_px(resting[0]) or 1.0)
    for frame in bench.watch(patience_s):
        movement.see(frame)
        if movement.is_enough:
            break
    yield Found("motion blur", smear_answer(movement.smear(), scale_of(bench, resting[0])))


def scale_of(bench: Bench, image: Image) -> float | None:
    """Return the picture's pixels per millimetre, by the table file or by what lies there; None: it is not known."""
    try:
        return (table_if_any(bench) or find_table(image)).px_per_mm()
    except (PictureError, TableFileError):
        return None


def corners(bench: Bench, shown: Rectangle | None = None, card_mm: tuple[float, float] = POKER_MM) -> Told:
    """Find the table in the picture, by itself or by four corners; write the table file; draw what lies where."""
    bench.lies("dealt")
    image = bench.film(1).frames[-1].image
    if shown is None:
        table = find_table(image, card_mm)
    else:
        table = corner.table_from_points(image, shown.points_px, shown.size_mm, card_mm)
        table, _ = measured(table, image, read_table(image, table, CardReader()))
    save_table(with_known_delay(table, bench.table_path), bench.table_path)
    yield Found("table file", ok(str(bench.table_path)))
    yield Found("exactness", corner.exactness(table.residual_mm))
    yield Found("scale", scale_answer(table))
    yield Shown("overlay", corner.draw_overlay(image, table), "Every zone must lie where its cards lie.")


def with_known_delay(table: Table, path: Path) -> Table:
    """Return a new table with the camera's delay of the file that it replaces: the camera is the same."""
    try:
        before = load_table(path)
    except TableFileError:
        return table
    kept = (before.behind_pads_ns, before.behind_pads_uncertainty_ns)
    return replace(table, behind_pads_ns=kept[0], behind_pads_uncertainty_ns=kept[1])


def scale_answer(table: Table) -> Answer:
    """Return whether cards are large enough in the picture."""
    says = f"{table.px_per_mm():.2f} pixels per millimetre"
    least = corner.LEAST_PX_PER_MM
    return ok(says) if table.px_per_mm() >= least else warn(f"{says}, under {least}", "lower the camera")


def sides(bench: Bench, patience_ns: int = PATIENCE_NS) -> Told:
    """Touch one pad to tell who sits at the bottom edge of the picture; turn the table file round if need be."""
    known = load_table(bench.table_path)
    yield Ask("You at the bottom edge of the camera's picture: press your left pad.")
    press = bench.press(patience_ns)
    if press is None:
        raise DeviceError("no pad was pressed; try again, or check the pads with `spit-referee calibrate wires`")
    turned, answer = settled(known, press.pad)
    if turned is not known:
        save_table(turned, bench.table_path)
    yield Found("sides", answer)


def deck(bench: Bench, out: Path | None = None) -> Told:
    """Learn the deck from pictures of its cards lying apart; refuse one whose cards cannot be told apart."""
    gathered, reader = Enrolment(), CardReader()
    stills = StillReader(reader=reader)
    ask = "Lay a part of the pack on the table, face up, the cards apart from each other."
    number = 0
    while gathered.missing and bench.another(ask):
        number += 1
        bench.lies("pack")
        count = gathered.see(bench.film(1).frames[-1].image, stills, reader, f"picture {number}")
        missing = " ".join(gathered.missing)
        yield Found(f"picture {number}", ok(f"{counted(count, 'card')} lying free; still missing: {missing or 'none'}"))
    gathered.settle_rest()
    if gathered.doubtful:
        gathered.take_names(bench.names_of(gathered.doubtful, gathered.missing))
    yield from learned(gathered, reader, out or deck_file(bench.table_path))


def learned(gathered: Enrolment, reader: CardReader, file: Path) -> Told:
    """Learn from gathered cards and write the deck's file; `run` uses it, `watch --table` too beside the table file."""
    gathered.settle_rest()
    try:
        known, pairs = gathered.learned(reader)
    except TwinsError as twins:
        first, second = twins.cards
        both = np.hstack([gathered.picture_of(first), gathered.picture_of(second)])
        yield Shown("twins", np.asarray(both, np.uint8), f"{first} and {second} as the camera sees them.")
        raise
    for line in report(known, pairs, gathered.doubtful):
        yield Found("deck", ok(line))
    save_deck(known, file)
    yield Found("deck file", ok(str(file)))


def test(bench: Bench, deck_path: Path | None = None) -> Told:
    """Read piles and rows, and measure how exact the table file is on single cards lying free."""
    bench.lies("tops")
    known = load_table(bench.table_path)
    image = bench.film(1).frames[-1].image
    deck_reader = reader_for(deck_path or deck_file(bench.table_path), deck_path is not None)
    places = read_table(image, known, deck_reader)
    for what, answer in answers(places):
        yield Found(what, answer)
    checked, (what, answer) = measured(known, image, places)
    yield Found(what, answer)
    if checked is not known:
        save_table(replace(known, residual_mm=checked.residual_mm), bench.table_path)
        yield Found("table file", ok(f"{bench.table_path}: the exactness was written"))


def together(bench: Bench, patience_ns: int = TOGETHER_NS) -> Told:
    """Both players slap at the same time: who was first, by how much, and how exactly that is known."""
    yield Ask("Both of you: slap a pad at the same time.")
    yield Found("slap", slapped_together(bench.race(patience_ns)))


def offset(bench: Bench, seconds: float = BLINKS_S) -> Told:
    """Measure how late the camera's stamps are against the pads', and write it into the table file: the camera watches
    the table's lights blink. Raises DeviceError where it sees none."""
    known = load_table(bench.table_path)
    yield Ask("The lights blink now; one of them must be in the picture.")
    found = bench.blink(seconds)
    behind_ns, uncertainty_ns = found.behind_ns, found.uncertainty_ns
    save_table(replace(known, behind_pads_ns=behind_ns, behind_pads_uncertainty_ns=uncertainty_ns), bench.table_path)
    says = f"camera {behind_ns / 1e6:.1f} ms behind the pads (±{uncertainty_ns / 1e6:.1f})"
    cure = "measure longer: `spit-referee calibrate offset --seconds 30`"
    yield Found("delay", ok(says) if uncertainty_ns <= SURE_DELAY_NS else warn(says, cure))


def delay(bench: Bench) -> Told:
    """The same as a part of the trial, which goes on where no light is in the picture."""
    try:
        yield from offset(bench)
    except DeviceError as error:
        yield Found("delay", skip(f"not measured: {error}"))


def trial(bench: Bench) -> Told:
    """The test of everything: what is read, both pads, and the camera's delay against them."""
    yield from test(bench)
    yield from together(bench)
    yield from delay(bench)


def table_if_any(bench: Bench) -> Table | None:
    """Return the table of the table file; None where there is none yet."""
    return load_table(bench.table_path) if bench.table_path.exists() else None


RUNS: Final[Mapping[str, Callable[..., Told]]] = {
    "wires": wires,
    "camera": camera,
    "light": light,
    "corners": corners,
    "sides": sides,
    "deck": deck,
    "test": trial,
}
"""What each step of the plan does."""


def rectangle_from(points: Any, size_px: tuple[int, int], size_mm: tuple[float, float]) -> Rectangle:
    """Return the rectangle of four corners given as shares (0 to 1) of the picture's width and height."""
    shares = np.array(points, np.float64).reshape(4, 2)
    return Rectangle(shares * (np.array(size_px, np.float64) - 1), size_mm)
