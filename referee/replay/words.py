"""The replay's sentences: what the referee said where it said something, and plain words where it left none."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from referee.game.wording import PLAIN_NAMES
from referee.observations import Correction, Recount
from referee.table import LONGEST_NAME, PLAYERS, Pile, Player, Who
from referee.units import counted
from referee.verdicts import (
    Award,
    BackInStep,
    Breach,
    CannotTell,
    Corrected,
    DeadHeat,
    DealOver,
    GameOver,
    LeftLying,
    NextDeal,
    NotStuck,
    Paused,
    PhaseChanged,
    PlayJudged,
    Resumed,
    RowJudged,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
    TakenBack,
    Verdict,
)

LONGEST_TEXT: Final = 300

PHASE_WORDS: Final[Mapping[str, str]] = {
    "layout": "laying out",
    "await_spit": "waiting for the spit",
    "play": "play",
    "slap": "slap!",
    "over": "game over",
    "paused": "paused",
}

RULING_WORDS: Final[Mapping[str, str]] = {
    "legal": "legal",
    "illegal": "illegal",
    "beaten": "beaten, no fault",
    "cannot_tell": "cannot tell",
    "ignored": "does not count",
    "false_slap": "too early, play on",
}


def plain(text: str | None, longest: int = LONGEST_TEXT) -> str:
    """Return a log's text as one line that can be shown: no control or direction marks, cut to a sensible length."""
    if not text:
        return ""
    if len(text) <= longest and text.isprintable():
        return text
    cleaned = "".join(" " if mark in "\t\n\r" else mark for mark in text[: 4 * longest] if _is_shown(mark))
    return cleaned if len(cleaned) <= longest else cleaned[: longest - 1] + "…"


def player_names(players: Mapping[Player, str]) -> dict[Player, str]:
    """Return what to call p1 and p2: their names, told apart where they are alike, else `Player 1` and `Player 2`."""
    first = plain(players.get("p1"), LONGEST_NAME).strip() or PLAIN_NAMES["p1"]
    second = plain(players.get("p2"), LONGEST_NAME).strip() or PLAIN_NAMES["p2"]
    return {"p1": first, "p2": second} if first != second else {"p1": f"{first} (1)", "p2": f"{second} (2)"}


def clock(at_ns: int) -> str:
    """Return a time since the game's start: `2:03.45`, or `1:02:03.45` after an hour."""
    hundredths = max(0, at_ns) // 10_000_000
    minutes, rest = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    lead = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
    return f"{lead}:{rest // 100:02d}.{rest % 100:02d}"


def margin_words(margin_us: float | None, uncertainty_us: float | None) -> str:
    """Return a lead in milliseconds with its uncertainty, as in `12.4 ms (±0.1)`; empty if there is none."""
    if margin_us is None:
        return ""
    doubt = "" if uncertainty_us is None else f" (±{_milliseconds(uncertainty_us)})"
    return f"{_milliseconds(margin_us)} ms{doubt}"


def verdict_sentence(verdict: Verdict, names: Mapping[Player, str]) -> str:
    """Return the sentence that a person reads: the referee's own, else one made of the verdict's fields.

    Who takes which pile is always said with who was first and by how much, where the pads have measured it.
    """
    is_race = isinstance(verdict, Award) and verdict.margin_us is not None
    said = "" if is_race else plain(getattr(verdict, "sentence", ""))
    return _by_name(said, names) or plain(_own_words(verdict, names))


def touch_words(player: Who, pile: Pile, names: Mapping[Player, str]) -> str:
    """Return what a pad saw that nobody judged."""
    return f"{names[player] if player != 'unknown' else 'Somebody'} touches pad {pile}."


def correction_words(item: Correction, names: Mapping[Player, str]) -> str:
    """Return what a person changed."""
    who = plain(item.by, LONGEST_NAME) or "A person"
    if item.missed_ns is not None:
        card, pile = plain(item.card, 4) or "a card", item.pile or "A"
        return (
            f"{who} adds what the referee missed: {names[item.player] if item.player else 'somebody'} {card} on {pile}."
        )
    if item.first:
        takes = f" and takes {item.pile}" if item.pile else ""
        return f"{who} corrects: {names[item.first]} was first on the pads{takes}."
    if item.dismiss:
        return f"{who} says that this did not happen."
    changes = [
        f"the card{f' at place {item.place}' if item.place else ''} was {plain(item.card, 4)}" if item.card else "",
        f"it was {names[item.player]}" if item.player else "",
        f"it was on pile {item.pile}" if item.pile else "",
        f"it is {RULING_WORDS.get(item.ruling, plain(item.ruling, 20))}" if item.ruling else "",
    ]
    return f"{who} corrects: {', '.join(filter(None, changes)) or 'nothing changed'}."


def count_words(recount: Recount, names: Mapping[Player, str]) -> str:
    """Return what a person recount."""
    row = "" if recount.row is None else f" {', '.join(map(str, recount.row[:5]))} in the row"
    spit = "" if recount.spit is None else f" {counted(recount.spit, 'spit card')}"
    return f"Counted: {names[recount.player]} has{' and'.join(filter(None, (row, spit)))}."


def with_names(sentence: str, names: Mapping[Player, str]) -> str:
    """Return a sentence of the rules, which speak of p1 and p2, with the players' names."""
    return re.sub(r"\bp[12]\b", lambda found: names["p1" if found[0] == "p1" else "p2"], sentence)


def _by_name(sentence: str, names: Mapping[Player, str]) -> str:
    """The referee speaks of Player 1 and Player 2; the replay knows their names."""
    for player, spoken in PLAIN_NAMES.items():
        sentence = sentence.replace(spoken, names[player])
    return sentence


def _own_words(verdict: Verdict, names: Mapping[Player, str]) -> str:
    """One phrase for each verdict that comes without a sentence."""

    def name(player: Who | None) -> str:
        return names[player] if player in ("p1", "p2") else "somebody"

    match verdict:
        case PlayJudged():
            on = f" on {verdict.top}" if verdict.top else ""
            return f"{verdict.card}{on}: {RULING_WORDS[verdict.ruling]}{_because(verdict.reason)}."
        case SpitJudged():
            ruled = _unless_legal(verdict.ruling, verdict.reason)
            return f"{name(verdict.player)} spits {verdict.card} on {verdict.pile}{ruled}."
        case RowJudged():
            return f"{name(verdict.player)} {_row_words(verdict)}{_unless_legal(verdict.ruling, verdict.reason)}."
        case SlapJudged():
            return f"{name(verdict.player)} slaps {verdict.pile}{_unless_legal(verdict.ruling, verdict.reason)}."
        case Award():
            return _award_words(verdict, names)
        case DeadHeat():
            margin = margin_words(verdict.margin_us, verdict.uncertainty_us)
            return f"Too close on {verdict.pile}: {margin} apart. Slap again."
        case TakenBack():
            ought = "" if verdict.was_due else ", although it had counted"
            return f"{name(verdict.player)} takes {verdict.card} back{ought}."
        case LeftLying():
            return f"{verdict.card} still lies on {verdict.pile}" + (
                " and was played on." if verdict.played_on else "."
            )
        case Stuck():
            return "Nobody can play: stuck."
        case SpitCall():
            onto = [f"{name(player)} on {_onto(pile)}" for player, pile in verdict.onto.items()]
            return f"Spit: {' and '.join(onto)}."
        case NotStuck():
            return f"Not stuck: {' and '.join(name(player) for player in verdict.who)} can still do something."
        case _:
            return _announcement_words(verdict, names)


def _announcement_words(verdict: Verdict, names: Mapping[Player, str]) -> str:
    match verdict:
        case DealOver(reason="cleared"):
            return f"{names[verdict.by] if verdict.by else 'Somebody'} is out{_what_now(verdict)}"
        case DealOver():
            return f"Nobody can play and nobody has a spit card{_what_now(verdict)}"
        case NextDeal():
            p1, p2 = verdict.p1, verdict.p2
            piles = "two piles" if verdict.piles == 2 else "one pile"
            return f"Next deal: {names['p1']} has {counted(p1.cards, 'card')}, {names['p2']} {p2.cards}; {piles}."
        case GameOver(winner="draw"):
            return "The game is a draw."
        case GameOver(winner="p1" | "p2" as winner):
            return f"{names[winner]} has won the game."
        case CannotTell():
            return f"Cannot tell: {verdict.about}."
        case BackInStep():
            return f"Back in step after {counted(verdict.landings, 'landing')}."
        case Breach():
            who = names[verdict.player] if verdict.player != "unknown" else "Somebody"
            return f"{who}: {verdict.reason.replace('_', ' ')}."
        case PhaseChanged():
            return f"The phase is now {PHASE_WORDS.get(verdict.phase, plain(verdict.phase, 20))}."
        case Paused():
            return f"Paused: {verdict.reason}."
        case Resumed():
            return "Play goes on."
        case Corrected():
            return f"Corrected: {verdict.was} is now {verdict.now}."
        case _:
            return type(verdict).__name__


def _what_now(over: DealOver) -> str:
    return ": slap!" if over.piles == 2 else ", the deal is over."


def _award_words(award: Award, names: Mapping[Player, str]) -> str:
    takes = [
        f"{names[player]} takes pile {pile}" for player, pile in zip(PLAYERS, (award.p1, award.p2), strict=True) if pile
    ]
    margin = margin_words(award.margin_us, award.uncertainty_us)
    first = f"{names[award.first]} was first" if award.first != "unknown" else ""
    lead = f"{first} by {margin}" if first and margin else first
    return ": ".join(filter(None, [lead, ", ".join(takes)])) + "." if takes or lead else "Nobody takes a pile."


def _row_words(verdict: RowJudged) -> str:
    place = f"pile {verdict.place}"
    match verdict.what:
        case "turn_up":
            return f"turns up {verdict.card} on {place}"
        case "move":
            return f"moves {verdict.card} from {place}" + (f" to {verdict.to_place}" if verdict.to_place else "")
        case "refill":
            return f"fills {place} with {verdict.card}"
        case "draw":
            return "draws a card"
        case _:
            return f"lays out {verdict.card} on {place}"


def _unless_legal(ruling: str, reason: str | None) -> str:
    return "" if ruling == "legal" else f": {RULING_WORDS[ruling]}{_because(reason)}"


def _because(reason: str | None) -> str:
    return f", {reason.replace('_', ' ')}" if reason else ""


def _onto(pile: str) -> str:
    return "either pile" if pile == "any" else pile


def _milliseconds(us: float) -> str:
    return f"{us / 1000:.0f}" if us >= 100_000 else f"{us / 1000:.1f}" if us >= 1000 else f"{us / 1000:.2f}"


def _is_shown(mark: str) -> bool:
    """Control and format characters (among them those that turn the reading direction) and line ends are dropped."""
    category = unicodedata.category(mark)
    return mark in "\t\n\r" or (category[0] != "C" and category not in ("Zl", "Zp"))
