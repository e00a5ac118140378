"""The running table: put together, followed, stopped in order, and continued after a restart."""

import errno
import json
import os
import signal
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer
from time import monotonic_ns
from types import ModuleType
from typing import NoReturn

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from hardware.cameras.faulty import FaultyCamera
from hardware.cameras.video import VideoFile
from hardware.frames import Frame
from hardware.heart import Heart
from hardware.pads import FOUR_PADS, MockPads, PadReader
from hardware.rig import RigStatus
from hardware.signals import DARK, MockOutputs, Output
from hardware.tablefile import Table as TableFile
from hardware.tablefile import load_table
from referee.cli import exit_code
from referee.cli.app import app
from referee.cli.bundle import without_secrets
from referee.cli.patience import calibrated_table
from referee.cli.rig_run import RigRun
from referee.cli.rules import rules_of
from referee.cli.run_screen import PlainRun, status_words
from referee.cli.table_loop import TableLoop
from referee.cli.table_parts import Parts, outputs_or_drawing, real_parts
from referee.cli.table_run import TableRun, cut_game, only_one
from referee.errors import DeviceError, LogError, SettingsError, TableFileError
from referee.log import GameLog, Header, LoggedGame
from referee.log.lines import LineFile
from referee.observations import AnyObservation, HandsSeen, Observation, PadSlapped, SensorLost
from referee.rules.rule_set import rule_set
from referee.settings import RulesSection, Settings, SignalsSection, StorageSection
from referee.web.server import WebServer

P1A = FOUR_PADS[0]
WITHOUT_PINS = pytest.mark.skipif(
    any(Path("/dev").glob("gpiochip*")), reason="on a machine with pins this would take and drive them"
)
PAGAT = rule_set("pagat")
TABLE = TableFile(image_size_px=(320, 240), homography_mm_to_px=np.array([(0.5, 0, 160), (0, -0.5, 120), (0, 0, 1)]))


class Film:
    """A camera that films noise until it is closed."""

    fps, size_px = 30.0, (320, 240)

    def __init__(self, count: int) -> None:
        self.count = count

    def frames(self) -> Iterator[Frame]:
        device = FaultyCamera(fps=100)
        for number in range(self.count):
            yield replace(device.read(), number=number)

    def close(self) -> None:
        self.count = 0


class Eyes:
    def see(self, frame: Frame) -> list[AnyObservation]:
        return [HandsSeen(at_ns=frame.at_ns, players=())] if frame.number % 10 == 0 else []


class Told:
    def __init__(self) -> None:
        self.said: list[str] = []

    def notify(self, state: str) -> None:
        self.said.append(state)


@dataclass
class Table:
    run: TableRun
    parts: Parts
    pads: MockPads
    outputs: MockOutputs
    heart: Heart
    told: Told
    games: Path

    def play(self) -> Path:
        return self.run.play(self.parts, self.games, self.heart)

    def log(self) -> list[AnyObservation]:
        (directory,) = [path for path in self.games.iterdir() if path.is_dir()]
        return [entry.item for entry in LoggedGame(directory).entries() if isinstance(entry.item, Observation)]


def table(
    tmp_path: Path,
    frames: int = 60,
    shadow: bool = False,
    source: str = "live",
    record: bool = False,
    pictures_mb: int = 200,
) -> Table:
    settings = Settings(storage=StorageSection(pictures_mb=pictures_mb))
    run = TableRun(settings, PAGAT, shadow=shadow, record=record)
    pads, outputs, told = MockPads(), MockOutputs(), Told()
    slap = Timer(0.2, lambda: pads.slap(P1A, contact_ms=20))
    parts = Parts(
        source=source,
        camera=Film(frames),
        make_eyes=lambda keep: Eyes(),
        pads=PadReader(pads, FOUR_PADS, run.queue.put),
        outputs=outputs,
        mock=pads,
        on_first_frame=lambda frame: slap.start(),
    )
    return Table(run, parts, pads, outputs, Heart(run.ages, told), told, tmp_path / "games")


def test_a_slap_is_logged_and_its_own_light_answers(tmp_path: Path) -> None:
    playing = table(tmp_path)
    playing.play()
    (slapped,) = [seen for seen in playing.log() if isinstance(seen, PadSlapped)]
    assert (slapped.player, slapped.pile) == ("p1", "A")
    assert Output(p1=True) in [shown for _, shown in playing.outputs.shown]
    assert playing.outputs.closed and playing.outputs.now == DARK


def test_a_shadow_logs_the_same_and_shows_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    playing = table(tmp_path, shadow=True)
    playing.play()
    assert any(isinstance(seen, PadSlapped) for seen in playing.log())
    assert all(shown == DARK for _, shown in playing.outputs.shown)
    assert capsys.readouterr().out == ""


def test_systemd_hears_ready_and_then_the_heartbeat(tmp_path: Path) -> None:
    playing = table(tmp_path, frames=120)
    playing.play()
    assert playing.told.said[0] == "READY=1" and "WATCHDOG=1" in playing.told.said
    assert playing.told.said[-1] == "STOPPING=1"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_stop_by_the_service_manager_or_a_closed_terminal_closes_the_log(tmp_path: Path, number: int) -> None:
    playing = table(tmp_path, frames=100_000)
    before = signal.signal(number, signal.SIG_DFL)  # the tests may run under nohup
    Timer(0.5, lambda: os.kill(os.getpid(), number)).start()
    directory = playing.play()
    signal.signal(number, before)
    game = LoggedGame(directory)
    assert list(game.entries()) and game.was_closed
    assert playing.outputs.now == DARK


def test_a_lost_sensor_is_shown_at_the_table_and_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    playing = table(tmp_path, frames=100)
    Timer(0.2, lambda: setattr(playing.pads, "broken", True)).start()
    playing.play()
    assert any(isinstance(seen, SensorLost) for seen in playing.log())
    assert "pads lost" in capsys.readouterr().out
    assert any(shown.hz == 196 for _, shown in playing.outputs.shown)


def test_a_recorded_game_has_its_film_its_pads_and_its_table(tmp_path: Path) -> None:
    playing = table(tmp_path, record=True)
    playing.run.found(TABLE)  # nothing is recorded yet
    Timer(0.3, lambda: playing.run.found(TABLE)).start()
    recording = playing.play() / "recording"
    (slap,) = [seen for seen in playing.log() if isinstance(seen, PadSlapped)]
    about = json.loads((recording / "recording.json").read_text())
    first = json.loads((recording / "pads.jsonl").read_text().splitlines()[0])
    assert first["t_us"] == round((slap.at_ns - about["start_ns"]) / 1000)
    assert VideoFile(recording / "game.mp4").count == about["frames"] > 5
    assert load_table(recording / "table.toml").image_size_px == TABLE.image_size_px


def test_before_a_game_old_pictures_make_room(tmp_path: Path) -> None:
    with GameLog.create(tmp_path / "games", header()) as old:
        old.frame("old.jpg", b"x" * 200_000)
        old.frame("quarrel.jpg", b"x" * 200_000, keep=True)
    table(tmp_path, pictures_mb=0).play()
    assert [path.name for path in (old.directory / "frames").glob("*.jpg")] == ["quarrel.jpg"]


def test_a_second_referee_is_told_who_runs_already(tmp_path: Path) -> None:
    with (
        only_one(tmp_path),
        pytest.raises(DeviceError, match=f"already running here .process {os.getpid()}"),
        only_one(tmp_path),
    ):
        pass
    with only_one(tmp_path):
        pass


def test_a_disk_that_is_full_at_the_start_costs_the_log_and_not_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    playing = table(tmp_path, frames=2000)
    full = True

    def append(lines: LineFile, line: bytes) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        appended(lines, line)

    def notify(state: str) -> None:
        nonlocal full
        playing.told.said.append(state)
        if "NOT LOGGED" in state:
            full = False
        elif not full and "STATUS" in state:
            playing.run.stop()

    appended = LineFile.append
    monkeypatch.setattr(LineFile, "append", append)
    monkeypatch.setattr(playing.told, "notify", notify)
    directory = playing.play()
    assert any("make room on the disk" in said for said in playing.told.said)
    assert "NOT LOGGED" in capsys.readouterr().out, "the journal has it"
    assert any(shown.p1 and shown.p2 and shown.hz == 196 for _, shown in playing.outputs.shown), "and the lights"
    game = LoggedGame(directory)
    assert list(game.entries()) and game.was_closed, "logged from the moment there was room"


def test_a_folder_without_room_for_a_lock_is_held_by_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    with only_one(tmp_path / "games"):
        assert not (tmp_path / "games").exists()


def test_a_folder_that_may_not_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LogError, match="choose another folder"), only_one(tmp_path / "file"):
        pass


def test_pages_that_hang_stop_the_heartbeat_like_every_other_loop(tmp_path: Path) -> None:
    loop = TableLoop(Settings(), tmp_path, tmp_path / "web.json", shadow=False, practice=None)
    run = RigRun()
    assert loop._heart(run).stuck() == []
    server = loop._server = WebServer(loop.desk, tmp_path / "web.json", 0)
    server._beat_ns = 1
    assert loop._heart(run).stuck() == ["pages"]


# After a restart -----------------------------------------------------------------------------------------------------


def header(**changes: object) -> Header:
    return msgspec.structs.replace(
        Header(source="live", rules_name="pagat", rules=msgspec.to_builtins(PAGAT)), **changes
    )


def test_a_game_that_was_cut_goes_on_in_its_own_log(tmp_path: Path) -> None:
    games = tmp_path / "games"
    log = GameLog.create(games, header())
    log.observation(HandsSeen(at_ns=monotonic_ns(), players=()))
    del log  # killed: no closing line
    playing = table(tmp_path)
    directory = playing.play()
    numbers = [entry.n for entry in LoggedGame(directory).entries() if not entry.is_mark]
    assert len(numbers) > 1 and numbers == list(range(len(numbers)))
    assert [path.name for path in games.iterdir() if path.is_dir()] == [directory.name]


@pytest.mark.parametrize(
    "changes, goes_on",
    [
        ({}, True),
        ({"boot_id": "another"}, False),
        ({"source": "simulated"}, False),
        ({"rules": {"piles": 4}}, False),
    ],
)
def test_only_a_live_game_of_this_boot_and_these_rules_goes_on(
    tmp_path: Path, changes: dict[str, object], goes_on: bool
) -> None:
    GameLog.create(tmp_path, header(**changes))
    assert (cut_game(tmp_path, PAGAT) is not None) == goes_on


def test_a_closed_game_is_over(tmp_path: Path) -> None:
    assert cut_game(tmp_path, PAGAT) is None
    with GameLog.create(tmp_path, header()):
        pass
    assert cut_game(tmp_path, PAGAT) is None


# What is missing -----------------------------------------------------------------------------------------------------


def test_without_a_table_file_the_cure_is_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableFileError, match="calibrate"):
        calibrated_table(tmp_path / "table.toml", None)


def test_a_service_waits_for_its_calibration_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told()

    now = [0]

    def asleep(seconds: float) -> None:
        now[0] += int(seconds * 1e9)
        if len(told.said) > 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("referee.cli.patience.sleep", asleep)
    with pytest.raises(KeyboardInterrupt):
        calibrated_table(tmp_path / "table.toml", Heart(dict, told, lambda: now[0]))
    assert told.said[0] == "READY=1" and any("waits for the calibration" in said for said in told.said)


@pytest.mark.skipif(any(Path("/dev").glob("video*")), reason="there is a camera on this machine")
def test_by_hand_a_missing_camera_is_one_sentence_with_the_cure() -> None:
    run = TableRun(Settings(), PAGAT, shadow=False)
    with pytest.raises(DeviceError, match="no camera is there; plug one in"):
        real_parts(Settings(), None, run.queue, run.queue.put, as_service=False)


@WITHOUT_PINS
def test_a_service_whose_pins_are_not_there_yet_waits_for_them_and_takes_no_keys() -> None:
    run = TableRun(Settings(), PAGAT, shadow=False)
    parts = real_parts(Settings(), None, run.queue, run.queue.put, as_service=True)
    assert parts.mock is None
    parts.pads.start()
    lost = run.queue.get(timeout=10)
    assert isinstance(lost, SensorLost) and lost.sensor == "pads" and "no GPIO pins" in lost.reason
    parts.pads.stop()


@WITHOUT_PINS
def test_missing_lights_are_said_and_played_without() -> None:
    notices: list[str] = []
    assert outputs_or_drawing(SignalsSection(), notices).name == "mock"
    assert notices and notices[0].startswith("NO LIGHTS")


@WITHOUT_PINS
def test_a_service_goes_on_looking_for_its_lights() -> None:
    with pytest.raises(DeviceError, match="no pins"):
        outputs_or_drawing(SignalsSection(), [], as_service=True).show(Output(p1=True))


def test_rules_come_from_the_settings_with_single_options_on_top() -> None:
    assert rules_of(Settings()) == PAGAT
    changed = rules_of(Settings(rules=RulesSection(options={"race_window_ms": 300})))
    assert changed.race_window_ms == 300
    with pytest.raises(SettingsError):
        rules_of(Settings(rules=RulesSection(name="pagatt")))


def test_the_status_line_names_what_is_lost() -> None:
    good = RigStatus(
        camera="cam", camera_lost="", fps=30, age_ms=12, dropped=0, pads="gpiod", pads_lost="", down=(P1A,), waiting=0,
        complaints=(),
    )  # fmt: skip
    assert status_words(good) == "camera cam 30 fps, 12 ms old, 0 dropped; pads gpiod, down: p1/A"
    assert "CAMERA LOST: unplugged" in status_words(replace(good, camera_lost="unplugged"))
    assert "PADS LOST: gone" in status_words(replace(good, pads_lost="gone"))
    assert status_words(replace(good, complaints=("only 9 pictures a second",))).endswith("; only 9 pictures a second")


def test_the_journal_gets_a_line_when_health_changes(capsys: pytest.CaptureFixture[str]) -> None:
    screen = PlainRun()
    status = RigStatus("cam", "", 30, 1, 0, "gpiod", "", (), 0, ())
    for lost in ("", "", "unplugged", "unplugged", ""):
        screen.show(replace(status, camera_lost=lost), DARK)
    assert len(capsys.readouterr().out.splitlines()) == 2


# The commands --------------------------------------------------------------------------------------------------------


def test_check_prints_a_line_for_each_question_and_json_on_request() -> None:
    plain = CliRunner().invoke(app, ["check"])
    lines = CliRunner().invoke(app, ["check", "--json"]).stdout.splitlines()
    answers = [msgspec.json.decode(line) for line in lines]
    assert {answer["state"] for answer in answers} <= {"OK", "WARN", "FAIL", "SKIP"}
    assert all(answer["cure"] for answer in answers if answer["state"] in ("WARN", "FAIL"))
    assert [answer["check"] for answer in answers[:4]] == ["settings", "python", "opencv", "reader"]
    assert len(plain.stdout.splitlines()) == len(answers)


def test_check_fails_where_a_setting_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("[pads]\nbackennd = 'mock'\n")
    result = CliRunner().invoke(app, ["check", "--config", str(file)])
    assert result.exit_code == 1
    assert "FAIL  settings" in result.stdout and "Did you mean pads.backend?" in result.stdout


def test_check_fails_where_the_rules_cannot_be_played(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("[rules.options]\npiles = 9\n")
    result = CliRunner().invoke(app, ["check", "--config", str(file)])
    assert result.exit_code == 1
    assert f"FAIL  settings  rules.piles is 9 ({file}, line 2). Write 5 or 4" in result.stdout


def test_a_bundle_holds_what_a_report_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    settings = tmp_path / "s.toml"
    settings.write_text("[players]\np1 = 'Ann'\n[mqtt]\npassword = 'hush'\n")
    (tmp_path / "spit-referee").mkdir()
    (tmp_path / "spit-referee" / "table.toml").write_text("# half written")
    monkeypatch.setattr("hardware.cameras.choose.one_camera", lambda _: FaultyCamera())
    with GameLog.create(tmp_path / "spit-referee" / "games", header()) as log:
        for number in range(5):
            log.frame(f"00000{number}-A-after.jpg", b"jpeg")
    bundle = tmp_path / "report.zip"
    CliRunner().invoke(app, ["check", "--config", str(settings), "--bundle", str(bundle)])
    with zipfile.ZipFile(bundle) as opened:
        assert "hush" not in opened.read("settings-1.toml").decode()
        names = [Path(name).name for name in opened.namelist() if name != "journal.txt"]
        assert names[:4] == ["about.json", "check.jsonl", "settings-1.toml", "table.toml"]
        assert names[4:8] == ["game.jsonl", *(f"00000{number}-A-after.jpg" for number in (2, 3, 4))]
        assert names[8:] == ["now-1.jpg", "now-2.jpg", "now-3.jpg"]
        assert opened.read("now-3.jpg").startswith(b"\xff\xd8"), "a picture of the table"


def test_a_bundle_without_a_camera_or_a_game_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    camera = FaultyCamera()
    camera.fault = "gone"
    monkeypatch.setattr("hardware.cameras.choose.one_camera", lambda _: camera)
    bundle = tmp_path / "report.zip"
    CliRunner().invoke(app, ["check", "--bundle", str(bundle)])
    with zipfile.ZipFile(bundle) as opened:
        assert {*opened.namelist()} - {"journal.txt", "settings-1.toml"} == {"about.json", "check.jsonl"}


@pytest.mark.parametrize(
    "line",
    [
        "password = 'hush'",
        '  "password"= "hush" # mine',
        "username = 'hush'",
        "# password = 'hush'",
        'password = """\nhush\n"""',
        '"pass\\u0077ord" = "hush"',
        "pasword = 'hush'",
    ],
)
def test_secrets_stay_out_of_a_bundle_and_the_rest_stays(line: str) -> None:
    kept = without_secrets(f"[mqtt]\nhost = 'here'\n{line}\nport = 1")
    assert "hush" not in kept and tomllib.loads(kept)["mqtt"].items() >= {"host": "here", "port": 1}.items()


@pytest.mark.parametrize("text", ["mqtt = {password = 'hush'}", "mqtt.password = 'hush'", "[mqtt]\npassword = 'hush"])
def test_secrets_stay_out_of_a_bundle_however_they_are_written(text: str) -> None:
    assert "hush" not in without_secrets(text)


def test_check_names_choices_of_the_pages_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f'[storage]\ntable_file = "{tmp_path / "state" / "table.toml"}"\n')
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "settings.toml").write_text("[players]\np1 = 'Ann")
    result = CliRunner().invoke(app, ["check", "--config", str(file)])
    assert "WARN  settings" in result.stdout and "state/settings.toml: not TOML" in result.stdout


class StillLoading(ModuleType):
    """A module whose import takes its time, and is broken off."""

    def __getattr__(self, name: str) -> NoReturn:
        raise KeyboardInterrupt


def test_ctrl_c_in_the_first_second_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "referee.cli.app", StillLoading("referee.cli.app"))
    assert exit_code() == 130


def test_the_games_folder_of_somebody_unknown_is_a_name_as_in_a_shell(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", "--games", "~nobody-here/games"])
    assert isinstance(result.exception, LogError)


def test_a_path_with_a_zero_byte_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[storage]\ngames_dir = "games\\u0000"\n')
    result = CliRunner().invoke(app, ["check", "--config", str(file)])
    assert "FAIL  settings  storage.games_dir" in result.stdout


def test_whoever_is_not_in_the_group_yet_is_told_to_log_in_again(tmp_path: Path) -> None:
    """The first command after the installation, in the session in which it was made: the state's folder is closed."""
    closed = tmp_path / "closed"
    (closed / "state").mkdir(parents=True)
    file = tmp_path / "s.toml"
    places = f'table_file = "{closed}/state/table.toml"\ngames_dir = "{closed}/state/games"'
    file.write_text(f"[storage]\n{places}\n")
    closed.chmod(0)
    as_nobody = ["setpriv", "--bounding-set=-all"] if os.getuid() == 0 else []

    def said(*words: str) -> str:
        command = [*as_nobody, sys.executable, "-m", "referee", *words, "--config", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    try:
        check = said("check")
        assert "WARN  settings" in check and "FAIL  disk" in check and "SKIP  service" in check
        for told in (check, said("web", "show"), said("web", "open")):
            assert "log out and in again" in told
    finally:
        closed.chmod(0o700)


def test_signals_are_listed_and_a_wrong_name_is_refused() -> None:
    listed = CliRunner().invoke(app, ["signals", "--list"])
    assert "count_in" in listed.stdout and "#" in listed.stdout
    refused = CliRunner().invoke(app, ["signals", "stick"])
    assert isinstance(refused.exception, SettingsError) and "did you mean stuck?" in str(refused.exception)


def test_one_signal_is_played_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = MockOutputs()
    monkeypatch.setattr("hardware.signals.outputs_of", lambda settings: outputs)
    assert CliRunner().invoke(app, ["signals", "noted"]).exit_code == 0
    assert any(shown.hz == 784 for _, shown in outputs.shown) and outputs.now == DARK


def test_a_camera_that_hangs_in_its_driver_does_not_abort_the_end(tmp_path: Path) -> None:
    """Told in a process of its own, for it ends: output is whole, the exit code is the command's."""
    program = """
import threading
from referee import cli
threading.Thread(target=threading.Event().wait, name="camera 1", daemon=True).start()
cli.exit_code = lambda: print("the last line") or 3
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (3, "the last line\n", "")
