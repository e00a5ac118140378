"""A recorded game's landings as truth: what the referee logged, as the players have corrected it.

The form is that of a clip with exact truth (a video and a JSON of its landings beside it), so that a family's evening
at the table can be scored like a rendered one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.cards import UNREAD, Card
from referee.errors import LogError
from referee.log import LoggedGame
from referee.log.header import Continued
from referee.observations import Correction, Observation
from referee.replay.moments import Moment
from referee.replay.timeline import timeline_of
from referee.rules.legality import follows
from referee.rules.rule_set import RuleSet, rule_set_from
from referee.table import Pile, Player

ABOUT_FILE: Final = "recording.json"
VIDEO_FILE: Final = "game.mp4"
NUMBER_OF_PILE: Final[Mapping[Pile, int]] = {"A": 0, "B": 1}
SIDE_OF: Final[Mapping[Player | str, str | None]] = {"p1": "A", "p2": "B", "unknown": None}
KINDS: Final = {"play": "normal", "spit": "spit"}


class About(msgspec.Struct, frozen=True):
    """What a recording says of itself: when its first picture was taken on the log's clock, and its rate."""

    start_ns: int | None
    fps: float
    frames: int
    size_px: tuple[int, int]
    dropped: int = 0


def write_truth(game: LoggedGame) -> list[Path]:
    """Write the truth beside each recording of a game; return the files.

    Raises LogError if the game was not recorded, or the folder cannot be written."""
    folders = sorted(path.parent for path in game.directory.glob(f"recording*/{ABOUT_FILE}"))
    if not folders:
        raise LogError(f"{game.directory.name} was not recorded: play with `spit-referee run --record`")
    written = []
    for folder in folders:
        path = folder / Path(VIDEO_FILE).with_suffix(".json").name
        try:
            path.write_bytes(msgspec.json.format(msgspec.json.encode(truth_of(game, _about(folder)))) + b"\n")
        except OSError as error:
            raise LogError(f"{path} cannot be written ({error.strerror}): make room or take a copy") from error
        written.append(path)
    return written


def truth_of(game: LoggedGame, about: About) -> dict[str, Any]:
    """Return the landings within one recording, as a clip's truth."""
    start_ns = about.start_ns or 0
    touched_ns = _touches(game, start_ns, start_ns + round(about.frames / about.fps * 1e9))
    moments = timeline_of(game).moments
    rules = rule_set_from(game.header.rules) if game.header.rules else RuleSet()
    landings = [
        _landing(moment, touched_ns[moment.n] - start_ns, about.fps, rules)
        for moment in moments
        if moment.is_landing and not moment.dismissed and moment.n in touched_ns
    ]
    return {
        "file": VIDEO_FILE,
        "source": "the referee's log, as the players have corrected it",
        "corrections": sum(moment.kind == "corrected" for moment in moments),
        "fps": about.fps,
        "frames": about.frames,
        "image_size": about.size_px,
        "duration_s": round(about.frames / about.fps, 3),
        "time_note": "frame i is exposed around t=i/fps",
        "landings": sorted(landings, key=lambda landing: landing["t_touch"]),
    }


def _about(folder: Path) -> About:
    try:
        return msgspec.json.decode((folder / ABOUT_FILE).read_bytes(), type=About)
    except (OSError, msgspec.DecodeError) as error:
        raise LogError(f"{folder / ABOUT_FILE} is damaged ({error}): record the game again") from None


def _touches(game: LoggedGame, from_ns: int, to_ns: int) -> dict[int, int]:
    """When each observation of this stretch happened on the log's own clock. What was seen on the clock of another
    boot is left out: it was not filmed."""
    parts: list[dict[int, int]] = [{}]
    for entry in game.entries():
        match entry.item:
            case Continued(boot_id=boot_id) if boot_id != game.header.boot_id:
                parts.append({})
            case Correction(missed_ns=int(at_ns)) | Observation(at_ns=at_ns) if from_ns <= at_ns <= to_ns:
                parts[-1][entry.n] = at_ns
    return max(parts, key=len)


def _landing(moment: Moment, touch_ns: int, fps: float, rules: RuleSet) -> dict[str, Any]:
    t_touch = touch_ns / 1e9
    lying = moment.before.get(moment.pile, ()) if moment.pile else ()
    on, card = (lying[-1].card if lying else None), moment.card if moment.card != UNREAD else None
    return {
        "t_touch": round(t_touch, 5),
        "frame_index": -int(-t_touch * fps // 1),
        "pile": NUMBER_OF_PILE[moment.pile or "A"],
        "card": card,
        "side": SIDE_OF[moment.player],
        "on": on,
        "legal": _fits(card, on, rules) if moment.kind == "play" else None,
        "kind": KINDS[moment.kind],
        "ruling": moment.ruling,
    }


def _fits(card: Card | None, on: Card | None, rules: RuleSet) -> bool | None:
    """Against the card that lay there, whatever was ruled; None where either is not known."""
    if card is None or on is None or on == UNREAD:
        return None
    return follows(card, on, rules)
