"""The service: its unit is valid and shut in, its scripts can be looked at first and repeated."""

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import gpiod
import msgspec
import pytest

from hardware.signals import MockOutputs
from hardware.signals.silence import main as silence
from referee.settings import Section, Settings, parse_settings, settings_from

FOLDER = Path(__file__).parents[1] / "systemd"
UNIT = FOLDER / "spit-referee.service"
WORST_EXPOSURE = "20"
"""Of `systemd-analyze security`, in tenths."""


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that exists here, so that only the unit itself is judged."""
    text = re.sub(r"/opt/spit-referee/bin/\S+", "/bin/true", UNIT.read_text())
    copy = tmp_path / UNIT.name
    copy.write_text(text)
    return copy


@pytest.mark.systemd
def test_the_unit_is_valid(unit: Path) -> None:
    verified = run("systemd-analyze", "verify", "--man=no", unit)
    assert verified.returncode == 0 and UNIT.name not in verified.stderr, verified.stderr


@pytest.mark.systemd
def test_a_mistake_in_the_unit_would_be_found(unit: Path) -> None:
    unit.write_text(unit.read_text().replace("WatchdogSec=20", "WatchdogSec=soon"))
    assert "Failed to parse" in run("systemd-analyze", "verify", "--man=no", unit).stderr


@pytest.mark.systemd
def test_the_service_is_shut_in(unit: Path) -> None:
    judged = run("systemd-analyze", "security", "--offline=true", f"--threshold={WORST_EXPOSURE}", unit)
    assert judged.returncode == 0, judged.stdout[-2000:]


@pytest.mark.systemd
def test_what_the_service_leaves_open_is_explained(unit: Path) -> None:
    judged = run("systemd-analyze", "security", "--offline=true", "--no-pager", unit).stdout
    left_open = {line.split()[1].split("=")[0] for line in judged.splitlines() if line.startswith("✗")}
    page = (FOLDER.parent / "docs" / "service.md").read_text()
    explained = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*)\|", page, re.M))))
    assert len(left_open) > 5 and left_open <= explained, left_open - explained


def test_the_unit_keeps_what_was_learnt_from_real_machines() -> None:
    text = UNIT.read_text()
    for line in (
        "Type=notify",
        "WatchdogSec=20",
        "SuccessExitStatus=143",
        "StartLimitIntervalSec=0",
        "SystemCallErrorNumber=EPERM",
        "WorkingDirectory=%t/spit-referee",
        "DeviceAllow=char-gpiochip rw",
        "SupplementaryGroups=gpio video",
    ):
        assert line in text.splitlines()
    assert "PrivateDevices" not in text and "network-online" not in text
    assert re.search(r"^ExecStopPost=.*hardware\.signals\.silence$", text, re.M)


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh"])
def test_a_dry_run_prints_every_step_and_does_nothing(script: str) -> None:
    first, second = run(FOLDER / script, "--dry-run"), run(FOLDER / script, "--dry-run")
    assert first.returncode == 0 and first.stdout == second.stdout
    assert "spit-referee.service" in first.stdout
    assert first.stdout.endswith("Nothing was done: these are the steps without --dry-run.\n")
    assert "Removed" not in first.stdout and "Installed" not in first.stdout
    assert not Path("/opt/spit-referee").exists() and not Path("/etc/systemd/system/spit-referee.service").exists()


@pytest.mark.parametrize("script", ["install.sh", "uninstall.sh"])
def test_a_word_that_is_not_known_is_refused(script: str) -> None:
    refused = run(FOLDER / script, "--everything")
    assert refused.returncode == 2 and "--dry-run" in refused.stderr
    helped = run(FOLDER / script, "--help")
    assert helped.returncode == 0 and f"sudo systemd/{script} [--dry-run]" in helped.stdout and "#" not in helped.stdout


@pytest.mark.parametrize("knows, asks", [("true", False), ("false", True)])
def test_a_fresh_system_is_told_of_its_packages_first(tmp_path: Path, knows: str, asks: bool) -> None:
    for name, does in (("apt-cache", knows), ("apt-get", "true")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    done = run("env", f"PATH={tmp_path}:/usr/bin:/bin", FOLDER / "install.sh", "--dry-run")
    assert ("+ apt-get update\n+ apt-get install" in done.stdout) == asks and "+ apt-get install" in done.stdout


def test_uninstall_keeps_the_games_unless_told_otherwise() -> None:
    assert "/var/lib" not in run(FOLDER / "uninstall.sh", "--dry-run").stdout
    assert "rm -rf /var/lib/spit-referee" in run(FOLDER / "uninstall.sh", "--dry-run", "--purge").stdout


def test_the_installed_settings_show_every_setting_with_its_default() -> None:
    text = (FOLDER / "settings.toml").read_text()
    settings_from([parse_settings(text, "settings.toml")])
    shown = re.sub(r"^# (\w+ = )", r"\1", text, flags=re.M)
    shown = shown.replace('quiet_from = "22:00"', "").replace('quiet_until = "07:00"', "")
    shown = re.sub(r'^(games_dir|table_file) = ".*"', r'\1 = ""', shown, flags=re.M)
    assert settings_from([parse_settings(shown, "settings.toml")]).settings == Settings()
    for section in msgspec.structs.fields(Settings):
        assert isinstance(section.type, type) and issubclass(section.type, Section)
        for field in msgspec.structs.fields(section.type):
            assert field.name == "options" or re.search(rf"^#? ?{field.name} = ", text, re.M), field.name


def test_the_end_of_a_killed_service_drives_every_signal_low(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    driven: list[int] = []

    class Lines:
        def release(self) -> None: ...

    def request_lines(_path: str, *, consumer: str, config: dict[int, Any]) -> Lines:
        ((pin, settings),) = config.items()
        assert settings.output_value is gpiod.line.Value.INACTIVE
        if pin == 24:
            raise OSError("busy")
        driven.append(pin)
        return Lines()

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("hardware.signals.silence.find_header_chip", lambda: Path("/dev/gpiochip0"))
    monkeypatch.setattr(gpiod, "request_lines", request_lines)
    silence()
    assert driven == [25, 18]


def test_on_a_board_without_gpiod_they_go_out_by_the_way_on_which_they_are_driven(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[MockOutputs] = []
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "gpiod", ModuleType("gpiod"))  # that of libgpiod 1
    monkeypatch.setattr("hardware.signals.silence.outputs_of", lambda _: made.append(MockOutputs()) or made[-1])
    silence()
    assert [outputs.closed for outputs in made] == [True]


def test_without_pins_there_is_nothing_to_switch_off(capsys: pytest.CaptureFixture[str]) -> None:
    silence()
    assert "no GPIO pins" in capsys.readouterr().err
