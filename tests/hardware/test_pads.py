"""Pads on every backend: stamps come through unharmed, and nothing that breaks keeps the pads silent for good."""

import errno
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic_ns, sleep
from types import SimpleNamespace
from typing import Any, ClassVar

import gpiod
import pytest
from gpiozero.pins.mock import MockFactory

from hardware.gpio import find_header_chip, real_factory
from hardware.pads import FOUR_PADS, TWO_PADS, MockPads, Pad, PadNote, PadReader, pad_backend, pads_of
from hardware.pads.edges import Edge
from hardware.pads.gpiod_pads import GpiodPads
from hardware.pads.gpiozero_pads import KERNEL_STAMPS_NS, OWN_STAMPS_NS, GpiozeroPads
from hardware.pads.mock_pads import key_listener
from hardware.pads.trains import SLOW_NS, Change, contact, debounced, read_pads_file
from referee.errors import DeviceError, PictureError
from referee.observations import AnyObservation, PadReleased, PadSlapped, SensorBack, SensorLost
from referee.settings import PadsSection

P1A, P1B, P2A, P2B = FOUR_PADS
PINS = {P1A: 17, P1B: 27, P2A: 22, P2B: 23}
MS = 1_000_000
S = 1000 * MS


def wait_for(condition: Callable[[], Any], seconds: float = 4.0) -> None:
    for _ in range(int(seconds * 200)):
        if condition():
            return
        sleep(0.005)
    raise AssertionError("it never happened")


@dataclass
class Rig:
    """A reader on mock pads, and everything it said."""

    pads: MockPads
    reader: PadReader
    seen: list[AnyObservation]
    notes: list[PadNote]

    def slaps(self) -> list[PadSlapped]:
        return [seen for seen in self.seen if isinstance(seen, PadSlapped)]

    def lost_and_back(self) -> list[str]:
        return [type(seen).__name__ for seen in self.seen if isinstance(seen, SensorLost | SensorBack)]


class DrivenPads(MockPads):
    """Pads on a clock of their own, which only waiting moves on: what is told when depends on no machine."""

    def __init__(self, changes: list[Change], delivery_ns: int = MS // 5) -> None:
        super().__init__()
        self.now_ns, self.over = 0, Event()
        self._changes, self._delivery_ns = sorted(changes), delivery_ns
        self._edges = [Edge(change.at_ns, n, change.pad) for n, change in enumerate(self._changes) if change.down]

    def clock(self) -> int:
        return self.now_ns

    def wait(self, timeout_ns: int) -> list[Edge]:
        due_ns = self._edges[0].at_ns + self._delivery_ns if self._edges else self.now_ns + S
        self.now_ns = min(due_ns, self.now_ns + timeout_ns)
        if not self._edges and not any(self.levels().values()) and timeout_ns == SLOW_NS:
            self.over.set()
        return [self._edges.pop(0)] if due_ns == self.now_ns else []

    def levels(self) -> dict[Pad, bool]:
        return dict.fromkeys(FOUR_PADS, False) | {c.pad: c.down for c in self._changes if c.at_ns <= self.now_ns}


@pytest.fixture
def rig() -> Iterator[Rig]:
    pads, seen, notes = MockPads(), [], []  # type: MockPads, list[AnyObservation], list[PadNote]
    reader = PadReader(pads, FOUR_PADS, seen.append, notes.append)
    yield Rig(pads, reader, seen, notes)
    reader.stop()


def test_a_slap_and_its_release_reach_the_sink(rig: Rig) -> None:
    rig.reader.start()
    wait_for(lambda: rig.reader.told_ns)
    at_ns = monotonic_ns()
    rig.pads.slap(P2A, at_ns, contact_ms=30)
    wait_for(lambda: len(rig.seen) == 2)
    slapped, released = rig.seen
    assert isinstance(slapped, PadSlapped) and isinstance(released, PadReleased)
    assert (slapped.player, slapped.pile, slapped.at_ns, slapped.uncertainty_ns) == ("p2", "A", at_ns, 50_000)
    assert released.contact_ns >= 30 * MS


def test_a_slap_is_told_and_its_lamp_lit_within_10_ms_of_first_contact() -> None:
    at_ns = [S + number * S // 7 for number in range(12)]
    pads = DrivenPads([one for n, at in enumerate(at_ns) for one in contact(FOUR_PADS[n % 4], at, at + 40 * MS)])
    told: list[tuple[AnyObservation, int]] = []
    lit: list[tuple[Pad, int]] = []
    reader = PadReader(pads, FOUR_PADS, lambda seen: told.append((seen, pads.now_ns)), clock=pads.clock)
    reader.touched = lambda pad: lit.append((pad, pads.now_ns))
    reader.start()
    assert pads.over.wait(60)
    reader.stop()
    slaps = [(seen.at_ns, told_ns) for seen, told_ns in told if isinstance(seen, PadSlapped)]
    assert [at for at, _ in slaps] == at_ns
    assert max(told_ns - at for at, told_ns in slaps) < 10 * MS
    assert [pad for pad, _ in lit] == [FOUR_PADS[n % 4] for n in range(12)]
    assert max(lit_ns - at for at, (_, lit_ns) in zip(at_ns, lit, strict=True)) < 5 * MS


def test_pads_that_are_gone_are_lost_and_come_back_by_themselves(rig: Rig) -> None:
    rig.reader.start()
    wait_for(lambda: rig.reader.told_ns)
    rig.pads.broken = True
    wait_for(lambda: rig.lost_and_back() == ["SensorLost"])
    assert "broken" in rig.reader.lost_because
    rig.pads.broken = False
    wait_for(lambda: rig.lost_and_back() == ["SensorLost", "SensorBack"])
    rig.pads.slap(P1B)
    wait_for(rig.slaps)


def go_deaf(rig: Rig) -> None:
    """Slap twice after the edges stopped coming, and wait until the pads were started again."""
    rig.reader.start()
    wait_for(lambda: rig.reader.told_ns)
    rig.pads.deaf = True
    for missed in (1, 2):
        rig.pads.press(P1A)
        wait_for(lambda missed=missed: len(rig.notes) >= missed)
        rig.pads.release(P1A)
        wait_for(lambda missed=missed: rig.pads.opened == 2 or len(rig.seen) == 2 * missed)
    wait_for(lambda: rig.pads.opened == 2)


def test_a_backend_whose_edges_stop_is_noticed_by_the_levels_and_restarted(rig: Rig) -> None:
    go_deaf(rig)
    assert [note.what for note in rig.notes[:2]] == ["edge_lost", "edge_lost"]
    assert all(slap.uncertainty_ns > 5 * MS for slap in rig.slaps()), "rough stamps never name a winner"
    wait_for(lambda: rig.lost_and_back() == ["SensorLost", "SensorBack"])


def test_edges_of_two_pads_that_come_late_together_do_not_stop_the_pads(rig: Rig) -> None:
    rig.reader.start()
    wait_for(lambda: rig.reader.told_ns)
    at_ns = monotonic_ns()
    rig.pads.deaf = True
    for pad in (P1A, P2A):
        rig.pads.press(pad)
    wait_for(lambda: len(rig.notes) == 2)
    rig.pads.deaf = False
    for pad in (P1A, P2A):
        rig.pads.press(pad, at_ns)  # here is its edge at last
        rig.pads.release(pad)
    wait_for(lambda: len([seen for seen in rig.seen if isinstance(seen, PadReleased)]) == 2)
    for pad in (P1A, P2A):
        rig.pads.slap(pad, contact_ms=30)
    wait_for(lambda: len(rig.slaps()) == 4)
    assert rig.pads.opened == 1 and rig.lost_and_back() == []


def test_deaf_pads_are_started_again_without_the_pause_for_pins_that_are_gone(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.pads.reader.RETRY_NS", 3600 * 1000 * MS)
    go_deaf(rig)
    wait_for(lambda: rig.lost_and_back() == ["SensorLost", "SensorBack"])


def test_a_thread_that_died_is_started_again(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    class Bug(MockPads):
        def wait(self, timeout_ns: int) -> list[Any]:
            if self.opened == 1:
                raise KeyError("a bug")
            return super().wait(timeout_ns)

    pads = Bug()
    reader = PadReader(pads, FOUR_PADS, rig.seen.append)
    crashed: list[object] = []
    monkeypatch.setattr("threading.excepthook", crashed.append)
    reader.start()
    wait_for(lambda: crashed)
    assert reader.revive()
    wait_for(lambda: pads.opened == 2)
    pads.slap(P1A)
    wait_for(rig.slaps)
    reader.stop()
    assert not reader.revive()


def test_a_pad_held_at_the_start_stops_the_game_until_it_is_free(rig: Rig) -> None:
    rig.pads.press(P2A)
    rig.reader.start()
    wait_for(lambda: rig.lost_and_back() == ["SensorLost"])
    assert "p2/A" in rig.reader.lost_because and "lift" in rig.reader.lost_because
    rig.pads.release(P2A)
    wait_for(lambda: rig.lost_and_back() == ["SensorLost", "SensorBack"])
    assert not rig.slaps()


# gpiozero ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def wired() -> Iterator[tuple[GpiozeroPads, MockFactory]]:
    factory = MockFactory()
    pads = GpiozeroPads(PINS, lambda: factory)
    pads.open()
    yield pads, factory
    pads.close()


def test_gpiozero_keeps_its_handlers_and_hands_on_the_pins_own_stamp(wired: tuple[GpiozeroPads, MockFactory]) -> None:
    import gc

    pads, factory = wired
    gc.collect()
    before = monotonic_ns()
    factory.pin("GPIO22").drive_low()
    (edge,) = pads.wait(10 * MS)
    assert edge.pad == P2A and before <= edge.at_ns <= monotonic_ns()
    assert pads.levels() == {P1A: False, P1B: False, P2A: True, P2B: False}
    factory.pin("GPIO22").drive_high()
    assert pads.wait(1 * MS) == [], "a release is no edge: the levels tell it"


def test_a_slap_through_gpiozeros_mock_pins_is_debounced(wired: tuple[GpiozeroPads, MockFactory]) -> None:
    pads, factory = wired
    seen: list[AnyObservation] = []
    reader = PadReader(pads, FOUR_PADS, seen.append)
    pads.close()
    reader.start()
    wait_for(lambda: reader.told_ns)
    pin = factory.pin("GPIO17")
    for _ in range(5):
        pin.drive_low()
        pin.drive_high()
    pin.drive_low()
    wait_for(lambda: seen)
    pin.drive_high()
    wait_for(lambda: len(seen) == 2)
    reader.stop()
    assert [type(item) for item in seen] == [PadSlapped, PadReleased]


def test_the_uncertainty_says_whose_stamps_they_are() -> None:
    class RPiGPIOFactory(MockFactory):
        pass

    old = GpiozeroPads(PINS, RPiGPIOFactory)
    old.open()
    assert old.uncertainty_ns == OWN_STAMPS_NS > KERNEL_STAMPS_NS
    old.close()


def test_without_pins_gpiozero_says_what_to_install() -> None:
    with pytest.raises(DeviceError, match="apt install python3-lgpio"):
        real_factory()


# gpiod ---------------------------------------------------------------------------------------------------------------


@dataclass
class KernelEvent:
    timestamp_ns: int
    global_seqno: int
    line_offset: int


class FakeRequest:
    """What the kernel's line request looks like from here."""

    def __init__(self) -> None:
        self.events: list[KernelEvent] = []
        self.down: set[int] = set()
        self.gone = False
        self.released = False

    def wait_edge_events(self, _timeout: float) -> bool:
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        return bool(self.events)

    def read_edge_events(self) -> list[KernelEvent]:
        events, self.events = self.events, []
        return events

    def get_values(self, lines: list[int]) -> list[gpiod.line.Value]:
        return [gpiod.line.Value.INACTIVE if line in self.down else gpiod.line.Value.ACTIVE for line in lines]

    def release(self) -> None:
        self.released = True


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> tuple[GpiodPads, FakeRequest, dict[str, Any]]:
    request, asked = FakeRequest(), {}  # type: FakeRequest, dict[str, Any]

    def request_lines(path: str, **how: Any) -> FakeRequest:
        asked.update(how, path=path)
        return request

    monkeypatch.setattr(gpiod, "request_lines", request_lines)
    pads = GpiodPads(PINS, Path("/dev/gpiochip0"))
    pads.open()
    return pads, request, asked


def test_gpiod_asks_for_all_pads_at_once_and_for_active_edges_only(kernel: Any) -> None:
    _, _, asked = kernel
    ((lines, settings),) = asked["config"].items()
    assert lines == (17, 27, 22, 23)
    assert settings.edge_detection is gpiod.line.Edge.FALLING and settings.bias is gpiod.line.Bias.PULL_UP
    assert not settings.debounce_period, "the kernel's debouncing stamps the end of the bounce"


def test_gpiod_hands_on_the_kernels_nanoseconds_and_notices_a_gap(kernel: Any) -> None:
    pads, request, _ = kernel
    request.events = [KernelEvent(1_000_000_123, 1, 17), KernelEvent(1_000_100_456, 2, 22)]
    assert [(edge.at_ns, edge.pad) for edge in pads.wait(MS)] == [(1_000_000_123, P1A), (1_000_100_456, P2A)]
    assert pads.lost == 0
    request.events = [KernelEvent(2_000_000_000, 7, 17)]
    pads.wait(MS)
    assert pads.lost == 4
    assert "4 edges of the pads were lost" in PadReader(pads, FOUR_PADS, lambda seen: None).complaint


def test_gpiod_reads_levels_and_gives_the_lines_back(kernel: Any) -> None:
    pads, request, _ = kernel
    request.down = {27}
    assert pads.levels() == {P1A: False, P1B: True, P2A: False, P2B: False}
    pads.close()
    pads.close()
    assert request.released


def test_a_chip_that_vanishes_is_one_sentence(kernel: Any) -> None:
    pads, request, _ = kernel
    request.gone = True
    with pytest.raises(DeviceError, match="stopped answering"):
        pads.wait(MS)


@pytest.mark.parametrize("number, cure", [(errno.EACCES, "usermod -aG gpio"), (errno.EINVAL, "spit-referee check")])
def test_a_refused_request_names_the_cure(monkeypatch: pytest.MonkeyPatch, number: int, cure: str) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(gpiod, "request_lines", refuse)
    with pytest.raises(DeviceError, match=cure):
        GpiodPads(PINS, Path("/dev/gpiochip0")).open()


class FakeChip:
    """A chip with a label and a busy line."""

    labels: ClassVar[dict[str, str]] = {}

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> "FakeChip":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def get_info(self) -> Any:
        return type("Info", (), {"label": self.labels[Path(self.path).name]})

    def get_line_info(self, pin: int) -> Any:
        return type("Line", (), {"used": pin == 22, "consumer": "other-game"})


def test_a_busy_pin_is_named_with_its_pad_and_its_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise OSError(errno.EBUSY, "busy")

    monkeypatch.setattr(gpiod, "request_lines", busy)
    monkeypatch.setattr(gpiod, "Chip", FakeChip)
    with pytest.raises(DeviceError, match="GPIO 22 of pad p2/A is in use by other-game"):
        GpiodPads(PINS, Path("/dev/gpiochip0")).open()


@pytest.mark.parametrize(
    "labels, found",
    [
        ({"gpiochip0": "pinctrl-bcm2711", "gpiochip1": "raspberrypi-exp-gpio"}, "gpiochip0"),
        ({"gpiochip0": "gpio-brcmstb", "gpiochip4": "pinctrl-rp1"}, "gpiochip4"),
        ({"gpiochip0": "pinctrl-rp1", "gpiochip10": "gpio-brcmstb"}, "gpiochip0"),
    ],
)
def test_the_headers_chip_is_found_by_its_label(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, labels: dict[str, str], found: str
) -> None:
    for name in labels:
        (tmp_path / name).touch()
    monkeypatch.setattr(gpiod, "Chip", FakeChip)
    monkeypatch.setattr(FakeChip, "labels", labels)
    assert find_header_chip(tmp_path).name == found


@pytest.mark.parametrize("name, number", [("gpiochip0", 0), ("gpiochip15", 15)])
def test_lights_go_to_the_same_chip_as_pads_whatever_its_number(
    monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    asked: list[int | None] = []

    def factory(chip: int | None) -> SimpleNamespace:
        asked.append(chip)
        return SimpleNamespace()

    lgpio = SimpleNamespace(LGPIOFactory=factory)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", lgpio)
    monkeypatch.setattr("hardware.gpio.find_header_chip", lambda: Path("/dev") / name)
    real_factory()
    assert asked == [number]


def test_no_chip_and_no_header_are_sentences_with_cures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="no GPIO pins; try `spit-referee run --simulate`"):
        find_header_chip(tmp_path)
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setattr(gpiod, "Chip", FakeChip)
    monkeypatch.setattr(FakeChip, "labels", {"gpiochip0": "INT34C6"})
    with pytest.raises(DeviceError, match="found: INT34C6"):
        find_header_chip(tmp_path)


# Choosing, keys, files -----------------------------------------------------------------------------------------------


def test_two_shared_pads_have_no_player() -> None:
    settings = PadsSection(shared=True, backend="mock")
    assert pads_of(settings) == TWO_PADS
    assert set(pad_backend(settings).levels()) == set(TWO_PADS)


def test_the_keyboard_stands_in_for_the_pads() -> None:
    pads = MockPads()
    pressed = key_listener(pads)
    assert pressed("A") and pressed("l") and not pressed("x")
    assert [edge.pad for edge in pads.wait(MS)] == [P1A, P2B]


def test_a_pads_file_becomes_slaps_whichever_level_means_down(tmp_path: Path) -> None:
    for down in (0, 1):
        lines = [
            f'{{"t_us": 100000, "player": "p1", "pile": "A", "level": {down}}}',
            f'{{"t_us": 100150, "player": "p2", "pile": "A", "level": {down}}}',
            f'{{"t_us": 150000, "player": "p1", "pile": "A", "level": {1 - down}}}',
            f'{{"t_us": 160000, "player": "p2", "pile": "A", "level": {1 - down}}}',
        ]
        file = tmp_path / "pads.jsonl"
        file.write_text("\n".join(lines) + "\n")
        events = debounced(read_pads_file(file), FOUR_PADS, 50_000)
        slaps = [(e.player, e.at_ns) for e in events if isinstance(e, PadSlapped)]
        assert slaps == [("p1", 100_000_000), ("p2", 100_150_000)]


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "3",
        '{"t_us": 1}',
        '{"t_us": 1, "player": "p3", "pile": "A", "level": 1}',
        '{"t_us": Infinity, "player": "p1", "pile": "A", "level": 1}',
        "[" * 9999,
    ],
)
def test_a_wrong_pads_file_names_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "pads.jsonl"
    file.write_text('{"t_us": 1, "player": "p1", "pile": "A", "level": 1}\n' + line + "\n")
    with pytest.raises(PictureError, match="line 2"):
        read_pads_file(file)


def test_a_missing_pads_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="leave --pads out"):
        read_pads_file(tmp_path / "none")


def test_pads_are_named_as_people_say_them() -> None:
    assert [str(pad) for pad in (P1A, Pad(None, "B"))] == ["p1/A", "pile B"]
