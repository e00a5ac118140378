"""Verdicts joined with the moments that they judge, or as moments of their own."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from referee.observations import Correction
from referee.replay.moments import Kind, Moment
from referee.replay.showing import known
from referee.replay.words import plain
from referee.table import PLAYERS, Pile, Player, Who
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

RULE_OF_LEGAL: Final[Mapping[Kind, str]] = {"play": "R22", "spit": "R16"}
"""What a card that stands was judged by, where the log does not say."""

KIND_OF: Final[Mapping[type[Verdict], Kind]] = {
    Award: "award",
    DeadHeat: "dead_heat",
    LeftLying: "left_lying",
    Stuck: "stuck",
    SpitCall: "spit_call",
    NotStuck: "not_stuck",
    DealOver: "deal_over",
    NextDeal: "next_deal",
    GameOver: "game_over",
    CannotTell: "cannot_tell",
    BackInStep: "back_in_step",
    Breach: "breach",
    Paused: "paused",
    Resumed: "resumed",
    Corrected: "corrected",
    RowJudged: "row",
}
"""Verdicts that are a moment of their own."""


def ruled(new: Moment, verdict: Verdict, about: Moment | None) -> Moment:
    """Return the moment of a verdict: what was seen (`about`) with what was ruled, or else `new` filled in.

    `new` has the verdict's own number, time, sentence and time of decision."""
    match verdict:
        case PlayJudged() | SpitJudged():
            return _landing(new, verdict, about if about and about.is_landing else None)
        case SlapJudged():
            seen = about if about and about.kind == "slap" else replace(new, kind="slap", pile=verdict.pile)
            seen = replace(seen, sentence=new.sentence, decided_ns=new.decided_ns)
            seen = replace(seen, dismissed=seen.dismissed and not verdict.revised)
            return replace(seen, player=verdict.player, ruling=verdict.ruling, reason=plain(verdict.reason))
        case TakenBack():
            seen = about if about and about.kind == "taken_back" else replace(new, kind="taken_back")
            seen = replace(seen, sentence=new.sentence, card=known(verdict.card))
            return replace(seen, player=verdict.player, pile=verdict.pile)
        case _:
            return _announcement(new, verdict)


def corrected(moment: Moment, word: Correction, sentence: str) -> Moment:
    """Return a moment as a person says that it was, which keeps what was said before."""
    return replace(
        moment,
        card=known(word.card) or moment.card,
        p=1.0 if word.card else moment.p,
        player=word.first or word.player or moment.player,
        pile=word.pile or moment.pile,
        ruling=plain(word.ruling) if word.ruling else moment.ruling,
        dismissed=moment.dismissed or word.dismiss,
        was=moment.was or moment.sentence or str(moment.card or moment.kind),
        sentence=sentence,
    )


def _landing(new: Moment, verdict: PlayJudged | SpitJudged, seen: Moment | None) -> Moment:
    kind: Kind = "play" if isinstance(verdict, PlayJudged) else "spit"
    seen = seen or new
    revised = seen.ruling is not None and (seen.ruling, seen.card) != (verdict.ruling, verdict.card)
    return replace(
        seen,
        kind=kind,
        player=verdict.player,
        pile=verdict.pile,
        card=known(verdict.card),
        p=verdict.p,
        ruling=verdict.ruling,
        reason=plain(verdict.reason),
        rule=plain(verdict.rule) or (RULE_OF_LEGAL[kind] if verdict.ruling == "legal" else ""),
        top=known(verdict.top) if isinstance(verdict, PlayJudged) else None,
        sentence=new.sentence,
        decided_ns=new.decided_ns,
        dismissed=seen.dismissed and not verdict.revised,
        was=seen.was or (seen.sentence if revised else ""),
    )


def _announcement(new: Moment, verdict: Verdict) -> Moment:
    row = verdict if isinstance(verdict, RowJudged) else None
    return replace(
        new,
        kind=KIND_OF[type(verdict)],
        player=_who(verdict),
        pile=getattr(verdict, "pile", None),
        card=known(getattr(verdict, "card", None)),
        ruling=row and row.ruling,
        reason=plain(getattr(verdict, "reason", None)),
        rule=plain(getattr(verdict, "rule", None)),
        action=row.what if row else "",
        place=row and row.place,
        to_place=row and row.to_place,
        takes=_takes(verdict) if isinstance(verdict, Award) else {},
    )


def _who(verdict: Verdict) -> Who:
    match verdict:
        case Award():
            return verdict.first
        case DealOver():
            return verdict.by or "unknown"
        case GameOver(winner="p1" | "p2" as winner):
            return winner
        case Breach() | RowJudged():
            return verdict.player
        case _:
            return "unknown"


def _takes(award: Award) -> dict[Player, Pile]:
    return {player: pile for player, pile in zip(PLAYERS, (award.p1, award.p2), strict=True) if pile}
