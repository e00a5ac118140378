"""What the engine decided, as verdicts that carry their moment, the observation they judge, and a sentence."""

from collections.abc import Iterable, Mapping
from typing import Final

from referee.cards import Card
from referee.game import announcements as said
from referee.game.events import Move, Refill, TurnUp
from referee.game.wording import announce, explain, rule_of
from referee.table import PILES, Pile, Player
from referee.tracker.worlds import Claim
from referee.verdicts import (
    AnyVerdict,
    Award,
    Breach,
    DeadHeat,
    DealOver,
    GameOver,
    NextDeal,
    NotStuck,
    PlayJudged,
    RowJudged,
    Ruling,
    SlapJudged,
    SpitCall,
    SpitJudged,
    Stuck,
)

AGREED_WORDS: Final[Mapping[Ruling, str]] = {
    "legal": "the card counts",
    "illegal": "the card has to go back",
    "beaten": "the other card was first",
}


def judged(n: int, at_ns: int, claim: Claim, p: float, decided_ns: int) -> PlayJudged | SpitJudged:
    """The verdict on a landing, a spit or a play, with the probability that it names the right card."""
    rule, sentence = rule_of(claim.ruling), explain(claim.ruling)
    blameless = claim.word == "illegal" and not claim.blames
    if claim.agreed is not None:
        rule, sentence = None, f"The players agreed: {AGREED_WORDS[claim.agreed]}."
    if claim.is_spit:
        return SpitJudged(
            at_ns=at_ns, decided_ns=decided_ns, of=n, player=claim.player, pile=claim.pile, card=claim.card,
            p=round(p, 4), ruling=claim.word, reason=claim.reason, rule=rule, sentence=sentence,
            blameless=blameless,
        )  # fmt: skip
    return PlayJudged(
        at_ns=at_ns, decided_ns=decided_ns, of=n, player=claim.player, pile=claim.pile, card=claim.card,
        p=round(p, 4), ruling=claim.word, reason=claim.reason, rule=rule, sentence=sentence, top=claim.top,
        blameless=blameless,
    )  # fmt: skip


def cannot_tell(n: int, at_ns: int, pile: Pile, best: Claim | None, p: float, decided_ns: int) -> PlayJudged:
    """The evidence does not decide; the likeliest card is named with its probability, and nobody is blamed."""
    return PlayJudged(
        at_ns=at_ns, decided_ns=decided_ns, of=n, pile=pile, player=best.player if best else "unknown",
        card=best.card if best else Card("??"), p=round(p, 4), ruling="cannot_tell", top=best.top if best else None,
        reason=best.reason if best and best.word == "cannot_tell" else None, sentence="This play could not be judged.",
    )  # fmt: skip


def row_judged(event: TurnUp | Move | Refill, decided_ns: int, n: int) -> RowJudged:
    if isinstance(event, Refill):
        return RowJudged(
            at_ns=event.at_ns, decided_ns=decided_ns, of=n, player=event.player, what="refill", place=event.place,
            card=event.card, ruling="legal",
        )  # fmt: skip
    if isinstance(event, TurnUp):
        return RowJudged(
            at_ns=event.at_ns, decided_ns=decided_ns, of=n, player=event.player, what="turn_up", place=event.place,
            card=event.card, ruling="legal",
        )  # fmt: skip
    return RowJudged(
        at_ns=event.at_ns, decided_ns=decided_ns, of=n, player=event.player, what="move", place=event.from_place,
        card=event.card, ruling="legal", to_place=event.to_place,
    )  # fmt: skip


def announced(
    told: Iterable[said.AnyAnnouncement], at_ns: int, decided_ns: int, n: int | None, counts_known: bool = True
) -> list[AnyVerdict]:
    """Announcements of the engine as verdicts. Without known counts nothing is said about the next deal."""
    verdicts: list[AnyVerdict] = []
    for one in told:
        if isinstance(one, said.NextDeal | said.GameOver) and not counts_known:
            continue
        verdict = _announced(one, at_ns, decided_ns, n)
        if verdict is not None:
            verdicts.append(verdict)
    return verdicts


def _announced(one: said.AnyAnnouncement, at_ns: int, decided_ns: int, n: int | None) -> AnyVerdict | None:
    match one:
        case said.Stuck():
            return Stuck(at_ns=at_ns, decided_ns=decided_ns)
        case said.SpitCall(onto=onto):
            return SpitCall(at_ns=at_ns, decided_ns=decided_ns, onto=dict(onto))
        case said.NotStuck(who=who):
            return NotStuck(at_ns=at_ns, decided_ns=decided_ns, who=who)
        case said.DealOver(reason=reason, by=by, piles=piles):
            return DealOver(at_ns=at_ns, decided_ns=decided_ns, of=n, reason=reason, by=by, piles=piles)
        case said.Award(p1=p1, p2=p2):
            return Award(at_ns=at_ns, decided_ns=decided_ns, of=n, p1=_pile(p1), p2=_pile(p2), sentence=announce(one))
        case said.NextDeal(piles=piles, p1=p1, p2=p2, first=first):
            starters: dict[Player, str] = {player: "".join(onto) for player, onto in first.items()}
            return NextDeal(at_ns=at_ns, decided_ns=decided_ns, piles=piles, p1=p1, p2=p2, first=starters)
        case said.GameOver(winner=winner):
            return GameOver(at_ns=at_ns, decided_ns=decided_ns, winner=winner)
        case said.BreachSeen(reason=reason, who=who):
            return Breach(at_ns=at_ns, decided_ns=decided_ns, of=n, player=who, reason=reason, sentence=announce(one))
        case said.DeadHeat() | said.FalseSlap():
            return None  # told with their margins by the slaps themselves


def _pile(taken: str) -> Pile | None:
    return next((pile for pile in PILES if pile == taken), None)


def dead_heat(at_ns: int, decided_ns: int, n: int, pile: Pile, margin_ns: int, uncertainty_ns: int) -> DeadHeat:
    return DeadHeat(
        at_ns=at_ns, decided_ns=decided_ns, of=n, pile=pile,
        margin_us=margin_ns / 1000, uncertainty_us=uncertainty_ns / 1000,
    )  # fmt: skip


def false_slap(at_ns: int, decided_ns: int, n: int, player: Player, pile: Pile) -> SlapJudged:
    return SlapJudged(at_ns=at_ns, decided_ns=decided_ns, of=n, player=player, pile=pile, ruling="false_slap")
