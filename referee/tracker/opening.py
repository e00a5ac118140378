"""Where to begin: from the first settled picture, if nobody says what lies on the table."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from referee.cards import UNREAD, Card
from referee.game.deal_end import dealt
from referee.game.phases import Phase
from referee.game.position import Middle, Position, Side, seen_bits
from referee.observations import AnyObservation, CardLanded, PileRead, RowRead
from referee.rules.deals import OWN_PILE, full_row, next_deal
from referee.rules.rows import EMPTY, Row, Stock
from referee.rules.rule_set import RuleSet
from referee.table import PILES, PLAYERS, Pile, Player
from referee.tracker.evidence import best_card, kind_of


class Opening(msgspec.Struct, eq=False):
    """The first looks at the table, until they make a picture of it."""

    piles: Mapping[Pile, PileRead] = {}
    rows: Mapping[Player, RowRead] = {}

    def copy(self) -> "Opening":
        return replace(self)

    def see(self, seen: AnyObservation) -> bool:
        """Take something in; True if it is enough to begin with: all piles and rows, or a card in the air."""
        match seen:
            case PileRead(pile=pile):
                self.piles = {**self.piles, pile: seen}
            case RowRead(player=player):
                self.rows = {**self.rows, player: seen}
            case CardLanded():
                return True
            case _:
                pass
        return len(self.piles) == len(PILES) and len(self.rows) == len(PLAYERS)

    def in_play(self) -> bool:
        """Whether a middle pile shows a card: then the deal has begun."""
        return any(look.empty < 0.5 and look.cards for look in self.piles.values())

    def position(self, rules: RuleSet) -> Position:
        """The table as it was seen. In play the hidden counts are only guessed; before the spit they follow from R7."""
        if not self.in_play():
            return new_game(rules)
        tops = {pile: best_card(look.cards) for pile, look in self.piles.items() if look.empty < 0.5}
        piles = {pile: _middle(pile, top or UNREAD) for pile, top in tops.items()}
        sides = {player: Side(row=self._row(rules, player), packet=1) for player in PLAYERS}
        return Position(
            phase=Phase.PLAY, p1=sides["p1"], p2=sides["p2"], A=piles.get("A", Middle()), B=piles.get("B", Middle()),
            piles=2 if len(piles) == 2 or "A" not in piles else 1,
            seen=seen_bits(card for card in tops.values() if card is not None),
        )  # fmt: skip

    def _row(self, rules: RuleSet, player: Player) -> Row:
        sizes = full_row(rules) or (1, 2, 3, 4, 5)
        if player not in self.rows:
            return tuple(Stock(size - 1, (UNREAD,)) for size in sizes)
        return tuple(_stock(size, *kind_of(seen)) for size, seen in zip(sizes, self.rows[player].places, strict=False))


def _stock(size: int, kind: str, card: Card | None) -> Stock:
    match kind:
        case "face":
            return Stock(size - 1, (card or UNREAD,))
        case "down":
            return Stock(size)
        case "empty":
            return EMPTY
        case _:
            return Stock(size - 1, (UNREAD,))


def _middle(pile: Pile, top: Card) -> Middle:
    starter: Player = "p1" if OWN_PILE["p1"] == pile else "p2"
    return Middle(top=top, count=1, started_by=starter)


def new_game(rules: RuleSet) -> Position:
    """The table before the first deal is laid out: half the pack each (R7), or a pack each (R72)."""
    total = 104 if rules.decks == "own" else 52
    deal = next_deal(total // 2, total // 2, rules)
    empty = Position(phase=Phase.SLAP, p1=Side(), p2=Side(), total=total)
    return dealt(empty, deal)
