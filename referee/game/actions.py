"""What actions have in common: one hand only (R27), the moment a card touched (R51), and that it may be too late."""

from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.game.announcements import BreachSeen
from referee.game.events import Hands
from referee.game.outcome import Burst, Outcome, nothing
from referee.game.phases import Phase
from referee.game.position import Lying, Middle, Position
from referee.game.rulings import Breach, Facts, Illegal
from referee.rules.rule_set import RuleSet
from referee.table import PILES, Hand, Pile, Player, Who
from referee.units import MS


def other_hand(rules: RuleSet, position: Position, who: Who, hand: Hand | None, at_ns: int) -> Illegal | None:
    """The ruling if `who` acts with one hand too soon after the other (R27); None if a hand was not seen."""
    if who == "unknown" or hand is None or rules.hands == "both":
        return None
    side = position.side(who)
    after_ns = at_ns - (side.right_acted_ns if hand == "L" else side.left_acted_ns)
    if after_ns >= rules.hand_change_ms * MS:
        return None
    return Illegal(Breach.TWO_HANDS, who, Facts(after_ns=after_ns, limit=rules.hand_change_ms))


def too_late(rules: RuleSet, position: Position, who: Who, card: Card, pile: Pile, at_ns: int) -> Illegal | None:
    """The ruling on a card that comes down after the deal is over; no blame within the race window (R49).

    After a one-pile deal the next one is announced at once, so there the window is all there is.
    """
    after_ns = at_ns - position.ended_ns
    just_over = after_ns <= rules.race_window_ms * MS
    if position.phase in (Phase.SLAP, Phase.OVER) or (position.phase is Phase.FIRST_SPIT and just_over):
        facts = Facts(card=card, pile=pile, after_ns=after_ns if just_over else None)
        return Illegal(Breach.DEAL_IS_OVER, who, facts, blameless=just_over)
    return None


def remember_hand(position: Position, who: Who, hand: Hand | None, at_ns: int) -> Position:
    """The position in which `hand` has just acted, if it was seen whose and which it is."""
    if who == "unknown" or hand is None:
        return position
    if hand == "L":
        return position.with_side(who, left_acted_ns=at_ns)
    return position.with_side(who, right_acted_ns=at_ns)


def picked_up(rules: RuleSet, position: Position, cards: tuple[Card, ...], who: Who) -> Position:
    """A card that lay on a pile to be taken back and now comes down again lies there no longer."""
    for pile in PILES:
        lying = position.middle(pile).lying
        if lying:
            left = tuple(old for old in lying if old.card not in cards or not _is_same(rules, old, who))
            if len(left) != len(lying):
                position = position.with_middle(pile, lying=left)
    return position


def _is_same(rules: RuleSet, lying: Lying, who: Who) -> bool:
    """Whether it is that card and not its twin in the other player's pack (R72), nor one that was not read."""
    if lying.card == UNREAD:
        return False
    return rules.decks == "shared" or who == lying.who or "unknown" in (who, lying.who)


def touched(middle: Middle, who: Who, at_ns: int) -> tuple[int, int, int]:
    """`Middle.touched_ns` after a card of `who` came down at this moment."""
    p1, p2, unknown = middle.touched_ns
    match who:
        case "p1":
            return at_ns, p2, unknown
        case "p2":
            return p1, at_ns, unknown
        case "unknown":
            return p1, p2, at_ns


def see_hands(rules: RuleSet, position: Position, event: Hands, burst: Burst) -> Outcome:
    """Both hands of a player carrying row cards are a breach (R27), said once; spit cards and a deck do not count."""
    carries_two = event.left == event.right == "card"
    side = position.side(event.player)
    if carries_two == side.carries_two:
        return nothing(position)
    position = position.with_side(event.player, carries_two=carries_two)
    if carries_two and rules.hands == "one" and position.phase in (Phase.PLAY, Phase.SPIT):
        return nothing(position, BreachSeen(reason=Breach.TWO_HANDS, who=event.player))
    return nothing(position)


def changed(position: Position, player: Player | None) -> Position:
    """The position after something was played or moved: who said that he cannot play may now be able to."""
    if not (position.p1.has_called or position.p2.has_called):
        return position
    p1, p2 = (replace(side, has_called=False) for side in (position.p1, position.p2))
    return replace(position, p1=p1, p2=p2)
