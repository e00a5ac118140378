"""Spit cards: the start of a deal (R16), the call, agreement, and who turns a card on which pile (R40 to R46)."""

from operator import itemgetter

from msgspec.structs import replace

from referee.cards import Card
from referee.game.actions import picked_up, too_late, touched
from referee.game.announcements import NotStuck
from referee.game.deal_end import call_spit, spit_onto
from referee.game.events import Call, Spit
from referee.game.landings import cover
from referee.game.outcome import Burst, Outcome, nothing
from referee.game.phases import Cause, Phase
from referee.game.position import Lying, Position
from referee.game.rulings import Breach, Doubt, Facts, Illegal, Legal, Undecided
from referee.rules.rule_set import AGREEMENT_MS, RuleSet
from referee.table import OPPONENT, PILES, PLAYERS, Pile, Player, Who
from referee.units import MS

AGREEMENT_NS = AGREEMENT_MS * MS


def spit(rules: RuleSet, position: Position, event: Spit, burst: Burst) -> Outcome:
    """Judge a spit card. It need not follow; what counts is that it is due, whose it is, and on which pile."""
    position = picked_up(rules, position, (event.card,), event.player)
    late = too_late(rules, position, event.player, event.card, event.pile, event.at_ns)
    if late is not None:
        return _refused(position, event, late)
    doubtful = position.phase is Phase.PLAY and _may_be_stuck(rules, position)
    if position.phase is Phase.PLAY:
        if not doubtful and not _agreed(rules, position, event, burst):
            return _refused(position, event, Illegal(Breach.NOT_STUCK, event.player, Facts(card=event.card)))
        position, _ = call_spit(position, rules, event.at_ns)
        position = _earlier_half(rules, position, event)
    owner = _whose_due(rules, position, event)
    if isinstance(owner, Breach):
        return _refused(position, event, Illegal(owner, event.player, _due_facts(position, event)))
    position = _turn(rules, position, owner, event.pile, event.card, event.player, event.at_ns)
    if doubtful:
        return Undecided(Doubt.UNREAD, event.player, Facts(card=event.card, pile=event.pile)), position, ()
    return Legal(event.player), position, ()


def _may_be_stuck(rules: RuleSet, position: Position) -> bool:
    """Whether spit cards lie ready and nobody is known to be able to play: the players see what was not read (R40)."""
    if rules.spit_when == "called" or not spit_onto(rules, position):
        return False
    return not any(position.can(player, rules) for player in PLAYERS)


def _whose_due(rules: RuleSet, position: Position, event: Spit) -> Player | Breach:
    """The player whose spit this is, or why it is none (R41 to R44, R62)."""
    pile = event.pile
    if event.player == "unknown":
        owing = [player for player in PLAYERS if {pile, "any"} & set(position.side(player).due)]
        return owing[0] if owing else Breach.WRONG_PILE
    side = position.side(event.player)
    if not side.due:
        return Breach.ALREADY_SPAT if side.has_spat else Breach.NOT_YOUR_SPIT
    if pile in side.due or ("any" in side.due and pile in position.piles_in_use):
        return event.player
    if rules.spit_pile == "each_once" and pile in position.side(OPPONENT[event.player]).due:
        return event.player
    return Breach.WRONG_PILE


def _due_facts(position: Position, event: Spit) -> Facts:
    due = () if event.player == "unknown" else position.side(event.player).due
    return Facts(card=event.card, pile=event.pile, expected=" and ".join(due) or None)


def _turn(rules: RuleSet, position: Position, owner: Player, pile: Pile, card: Card, who: Who, at_ns: int) -> Position:
    """The position after a spit card of `owner`; the phase changes with the last one that was due."""
    position = _settle_due(position, owner, pile)
    if rules.setup == "hand_of_five":
        position = position.with_middle(pile, outer=max(0, position.middle(pile).outer - 1))
    else:
        position = position.with_side(owner, packet=max(0, position.side(owner).packet - 1))
    if position.middle(pile).started_by is None:
        position = position.with_middle(pile, started_by=owner)
    position = cover(rules, position, pile, card, who, at_ns)
    if position.due:
        return position
    return position.enter(Cause.PILES_STARTED if position.phase is Phase.FIRST_SPIT else Cause.ALL_SPAT)


def _settle_due(position: Position, owner: Player, pile: Pile) -> Position:
    """The position in which `owner` owes one spit card less. A crossed one leaves his pile to the other (R42)."""
    due = position.side(owner).due
    other = OPPONENT[owner]
    if "any" in due:
        position = replace(position, solo_pile=pile)
        return position.with_side(owner, due=(), has_spat=True)
    if pile not in due:
        position = position.with_side(other, due=due)
        return position.with_side(owner, due=(), has_spat=True)
    return position.with_side(owner, due=tuple(left for left in due if left != pile), has_spat=True)


def _refused(position: Position, event: Spit, ruling: Illegal) -> Outcome:
    """The card has to go back to its packet."""
    middle = position.middle(event.pile)
    lying = (*middle.lying, Lying(event.card, ruling.who, ruling.reason, event.at_ns))
    touched_ns = touched(middle, event.player, event.at_ns)
    return ruling, position.with_middle(event.pile, lying=lying, touched_ns=touched_ns), ()


def _agreed(rules: RuleSet, position: Position, event: Spit, burst: Burst) -> bool:
    """Whether another spit card comes or came within a second, by the other player (R46)."""
    if rules.spit_when == "stuck" or not all(player in spit_onto(rules, position) for player in PLAYERS):
        return False
    return _earlier_spit(position, event) is not None or any(
        isinstance(other, Spit)
        and other is not event
        and _two_players(other.player, event.player)
        and 0 <= other.at_ns - event.at_ns <= AGREEMENT_NS
        for other in burst
    )


def _two_players(one: Who, other: Who) -> bool:
    return one != other or one == "unknown"


def _earlier_spit(position: Position, event: Spit) -> tuple[Pile, Lying] | None:
    """The other player's spit card that was refused less than a second ago and still lies there; if there are several,
    one on his own pile, and the last of those."""
    early = [
        (lying.who != "unknown" and pile == position.own_pile(lying.who), lying.at_ns, (pile, lying))
        for pile, lying in position.must_go_back
        if lying.reason is Breach.NOT_STUCK
        and 0 <= event.at_ns - lying.at_ns <= AGREEMENT_NS
        and _two_players(lying.who, event.player)
    ]
    return max(early, key=itemgetter(0, 1))[2] if early else None


def _earlier_half(rules: RuleSet, position: Position, event: Spit) -> Position:
    """The position in which the first card of a silent agreement counts, now that the second has come."""
    earlier = _earlier_spit(position, event)
    if earlier is None:
        return position
    pile, lying = earlier
    left = tuple(other for other in position.middle(pile).lying if other is not lying)
    position = position.with_middle(pile, lying=left)
    first = Spit(at_ns=lying.at_ns, player=lying.who, pile=pile, card=lying.card)
    owner = _whose_due(rules, position, first)
    if isinstance(owner, Breach):
        return position.with_middle(pile, lying=(*left, lying))
    return _turn(rules, position, owner, pile, lying.card, lying.who, lying.at_ns)


def call(rules: RuleSet, position: Position, event: Call, burst: Burst) -> Outcome:
    """A player, or both, says that he cannot play. One alone changes nothing; both are answered."""
    if position.phase is not Phase.PLAY:
        return nothing(position)
    for player in PLAYERS:
        if event.player in (player, "both"):
            position = position.with_side(player, has_called=True)
    if not (position.p1.has_called and position.p2.has_called):
        return nothing(position)
    p1, p2 = (replace(side, has_called=False) for side in (position.p1, position.p2))
    position = replace(position, p1=p1, p2=p2)
    able = tuple(player for player in PLAYERS if position.can(player, rules))
    if rules.spit_when == "stuck" and able:
        return nothing(position, NotStuck(who=able))
    if rules.setup == "hand_of_five" and not spit_onto(rules, position):
        position = _outer_stacks_renewed(position)
    if not spit_onto(rules, position) and (able or rules.setup == "hand_of_five"):
        return nothing(position)  # they do not want to play, but have nothing to spit with
    position, said = call_spit(position, rules, event.at_ns)
    return nothing(position, *said)


def _outer_stacks_renewed(position: Position) -> Position:
    """Speed with both outer stacks used up: what lies under the tops is shuffled and becomes the new ones (C20)."""
    for pile in PILES:
        middle = position.middle(pile)
        position = position.with_middle(pile, outer=max(0, middle.count - 1), count=min(1, middle.count), covers=())
    return replace(position, seen=0)
