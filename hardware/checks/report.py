"""The shape of a check and of its answer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from referee.errors import SettingsError
from referee.settings import Settings

State = Literal["OK", "WARN", "FAIL", "SKIP"]
SEVERITY: Final[tuple[State, ...]] = ("SKIP", "OK", "WARN", "FAIL")


class Answer(NamedTuple):
    """`cure` is what to do, empty where there is nothing to do."""

    state: State
    says: str
    cure: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A question about this machine. `ask` must not raise for anything that a user can cause."""

    name: str
    ask: Callable[[Settings], Answer]


def ok(says: str) -> Answer:
    return Answer("OK", says)


def warn(says: str, cure: str) -> Answer:
    return Answer("WARN", says, cure)


def fail(says: str, cure: str) -> Answer:
    return Answer("FAIL", says, cure)


def skip(says: str) -> Answer:
    return Answer("SKIP", says)


def from_error(error: Exception) -> Answer:
    """Return a failed check from one of our errors, whose sentence is "what is wrong; cure", or has a colon there."""
    sentence = str(error)
    says, _, cure = sentence.rpartition("; " if "; " in sentence else ": ")
    return fail(says or cure, cure if says else "")


def left_out(complaints: Iterable[str]) -> Answer | None:
    """Return the warning about choices of the pages that could not be used; None where all could."""
    told = "; ".join(complaints)
    return from_error(SettingsError(told))._replace(state="WARN") if told else None


def worst(answers: Iterable[Answer]) -> State:
    """Return the gravest state."""
    return max((answer.state for answer in answers), key=SEVERITY.index, default="SKIP")
