"""`spit-referee watch VIDEO`: a recorded video in place of the camera, as fast as it can."""

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from referee.cards import UNREAD
from referee.cli.options import JsonOption
from referee.errors import NotationError
from referee.game.wording import PLAIN_NAMES
from referee.observations import AnyObservation, CardLanded, Observation
from referee.replay.words import verdict_sentence
from referee.verdicts import AnyVerdict, PlayJudged, SpitJudged

if TYPE_CHECKING:
    from referee.game.position import Position
    from referee.log import GameLog
    from referee.rules.rule_set import RuleSet
    from referee.watching import Recording

LANDING_WAIT_NS: Final = 2_500_000_000


def watch(
    video: Annotated[Path, typer.Argument(metavar="VIDEO", help="A recorded game, seen from above.")],
    table: Annotated[
        Path | None, typer.Option("--table", metavar="FILE", help="The table file; without it the table is looked for.")
    ] = None,
    deck: Annotated[
        Path | None, typer.Option("--deck", metavar="FILE", help="The enrolled deck; default: beside the table file.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FILE", help="What lies there at the start, as in a scenario.")
    ] = None,
    rules: Annotated[str, typer.Option("--rules", metavar="NAME", help="A rule set or a file of one.")] = "pagat",
    pads: Annotated[Path | None, typer.Option("--pads", metavar="FILE", help="Slaps, on the video's clock.")] = None,
    log: Annotated[Path | None, typer.Option("--log", metavar="DIR", help="Log the game in this folder.")] = None,
    as_json: JsonOption = False,
    show_eyes: Annotated[
        Path | None, typer.Option("--show-eyes", metavar="OUT", help="A video that shows what the eyes saw.")
    ] = None,
) -> None:
    """Referee a recorded video: what landed when, whose it was, and whether it was legal."""
    from referee.house_rules import load_rules
    from referee.session import Session
    from referee.tracker import Tracker
    from referee.watching import Recording

    chosen = load_rules(rules)
    position, words = (None, None) if start is None else read_start_file(start)
    with ExitStack() as stack:
        viewer = None
        if show_eyes is not None:
            from hardware.vision.overlay import EyesVideo

            viewer = stack.enter_context(EyesVideo(show_eyes))
        recording = Recording(video, table, pads, None if viewer is None else viewer.show, deck)
        stack.callback(recording.close)
        record = None if log is None else stack.enter_context(_new_log(log, video, chosen, rules, words, recording))
        session = Session(Tracker(chosen, position), record)
        teller = Teller(as_json)
        for seen in session.run(recording.observations(record)):
            if viewer is not None and (said := _in_words(seen)):
                viewer.say(seen.at_ns, said)
            teller.tell(seen)
        teller.finish()
        if record is not None:
            print(f"Log: {record.directory}", file=sys.stderr)


def read_start_file(path: Path) -> "tuple[Position, dict[str, Any]]":
    """Return the position of a `start` object, or of a scenario that has one, and the object itself.

    Raises:
        NotationError: the file cannot be read or holds no start.
    """
    from referee.cli.yaml_file import load_yaml
    from referee.game.scenario import read_start

    words = load_yaml(path)
    if isinstance(words, dict) and isinstance(words.get("start"), dict):
        words = words["start"]
    if not isinstance(words, dict):
        raise NotationError(f"{path} holds no start: give YAML or JSON as in a scenario")
    return read_start(words), words


def _new_log(
    folder: Path, video: Path, rules: "RuleSet", name: str, start: dict[str, Any] | None, recording: "Recording"
) -> "GameLog":
    from referee.log import GameLog, Header
    from referee.log.header import Device

    camera = Device(role="camera", name=f"{video.name} at {recording.video.fps:g} frames a second")
    header = Header(
        source=f"video {video.name}",
        rules_name=name,
        rules=msgspec.to_builtins(rules),
        start=start,
        devices=(camera,),
    )
    return GameLog.create(folder, header, live=False)


class Teller:
    """Prints landings and verdicts. A landing is printed when its card has been judged: what the rows and the rest of
    the pack say about it counts as much as the one look at its face; at the latest after `LANDING_WAIT_NS`."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._waiting: list[CardLanded] = []

    def tell(self, seen: AnyObservation | AnyVerdict) -> None:
        """Take in an observation or a verdict, and print what is ripe."""
        if isinstance(seen, CardLanded):
            self._waiting.append(seen)
        elif isinstance(seen, Observation):
            while self._waiting and seen.at_ns - self._waiting[0].at_ns > LANDING_WAIT_NS:
                self._land(self._waiting.pop(0))
        else:
            if isinstance(seen, PlayJudged | SpitJudged):
                self._land_until(seen)
            self._print(verdict_line(seen), f"    {verdict_sentence(seen, PLAIN_NAMES)}")

    def finish(self) -> None:
        """Print the landings that nothing was said about."""
        while self._waiting:
            self._land(self._waiting.pop(0))

    def _land_until(self, judged: PlayJudged | SpitJudged) -> None:
        """Print the landing that was judged, and those that touched before it."""
        about = [one for one in self._waiting if (one.at_ns, one.pile) == (judged.at_ns, judged.pile)]
        while about and self._waiting:
            landed = self._waiting.pop(0)
            self._land(landed, judged if landed is about[0] else None)
            if landed is about[0]:
                return

    def _land(self, landed: CardLanded, judged: PlayJudged | SpitJudged | None = None) -> None:
        line = landed_line(landed, judged)
        self._print(line, _landed_words(line))

    def _print(self, line: dict[str, Any], words: str) -> None:
        print(json.dumps(line) if self._as_json else f"{line['at_ms'] / 1000:8.2f} s  {words}", flush=True)


def _in_words(seen: AnyObservation | AnyVerdict) -> str:
    """Return what a landing or a verdict says, at once; of other observations nothing is said."""
    if isinstance(seen, CardLanded):
        return _landed_words(landed_line(seen))
    return "" if isinstance(seen, Observation) else verdict_sentence(seen, PLAIN_NAMES)


def _landed_words(line: dict[str, Any]) -> str:
    return f"{line['card']} on {line['pile']} by {line['player']} (p {line['p']:.2f})"


def landed_line(seen: CardLanded, judged: PlayJudged | SpitJudged | None = None) -> dict[str, Any]:
    """Return what is printed of a landing: its touch with bounds, its likeliest card and player.

    `judged`: the verdict about it, which knows more than the look at the card alone.
    """
    card, p = max(seen.cards.items(), key=lambda item: item[1], default=(UNREAD, 0.0))
    player, share = max(seen.players.items(), key=lambda item: item[1], default=("unknown", 0.0))
    if judged is not None and judged.card != UNREAD and judged.p > p:
        card, p = judged.card, judged.p
    if judged is not None and judged.player != "unknown":
        player, share = judged.player, 1.0
    return {
        "kind": "card_landed",
        "at_ms": _ms(seen.at_ns),
        "earliest_ms": _ms(seen.earliest_ns),
        "latest_ms": _ms(seen.latest_ns),
        "pile": seen.pile,
        "player": player if share > 0.5 else "unknown",
        "card": card,
        "p": round(p, 4),
    }


def verdict_line(verdict: AnyVerdict) -> dict[str, Any]:
    """Return a verdict as it is printed: its fields by name, its moment as `at_ms` of the video."""
    plain: dict[str, Any] = msgspec.to_builtins(verdict)
    line = {"kind": plain.pop("kind"), "at_ms": _ms(plain.pop("at_ns"))}
    plain.pop("decided_ns", None)
    if isinstance(verdict, PlayJudged | SpitJudged):
        plain.setdefault("reason", None)
    return line | plain


def _ms(at_ns: int) -> float:
    return round(at_ns / 1e6, 1)
