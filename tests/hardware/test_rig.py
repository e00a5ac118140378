"""The live rig: sensors in their own threads, one stream of news, and an end that leaves nothing running."""

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread, active_count
from time import monotonic_ns, sleep
from types import SimpleNamespace

import pytest

from hardware.cameras.faulty import FaultyCamera
from hardware.cameras.watched import WatchedCamera
from hardware.frames import Frame
from hardware.heart import Heart
from hardware.pads import FOUR_PADS, MockPads, PadReader
from hardware.pads.edges import Edge
from hardware.rig import DEBOUNCE_NS, LiveRig, NewsQueue
from hardware.room import shortage
from referee.observations import AnyObservation, HandsSeen, PadReleased, PadSlapped, SensorBack, SensorLost, Tick

P1A = FOUR_PADS[0]
MS = 1_000_000
S = 1000 * MS


class Eyes:
    """Sees a hand in every frame."""

    def __init__(self) -> None:
        self.stuck = Event()
        self.stuck.set()

    def see(self, frame: Frame) -> list[AnyObservation]:
        self.stuck.wait()
        return [HandsSeen(at_ns=frame.at_ns, players=("p1",))]


class Film:
    """A recording of a few frames."""

    fps, size_px = 30.0, (320, 240)

    def __init__(self, count: int = 5) -> None:
        self.count = count

    def frames(self) -> Iterator[Frame]:
        image = FaultyCamera().read().image
        yield from (Frame(at_ns=n * 33 * MS, image=image, number=n) for n in range(self.count))

    def close(self) -> None: ...


def live() -> tuple[LiveRig, MockPads, FaultyCamera]:
    queue: NewsQueue = SimpleQueue()
    device, pads = FaultyCamera(), MockPads()
    camera = WatchedCamera(lambda: device, queue.put, lost_after_ns=400 * MS)
    return LiveRig(camera, Eyes(), PadReader(pads, FOUR_PADS, queue.put), queue), pads, device


def until(news: Iterator[AnyObservation], kind: type[AnyObservation], seconds: float = 5) -> list[AnyObservation]:
    end_ns, seen = monotonic_ns() + int(seconds * 1e9), []  # type: int, list[AnyObservation]
    for item in news:
        seen.append(item)
        if isinstance(item, kind):
            return seen
        assert monotonic_ns() < end_ns, f"no {kind.__name__} came"
    raise AssertionError("the stream ended")


def test_what_pads_and_eyes_see_comes_in_one_stream_with_the_time_that_has_passed() -> None:
    rig, pads, _ = live()
    stream = rig.observations()
    until(stream, HandsSeen)
    pads.slap(P1A, contact_ms=20)
    seen = until(stream, PadReleased)
    assert any(isinstance(item, PadSlapped) for item in seen)
    until(stream, Tick)
    rig.close()


def test_a_tick_never_runs_ahead_of_what_is_told_later() -> None:
    rig, pads, _ = live()
    ticked_ns = slapped = 0
    for item in rig.observations():
        assert item.at_ns > ticked_ns
        if isinstance(item, PadSlapped):
            slapped += 1
        elif isinstance(item, Tick):
            ticked_ns = item.at_ns
            pads.slap(P1A, contact_ms=10)
        if slapped == 5:
            rig.close()


def test_time_waits_for_pads_whose_thread_gets_no_processor_but_not_for_ever() -> None:
    """The kernel keeps their edges meanwhile: a slap that is told late is not decided without."""
    now_ns = count(0, 50 * MS)
    over = Event()

    class OneFrame(Film):
        def frames(self) -> Iterator[Frame]:
            yield Frame(at_ns=3600 * S, image=FaultyCamera().read().image, number=0)
            over.wait()

    class Starved(PadReader):
        def start(self) -> None:
            self.told_ns = 2 * S

    queue: NewsQueue = SimpleQueue()
    starved = Starved(MockPads(), FOUR_PADS, queue.put, clock=lambda: 0)
    rig = LiveRig(OneFrame(), Eyes(), starved, queue, clock=lambda: next(now_ns))
    ticks = [tick.at_ns for tick in islice((seen for seen in rig.observations() if isinstance(seen, Tick)), 25)]
    rig.close()
    over.set()
    waiting = [at_ns for at_ns in ticks if at_ns < 3 * S - 50 * MS]
    assert 1.8 * S < max(waiting) < 2 * S, "what was felt until 2 s has been told"
    assert max(ticks) > 3 * S - 50 * MS, "a thread that hangs does not stop the game"


def test_a_slap_is_told_before_the_pads_say_that_its_time_is_over() -> None:
    going, asked = Event(), Event()

    class Starved(MockPads):
        def wait(self, timeout_ns: int) -> list[Edge]:
            if self.opened and not going.is_set():
                asked.set()
                going.wait()
            return super().wait(timeout_ns)

    told: list[int] = []
    pads = Starved()
    reader = PadReader(pads, FOUR_PADS, lambda seen: told.append(reader.told_ns or 0))
    reader.start()
    asked.wait()
    slapped_ns = monotonic_ns()
    pads.slap(P1A, slapped_ns, contact_ms=30)
    assert reader.told_ns is None or reader.told_ns < slapped_ns
    going.set()
    while not told:
        sleep(0.001)
    reader.stop()
    assert told[0] < slapped_ns + DEBOUNCE_NS and reader.told_ns is None


def test_a_lost_camera_holds_up_neither_the_pads_nor_time_and_comes_back() -> None:
    rig, pads, device = live()
    stream = rig.observations()
    until(stream, HandsSeen)
    device.fault = "gone"
    until(stream, SensorLost)
    until(stream, Tick)
    until(stream, Tick)
    assert "pulled out" in rig.status().camera_lost
    pads.slap(P1A)
    until(stream, PadSlapped)
    device.fault = ""
    until(stream, SensorBack)
    until(stream, HandsSeen)
    rig.close()


def test_a_film_ends_the_stream() -> None:
    queue: NewsQueue = SimpleQueue()
    first: list[int] = []
    rig = LiveRig(Film(), Eyes(), None, queue, on_first_frame=lambda frame: first.append(frame.number))
    seen = list(rig.observations())
    assert sum(isinstance(item, HandsSeen) for item in seen) == 5 and first == [0]


def test_a_bug_in_the_eyes_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    class Blind:
        def see(self, frame: Frame) -> list[AnyObservation]:
            raise KeyError("a bug")

    monkeypatch.setattr("threading.excepthook", lambda args: None)
    rig = LiveRig(Film(), Blind(), None, SimpleQueue())
    with pytest.raises(KeyError, match="a bug"):
        list(rig.observations())


def test_closing_leaves_no_thread_behind() -> None:
    before = active_count()
    rig, _, _ = live()
    stream = rig.observations()
    until(stream, HandsSeen)
    rig.close()
    list(stream)
    for _ in range(200):
        if active_count() <= before:
            return
        sleep(0.01)
    raise AssertionError("threads are left")


def test_the_status_says_what_is_there_and_how_it_is() -> None:
    rig, pads, _ = live()
    stream = rig.observations()
    until(stream, HandsSeen)
    pads.press(P1A)
    until(stream, PadSlapped)
    status = rig.status()
    assert (status.camera, status.pads, status.down) == ("faulty camera", "mock", (P1A,))
    assert status.age_ms < 500
    rig.close()


# The heartbeat -------------------------------------------------------------------------------------------------------


class Told:
    def __init__(self) -> None:
        self.said: list[str] = []

    def notify(self, state: str) -> None:
        self.said.append(state)


def test_eyes_that_hang_stop_the_heartbeat_and_nothing_else_does() -> None:
    rig, _, _ = live()
    assert isinstance(rig.eyes, Eyes)
    told = Told()
    heart = Heart(rig.ages, told, longest_ns=300 * MS)
    stream = rig.observations()
    until(stream, HandsSeen)
    heart.ready()
    heart.beat("play")
    assert told.said == ["READY=1", "WATCHDOG=1", "STATUS=play"]
    rig.eyes.stuck.clear()
    for _ in range(400):
        if heart.stuck() == ["eyes"]:
            break
        sleep(0.01)
    assert heart.stuck() == ["eyes"]
    rig.eyes.stuck.set()
    rig.close()


def test_the_pace_goes_on_while_the_eyes_hang() -> None:
    queue: NewsQueue = SimpleQueue()
    eyes, paces = Eyes(), []  # type: Eyes, list[int]
    eyes.stuck.clear()

    def on_pace() -> None:
        paces.append(1)
        if len(paces) == 10:
            eyes.stuck.set()

    rig = LiveRig(Film(), eyes, None, queue, on_pace=on_pace)
    assert any(isinstance(item, HandsSeen) for item in rig.observations())
    assert len(paces) >= 10


def test_the_heart_beats_only_while_every_loop_makes_progress() -> None:
    told, ages, now = Told(), {"eyes": 0, "pads": 0}, [0]
    heart = Heart(lambda: ages, told, lambda: now[0])
    for second, age_ns in ((0, 0), (1, 0), (2, 30_000 * MS), (3, 0)):
        now[0], ages["pads"] = second * 1000 * MS, age_ns
        heart.beat("play")
        heart.beat("play")
    assert told.said.count("WATCHDOG=1") == 3
    assert "STATUS=stuck: pads" in told.said


def test_the_end_waits_for_the_look_that_the_eyes_are_taking() -> None:
    """A thread that is inside OpenCV while Python ends would abort the whole process."""
    looking, finished = Event(), Event()

    class SlowEyes:
        def see(self, frame: Frame) -> list[AnyObservation]:
            looking.set()
            sleep(0.4)
            finished.set()
            return []

    queue: NewsQueue = SimpleQueue()
    rig = LiveRig(WatchedCamera(FaultyCamera, queue.put), SlowEyes(), None, queue)
    stream = rig.observations()
    Thread(target=lambda: looking.wait(5) and rig.stop()).start()
    assert not [seen for seen in stream if not isinstance(seen, Tick)]
    rig.join()
    assert finished.is_set()


def test_what_else_is_wrong_stands_beside_the_cameras_complaints() -> None:
    rig = LiveRig(None, Eyes(), None, SimpleQueue(), worries=lambda: ("", "the disk is full"))
    assert rig.status().complaints == ("the disk is full",)


@pytest.mark.parametrize("free, says", [(2_000_000_000, ""), (40_000_000, "only 40 MB"), (500_000, "disk is full")])
def test_too_little_room_for_games_is_said_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, says: str
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free))
    told = shortage(tmp_path, reserve_mb=500)
    assert says in told and bool(told) == bool(says)
    assert not told or f"make room on the disk of {tmp_path}" in told
