"""A game judged again, side by side: what the log says and what is said now, in the words of the replay."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from referee.log import Header
from referee.replay.page import scriptless_page
from referee.replay.rejudge import Difference
from referee.replay.words import RULING_WORDS, clock, plain, player_names, verdict_sentence
from referee.table import Player
from referee.tracker.correcting import in_words
from referee.verdicts import AnyVerdict, PlayJudged, SpitJudged

COUNTED: Final = ("legal", "illegal", "beaten", "cannot_tell")
MOST_LINES: Final = 30
"""So much is shown of what was said after one observation: in a game that was played it is a line or two."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One observation about which the two say something else. `n`: its number in the log."""

    n: int
    at: str
    seen: str
    logged: tuple[str, ...]
    judged: tuple[str, ...]


class SideBySide(msgspec.Struct, frozen=True, kw_only=True):
    """All differences, and how many more or fewer of each ruling there are now."""

    rows: tuple[Row, ...]
    more: dict[str, int]


def side_by_side(differences: Iterable[Difference], header: Header, start_ns: int) -> SideBySide:
    """Return the differences in words; times count from `start_ns`."""
    names = player_names(header.players)
    rows: list[Row] = []
    more: Counter[str] = Counter()
    for difference in differences:
        rows.append(_row(difference, names, start_ns))
        more.update(_rulings(difference.judged))
        more.subtract(_rulings(difference.logged))
    return SideBySide(rows=tuple(rows), more={ruling: more[ruling] for ruling in COUNTED if more[ruling]})


def _row(difference: Difference, names: Mapping[Player, str], start_ns: int) -> Row:
    then = [one for one in difference.logged if one not in difference.judged]
    now = [one for one in difference.judged if one not in difference.logged]
    for words in (_line, _with_numbers, _exact):
        logged, judged = [words(one, names) for one in then], [words(one, names) for one in now]
        if logged != judged:
            break
    return Row(
        n=difference.n,
        at=clock(difference.seen.at_ns - start_ns),
        seen=plain(in_words(difference.seen), 60),
        logged=_shown(logged),
        judged=_shown(judged),
    )


def _shown(lines: list[str]) -> tuple[str, ...]:
    more = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], f"and {more} more") if more > 0 else tuple(lines) or ("nothing",)


def _line(verdict: AnyVerdict, names: Mapping[Player, str]) -> str:
    sentence = verdict_sentence(verdict, names)
    if not isinstance(verdict, PlayJudged | SpitJudged):
        return sentence
    rule = f" ({plain(verdict.rule, 10)})" if verdict.rule else ""
    return f"{RULING_WORDS[verdict.ruling]}: {plain(verdict.card, 4)} on {verdict.pile}. {sentence}{rule}"


def _with_numbers(verdict: AnyVerdict, names: Mapping[Player, str]) -> str:
    """For verdicts that read alike: how sure it was, and how soon it was said."""
    sure = f"p {verdict.p:.4f}, " if isinstance(verdict, PlayJudged | SpitJudged) else ""
    return f"{_line(verdict, names)} [{sure}{(verdict.decided_ns - verdict.at_ns) / 1e6:.0f} ms later]"


def _exact(verdict: AnyVerdict, names: Mapping[Player, str]) -> str:
    return msgspec.json.encode(verdict).decode()


def _rulings(verdicts: Iterable[AnyVerdict]) -> list[str]:
    return [verdict.ruling for verdict in verdicts if isinstance(verdict, PlayJudged | SpitJudged)]


def more_words(found: SideBySide) -> str:
    """Return the balance in words: `2 illegal more, 1 legal less`; empty if no ruling differs in number."""
    words = [
        f"{count} {RULING_WORDS[ruling]} more" if count > 0 else f"{-count} {RULING_WORDS[ruling]} less"
        for ruling, count in found.more.items()
    ]
    return ", ".join(words)


def difference_page(found: SideBySide, game: str, judged_by: str) -> str:
    """Return the differences as a page without any script; texts are escaped."""
    return scriptless_page("side_by_side.html", found=found, more=more_words(found), game=game, judged_by=judged_by)
