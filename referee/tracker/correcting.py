"""A person knows better: corrections and undo, as changes of the observation that they are about."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from referee.cards import UNREAD
from referee.observations import AnyObservation, CardLanded, CardTakenBack, Correction, PadSlapped, PileRead, Undo
from referee.tracker.evidence import likely_player
from referee.verdicts import AnyVerdict, Award, DeadHeat, PlayJudged, SlapJudged, SpitJudged

CERTAIN: Final = 1.0


def corrected(seen: AnyObservation, by: Correction) -> AnyObservation | None:
    """What the sensor should have seen; None if it did not happen at all (or should not have counted)."""
    if by.dismiss or by.ruling in ("illegal", "beaten"):
        return None
    match seen:
        case CardLanded() | CardTakenBack():
            cards = {by.card: CERTAIN} if by.card is not None else seen.cards
            players = {by.player: CERTAIN} if by.player is not None else seen.players
            return replace(seen, cards=cards, players=players, pile=by.pile or seen.pile)
        case PileRead():
            return replace(seen, cards={by.card: CERTAIN} if by.card is not None else seen.cards)
        case PadSlapped():
            return replace(seen, player=by.player or seen.player, pile=by.pile or seen.pile)
        case _:
            return seen


def in_words(seen: AnyObservation | None) -> str:
    """An observation as the correction names it."""
    match seen:
        case None:
            return "nothing"
        case CardLanded() | CardTakenBack():
            cards, players, pile = seen.cards, seen.players, seen.pile
            card = max(cards, key=cards.__getitem__, default=UNREAD)
            return f"{card} by {likely_player(players)} on {pile}"
        case PadSlapped(player=player, pile=pile):
            return f"slap by {player or 'unknown'} on {pile}"
        case _:
            return str(seen.__struct_config__.tag).replace("_", " ")


def is_call(verdict: AnyVerdict) -> bool:
    """Whether the verdict is one that players may take back with all four pads."""
    if isinstance(verdict, PlayJudged | SpitJudged):
        return verdict.ruling in ("illegal", "beaten")
    return isinstance(verdict, Award | DeadHeat) or (isinstance(verdict, SlapJudged) and verdict.ruling == "legal")


def undoing(calls: Sequence[AnyVerdict], undo: Undo) -> Correction | None:
    """The correction that takes the last call back; None if there was none to take back."""
    if not calls or calls[-1].of is None:
        return None
    return Correction(at_ns=undo.at_ns, of=calls[-1].of, dismiss=True, by="pads")
