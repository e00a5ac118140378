"""From the end of a deal to the next one: cleared, blocked, who takes what, counts, and the end of the game.

R49, R50, R57, R59 to R70; Bicycle R81, R82; Speed R83.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec.structs import replace

from referee.game.announcements import Award, DealOver, GameOver, NextDeal, SpitCall, Stuck
from referee.game.outcome import Said
from referee.game.phases import Cause, Phase, next_phase
from referee.game.position import Due, Position, Side
from referee.rules.deals import Deal, next_deal
from referee.rules.rows import EMPTY, Stock
from referee.rules.rule_set import RuleSet
from referee.table import OPPONENT, PLAYERS, Pile, Player

Ended = tuple[Position, Said]
Taken = Mapping[Player, Pile | Literal["none"]]


def has_cleared(rules: RuleSet, side: Side) -> bool:
    """Whether the player is out: no row card, and where cards are drawn from a packet, none there either (R49, R81)."""
    for stock in side.row:
        if stock.down or stock.up:
            return False
    return rules.has_slap or not (side.packet or side.hand)


def open_end(rules: RuleSet, position: Position) -> Player | None:
    """Who is out by a last card that could not be judged, so that it is open whether the deal is over (R6, R49)."""
    if position.phase not in (Phase.PLAY, Phase.SPIT):
        return None
    return next((player for player in PLAYERS if has_cleared(rules, position.side(player))), None)


def cleared(rules: RuleSet, position: Position, player: Player, pile: Pile, at_ns: int) -> Ended:
    """`player` played his last card on `pile` and it was legal."""
    position = _stop(position, at_ns, by=player, on=pile)
    if not rules.has_slap:
        return position.enter(Cause.GAME_WON), (GameOver(winner=player),)
    over = DealOver(reason="cleared", by=player, piles=position.piles)
    if position.piles == 2:
        return position.enter(Cause.DEAL_ENDED), (over,)
    position, said = award(rules, position, {player: "none", OPPONENT[player]: "A"})
    return position, (over, *said)


def settle(rules: RuleSet, position: Position, at_ns: int) -> Ended:
    """Call *stuck* if nobody can do anything any more, with what follows from it (R40, R50); else change nothing."""
    if rules.spit_when == "called":
        return position, ()
    for player in PLAYERS:
        if position.can(player, rules) is not False:
            return position, ()
    position, said = call_spit(position, rules, at_ns)
    return position, (Stuck(), *said)


def call_spit(position: Position, rules: RuleSet, at_ns: int) -> Ended:
    """Spit is due: who has cards turns one (R40, R43); if nobody has, the deal or the game is over (R50, R82)."""
    onto = spit_onto(rules, position)
    if not onto:
        return blocked(rules, position, at_ns)
    for player in PLAYERS:
        due = (onto[player],) if player in onto else ()
        position = position.with_side(player, due=due, has_spat=False, has_called=False)
    return position.enter(Cause.SPIT_CALLED), (SpitCall(onto=onto),)


def spit_onto(rules: RuleSet, position: Position) -> dict[Player, Due]:
    """Who has a card to spit with, and on which pile he spits (R41, R43 to R45, R80, R84)."""
    if rules.setup == "hand_of_five":
        return {player: pile for player in PLAYERS if position.middle(pile := position.own_pile(player)).outer}
    onto: dict[Player, Due] = {player: position.own_pile(player) for player in PLAYERS if position.side(player).packet}
    if len(onto) == 1 and position.piles == 2 and rules.solo_spit == "chosen_pile":
        return dict.fromkeys(onto, position.solo_pile or "any")
    return onto


def blocked(rules: RuleSet, position: Position, at_ns: int) -> Ended:
    """Nobody can play and nobody can spit."""
    position = _stop(position, at_ns)
    if not rules.has_slap:
        return position.enter(Cause.GAME_WON), (GameOver(winner=_fewest(position)),)
    over = DealOver(reason="stuck_out", piles=position.piles)
    if position.piles == 2:
        return position.enter(Cause.DEAL_ENDED), (over,)
    taker = _takes_blocked_pile(rules, position)
    position, said = award(rules, position, {taker: "A", OPPONENT[taker]: "none"})
    return position, (over, *said)


def _stop(position: Position, at_ns: int, by: Player | None = None, on: Pile | None = None) -> Position:
    """The table when the deal has ended: nothing is due any more."""
    p1, p2 = (replace(side, due=(), has_spat=False, has_called=False) for side in (position.p1, position.p2))
    return replace(position, p1=p1, p2=p2, ended_ns=at_ns, cleared_by=by, ended_on=on)


def _fewest(position: Position) -> Player | Literal["draw"]:
    """R82: the player with the fewest cards left; nobody where they are equal."""
    p1, p2 = position.p1.count, position.p2.count
    return "draw" if p1 == p2 else "p1" if p1 < p2 else "p2"


def _takes_blocked_pile(rules: RuleSet, position: Position) -> Player:
    """R67: the player with more cards left; the starter where they are equal or where the house says so."""
    p1, p2 = position.p1.count, position.p2.count
    starter = position.A.started_by or "p1"
    if rules.one_pile_stuck == "starter_takes" or p1 == p2:
        return starter
    return "p1" if p1 > p2 else "p2"


def award(rules: RuleSet, position: Position, taken: Taken) -> Ended:
    """Each adds what is left to the pile he takes (R57, R66); then comes the next deal (R59), or somebody won (R70)."""
    said = Award(p1=taken["p1"], p2=taken["p2"])
    p1 = position.p1.count + sum(position.middle(pile).count for pile in position.piles_in_use if pile == taken["p1"])
    p1 = min(p1, position.total)  # a card that nobody saw leave its row is counted twice
    p2 = position.total - p1
    if not p1 or not p2:
        winner: Player = "p2" if p1 else "p1"
        return _gathered(position, p1, p2), (said, GameOver(winner=winner))
    deal = next_deal(p1, p2, rules)
    return dealt(position, deal), (said, NextDeal(piles=deal.piles, p1=deal.p1, p2=deal.p2, first=deal.first))


def _gathered(position: Position, p1: int, p2: int) -> Position:
    """The table after the game: every card is in somebody's packet."""
    return Position(
        phase=next_phase(position.phase, Cause.GAME_WON),
        p1=Side(row=(EMPTY,) * len(position.p1.row), packet=p1),
        p2=Side(row=(EMPTY,) * len(position.p2.row), packet=p2),
        total=position.total,
        ended_ns=position.ended_ns,
    )


def dealt(position: Position, deal: Deal) -> Position:
    """The table when `deal` lies in rows whose tops nobody has seen yet."""
    plans = {"p1": deal.p1, "p2": deal.p2}
    p1, p2 = (
        Side(
            row=tuple(Stock(size) for size in plans[player].row),
            packet=plans[player].spit,
            due=deal.first.get(player, ()),
        )
        for player in PLAYERS
    )
    return Position(
        phase=next_phase(position.phase, Cause.NEXT_DEAL),
        p1=p1,
        p2=p2,
        piles=deal.piles,
        total=position.total,
        ended_ns=position.ended_ns,
    )
