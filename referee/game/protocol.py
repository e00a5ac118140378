"""The JSON-lines protocol of the scenarios: load a position, step through bursts, ask about the rules."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from referee.cards import parse_card
from referee.errors import NotationError, RefereeError
from referee.game.judge import Judge
from referee.game.scenario import (
    Count,
    Plain,
    announcement_words,
    read_event,
    read_rules,
    read_start,
    ruling_words,
    shown,
    state_words,
)
from referee.rules.deals import next_deal, row_sizes
from referee.rules.legality import follows
from referee.rules.rows import parse_row
from referee.rules.rule_set import RuleSet
from referee.rules.stuck import can_still_play


class Session:
    """One conversation: it answers one message after the other about the game that was loaded last."""

    def __init__(self) -> None:
        self._judge: Judge | None = None

    def answer_line(self, line: bytes | str) -> bytes:
        """Answer one line of JSON with one line of JSON; what cannot be understood gets `{"error": sentence}`."""
        try:
            return msgspec.json.encode(self.answer(msgspec.json.decode(line, type=dict[str, Any])))
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            return msgspec.json.encode({"error": f"this line is not a JSON object: {error}"})
        except RefereeError as error:
            return msgspec.json.encode({"error": str(error)})

    def answer(self, message: Mapping[str, Any]) -> Plain:
        """Answer one message; raises RefereeError for one that cannot be understood."""
        match message:
            case {"load": {"ruleset": rules, "start": start}}:
                self._judge = Judge(read_rules(rules), read_start(start))
                return {"ok": True}
            case {"step": list(events)}:
                return self.step(events)
            case {"ask": str()}:
                return {"answer": ask(message)}
        raise NotationError(f"{shown(dict(message))} is not a message: send load, step or ask")

    def step(self, events: Sequence[Mapping[str, Any]]) -> Plain:
        """Judge a burst and return rulings, announcements and state."""
        if self._judge is None:
            raise NotationError('no game is loaded: send {"load": {"ruleset": .., "start": ..}} first')
        judge = self._judge
        rulings, said = judge.step([read_event(event) for event in events])
        return {
            "rulings": [ruling_words(ruling) for ruling in rulings],
            "say": [announcement_words(announcement) for announcement in said],
            "state": state_words(judge.rules, judge.position),
        }


class _Plays(msgspec.Struct, tag_field="ask", tag="plays"):
    """May this card be played on that one?"""

    card: str
    top: str
    options: dict[str, Any] | None = None

    def answer(self, rules: RuleSet) -> bool:
        return follows(parse_card(self.card), parse_card(self.top), rules)


class _Can(msgspec.Struct, tag_field="ask", tag="can"):
    """Can a player with this row still do something?"""

    tops: list[str]
    row: list[str]
    deck: Count | None = None
    options: dict[str, Any] | None = None

    def answer(self, rules: RuleSet) -> bool | None:
        return can_still_play(parse_row(self.row), [parse_card(top) for top in self.tops], rules, self.deck or 0)


class _Shape(msgspec.Struct, tag_field="ask", tag="shape"):
    """How many cards lie in each pile of a row that is dealt from so many?"""

    cards: Count
    options: dict[str, Any] | None = None

    def answer(self, rules: RuleSet) -> list[int]:
        return list(row_sizes(self.cards, rules))


class _NextDeal(msgspec.Struct, tag_field="ask", tag="next_deal"):
    """One middle pile or two, and who starts which?"""

    p1: Count
    p2: Count
    options: dict[str, Any] | None = None

    def answer(self, rules: RuleSet) -> Plain:
        deal = next_deal(self.p1, self.p2, rules)
        return {"piles": deal.piles, "first_spit": {player: list(piles) for player, piles in deal.first.items()}}


def ask(message: Mapping[str, Any]) -> Any:
    """Answer a question about the rules alone; raises RefereeError for one that cannot be understood."""
    try:
        question = msgspec.convert(message, _Plays | _Can | _Shape | _NextDeal)
    except msgspec.ValidationError as error:
        raise NotationError(f"this question cannot be answered (plays, can, shape or next_deal): {error}") from None
    return question.answer(read_rules(question.options or {}))
