"""One file to attach to a report: `check`, settings without secrets, the table file, the journal, the newest game with
its last pictures, and the table now if no referee has the camera."""

import json
import os
import platform
import re
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from msgspec.structs import fields

from hardware.checks.machine import UNIT, running_referee, told
from referee.errors import DeviceError
from referee.log import newest_game
from referee.log.header import FRAMES_FOLDER, LOG_FILE
from referee.log.writer import software_version
from referee.settings import Settings, choices_file, table_file

if TYPE_CHECKING:
    from hardware.checks import Answer

PICTURES: Final = 3
MOST_LOG_BYTES: Final = 50_000_000
JOURNAL_LINES: Final = "1000"
SHOWN: Final = {field.name for section in fields(Settings) for field in fields(section.type)} - {"username", "password"}
"""Settings whose values go into a report."""


def write_bundle(
    path: Path, answers: "Iterable[tuple[str, Answer]]", settings: Settings, settings_files: Iterable[Path], games: Path
) -> list[str]:
    """Write the bundle and return the names of what is in it; raises DeviceError if the file cannot be written."""
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
            about = {
                "software": software_version(),
                "python": platform.python_version(),
                "machine": platform.platform(),
            }
            bundle.writestr("about.json", json.dumps(about, indent=1))
            lines = [json.dumps({"check": name} | answer._asdict()) for name, answer in answers]
            bundle.writestr("check.jsonl", "\n".join(lines) + "\n")
            table = table_file(settings)
            chosen = [file for file in (*settings_files, choices_file(table)) if os.access(file, os.F_OK)]
            for number, file in enumerate(chosen, 1):
                bundle.writestr(f"settings-{number}.toml", shown(file))
            if os.access(table, os.R_OK):
                bundle.write(table, "table.toml")
            if journal := told("journalctl", "-u", UNIT, "-n", JOURNAL_LINES, "--no-pager", "-o", "short-monotonic"):
                bundle.writestr("journal.txt", without_pin(journal))
            add_newest_game(bundle, games)
            for number, picture in enumerate(pictures_now(settings), 1):
                bundle.writestr(f"now-{number}.jpg", picture)
            return bundle.namelist()
    except OSError as error:
        raise DeviceError(f"{path} cannot be written ({error.strerror}); choose another place") from None


def pictures_now(settings: Settings) -> Iterator[bytes]:
    """Yield what the camera sees, as JPEG; nothing where there is none, or a referee has it."""
    import cv2

    from hardware.cameras.choose import one_camera

    if running_referee(settings):
        return
    camera = one_camera(settings.camera)
    try:
        camera.open()
        for _ in range(PICTURES):
            yield cv2.imencode(".jpg", camera.read().image)[1].tobytes()
    except DeviceError:
        return  # `check` says why
    finally:
        camera.close()


def shown(settings_file: Path) -> str:
    """Return what a settings file says, without secrets."""
    try:
        return without_secrets(settings_file.read_text(errors="replace"))
    except OSError as error:
        return f"# cannot be read ({error.strerror})\n"


def without_secrets(settings: str) -> str:
    """Return what a settings file sets, without user names and passwords, and without comments, that may hold old ones.

    A misspelt setting may be a password, too: only values of known ones are shown.

    >>> print(without_secrets("mqtt = {host = 'here', password = 'abc'} # mine"), end="")
    [mqtt]
    host = "here"
    password = "left out"
    """
    try:
        return tomlkit.dumps(_without(tomllib.loads(settings)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return f"# not TOML, and left out for the secrets in it ({type(error).__name__})\n"


def _without(values: dict[str, Any]) -> dict[str, Any]:
    """`options` has the names of the rules, which are no settings."""
    return {
        name: value
        if name == "options" or (name in SHOWN and not isinstance(value, dict))
        else _without(value)
        if isinstance(value, dict)
        else "left out"
        for name, value in values.items()
    }


def without_pin(journal: str) -> str:
    """Return a journal without the pages' PIN and the QR codes that hold it.

    >>> without_pin("Pages: http://pi.local/  PIN 123456\\n▄▀█ ▄\\ncamera lost")
    'Pages: http://pi.local/  PIN left out\\ncamera lost'
    """
    lines = [line for line in journal.splitlines() if not re.search("[█▀▄]", line)]
    return re.sub(r"PIN [\d ]+", "PIN left out", "\n".join(lines))


def add_newest_game(bundle: zipfile.ZipFile, games: Path) -> None:
    """Add the log of the newest game, its end if it is very long, and its last pictures."""
    newest = newest_game(games)
    if newest is None:
        return
    with (newest.directory / LOG_FILE).open("rb") as log:
        size = log.seek(0, 2)
        log.seek(max(0, size - MOST_LOG_BYTES))
        bundle.writestr(f"{newest.name}/{LOG_FILE}", log.read())
    pictures = sorted((newest.directory / FRAMES_FOLDER).glob("*.jpg"), key=lambda file: file.stat().st_mtime_ns)
    for picture in pictures[-PICTURES:]:
        bundle.write(picture, f"{newest.name}/{FRAMES_FOLDER}/{picture.name}", zipfile.ZIP_STORED)
