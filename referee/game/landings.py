"""A card comes down on a middle pile (R20 to R32), and a card is taken off again (R29, R32)."""

from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.game.actions import changed, other_hand, picked_up, remember_hand, too_late, touched
from referee.game.deal_end import cleared, has_cleared
from referee.game.events import Land, TakeBack
from referee.game.outcome import Burst, Outcome, Said, ignored, nothing
from referee.game.phases import Phase
from referee.game.position import Cover, Lying, Middle, Position, Source, Unread, holder
from referee.game.readings import misfit, put_back_unread, told
from referee.game.rulings import Breach, Doubt, Facts, Illegal, Legal, Undecided
from referee.game.sources import take, trace, unread_source
from referee.rules.legality import follows
from referee.rules.rows import count_cards
from referee.rules.rule_set import RuleSet
from referee.table import Pile, Who
from referee.units import MS


def land(rules: RuleSet, position: Position, event: Land, burst: Burst) -> Outcome:
    """Judge a landing. A card counts from its first touch (R29); beside the pile it is not played."""
    if not event.touched:
        return ignored(position)
    who = event.player if event.player != "unknown" else _whose(position, event)
    two_hands = None
    if event.hand is not None:
        two_hands = other_hand(rules, position, who, event.hand, event.at_ns)
        position = remember_hand(position, who, event.hand, event.at_ns)
    if position.A.lying or position.B.lying:
        position = picked_up(rules, position, event.cards, who)
    late = _why_not_now(rules, position, event, who)
    if late is not None and not _stands_beside_the_last(rules, position, event, who):
        return _refused(position, event, late)
    if len(event.cards) > 1:
        return _refused(position, event, Illegal(Breach.TWO_CARDS, who, Facts(count=len(event.cards), limit=1)))
    if two_hands is not None:
        return _refused(position, event, two_hands)
    if not event.order_known and _rival_on_same_pile(event, burst):
        return _refused(position, event, Undecided(Doubt.ORDER_UNKNOWN, who, Facts(card=event.card, pile=event.pile)))
    if event.card == UNREAD:
        return _unread(rules, position, event, who)
    return _judge_card(rules, position, event, who, late is not None)


def _whose(position: Position, event: Land) -> Who:
    """Who played: the hand that was seen, else the only row that shows the card, or one of several cards."""
    if len(event.cards) < 2:
        return holder(position, event.card, event.player)
    whose = {holder(position, card, event.player) for card in event.cards} - {"unknown"}
    return whose.pop() if len(whose) == 1 else "unknown"


def _why_not_now(rules: RuleSet, position: Position, event: Land, who: Who) -> Illegal | None:
    """The ruling if no card may be played on this pile in this phase."""
    phase, pile = position.phase, event.pile
    is_on_table = position.B.top is not None and position.piles == 2 if pile == "B" else position.A.top is not None
    if is_on_table and (phase is Phase.PLAY or phase is Phase.SPIT):
        return None
    late = too_late(rules, position, who, event.card, pile, event.at_ns)
    if late is not None:
        return late
    unused = phase is not Phase.FIRST_SPIT and pile not in position.piles_in_use
    return Illegal(Breach.PILE_NOT_IN_USE if unused else Breach.NOT_STARTED, who, Facts(card=event.card, pile=pile))


def _stands_beside_the_last(rules: RuleSet, position: Position, event: Land, who: Who) -> bool:
    """Whether this is a last card that cannot be ordered against the one that cleared on the other pile."""
    if position.phase is not Phase.SLAP or who == "unknown" or who == position.cleared_by:
        return False
    top = position.middle(event.pile).top
    if position.cleared_by is None or event.pile == position.ended_on or len(event.cards) > 1 or top is None:
        return False
    together = event.at_ns == position.ended_ns or not event.order_known
    is_last = count_cards(position.side(who).row) == 1
    return together and is_last and follows(event.card, top, rules)


def _rival_on_same_pile(event: Land, burst: Burst) -> bool:
    """Whether the card it cannot be ordered against lies on the same pile, as far as the burst shows."""
    rivals = [other for other in burst if isinstance(other, Land) and other is not event and not other.order_known]
    return not rivals or any(other.pile == event.pile for other in rivals)


def _unread(rules: RuleSet, position: Position, event: Land, who: Who) -> Outcome:
    """A card that was not read stays and counts; the pile's top is unknown (R6)."""
    middle = position.middle(event.pile)
    source = unread_source(rules, position, who, event.from_place)
    position = _count_card(rules, position, event, who, source)
    known = middle.top is not None and middle.top != UNREAD
    unread = Unread(who, middle.top, source) if middle.top and known else None
    position = _may_be_over(rules, position.with_middle(event.pile, unread=unread), source, event.pile)
    return Undecided(Doubt.UNREAD, who, Facts(pile=event.pile)), position, ()


def _may_be_over(rules: RuleSet, position: Position, source: Source, pile: Pile) -> Position:
    """The position after a card that counts and is not judged yet: if it was the last, the deal hangs on it (R49)."""
    is_last = source.player is not None and has_cleared(rules, position.side(source.player))
    return replace(position, ended_on=pile) if is_last else position


def _judge_card(rules: RuleSet, position: Position, event: Land, who: Who, beside_the_last: bool) -> Outcome:
    """Judge a card that was read and may be played now."""
    card, pile = event.card, event.pile
    source = trace(rules, position, who, card, event.from_place)
    if isinstance(source, Doubt):
        touched_ns = touched(position.middle(pile), who, event.at_ns)
        position = position.with_middle(pile, touched_ns=touched_ns)
        return Undecided(source, who, Facts(card=card, pile=pile)), position, ()
    if isinstance(source, Breach):
        return _refused(position, event, Illegal(source, who, Facts(card=card, pile=pile)))
    middle = position.middle(pile)
    if middle.top == UNREAD:
        position = _may_be_over(rules, _count_card(rules, position, event, who, source), source, pile)
        return Undecided(Doubt.UNREAD_TOP, who, Facts(card=card, pile=pile)), position, ()
    assert middle.top is not None  # _why_not_now refused a pile that is not started
    if not follows(card, middle.top, rules):
        return _refused(position, event, _misfit(rules, middle, event, who))
    position = _count_card(rules, position, event, who, source)
    player = source.player
    if player is None or not has_cleared(rules, position.side(player)):
        return Legal(who), position, ()
    if beside_the_last:
        return Legal(who), replace(position, cleared_by=None), ()
    position, said = cleared(rules, position, player, pile, event.at_ns)
    return Legal(who), position, said


def _misfit(rules: RuleSet, middle: Middle, event: Land, who: Who) -> Illegal | Undecided:
    """The ruling on a card that does not follow the logical top: a fault (R22, R71), or none (R30, R31)."""
    card, pile, top = event.card, event.pile, middle.top or UNREAD
    beaten_by = _beaten_by(rules, middle, event, who) if middle.covers else None
    if beaten_by is not None and beaten_by.top == UNREAD:
        return Undecided(Doubt.UNREAD_TOP, who, Facts(card=card, pile=pile))
    if beaten_by is not None:
        facts = Facts(card=card, other=beaten_by.top, pile=pile, after_ns=event.at_ns - beaten_by.at_ns)
        return Illegal(Breach.BEATEN, who, facts, blameless=True)
    good_faith = middle.physical_top
    if good_faith is not None and good_faith != top and follows(card, good_faith, rules):
        facts = Facts(card=card, other=good_faith, pile=pile)
        return Illegal(Breach.ON_ILLEGAL_CARD, who, facts, blameless=True)
    return misfit(rules, card, top, pile, who)


def _beaten_by(rules: RuleSet, middle: Middle, event: Land, who: Who) -> Cover | None:
    """The opponent's card that covered, within the race window, a top on which this card would, or (unread) may, have
    been legal (R31).

    A player who has played on the pile himself since has seen what lay there: he raced nobody.
    """
    for cover in reversed(middle.covers):
        is_own = cover.by == who and who != "unknown"
        if is_own or event.at_ns - cover.at_ns > rules.race_window_ms * MS:
            return None
        if cover.top == UNREAD or follows(event.card, cover.top, rules):
            return cover
    return None


def _refused(position: Position, event: Land, ruling: Illegal | Undecided) -> Outcome:
    """The cards have to go back; by the rules they still belong to their row."""
    reason = ruling.reason if isinstance(ruling, Illegal) else None
    lying = tuple([Lying(card, ruling.who, reason, event.at_ns) for card in event.cards])
    middle = position.middle(event.pile)
    touched_ns = touched(middle, ruling.who, event.at_ns)
    refused = replace(middle, lying=middle.lying + lying, touched_ns=touched_ns)
    return ruling, position.put(event.pile, refused), ()


def agreed(rules: RuleSet, position: Position, event: Land, *, counts: bool) -> tuple[Position, Said]:
    """The position after a landing that the players ruled themselves, and what follows from it."""
    who, pile = _whose(position, event), event.pile
    if not counts:
        lying = tuple(Lying(card, who, None, event.at_ns) for card in event.cards)
        return position.with_middle(pile, lying=position.middle(pile).lying + lying), ()
    found = trace(rules, position, who, event.card, event.from_place)
    source = found if isinstance(found, Source) else Source(None if who == "unknown" else who, "astray")
    position = _count_card(rules, position, event, who, source)
    player = source.player
    if player is None or position.phase is not Phase.PLAY or not has_cleared(rules, position.side(player)):
        return position, ()
    return cleared(rules, position, player, pile, event.at_ns)


def _count_card(rules: RuleSet, position: Position, event: Land, who: Who, source: Source) -> Position:
    """The position after a card that counts: it leaves its source and is the logical top."""
    position = changed(take(position, source), source.player)
    return cover(rules, position, event.pile, event.card, who, event.at_ns)


def cover(rules: RuleSet, position: Position, pile: Pile, card: Card, who: Who, at_ns: int) -> Position:
    """The position with `card` as the logical top of `pile`, and the old top remembered for whoever aimed at it."""
    middle = position.middle(pile)
    covers = middle.covers
    if middle.top is not None:
        oldest_ns = at_ns - rules.race_window_ms * MS
        covers = (*[old for old in covers if old.at_ns >= oldest_ns], Cover(middle.top, who, at_ns))
    middle = replace(
        middle,
        top=card,
        count=middle.count + 1,
        covers=covers,
        unread=None if card == UNREAD else _still_unread(middle),
        lying=tuple([replace(old, buried=True) for old in middle.lying]) if middle.lying else (),
        touched_ns=touched(middle, who, at_ns),
    )
    seen = position.with_seen(card)
    return replace(position, A=middle, seen=seen) if pile == "A" else replace(position, B=middle, seen=seen)


def _still_unread(middle: Middle) -> Unread | None:
    """The unread card of a pile that is covered now: a picture can still tell it."""
    if middle.top != UNREAD or middle.unread is not None:
        return middle.unread
    return Unread("unknown", None, Source(None, "astray"))


def take_back(rules: RuleSet, position: Position, event: TakeBack, burst: Burst) -> Outcome:
    """A card is taken off: one that had to go back is nothing to rule, a card that counts was played (R29)."""
    middle = position.middle(event.pile)
    due = _due_back(rules, middle, event)
    if due is not None:
        left = tuple(lying for lying in middle.lying if lying is not due)
        return nothing(position.with_middle(event.pile, lying=left))
    said: Said = ()
    if middle.top == UNREAD and middle.unread is not None:
        under = middle.unread.under
        if under is None or not follows(event.card, under, rules):
            return nothing(put_back_unread(position, event.pile, event.card))
        position, said = told(rules, position, event.pile, event.card, event.at_ns)
    if position.middle(event.pile).top == event.card != UNREAD:
        return Illegal(Breach.CARD_WAS_PLAYED, event.player, Facts(card=event.card, pile=event.pile)), position, said
    return nothing(position, *said)


def _due_back(rules: RuleSet, middle: Middle, event: TakeBack) -> Lying | None:
    """The lying card that was taken: the uppermost that fits what was seen; the player tells twins apart (R72)."""
    for lying in reversed(middle.lying):
        same_card = event.card in (lying.card, UNREAD)
        same_player = rules.decks == "shared" or event.player in (lying.who, "unknown") or lying.who == "unknown"
        if same_card and same_player:
            return lying
    return None
