"""Scoring the whole chain over recorded games with truth: from the video to what `watch --json` prints."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from hardware.frames import Frame
from referee.cli.watch import Teller
from referee.errors import LogError
from referee.files import read_given
from referee.observations import AnyObservation
from referee.replay.truth import Side, TrueLanding, Truth
from referee.shares import share
from referee.table import PILES, Player

NEAR_MS: Final = 500
"""A landing is found if one on its pile was told within this of its touch."""
PLAYER_OF: Final[Mapping[Side, Player]] = {"A": "p1", "B": "p2"}
TABLE_FILES: Final = ("{stem}.table.toml", "table.toml")
PADS_FILES: Final = ("{stem}.pads.jsonl", "pads.jsonl")


@dataclass(slots=True)
class ClipScore:
    """What was found of the landings of some clips."""

    landings: int = 0
    found: int = 0
    extra: int = 0
    named: int = 0
    """Landings found whose card the truth knows."""
    cards: int = 0
    owned: int = 0
    players: int = 0
    touch_frames: list[float] = field(default_factory=list)
    """How far each touch was off, in frames of its clip."""
    rulings: dict[str, int] = field(default_factory=dict)
    seen_ms: list[float] = field(default_factory=list)
    """Processor time of the eyes for each frame, beyond the decode of the video."""
    jpeg_ms: float = 0.0
    """Processor time of decoding a frame as a JPEG, in the same run."""
    stories: list[str] = field(default_factory=list)

    def add(self, other: "ClipScore") -> None:
        """Take the score of another clip in."""
        for name in ("landings", "found", "extra", "named", "cards", "owned", "players"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.touch_frames += other.touch_frames
        self.seen_ms += other.seen_ms
        self.jpeg_ms = max(self.jpeg_ms, other.jpeg_ms)
        self.stories += other.stories
        for ruling, count in other.rulings.items():
            self.rulings[ruling] = self.rulings.get(ruling, 0) + count

    def lines(self) -> list[tuple[str, str, str]]:
        """Return each measure with its figure and its goal, for a table."""
        missed = self.landings - self.found
        f1 = 2 * self.found / max(1, 2 * self.found + self.extra + missed)
        within = sum(off <= 1.0 for off in self.touch_frames)
        ordered = sorted(self.touch_frames)
        p95 = f", p95 {ordered[int(0.95 * (len(ordered) - 1))]:.2f} frames" if ordered else ""
        ruled = ", ".join(f"{count} {ruling.replace('_', ' ')}" for ruling, count in sorted(self.rulings.items()))
        lines = [
            ("landings found", share(self.found, self.landings), ""),
            ("landings told that were none", str(self.extra), ""),
            ("F1 of landings", f"{f1:.3f}", "at least 0.99"),
            ("card right", share(self.cards, self.named), "99.5 %"),
            ("player right", share(self.players, self.owned), "99.5 %"),
            ("touch within one frame", share(within, len(self.touch_frames)) + p95, "95 %"),
            ("rulings", ruled or "none", ""),
        ]
        if self.seen_ms and self.jpeg_ms:
            costs = sorted(self.seen_ms)
            mean, p99 = sum(costs) / len(costs) / self.jpeg_ms, costs[int(0.99 * (len(costs) - 1))] / self.jpeg_ms
            lines.append(("vision beyond the decode, mean and p99", f"{mean:.2f} x, {p99:.2f} x", "0.3 x, 2 x"))
        return lines

    def summary(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "landings": self.landings,
            "found": self.found,
            "extra": self.extra,
            "cards": [self.cards, self.named],
            "players": [self.players, self.owned],
            "touch_within_a_frame": [sum(off <= 1.0 for off in self.touch_frames), len(self.touch_frames)],
            "rulings": self.rulings,
        }


def clips_in(folder: Path) -> list[Path]:
    """Return the truth files under a folder: JSON with landings, its video beside it.

    Raises LogError without any, and for one whose video is not there: it would be left out of the figures."""
    truths = [(path, truth) for path in sorted(folder.rglob("*.json")) if (truth := truth_in(path))]
    if not truths:
        raise LogError(
            f"{folder} holds no video with truth beside it: record a game with `run --record`, go through its replay, "
            "then `spit-referee export --truth`"
        )
    for path, truth in truths:
        if not video_of(path, truth).is_file():
            raise LogError(f"{path} tells what landed in {video_of(path, truth).name}, which does not lie beside it")
    return [path for path, _ in truths]


def score_clip(path: Path, rules_name: str = "pagat") -> ClipScore:
    """Watch a clip with the whole chain and compare with its truth.

    Raises:
        RefereeError: the truth, the video, its table file or its pads file cannot be used.
    """
    truth = truth_in(path)
    if truth is None:
        raise LogError(f"{path} does not say what landed: write it with `spit-referee export --truth`")
    video = video_of(path, truth)
    score, teller = ClipScore(), _Listener()
    for seen in _watched(video, rules_name, score):
        teller.tell(seen)
    teller.finish()
    _compare(truth, teller.lines, score, path.name)
    return score


class _Listener(Teller):
    """Keeps what would be printed."""

    def __init__(self) -> None:
        super().__init__(as_json=True)
        self.lines: list[dict[str, Any]] = []

    def _print(self, line: dict[str, Any], words: str) -> None:
        self.lines.append(line)


def _watched(video: Path, rules_name: str, score: ClipScore) -> Iterator[Any]:
    """Everything that is seen and said over a video, while its cost is measured."""
    import cv2

    from referee.house_rules import load_rules
    from referee.session import Session
    from referee.tracker import Tracker
    from referee.watching import Recording

    class Timed(Recording):
        def look(self, frame: Frame) -> list[AnyObservation]:
            began = time.process_time()
            seen = super().look(frame)
            score.seen_ms.append(1e3 * (time.process_time() - began))
            return seen

    cv2.setNumThreads(1)
    recording = Timed(video, _beside(video, TABLE_FILES), _beside(video, PADS_FILES))
    try:
        score.jpeg_ms = _jpeg_ms(recording)
        yield from Session(Tracker(load_rules(rules_name))).run(recording.observations())
    finally:
        recording.close()


def _jpeg_ms(recording: Any) -> float:
    import cv2

    frame = next(iter(recording.video.frames()))
    jpeg = cv2.imencode(".jpg", frame.image)[1]
    began = time.process_time()
    for _ in range(20):
        cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    return 1e3 * (time.process_time() - began) / 20


def _compare(truth: Truth, lines: list[dict[str, Any]], score: ClipScore, name: str) -> None:
    told = [line for line in lines if line["kind"] == "card_landed"]
    for line in lines:
        if line["kind"] in ("play_judged", "spit_judged"):
            score.rulings[line["ruling"]] = score.rulings.get(line["ruling"], 0) + 1
    used: set[int] = set()
    for landing in truth.landings:
        score.landings += 1
        index = _nearest(landing, told, used)
        at = f"{name} {landing.t_touch:.2f} s"
        if index is None:
            score.stories.append(f"{at}: missed {landing.card} on {PILES[landing.pile]}")
            continue
        used.add(index)
        _compare_one(landing, told[index], truth.fps, score, at)
    for index, line in enumerate(told):
        if index not in used:
            score.extra += 1
            score.stories.append(f"{name} {line['at_ms'] / 1000:.2f} s: {line['card']} on {line['pile']} did not land")


def _nearest(landing: TrueLanding, told: list[dict[str, Any]], used: set[int]) -> int | None:
    """Of the landings told near it on its pile: the one with the right card, else the nearest; each serves once."""
    touch_ms = 1000 * landing.t_touch
    near = [
        index
        for index, line in enumerate(told)
        if index not in used and line["pile"] == PILES[landing.pile] and abs(line["at_ms"] - touch_ms) < NEAR_MS
    ]
    return min(near, key=lambda i: (told[i]["card"] != _card(landing), abs(told[i]["at_ms"] - touch_ms)), default=None)


def _compare_one(landing: TrueLanding, line: dict[str, Any], fps: float, score: ClipScore, at: str) -> None:
    score.found += 1
    score.touch_frames.append(abs(line["at_ms"] / 1000 - landing.t_touch) * fps)
    if landing.card is not None:
        score.named += 1
        score.cards += line["card"] == _card(landing)
        if line["card"] != _card(landing):
            score.stories.append(f"{at}: read {line['card']} for {landing.card}")
    if landing.side is not None:
        score.owned += 1
        score.players += line["player"] == PLAYER_OF[landing.side]
        if line["player"] != PLAYER_OF[landing.side]:
            score.stories.append(f"{at}: {line['player']} for {PLAYER_OF[landing.side]}")


def _card(landing: TrueLanding) -> str:
    return str(landing.card).upper()


def _beside(video: Path, names: tuple[str, ...]) -> Path | None:
    paths = (video.with_name(name.format(stem=video.stem)) for name in names)
    return next((path for path in paths if path.is_file()), None)


def truth_in(path: Path) -> Truth | None:
    """Return what a JSON file says of a film; None for a file that speaks of something else.

    Raises LogError for one that tells of landings and cannot be understood: it would be left out of the figures."""
    try:
        said = msgspec.json.decode(read_given(path))
        return msgspec.convert(said, Truth) if isinstance(said, dict) and "landings" in said else None
    except msgspec.ValidationError as error:
        raise LogError(f"{path} garbles what landed ({error}): write it with `spit-referee export --truth`") from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def video_of(path: Path, truth: Truth) -> Path:
    """Return the film of a truth: never outside its folder."""
    return path.with_name(Path(truth.file).name)
