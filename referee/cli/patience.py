"""What a service waits for that only a person can mend: it comes up, says what is wrong, and goes on by itself."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import sleep
from typing import Final, TypeVar

from hardware.checks.report import from_error
from hardware.heart import Heart, is_service
from hardware.tablefile import Table, load_table
from referee.errors import RefereeError, SettingsError
from referee.settings import Loaded, Settings, games_dir, load_settings, table_file
from referee.web.access import access_file
from referee.web.desk import Desk
from referee.web.server import WebServer

LOOK_AGAIN_S: Final = 2.0
Mended = TypeVar("Mended")


def once_mended(ask: Callable[[], Mended], what: str, heart: Heart | None, say: Callable[[str], None]) -> Mended:
    """Return the answer, asking until none of our errors is raised; each is said once, and in `systemctl status`.

    By hand, without a `heart`, the first error is raised.
    """
    if heart is None:
        return ask()
    said = ""
    while True:
        try:
            return ask()
        except RefereeError as error:
            if str(error) != said:
                said = str(error)
                say(said)
                heart.ready()
            heart.beat(f"waits for {what}: {said}")
            sleep(LOOK_AGAIN_S)


def usable_settings(config: Path | None, pages: bool) -> Loaded:
    """Return the settings. By hand wrong ones raise SettingsError; a service shows on its page what is wrong, and waits
    until somebody has corrected them: started again and again it would only fail again."""
    try:
        return load_settings(config)
    except SettingsError:
        if (heart := service_heart()) is None:
            raise
    usual = Settings()
    desk = Desk(usual, games_dir(usual))

    def say(trouble: str) -> None:
        desk.trouble = from_error(SettingsError(trouble))
        say_line(f"spit-referee waits for settings that can be used: {trouble}")

    with ExitStack() as stack:
        if pages:
            access = access_file(table_file(usual))
            stack.enter_context(WebServer(desk, access, usual.web.port, say=say_line))
        return once_mended(lambda: load_settings(config), "settings that can be used", heart, say)


def service_heart() -> Heart | None:
    """Return the heart of a service that runs nothing yet; None by hand."""
    return Heart(dict) if is_service() else None


def calibrated_table(path: Path, heart: Heart | None) -> Table:
    """Return the table of the table file. By hand a missing one raises TableFileError; a service waits for it."""
    return once_mended(
        lambda: load_table(path), "the calibration", heart, lambda trouble: say_line(f"spit-referee waits: {trouble}")
    )


def say_line(line: str) -> None:
    """Print a line for the journal or the terminal."""
    print(line, file=sys.stderr, flush=True)
