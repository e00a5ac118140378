"""Checks of disk, clock, power, calibration, pages and the service."""

import fcntl
import os
import shutil
import socket
import subprocess
from datetime import datetime
from typing import Final

from hardware.checks.report import Answer, fail, from_error, ok, skip, warn
from hardware.checks.software import board
from hardware.room import FULL_BYTES, films_bytes
from hardware.tablefile import load_table
from hardware.vision.enrolled import deck_file, load_deck
from referee.errors import NOT_YOURS, DeckError, TableFileError
from referee.settings import Settings, games_dir, table_file
from referee.units import counted

LOCK_FILE: Final = ".running"
"""In the games folder: locked by the referee that runs, whose process number it holds."""
LEAST_FILM_MB: Final = 1500
UNIT: Final = "spit-referee.service"
THROTTLED_NOW: Final = {
    0: "the supply voltage is too low",
    1: "the speed is capped",
    2: "it is throttled",
    3: "it is hot",
}


def told(*command: str) -> str | None:
    """Return what a system command prints, or None where it is not there or fails to answer."""
    if shutil.which(command[0]) is None:
        return None
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None


def running_referee(settings: Settings) -> str:
    """Return the process that referees into the games folder now and has the devices, or nothing."""
    try:
        with (games_dir(settings) / LOCK_FILE).open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return lock.read().strip() or "unknown"
    except OSError:
        pass
    return ""


def disk(settings: Settings) -> Answer:
    """Games can be written, and there is room."""
    folder = games_dir(settings)
    there = next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))  # not of a closed folder
    if there != folder and not os.access(there, os.X_OK):
        return fail(f"{there} cannot be looked into", NOT_YOURS)
    if not os.access(there, os.W_OK) or not there.is_dir():
        return fail(f"{there} cannot be written", "choose another folder with storage.games_dir in the settings")
    free = shutil.disk_usage(there).free
    if free < FULL_BYTES:
        return fail(
            f"the disk of {there} is full: games are refereed and not logged", "delete old games or films there"
        )
    free_mb = free // 1_000_000
    if free_mb < settings.storage.reserve_mb:
        return warn(f"only {free_mb} MB free at {there}", "delete old games: pictures are left out below the reserve")
    return ok(f"{free_mb / 1000:.0f} GB free at {there}")


def films(settings: Settings) -> Answer:
    """There is room for the film of another game; one takes about a gigabyte in 20 minutes."""
    try:
        count, size = films_bytes(games_dir(settings))
    except OSError as error:
        return fail(f"the films cannot be read ({error.strerror})", "see the line disk")
    if not count:
        return skip("no game was filmed yet (`spit-referee run --record`)")
    room_mb = settings.storage.films_mb - size // 1_000_000
    says = f"{counted(count, 'film')}: {size / 1e9:.1f} of {settings.storage.films_mb / 1000:.0f} GB"
    cure = "delete old ones (recording* in a game's folder), or raise storage.films_mb"
    return warn(says, cure) if room_mb < LEAST_FILM_MB else ok(says)


def clock(_: Settings) -> Answer:
    """The wall clock is set; it only labels games, nothing is timed with it."""
    now = datetime.now().astimezone()
    cure = "connect to the network once; games are timed without it, only their date would be wrong"
    if now.year < 2025:
        return warn(f"the clock says {now:%Y-%m-%d}", cure)
    synchronised = told("timedatectl", "show", "-p", "NTPSynchronized", "--value")
    if synchronised == "no":
        return warn(f"{now:%Y-%m-%d %H:%M}, not set by the network", cure)
    return ok(f"{now:%Y-%m-%d %H:%M} in the time zone {now:%Z}")


def power(_: Settings) -> Answer:
    """The supply is strong enough and the board cool enough."""
    if not board():
        return skip("no Raspberry Pi")
    text = told("vcgencmd", "get_throttled")
    if not text or "=" not in text:
        return skip("vcgencmd does not answer")
    bits = int(text.split("=")[1], 16)
    now = [words for bit, words in THROTTLED_NOW.items() if bits >> bit & 1]
    before = [words for bit, words in THROTTLED_NOW.items() if bits >> (bit + 16) & 1]
    if now or before:
        when = "now" if now else "since it was switched on"
        return warn(f"{', '.join(now or before)} ({when})", "use the original supply and a heat sink")
    return ok("supply and heat are fine")


def table(settings: Settings) -> Answer:
    """The table has been calibrated, for the size of picture that the camera gives; an enrolled deck can be read."""
    path = table_file(settings)
    if not os.access(path, os.F_OK):  # also where its folder is closed; the line disk says so
        return warn(f"no table file at {path}", "run `spit-referee calibrate corners`")
    try:
        size_px = load_table(path).image_size_px
        if os.access(deck := deck_file(path), os.F_OK):
            load_deck(deck)
    except (TableFileError, DeckError) as error:
        return from_error(error)
    wanted = (settings.camera.width_px, settings.camera.height_px)
    if size_px != wanted:
        sizes = f"{size_px[0]}x{size_px[1]}, the camera gives {wanted[0]}x{wanted[1]}"
        return fail(f"the table file is for {sizes}", "run `spit-referee calibrate corners` again")
    return ok(str(path))


def delay(settings: Settings) -> Answer:
    """The camera's delay against the pads was measured."""
    try:
        known = load_table(table_file(settings))
    except TableFileError:
        return skip("no table file yet")
    if known.behind_pads_uncertainty_ns is None:
        return skip("not measured and taken for 0; `spit-referee calibrate offset` does it")
    sure = known.behind_pads_uncertainty_ns / 1e6
    return ok(f"the camera is {known.behind_pads_ns / 1e6:.0f} ms behind the pads (±{sure:.0f})")


def pages(settings: Settings) -> Answer:
    """The port of the pages is free, or a running referee shows them."""
    if not settings.web.enabled:
        return skip("switched off in the settings")
    if running_referee(settings):
        return skip("the running referee shows them; `spit-referee web show` says where")
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", settings.web.port))
        except OSError:
            cure = "set web.port to another one, or look at the address that is printed at the start"
            return warn(f"port {settings.web.port} is taken by another program", cure)
    return ok(f"port {settings.web.port} is free for them")


def service(_: Settings) -> Answer:
    """The service, where it is installed, runs."""
    state = told("systemctl", "show", UNIT, "-p", "LoadState", "-p", "ActiveState", "-p", "StatusText")
    facts = dict(line.split("=", 1) for line in (state or "").splitlines() if "=" in line)
    if facts.get("LoadState") != "loaded":
        return skip("not installed; `sudo systemd/install.sh` does it")
    bad = ("LOST", "NOT LOGGED")
    if facts.get("ActiveState") == "active" and any(word in facts.get("StatusText", "") for word in bad):
        return warn(f"runs, but: {facts['StatusText']}", "mend what it names; it goes on by itself")
    if facts.get("ActiveState") == "active":
        return ok(f"runs: {facts.get('StatusText') or 'no word from it'}")
    cure = f"`journalctl -u {UNIT} -e` says why, `sudo systemctl restart {UNIT}` starts it"
    return fail(f"it is {facts.get('ActiveState', 'not running')}", cure)
