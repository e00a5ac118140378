"""Settings: TOML files with units in the names. Unknown keys are refused with the nearest known one, file and line.

Read in this order, the later one wins: `/etc/spit-referee/settings.toml`, the user's
`~/.config/spit-referee/settings.toml` (or under `$XDG_CONFIG_HOME`), then the file given with `--config`, then
`settings.toml` beside the table file, which holds what people chose on the pages.
What a rig measures about itself (the table file) is state, not a setting.
"""

import difflib
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from referee.errors import NOT_YOURS, SettingsError, cause_of
from referee.files import read_given_text
from referee.house_rules import chosen_rules
from referee.signals import SignalName
from referee.table import LONGEST_NAME, PILES, PLAYERS, Pile, Player
from referee.units import counted

FILE_NAME: Final = "settings.toml"
FIXED_PULL_UPS: Final = (2, 3)
"""BCM pins with a pull-up soldered on: fine for a pad, wrong for a light or buzzer."""

UNSHOWN: Final = r"\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters, ends of lines, and marks that turn the reading direction: they would steer who shows them."""

Pin = Annotated[int, Meta(ge=0, le=27, description="the header has GPIO 0 to 27; `pinout` prints their places")]
"""A pin of the 40-pin header by its BCM (GPIO) number, not by its place on the header."""
RgbPins = Annotated[tuple[Pin, ...], Meta(max_length=3)]
Millis = Annotated[float, Meta(ge=0, le=60_000)]
PathText = Annotated[str, Meta(pattern=r"^[^\0]*\Z")]
Name = Annotated[str, Meta(max_length=LONGEST_NAME, pattern=rf"^[^{UNSHOWN}]*\Z", examples=["Ann"])]
Place = Annotated[PathText, Meta(examples=["/mnt/stick/games"])]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d\Z", examples=["22:30"])]


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all sections: a frozen value, complete with its defaults."""


class RulesSection(Section, frozen=True, kw_only=True):
    """Which game is judged; single options win over the named rule set."""

    name: str = "pagat"
    options: dict[str, str | int | float | bool] = {}


class PlayersSection(Section, frozen=True, kw_only=True):
    """Names for display; p1 sits at the bottom edge of the picture."""

    p1: Name = "p1"
    p2: Name = "p2"


class PadsSection(Section, frozen=True, kw_only=True):
    """Slap pads. `shared`: two pads, one a pile, on the pins of p1/A and p2/A."""

    backend: Literal["auto", "gpiod", "gpiozero", "mock", "none"] = "auto"
    shared: bool = False
    p1_a_pin: Pin = 17
    p1_b_pin: Pin = 27
    p2_a_pin: Pin = 22
    p2_b_pin: Pin = 23
    minimum_contact_us: Annotated[float, Meta(ge=100, le=20_000)] = 1_000
    """A contact that was never closed this long without a break is a spike and no slap."""
    bounce_gap_ms: Millis = 3.0
    """Contacts that follow each other within this gap are one: its first edge counts."""
    release_ms: Annotated[float, Meta(ge=1, le=500)] = 20.0
    """Open this long without a break: the hand is off and the next contact is a new slap."""
    watermark_ms: Annotated[float, Meta(ge=5, le=1_000)] = 50.0
    """How late the pads may report; nobody is named first before that."""

    def pins(self) -> dict[tuple[Player | None, Pile], int]:
        """Return the BCM pin of each pad; the player is None for a shared pad."""
        if self.shared:
            return {(None, "A"): self.p1_a_pin, (None, "B"): self.p2_a_pin}
        numbers = (self.p1_a_pin, self.p1_b_pin, self.p2_a_pin, self.p2_b_pin)
        return dict(zip(((player, pile) for player in PLAYERS for pile in PILES), numbers, strict=True))


class SignalsSection(Section, frozen=True, kw_only=True):
    """Lights and buzzer."""

    backend: Literal["auto", "gpiozero", "mock", "none"] = "auto"
    led_p1_pin: Pin = 24
    led_p2_pin: Pin = 25
    led_p1_rgb_pins: RgbPins = ()
    """Red, green and blue of a coloured LED (common cathode) instead of the one at `led_p1_pin`; empty: plain."""
    led_p2_rgb_pins: RgbPins = ()
    buzzer_pin: Pin = 18
    buzzer: Literal["passive", "active", "none"] = "passive"
    """Passive: plays tones. Active: has a tone of its own, only on and off."""
    volume_percent: Annotated[int, Meta(ge=0, le=100)] = 60
    mute: bool = False
    quiet_from: TimeOfDay | None = None
    quiet_until: TimeOfDay | None = None
    """Between these times of day the buzzer keeps silent; the lights go on."""
    silent_signals: tuple[SignalName, ...] = ()
    """Names of signals that are shown and never sounded."""

    def has_colours(self) -> bool:
        """Return whether a light of the table has colours."""
        return bool(self.led_p1_rgb_pins or self.led_p2_rgb_pins)


class CameraSection(Section, frozen=True, kw_only=True):
    """The eye above the table. `source`: auto, picamera2, a stable path (/dev/v4l/by-id/...) or a number."""

    source: Annotated[PathText, Meta(examples=["/dev/video0"])] = "auto"
    width_px: Annotated[int, Meta(ge=160, le=7680)] = 1280
    height_px: Annotated[int, Meta(ge=120, le=4320)] = 720
    fps: Annotated[float, Meta(ge=1, le=240)] = 30.0
    format: Annotated[str, Meta(pattern=r"^[A-Z0-9]{4}\Z", examples=["MJPG"])] = "MJPG"
    mains_hz: Literal[50, 60] = 50
    """Exposure is a multiple of the lamps' half wave: 10 ms at 50 Hz, 8.33 ms at 60 Hz."""
    lock: bool = True
    """Hold exposure, focus and white balance after warm-up."""
    behind_pads_ms: Annotated[float, Meta(ge=-1_000, le=1_000)] = 0.0
    """A touch is stamped this much later by the camera than by a pad, on top of what `calibrate offset` measured."""
    lost_after_ms: Annotated[float, Meta(ge=100, le=10_000)] = 800.0
    """No good picture this long: the camera is lost, and the game is paused."""


class CardsSection(Section, frozen=True, kw_only=True):
    """The pack that is played with."""

    size: Literal["poker", "bridge"] = "poker"


class StorageSection(Section, frozen=True, kw_only=True):
    """Where games and the table file lie; empty: the usual places of this system."""

    games_dir: Place = ""
    table_file: Place = ""
    pictures_mb: Annotated[int, Meta(ge=0, le=1_000_000)] = 200
    """Most room for the pictures of one game, and before a game of all others together; the log is not limited."""
    films_mb: Annotated[int, Meta(ge=0, le=10_000_000)] = 20_000
    """Most room for the films of all games together (`run --record`); a film ends where it is used up."""
    reserve_mb: Annotated[int, Meta(ge=0, le=1_000_000)] = 500
    """Below this much free space pictures are left out, and people are told."""


class WebSection(Section, frozen=True, kw_only=True):
    """The pages. Who may see them besides this machine is said by `spit-referee web open` and `close`."""

    enabled: bool = True
    port: Annotated[int, Meta(ge=1024, le=65_535)] = 8765


class MqttSection(Section, frozen=True, kw_only=True):
    """A feed for scoreboards and houses (needs the package paho-mqtt): what happens at the table, nothing is taken."""

    enabled: bool = False
    host: Annotated[str, Meta(min_length=1)] = "localhost"
    port: Annotated[int, Meta(ge=1, le=65_535)] = 1883
    username: str = ""
    password: str = ""
    tls: bool = False
    table: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,40}\Z", examples=["table_2"])] = "table"
    """Names this table among others, in topics."""
    discovery_prefix: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{0,40}\Z", examples=["homeassistant"])] = (
        "homeassistant"
    )
    """Where Home Assistant looks for devices; empty: it is told nothing."""


class Settings(Section, frozen=True, kw_only=True):
    """Everything that a person may set."""

    rules: RulesSection = RulesSection()
    players: PlayersSection = PlayersSection()
    pads: PadsSection = PadsSection()
    signals: SignalsSection = SignalsSection()
    camera: CameraSection = CameraSection()
    cards: CardsSection = CardsSection()
    storage: StorageSection = StorageSection()
    web: WebSection = WebSection()
    mqtt: MqttSection = MqttSection()


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One file as it was read: its name for messages, its text, and what it says."""

    name: str
    text: str
    values: Mapping[str, Any]

    def line_of(self, dotted: str) -> int | None:
        """Return the line on which a key is set, or None where that cannot be told from the text."""
        *sections, key = dotted.split(".")
        wanted = ".".join(sections)
        section = ""
        for number, line in enumerate(self.text.splitlines(), 1):
            if head := re.match(r"\s*\[([^\[\]]+)\]", line):
                section = head[1].strip().strip('"')
                if section == dotted:
                    return number
            elif section == wanted and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*=""", line):
                return number
        return None

    def at(self, dotted: str) -> str:
        """Return `file, line N` for a message."""
        line = self.line_of(dotted)
        return self.name if line is None else f"{self.name}, line {line}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings and where each value that is not a default came from (dotted name -> file and line)."""

    settings: Settings
    origins: Mapping[str, str]
    complaints: tuple[str, ...] = ()
    """What could not be used of the choices made on the pages: they never keep the referee from starting."""


def settings_places(config: Path | None, environ: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files to read, the later one wins. Only a file given by hand has to exist."""
    user = xdg_folder(environ, "XDG_CONFIG_HOME", ".config")
    usual = [Path("/etc/spit-referee") / FILE_NAME, user / "spit-referee" / FILE_NAME]
    return [path for path in usual if path.exists()] + ([config] if config is not None else [])


def load_settings(config: Path | None = None, environ: Mapping[str, str] = os.environ) -> Loaded:
    """Return the settings of this machine and user; raises SettingsError with file, line and cure."""
    loaded = settings_from([read_settings_file(path) for path in settings_places(config, environ)])
    return with_choices(loaded, choices_file(table_file(loaded.settings, environ)))


def choices_file(table_file: Path) -> Path:
    """Return where choices made on the pages are kept: beside the table file."""
    return table_file.with_name(FILE_NAME)


def with_choices(loaded: Loaded, path: Path) -> Loaded:
    """Return the settings with the choices of `path` over them; a file that cannot be used is left out, and named."""
    try:
        return overlaid(loaded, read_settings_file(path)) if path.exists() else loaded
    except PermissionError:  # not the file, its folder
        return Loaded(loaded.settings, loaded.origins, (*loaded.complaints, f"{path} cannot be read; {NOT_YOURS}"))
    except SettingsError as error:
        return Loaded(loaded.settings, loaded.origins, (*loaded.complaints, str(error)))


def overlaid(loaded: Loaded, file: SettingsFile) -> Loaded:
    """Return settings with what a file says over them; house rules replace those of before. Raises SettingsError."""
    refuse_unknown_keys(file, file.values, Settings, "")
    merged: dict[str, Any] = msgspec.to_builtins(loaded.settings)
    rules = file.values.get("rules")
    if isinstance(rules, Mapping) and "options" in rules:
        merged["rules"]["options"] = {}
    merge(merged, file.values)
    origins = {**loaded.origins, **{dotted: file.at(dotted) for dotted in leaves(file.values)}}
    settings = converted(merged, origins)
    return Loaded(settings, origins, loaded.complaints)


def converted(values: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    """Return values as settings; raises SettingsError with the place of the wrong one."""
    try:
        settings = msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(explain(error, origins)) from None
    refuse_half_a_colour(settings, origins)
    refuse_half_a_night(settings, origins)
    refuse_places_that_depend(settings, origins)
    refuse_doubled_pins(settings, origins)
    refuse_rules_that_cannot_be(settings, origins)
    return settings


def read_settings_file(path: Path) -> SettingsFile:
    """Return what a file says; raises SettingsError for one that is missing or not TOML."""
    try:
        text = read_given_text(path)
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such settings file; leave --config out to use the defaults") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path}: cannot be read as text ({cause_of(error)}); check the file and its permissions"
        ) from None
    return parse_settings(text, str(path))


def parse_settings(text: str, name: str) -> SettingsFile:
    """Return the values of a TOML text; `name` is for messages. Raises SettingsError."""
    try:
        return SettingsFile(name, text, tomllib.loads(text.replace("\r\n", "\n")))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{name}: not TOML ({error}); write lines like volume_percent = 60") from None


def settings_from(files: list[SettingsFile]) -> Loaded:
    """Return the settings that several files give together, the later one winning; raises SettingsError."""
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for file in files:
        refuse_unknown_keys(file, file.values, Settings, "")
        merge(merged, file.values)
        origins |= {dotted: file.at(dotted) for dotted in leaves(file.values)}
    return Loaded(converted(merged, origins), origins)


def merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Lay values over others, section by section."""
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = dict(value) if isinstance(value, Mapping) else value


def leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of all values that are not tables."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def refuse_unknown_keys(file: SettingsFile, values: Mapping[str, Any], section: type[Struct], prefix: str) -> None:
    """Raise SettingsError for a key that no setting has, naming the nearest one that exists."""
    known = {field.name: field.type for field in msgspec.structs.fields(section)}
    for key, value in values.items():
        dotted = f"{prefix}{key}"
        if key not in known:
            near = difflib.get_close_matches(key, known, 1, 0.5)
            cure = f"did you mean {prefix}{near[0]}?" if near else f"known here: {', '.join(known)}"
            raise SettingsError(f"{dotted}: there is no such setting ({file.at(dotted)}); {cure}")
        kind = known[key]
        if isinstance(value, Mapping) and isinstance(kind, type) and issubclass(kind, Struct):
            refuse_unknown_keys(file, value, kind, f"{dotted}.")


def explain(error: msgspec.ValidationError, origins: Mapping[str, str]) -> str:
    """Return a value's error as a sentence that starts with its dotted name and says where it stands."""
    what, _, where = str(error).partition(" - at `$")
    dotted = re.sub(r"\[.*?\]", "", where.rstrip("`").lstrip(".")) or "settings"
    origin = next((place for name, place in origins.items() if name == dotted or name.startswith(f"{dotted}.")), "")
    what = re.sub(r" matching regex .*", " of another form", what[:1].lower() + what[1:])
    return f"{dotted}: {what}{f' ({origin})' if origin else ''}; {what_fits(dotted)}"


def what_fits(dotted: str) -> str:
    """Return the cure for a wrong value: the words that a setting may have, what it is, or an example."""
    kind: Any = Settings
    for name in dotted.split("."):
        fields = {f.name: f.type for f in msgspec.structs.fields(kind)} if hasattr(kind, "__struct_fields__") else {}
        kind = fields.get(name)
    for part in parts_of(kind):
        if get_origin(part) is Literal:
            return f"allowed: {', '.join(map(str, get_args(part)))}"
        if isinstance(part, Meta) and part.description:
            return part.description
        if isinstance(part, Meta) and part.examples:
            return f'write it like "{part.examples[0]}"'
    return "correct the value"


def parts_of(kind: Any) -> Iterator[Any]:
    """Yield a type and all that it is made of."""
    yield kind
    for part in get_args(kind):
        yield from parts_of(part)


def refuse_doubled_pins(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raise SettingsError where two things hang on one pin, or an output on a pin that is pulled up."""
    used = {name: pin for section in ("pads", "signals") for name, pin in named_pins(settings, section)}
    counts = Counter(used.values())
    for name, pin in used.items():
        if counts[pin] > 1:
            other = next(n for n, p in used.items() if p == pin and n != name)
            place = origins.get(name) or origins.get(other, "defaults")
            raise SettingsError(f"{name}: pin {pin} is also {other} ({place}); give each its own pin")
        if pin in FIXED_PULL_UPS and name.startswith("signals."):
            place = origins.get(name, "defaults")
            raise SettingsError(f"{name}: pin {pin} is always pulled up ({place}); use pin 9 or higher for outputs")


def named_pins(settings: Settings, section: Literal["pads", "signals"]) -> Iterator[tuple[str, int]]:
    """Yield dotted name and pin of everything in a section that is really wired."""
    if section == "pads":
        wired = set(settings.pads.pins().values()) if settings.pads.shared else None
        for name in ("p1_a_pin", "p1_b_pin", "p2_a_pin", "p2_b_pin"):
            pin = getattr(settings.pads, name)
            if wired is None or name in ("p1_a_pin", "p2_a_pin"):
                yield f"pads.{name}", pin
        return
    signals = settings.signals
    for name, pin, rgb in (
        ("led_p1", signals.led_p1_pin, signals.led_p1_rgb_pins),
        ("led_p2", signals.led_p2_pin, signals.led_p2_rgb_pins),
    ):
        if not rgb:
            yield f"signals.{name}_pin", pin
        for colour, one in zip(("red", "green", "blue"), rgb, strict=False):
            yield f"signals.{name}_rgb_pins ({colour})", one
    if signals.buzzer != "none":
        yield "signals.buzzer_pin", signals.buzzer_pin


def refuse_half_a_colour(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raise SettingsError where a coloured LED has not all of its three pins."""
    for name in ("led_p1_rgb_pins", "led_p2_rgb_pins"):
        count = len(getattr(settings.signals, name))
        if count not in (0, 3):
            place = origins.get(f"signals.{name}", "defaults")
            raise SettingsError(
                f"signals.{name}: {counted(count, 'pin')} ({place}); give three, for red, green and blue, or none"
            )


def refuse_half_a_night(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raise SettingsError where quiet hours have a beginning and no end, or an end alone."""
    times = {name: getattr(settings.signals, name) for name in ("quiet_from", "quiet_until")}
    for name, other in (("quiet_from", "quiet_until"), ("quiet_until", "quiet_from")):
        if times[name] is not None and times[other] is None:
            place = origins.get(f"signals.{name}", "defaults")
            raise SettingsError(f"signals.{name}: set without signals.{other} ({place}); give both, or neither")
    if times["quiet_from"] is not None and times["quiet_from"] == times["quiet_until"]:
        place = origins.get("signals.quiet_until", "defaults")
        raise SettingsError(
            f"signals.quiet_until: the same as signals.quiet_from ({place}); mute = true is always quiet"
        )


def refuse_places_that_depend(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raise SettingsError for a place that would lie in whatever folder the referee is started: a service's is emptied
    at every start of the machine."""
    for name in ("games_dir", "table_file"):
        chosen = getattr(settings.storage, name)
        path = from_home(chosen)
        if chosen and not (path.is_absolute() and path.name):
            place = origins.get(f"storage.{name}", "defaults")
            raise SettingsError(f"storage.{name}: {chosen!r} is no whole path ({place}); begin it with / or ~/")


def refuse_rules_that_cannot_be(settings: Settings, origins: Mapping[str, str]) -> None:
    """Raise SettingsError where there is no such rule set, or its options cannot be."""
    try:
        chosen_rules(settings.rules.name, settings.rules.options)
    except SettingsError as error:
        says, colon, cure = str(error).partition(": ")
        option = says.partition(" ")[0].replace("rules.", "rules.options.", 1)
        place = origins.get(option) or origins.get("rules.name", "defaults")
        raise SettingsError(f"{says} ({place}){colon}{cure}") from None


def from_home(path: str | Path) -> Path:
    """Return a path with ~ as the home that it means; the ~ of somebody unknown is left, as in a shell."""
    path = Path(path)
    with suppress(RuntimeError):
        return path.expanduser()
    return path


def state_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where this user's games and table file lie: systemd's state folder, or the XDG place."""
    if folder := environ.get("STATE_DIRECTORY"):
        return Path(folder.split(":")[0])
    return xdg_folder(environ, "XDG_STATE_HOME", ".local/state") / "spit-referee"


def xdg_folder(environ: Mapping[str, str], variable: str, usual: str) -> Path:
    """Return a folder of this user; a variable that holds no whole path counts as unset, as XDG has it."""
    chosen = Path(environ.get(variable, ""))
    return chosen if chosen.is_absolute() else Path(environ.get("HOME") or "/") / usual


def games_dir(settings: Settings, environ: Mapping[str, str] = os.environ) -> Path:
    """Return where games are logged, as an absolute path."""
    chosen = settings.storage.games_dir
    return from_home(chosen).absolute() if chosen else state_dir(environ) / "games"


def table_file(settings: Settings, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the table file, whether it is there or not."""
    chosen = settings.storage.table_file
    return from_home(chosen).absolute() if chosen else state_dir(environ) / "table.toml"
