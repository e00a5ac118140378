"""The first line of a log, and the few lines that speak of the log itself."""

from typing import Any, Final, Literal

import msgspec

from referee.table import Player

SCHEMA: Final = 1
"""Version of the log's format. A reader takes older ones, and reads of newer ones what it knows."""

LOG_FILE: Final = "game.jsonl"
FRAMES_FOLDER: Final = "frames"
KEEP_MARK: Final = "keep"


class Device(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sensor or signal of the table, and how well it tells the time."""

    role: Literal["camera", "pads", "signals"]
    name: str
    uncertainty_ns: int | None = None
    """Half-width of a stamp's uncertainty; None where nobody has measured it."""
    note: str = ""


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="header"):
    """All that a reader needs to know before the first observation. Everything has a default: an old log opens too."""

    schema: int = SCHEMA
    software: str = ""
    """Version of the product that wrote it."""
    boot_id: str = ""
    """Of the kernel: CLOCK_MONOTONIC starts anew with every boot."""
    started: str = ""
    """Wall time as a label, ISO 8601; nothing is computed from it."""
    clock_unsure: bool = False
    """The wall clock was not set when the game began (a Pi without network)."""
    source: str = ""
    """`live`, `simulated`, `video NAME`, in words for a person."""
    players: dict[Player, str] = {}
    """Names for display."""
    rules_name: str = ""
    rules: dict[str, Any] = {}
    """The rule set in full, every option."""
    start: dict[str, Any] | None = None
    """The position it began with, as the scenarios' `start` object; None: before the first deal."""
    devices: tuple[Device, ...] = ()


class Continued(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="continued"):
    """The referee was started again and goes on with this game."""

    boot_id: str = ""
    software: str = ""


class Closed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="closed"):
    """Last line of a log that was closed in order. Without it the power went."""


AnyMark = Header | Continued | Closed
