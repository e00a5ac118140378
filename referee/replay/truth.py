"""A recorded game's landings as truth: what the referee logged, as the players have corrected it.

The form is that of a clip with exact truth (a video and a JSON of its landings beside it), so that a family's evening
at the table can be scored like a rendered one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from referee.cards import UNREAD, Card
from referee.errors import LogError
from referee.files import read_given
from referee.log import LoggedGame
from referee.log.header import Continued
from referee.observations import Correction, Observation
from referee.replay.moments import Moment
from referee.replay.timeline import timeline_of
from referee.rules.legality import follows
from referee.rules.rule_set import RuleSet, rule_set_from
from referee.table import Pile, Who

ABOUT_FILE: Final = "recording.json"
VIDEO_FILE: Final = "game.mp4"
Side = Literal["A", "B"]
NUMBER_OF_PILE: Final[Mapping[Pile, Literal[0, 1]]] = {"A": 0, "B": 1}
SIDE_OF: Final[Mapping[Who, Side | None]] = {"p1": "A", "p2": "B", "unknown": None}
KINDS: Final = {"play": "normal", "spit": "spit"}

Rate = Annotated[float, msgspec.Meta(gt=0)]


class About(msgspec.Struct, frozen=True):
    """What a recording says of itself: when its first picture was taken on the log's clock, and its rate."""

    start_ns: int | None
    fps: Rate
    frames: int
    size_px: tuple[int, int]
    dropped: int = 0


class TrueLanding(msgspec.Struct, frozen=True, kw_only=True):
    """One landing of a film: touch in seconds, pile (0 is A), card, side of the player (A is p1), card under it."""

    t_touch: float
    frame_index: int | None = None
    pile: Literal[0, 1]
    card: str | None = None
    side: Side | None = None
    on: str | None = None
    legal: bool | None = None
    """Whether it follows the card that it lies on, whatever was ruled."""
    kind: str = "normal"
    ruling: str | None = None


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """What a JSON file beside a film says of it."""

    file: str
    fps: Rate
    landings: tuple[TrueLanding, ...]
    source: str = ""
    corrections: int = 0
    frames: int | None = None
    image_size: tuple[int, int] | None = None
    duration_s: float | None = None
    time_note: str = "frame i is exposed around t=i/fps"


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


def truth_of(game: LoggedGame, about: About) -> Truth:
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
    return Truth(
        file=VIDEO_FILE,
        source="the referee's log, as the players have corrected it",
        corrections=sum(moment.kind == "corrected" for moment in moments),
        fps=about.fps,
        frames=about.frames,
        image_size=about.size_px,
        duration_s=round(about.frames / about.fps, 3),
        landings=tuple(sorted(landings, key=lambda landing: landing.t_touch)),
    )


def _about(folder: Path) -> About:
    try:
        return msgspec.json.decode(read_given(folder / ABOUT_FILE), type=About)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
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


def _landing(moment: Moment, touch_ns: int, fps: float, rules: RuleSet) -> TrueLanding:
    t_touch = touch_ns / 1e9
    lying = moment.before.get(moment.pile, ()) if moment.pile else ()
    on, card = (lying[-1].card if lying else None), moment.card if moment.card != UNREAD else None
    return TrueLanding(
        t_touch=round(t_touch, 5),
        frame_index=-int(-t_touch * fps // 1),
        pile=NUMBER_OF_PILE[moment.pile or "A"],
        card=card,
        side=SIDE_OF[moment.player],
        on=on,
        legal=_fits(card, on, rules) if moment.kind == "play" else None,
        kind=KINDS[moment.kind],
        ruling=moment.ruling,
    )


def _fits(card: Card | None, on: Card | None, rules: RuleSet) -> bool | None:
    """Against the card that lay there, whatever was ruled; None where either is not known."""
    if card is None or on is None or on == UNREAD:
        return None
    return follows(card, on, rules)
