"""The JSON-lines protocol of the scenarios: load a position, step through bursts, ask about the rules."""

from collections.abc import Mapping
from typing import Any

import msgspec

from referee.cards import parse_card
from referee.errors import NotationError, RefereeError
from referee.game.judge import Judge
from referee.game.scenario import (
    Plain,
    announcement_words,
    read_event,
    read_rules,
    read_start,
    ruling_words,
    state_words,
)
from referee.rules.deals import next_deal, row_sizes
from referee.rules.legality import follows
from referee.rules.rows import parse_row
from referee.rules.stuck import can_still_play


class Session:
    """One conversation: it answers one message after the other about the game that was loaded last."""

    def __init__(self) -> None:
        self._judge: Judge | None = None

    def answer_line(self, line: str) -> str:
        """Answer one line of JSON with one line of JSON; what cannot be understood gets `{"error": sentence}`."""
        try:
            return msgspec.json.encode(self.answer(msgspec.json.decode(line, type=dict[str, Any]))).decode()
        except msgspec.DecodeError as error:
            return msgspec.json.encode({"error": f"this line is not a JSON object: {error}"}).decode()
        except RefereeError as error:
            return msgspec.json.encode({"error": str(error)}).decode()

    def answer(self, message: Mapping[str, Any]) -> Plain:
        """Answer one message; raises RefereeError for one that cannot be understood."""
        match message:
            case {"load": {"ruleset": rules, "start": start}}:
                self._judge = Judge(read_rules(rules), read_start(start))
                return {"ok": True}
            case {"step": list(events)}:
                return self.step(events)
            case {"ask": str(question)}:
                return {"answer": ask(question, message)}
        raise NotationError(f"{dict(message)} is not a message: send load, step or ask")

    def step(self, events: list[Mapping[str, Any]]) -> Plain:
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


def ask(question: str, message: Mapping[str, Any]) -> Any:
    """Answer a question about the rules alone: `plays`, `can`, `shape` or `next_deal`."""
    rules = read_rules(message.get("options") or {})
    try:
        match question:
            case "plays":
                return follows(parse_card(message["card"]), parse_card(message["top"]), rules)
            case "can":
                tops = [parse_card(top) for top in message["tops"]]
                return can_still_play(parse_row(message["row"]), tops, rules, message.get("deck") or 0)
            case "shape":
                return list(row_sizes(message["cards"], rules))
            case "next_deal":
                deal = next_deal(message["p1"], message["p2"], rules)
                first = {player: list(piles) for player, piles in deal.first.items()}
                return {"piles": deal.piles, "first_spit": first}
    except KeyError as error:
        raise NotationError(f"the question {question!r} needs {error}") from None
    raise NotationError(f"{question!r} is not a question: ask plays, can, shape or next_deal")
