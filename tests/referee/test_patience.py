"""A service whose settings cannot be used: it comes up, says what is wrong, and goes on once they are corrected."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from referee.cli.patience import usable_settings
from referee.cli.table_loop import TableLoop
from referee.errors import DeviceError, SettingsError
from referee.settings import MqttSection, Settings, StorageSection, choices_file, load_settings, table_file

GOOD = '[pads]\nbackend = "mock"\n[signals]\nbackend = "mock"\n[camera]\nsource = "/dev/no-such-camera"\n'
WRONG = GOOD + '[rules]\nname = "pagta"\n'


class Service:
    """`spit-referee run` as systemd starts it: `told` is what the service manager heard, `said` what went to the
    journal."""

    def __init__(self, folder: Path, settings: Path, ear: str = "notify") -> None:
        self.told: list[str] = []
        self.said: Queue[str] = Queue()
        self._ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ear.bind(str(folder / ear))
        here = {"NOTIFY_SOCKET": str(folder / ear), "STATE_DIRECTORY": str(folder / "state")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee", "run", "--config", str(settings)],
            env=os.environ | here,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for work in (self._hear, self._read):
            Thread(target=work, daemon=True).start()

    def _hear(self) -> None:
        while True:
            self.told.append(self._ear.recv(65_536).decode())

    def _read(self) -> None:
        for line in self.process.stderr or ():
            self.said.put(line)

    def line(self, pattern: str) -> re.Match[str]:
        """Wait for a line of the journal."""
        while True:
            if found := re.search(pattern, self.said.get(timeout=60)):
                return found

    def health(self, port: str) -> dict[str, Any]:
        """Return the first line of what the page says about the table's health."""
        with urllib.request.urlopen(f"http://localhost:{port}/state", timeout=10) as answer:
            health: list[dict[str, Any]] = json.load(answer)["health"]
        return health[0]


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = tmp_path / "settings.toml"
    file.write_text(WRONG)
    return file


@pytest.fixture
def service(tmp_path: Path, settings: Path) -> Iterator[Service]:
    service = Service(tmp_path, settings)
    yield service
    service.process.kill()
    service.process.wait()


def test_settings_that_cannot_be_used_are_said_everywhere_and_waited_for(service: Service, settings: Path) -> None:
    port = service.line(r"Pages: http://localhost:(\d+)/")[1]
    why = service.line(r"waits for settings that can be used: (.*)")[1]
    assert why == f"there is no rule set 'pagta' ({settings}, line 8): did you mean 'pagat'?"
    told = service.health(port)
    assert (told["name"], told["state"], told["cure"]) == ("settings", "FAIL", "did you mean 'pagat'?")
    settings.write_text(GOOD)
    port = service.line(r"Pages: http://localhost:(\d+)/")[1]
    assert service.health(port)["name"] == "camera", "nothing is wrong with the settings any more"
    assert service.process.poll() is None, "it never ended"
    assert "READY=1" in service.told and any(f"waits for settings that can be used: {why}" in it for it in service.told)
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(timeout=20) == 0


def test_a_service_waits_while_another_referee_has_its_games(service: Service, settings: Path, tmp_path: Path) -> None:
    settings.write_text(GOOD)
    service.line("Pages: ")
    second = Service(tmp_path, settings, "second")
    assert second.line(r"already running here \(process (\d+)\)")[1] == str(service.process.pid)
    service.process.kill()
    second.line("Pages: ")
    assert "READY=1" in second.told and any("waits for its games folder" in it for it in second.told)
    second.process.kill()
    second.process.wait()


def test_without_the_package_for_it_a_service_tells_other_programs_nothing_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    loop = TableLoop(
        Settings(mqtt=MqttSection(enabled=True)), tmp_path, tmp_path / "web.json", shadow=False, practice=None
    )
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    with pytest.raises(DeviceError, match="paho-mqtt"), ExitStack() as stack:
        loop._feed(stack)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with ExitStack() as stack:
        assert loop._feed(stack) is None
    assert loop.desk.trouble is not None and "MQTT" in loop.desk.trouble.says


def test_by_hand_they_are_one_sentence_with_the_cure(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    with pytest.raises(SettingsError, match=r"line 8\): did you mean 'pagat'"):
        usable_settings(settings, pages=True)


def test_rules_chosen_on_the_pages_that_cannot_be_are_left_out_and_named(tmp_path: Path) -> None:
    """What a page may have written before there was a file of house rules."""
    file = tmp_path / "settings.toml"
    (tmp_path / "ours.toml").write_text('extends = "bicycle"\n')
    state = tmp_path / "state" / "table.toml"
    file.write_text(f'[rules]\nname = "{tmp_path / "ours.toml"}"\n[storage]\ntable_file = "{state}"\n')
    choices = choices_file(table_file(Settings(storage=StorageSection(table_file=str(state)))))
    choices.parent.mkdir()
    choices.write_text("[rules.options]\nrow_stack_same_rank = true\n")
    loaded = load_settings(file)
    assert loaded.settings.rules.options == {}
    (complaint,) = loaded.complaints
    assert "contradict each other" in complaint
