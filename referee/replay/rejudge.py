"""Judging a logged game again: the same observations into a fresh tracker, and where it says something else."""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from referee.errors import LogError
from referee.game.scenario import read_start
from referee.log import Header, LoggedGame
from referee.log.reader import Entry
from referee.observations import AnyObservation, Observation
from referee.rules.rule_set import RuleSet, rule_set, rule_set_from
from referee.tracker import Tracker
from referee.verdicts import AnyVerdict, Verdict


class Judge(Protocol):
    """The tracker, or another version of it."""

    def feed(self, seen: AnyObservation, n: int) -> list[AnyVerdict]: ...


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What the log says after an observation, and what is said today."""

    n: int
    seen: AnyObservation
    logged: tuple[AnyVerdict, ...]
    judged: tuple[AnyVerdict, ...]


def judge_for(header: Header, rules: RuleSet | None = None) -> Tracker:
    """Return a tracker as it stood at the game's beginning, under `rules` or, without, the log's own.

    Raises SettingsError for unknown rules of the log, NotationError for a start that is none."""
    start = None if header.start is None else read_start(header.start)
    return Tracker(rules or _rules(header), start)


def differences(game: LoggedGame, judge: Judge) -> Iterator[Difference]:
    """Yield each observation after which the judge says something else than the log, in order.

    A log that was not closed may lack the last verdicts: that is no difference. Raises LogError if the log holds no
    observation at all."""
    steps = _steps(game)
    step = next(steps, None)
    if step is None:
        raise LogError(f"{game.directory} holds no observation: there is nothing to judge again")
    while step is not None:
        n, seen, logged = step
        judged = tuple(judge.feed(seen, n))
        step = next(steps, None)
        was_cut = step is None and not game.was_closed and judged[: len(logged)] == logged
        if judged != logged and not was_cut:
            yield Difference(n=n, seen=seen, logged=logged, judged=judged)


Step = tuple[int, AnyObservation, tuple[AnyVerdict, ...]]


def _steps(game: LoggedGame) -> Iterator[Step]:
    """Each observation with the verdicts that the log has after it."""
    opened: Entry | None = None
    verdicts: list[AnyVerdict] = []
    for entry in game.entries():
        if isinstance(entry.item, Verdict):
            verdicts.append(entry.item)
        elif isinstance(entry.item, Observation):
            if opened is not None:
                yield _step(opened, verdicts)
            opened, verdicts = entry, []
    if opened is not None:
        yield _step(opened, verdicts)


def _step(opened: Entry, verdicts: list[AnyVerdict]) -> Step:
    assert isinstance(opened.item, Observation)
    return opened.n, opened.item, tuple(verdicts)


def _rules(header: Header) -> RuleSet:
    return rule_set_from(header.rules) if header.rules else rule_set(header.rules_name or "pagat")
