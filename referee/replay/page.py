"""The replay as one page that opens offline anywhere: style, script, data and pictures are all inside.

Nothing that a log says can run: texts are escaped or set as text, the data is JSON in a script element of a type that
no browser executes, and the page's policy allows only its own script and style, by their hash, and pictures inside it.
"""

import os
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2
import msgspec
from markupsafe import Markup

from referee.errors import LogError, SettingsError
from referee.log import Device, Header, LoggedGame
from referee.replay.moments import Moment, Timeline
from referee.replay.statistics import statistics_of
from referee.replay.timeline import timeline_of
from referee.replay.words import plain, player_names, with_names
from referee.rules.rule_set import rule_set_from
from referee.rules.sentences import Clause, describe
from referee.table import Player
from referee.units import counted

SCRIPTS: Final = ("base.js", "cards.js", "tape.js", "moment.js", "correct.js", "recount.js", "figures.js", "player.js")
PICTURE_BUDGET_BYTES: Final = 8_000_000
LARGEST_PICTURE_BYTES: Final = 400_000
MOST_TROUBLES_SHOWN: Final = 50


def write_page(game: LoggedGame, path: Path, *, picture_budget_bytes: int = PICTURE_BUDGET_BYTES) -> int:
    """Write the game's page to `path`, atomically, and return its size in bytes.

    Raises LogError if it cannot be written there."""
    return save(page_of(game, picture_budget_bytes=picture_budget_bytes), path)


def save(text: str, path: Path) -> int:
    """Write a page whole or not at all and return its size in bytes; raises LogError if it cannot be written."""
    page = text.encode()
    if not path.name:
        raise LogError(f"{path} is a folder: name the page too, as {path / 'replay.html'}")
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise LogError(f"{path} cannot be written ({error.strerror}): choose another place with --html") from error
    return len(page)


def page_of(game: LoggedGame, *, picture_budget_bytes: int = PICTURE_BUDGET_BYTES) -> str:
    """Return the game's page as HTML. Pictures of disputes go in first, then the others evenly spread, as far as the
    budget reaches; the page says which are left out and which are missing."""
    timeline = timeline_of(game)
    names = player_names(timeline.header.players)
    style, script = asset("page.css"), "\n".join(['"use strict";', *map(asset, SCRIPTS)])
    script = f"(() => {{\n{script}\n}})();"
    clauses = _agreement(timeline.header, names)
    data = {
        "game": {"name": timeline.name, "started": timeline.header.started},
        "timeline": msgspec.structs.replace(timeline, troubles=()),
        "statistics": statistics_of(timeline),
        "names": names,
        "disputes": [moment.n for moment in timeline.moments if moment.is_dispute],
        "rules": {number: clause.sentence for clause in reversed(clauses) for number in clause.rules.split(", ")},
        "pictures": _pictures(game, timeline.moments, picture_budget_bytes),
    }
    return _rendered(
        "page.html",
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(_in_script(msgspec.json.encode(data))),
        **_masthead(timeline, names),
        clauses=clauses,
    )


def _masthead(timeline: Timeline, names: Mapping[Player, str]) -> dict[str, Any]:
    header = timeline.header
    day = plain(header.started[:10], 10) or "undated"
    shown = timeline.troubles[:MOST_TROUBLES_SHOWN]
    count = len(timeline.troubles)
    return {
        "timeline": timeline,
        "names": names,
        "day": day,
        "facts": _facts(timeline),
        "troubles": shown,
        "troubles_title": f"{counted(count, 'line')} of this log could not be used",
        "devices": [{"role": device.role, "text": _device_words(device)} for device in header.devices],
        "rules_name": plain(header.rules_name, 40),
        "rules": [
            (plain(str(name), 40).replace("_", " "), plain(str(value), 60)) for name, value in header.rules.items()
        ],
        "origin": _origin(timeline),
    }


def _agreement(header: Header, names: Mapping[Player, str]) -> tuple[Clause, ...]:
    """The rules in sentences; none where the log's options are not those of this version."""
    try:
        clauses = describe(rule_set_from(header.rules))
        return tuple(msgspec.structs.replace(one, sentence=with_names(one.sentence, names)) for one in clauses)
    except SettingsError:
        return ()


def _facts(timeline: Timeline) -> list[str]:
    header = timeline.header
    landings = [moment for moment in timeline.moments if moment.is_landing]
    count = {
        ruling: sum(moment.ruling == ruling for moment in landings) for ruling in ("illegal", "beaten", "cannot_tell")
    }
    started = plain(header.started[:16], 16).replace("T", ", ")
    minutes, seconds = divmod(timeline.length_ns // 1_000_000_000, 60)
    facts = [
        f"{started}{' (clock unsure)' if header.clock_unsure else ''}",
        counted(len(timeline.deals), "deal"),
        f"{minutes}:{seconds:02d} min",
        counted(len(landings), "landing"),
        f"{count['illegal']} illegal" if count["illegal"] else "nothing illegal",
        f"{count['beaten']} beaten" if count["beaten"] else "",
        f"{count['cannot_tell']} could not be told" if count["cannot_tell"] else "",
        "the log goes on: only its beginning is shown" if timeline.is_cut_short else "",
        "" if timeline.closed else "the log was not closed",
    ]
    return [fact for fact in facts if fact]


def _device_words(device: Device) -> str:
    doubt = (
        "uncertainty not measured"
        if device.uncertainty_ns is None
        else f"times to ±{_short_time(device.uncertainty_ns)}"
    )
    parts = [device.name, "" if device.role == "signals" else doubt, device.note]
    return ", ".join(plain(part, 80) for part in parts if part)


def _short_time(ns: int) -> str:
    return (
        f"{ns / 1e6:.0f} ms" if ns >= 10_000_000 else f"{ns / 1e6:.1f} ms" if ns >= 1_000_000 else f"{ns / 1e3:.0f} µs"
    )


def _origin(timeline: Timeline) -> str:
    header = timeline.header
    source = f", {plain(header.source, 60)} table" if header.source else ""
    version = f"Written by version {plain(header.software, 30)}. " if header.software else ""
    return f"Game {plain(timeline.name, 60)}{source}. {version}This page holds everything it shows and loads nothing."


def _pictures(game: LoggedGame, moments: tuple[Moment, ...], budget_bytes: int) -> dict[str, str | None]:
    """Pictures as data addresses; None: named by the log but not there. Those that do not fit are left out."""
    found: dict[str, str | None] = {}
    used_bytes = 0
    for name in _by_worth(moments):
        path = game.frame_path(name)
        content = _jpeg(path) if path else None
        if content is None:
            found[name] = None
        elif used_bytes + len(content) * 4 // 3 <= budget_bytes:
            used_bytes += len(content) * 4 // 3
            found[name] = "data:image/jpeg;base64," + b64encode(content).decode("ascii")
    return found


def _jpeg(path: Path) -> bytes | None:
    """The picture's bytes, if it is a JPEG of sensible size."""
    try:
        if path.stat().st_size > LARGEST_PICTURE_BYTES:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    return content if content.startswith(b"\xff\xd8\xff") else None


def _by_worth(moments: tuple[Moment, ...]) -> list[str]:
    """Names of all pictures: those of disputes and duels with their films, then every 64th of the rest, every 32nd and
    so on: evenly spread, and last the other films."""
    disputed = [moment for moment in moments if moment.is_dispute or moment.duel]
    names = [name for moment in disputed for name in (moment.frame, moment.frame_before) if name]
    names += [shot.name for moment in disputed for shot in moment.strip]
    rest = [moment.frame for moment in moments if moment.frame]
    spread = [name for step in (64, 32, 16, 8, 4, 2, 1) for name in rest[::step]]
    films = [shot.name for moment in moments for shot in moment.strip]
    return list(dict.fromkeys(names + spread + films))


def _in_script(encoded: bytes) -> str:
    """JSON that cannot end the script element it stands in, whatever texts it holds."""
    text = encoded.decode()
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; img-src data:; style-src '{hash_of(style)}'; script-src '{hash_of(script)}'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'"
    )


def scriptless_page(template: str, **values: Any) -> str:
    """Return a page of a template that holds no script; every value is escaped."""
    style = asset("page.css") + asset("history.css")
    policy = f"default-src 'none'; style-src '{hash_of(style)}'; base-uri 'none'; form-action 'none'"
    return _rendered(template, policy=policy, style=Markup(style), **values)


def _rendered(template: str, **values: Any) -> str:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    return environment.from_string(asset(template)).render(**values)


def hash_of(text: str) -> str:
    """Return what a content security policy calls a style or script by."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode("ascii")


def asset(name: str) -> str:
    """Return a style, script or template that belongs to the pages."""
    return (files("referee.replay") / "assets" / name).read_text(encoding="utf-8")
