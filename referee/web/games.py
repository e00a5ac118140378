"""Logged games: the list, a game's replay page, and its files to take along."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from referee.log import GameEntry, game_entry, game_folders
from referee.log.header import LOG_FILE
from referee.replay.words import plain, player_names
from referee.web.desk import Desk
from referee.web.pages import page

LONGEST_S: Final = 120.0
SHOWN_AT_ONCE: Final = 50


async def games(request: Request) -> Response:
    """The games, newest first, a pageful at a time: `?older=N` leaves the N newest out. Only logs shown are opened."""
    desk: Desk = request.app.state.desk
    asked = request.query_params.get("older", "")
    skipped = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 0

    def shown() -> tuple[list[GameEntry], int]:
        folders = game_folders(desk.games)
        return [game_entry(folder) for folder in folders[skipped : skipped + SHOWN_AT_ONCE]], len(folders)

    entries, count = await run_in_threadpool(shown)
    following = skipped + SHOWN_AT_ONCE
    return page(
        request,
        "games.html",
        games=[_row(entry, desk.game) for entry in entries],
        count=count,
        first=skipped + 1,
        newer=max(0, skipped - SHOWN_AT_ONCE) if skipped else None,
        older=following if following < count else None,
    )


def _row(entry: GameEntry, running: str) -> dict[str, Any]:
    header = entry.header
    names = player_names(header.players) if header else {"p1": "?", "p2": "?"}
    started = plain(header.started[:16], 16).replace("T", ", ") if header else ""
    state = "running" if entry.name == running else "" if entry.closed else "ended without being closed"
    return {
        "address": in_address(entry.name),
        "p1": names["p1"],
        "p2": names["p2"],
        "started": started or "undated",
        "unsure": bool(header and header.clock_unsure),
        "rules": plain(header.rules_name, 40) if header else "",
        "source": plain(header.source, 40) if header else "",
        "state": state,
        "trouble": plain(_without_path(entry.trouble, entry.directory)),
    }


def in_address(name: str) -> str:
    """Return the name of a file as it stands in an address; not every name is text."""
    return quote(os.fsencode(name), safe="")


def find(request: Request) -> Path | None:
    """Return the directory of the game that a request names: one of the list, compared by name, or None."""
    desk: Desk = request.app.state.desk
    wanted = request.path_params["game"]
    return next((folder for folder in game_folders(desk.games) if folder.name == wanted), None)


async def game(request: Request) -> Response:
    """The replay of a game; with `?save` as one file to keep or to send."""
    directory = await run_in_threadpool(find, request)
    if directory is None:
        return page(request, "message.html", 404, title="No such game", text="The list shows every game that is here.")
    made = await _Replays.of(request.app).page(directory)
    if isinstance(made, str):
        why = plain(_without_path(made, directory))
        return page(request, "message.html", 500, title="This game cannot be shown", text=why)
    headers = {"content-security-policy": "frame-ancestors 'none'"}  # the page brings its own, stricter one
    if "save" in request.query_params:
        headers |= _to_keep_as(f"spit-{directory.name}.html")
    return HTMLResponse(made, headers=headers)


async def log(request: Request) -> Response:
    """The game's log as it lies on the disk."""
    directory = await run_in_threadpool(find, request)
    if directory is None:
        return RedirectResponse("/games", 303)
    content = await run_in_threadpool((directory / LOG_FILE).read_bytes)
    return Response(content, media_type="application/x-ndjson", headers=_to_keep_as(f"{directory.name}.jsonl"))


def _without_path(sentence: str, directory: Path) -> str:
    """Who looks at the pages has no use for where on this machine a game lies."""
    return sentence.replace(str(directory), directory.name)


def _to_keep_as(name: str) -> dict[str, str]:
    """RFC 6266: a folder may have been renamed to anything."""
    return {"content-disposition": f"attachment; filename*=UTF-8''{in_address(name)}"}


class _Replays:
    """Makes replay pages in a process of their own, one at a time: a running game is not slowed by them."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._made: tuple[object, bytes] | None = None

    @classmethod
    def of(cls, app: Any) -> "_Replays":
        if not hasattr(app.state, "replays"):
            app.state.replays = cls()
        replays: _Replays = app.state.replays
        return replays

    async def page(self, directory: Path) -> bytes | str:
        """Return the page, or in one sentence why there is none."""
        async with self._lock:
            stat = (directory / LOG_FILE).stat()
            key = (directory, stat.st_size, stat.st_mtime_ns)
            if self._made is not None and self._made[0] == key:
                return self._made[1]
            with tempfile.TemporaryDirectory(prefix="spit-referee-") as folder:
                made = await _make(directory, Path(folder) / "replay.html")
            if isinstance(made, bytes):
                self._made = key, made
            return made


async def _make(directory: Path, out: Path) -> bytes | str:
    words = ("replay", directory, "--html", out, "--games", directory.parent)
    command = [sys.executable, "-m", "referee", *map(str, words)]
    quiet = asyncio.subprocess
    process = await asyncio.create_subprocess_exec(*command, stdout=quiet.DEVNULL, stderr=quiet.PIPE)
    try:
        _, said = await asyncio.wait_for(process.communicate(), LONGEST_S)
    except TimeoutError:
        return "The page took too long to make; `spit-referee replay` makes it on the command line."
    finally:
        if process.returncode is None:  # also where the pages are closed meanwhile
            process.kill()
            await process.wait()
    if process.returncode or not out.is_file():
        return said.decode(errors="replace").strip().rpartition("\n")[2] or "The game's log cannot be read."
    return out.read_bytes()
