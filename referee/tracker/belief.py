"""What the tracker believes: possible worlds, what was last seen where, and the landings that are not settled."""

from collections.abc import Iterable, Mapping
from operator import is_
from typing import Self

import msgspec
from msgspec.structs import replace as changed

from referee.cards import UNREAD, Card
from referee.game.position import Position
from referee.observations import (
    CardLanded,
    CardOdds,
    Correction,
    HandsSeen,
    PileRead,
)
from referee.rules.rule_set import RuleSet
from referee.table import PILES, PLAYERS, Pile, Player, Who
from referee.tracker import evidence
from referee.tracker.layout import Layout
from referee.tracker.rows import LONG_AGO, RowView
from referee.tracker.worlds import (
    Claim,
    World,
    has_more_than,
    pruned,
    reweighed,
)
from referee.units import MS

NOT_YET = 2**62
"""A moment after everything."""
AT_ONCE = LONG_AGO
NOT_STUCK_AFTER_ALL = 3e-4
"""How often a spit card shows that nobody could play although a top seemed to lie there to be turned up."""
OPEN_STUCK = 0.2
"""How often nobody can play where it hangs on a top that was not read."""
NOBODY_EXPECTED = 5e-3
"""Where a landing has a likelier explanation than this, no unexpected spit is thought of."""
QUIET_NS = 4000 * MS
"""So long nobody is blamed after the thread was lost or found again."""
FITS = frozenset(("not_adjacent", "same_colour"))
"""Reasons that rest on the card alone: it must have been seen in its row, and seen to be gone from there."""
COUNTED = frozenset(
    ("deal_is_over", "not_started", "wrong_pile", "pile_not_in_use", "not_your_spit", "already_spat", "not_stuck")
)
"""Reasons that rest on arithmetic: on how many cards somebody has left."""
BUILT_ON = 4
BUILT_ON_NS = 3500 * MS
"""So many refused cards must follow one another, the first lying so long, before the players are believed."""
UNCLEAR_PILE = 3
"""Over a pile with so many cards that nobody takes back, the top may be another than it seems."""
MISCOUNTED = 0.01
MISCOUNTED_SELDOM = 0.001
"""How often a player has a spit card left who seemed to have none, or the other way, after a deal with doubts and in
others."""
MISSED = 0.003
"""Share of landings that nobody reports."""
JITTER_NS = 40 * MS
"""A look so close to a landing may show the pile before or after it."""
RACE_ENDS_NS = 100 * MS
"""So much more than the race window may lie between two touches as they are reported."""
REPORT_NS = 1000 * MS
"""A landing is reported at most so long after its touch; what was seen earlier and not reported was missed."""
UNHEARD_OF = -18.5
LOST_NS = 3000 * MS
"""Logarithm of the likelihood under which a landing fits no world, and how long nobody is blamed then."""
ON_ITS_WAY_NS = 120 * MS
"""A card that comes down so soon after the one under it was taken off was on its way to that one: no hand swerves
sooner after what it aims at has moved (Saunders and Knill 2003 measured 117 ms)."""
UNREPORTED_NS = 1000 * MS
"""The touch of an unreported card is only known to lie between two looks at its pile."""
COUNTED_BUT_TAKEN = 0.003
"""How often a card that is taken off a pile counts by what is thought of it."""
FROM_UNDER = 0.1
"""How often a card is taken from under others, rather than the uppermost."""
PUT_BACK_NS = 1000 * MS
"""A card that was taken off a pile is seen in its row again after so long."""
NAME_NS = 300 * MS
"""So long a landing that is legal whichever card it was waits for its name."""
NAMED = 0.9
"""Share of the reason that is named, among all that somebody may be blamed for."""
SURE = 0.9995
"""Share of the likeliest world over which the others do not matter for anything but blame."""


class Caution(msgspec.Struct, frozen=True, kw_only=True):
    """When the tracker speaks. One false accusation in a thousand games is one in some 30 000: so much doubt may be
    left on the average. Nearly all accusations leave far less, so those that must be made now may leave more."""

    blame: float = 1 - 3e-5
    """Share of the worlds that must agree before somebody is blamed at once."""
    blame_late: float = 1 - 6e-4
    late_ms: int = 1400
    """The same when the looks since the touch will not decide much more, and when that is."""
    no_blame: float = 0.98
    """The same for rulings that blame nobody."""
    wait_ms: int = 1900
    """So long after the touch it is told that the play cannot be judged."""
    still_ms: int = 300
    """The table must have been still so long before it is called stuck."""


class OpenLanding(msgspec.Struct):
    """A landing that is not settled yet."""

    landing: CardLanded
    onto: Card | None
    """What its pile was last seen to show."""
    onto_refused: bool = False
    """Whether cards lay there that were refused because no pile lies there."""
    onto_unread: bool = False
    """Whether the card that lay there may well be one that was not read: it may be built on that in good faith."""
    onto_any: tuple[Card, ...] = ()
    """The refused cards of which each may have lain uppermost there."""
    unseen: int = 0
    """How many landings that nobody reported were thought of before, as a negative number."""
    taken: "CardTaken | None" = None
    """The card that was taken off its pile last before."""
    told: Claim | None = None
    is_told: bool = False


class Touch(msgspec.Struct, frozen=True, gc=False):
    """A card came down: the number of its report, where, when, and whose it turned out to be, once that is known."""

    n: int
    at_ns: int
    earliest_ns: int
    latest_ns: int
    pile: Pile
    player: Who | None = None


class CardTaken(msgspec.Struct, frozen=True, gc=False):
    """A card was taken off a pile at this moment."""

    card: Card
    at_ns: int


class Readings(msgspec.Struct, frozen=True, gc=False):
    """The readings of a card on a pile: all together, and the first one, whose error the others may share. Later ones
    that are clearly of the same card change nothing of what it is, and are merged when somebody asks how sure it is."""

    odds: CardOdds
    first: CardOdds
    later: tuple[CardOdds, ...] = ()

    @property
    def card(self) -> Card | None:
        """The likeliest card."""
        return evidence.best_card(self.odds)

    @property
    def together(self) -> CardOdds:
        """All readings together."""
        odds = self.odds
        for later in self.later:
            odds = evidence.merged(odds, later, self.first)
        return odds

    def read_again(self, odds: CardOdds) -> "Readings":
        """The readings with one more."""
        card = self.card
        if card is not None and self.first and odds.get(card, 0.0) > 0.5 and self.odds[card] > 0.5:
            return Readings(self.odds, self.first, (*self.later, odds))
        return Readings(evidence.merged(self.together, odds, self.first), self.first or odds)


class PileView(msgspec.Struct):
    """What a middle pile was last seen to show."""

    stack: tuple[Readings, ...] = ()
    """The cards that came down of late, the uppermost last."""
    seen_ns: int = LONG_AGO
    strange: tuple[PileRead, ...] = ()
    """Looks that no world explains: misread, or ahead of the report of a landing."""
    shown: Card | None = None
    """What the last look at it read."""
    empty_looks: int = 0
    was_empty: bool = False
    """Whether it was seen to be empty in this deal."""
    taken: CardTaken | None = None
    """The card that was taken off last."""
    doubted_ns: int = LONG_AGO
    """When a card was taken off that had seemed to count: nobody is blamed for what lies on it or follows closely."""
    unjudged: Card | None = None
    """The card that came down last on one that was not read, so that nobody can tell whether it counts."""
    is_old: bool = False
    """It still shows the cards of the deal before."""
    changed_ns: int = LONG_AGO

    def copy(self) -> "PileView":
        return changed(self)

    def odds_of(self, card: Card) -> CardOdds:
        """All readings together of the uppermost card that was read as this one."""
        return next((one.together for one in reversed(self.stack) if one.card == card), {})

    @property
    def first(self) -> CardOdds:
        """The first reading of the uppermost card; none if it was not read yet."""
        return self.stack[-1].first if self.stack else {}

    def may_come_again(self, odds: CardOdds) -> bool:
        """Whether a reading may well be the first of the uppermost card come again, error and all: it tells nothing."""
        return evidence.shared_error(odds, self.first) >= evidence.SHARED_ERROR

    def read_again(self, odds: CardOdds) -> None:
        """The uppermost card was read once more."""
        if self.stack:
            self.stack = (*self.stack[:-1], self.stack[-1].read_again(odds))

    def under(self, card: Card) -> Card:
        """The card that lies under the uppermost one that was read as this one; unread if it came down long ago."""
        for upper, lower in zip(reversed(self.stack), reversed(self.stack[:-1]), strict=False):
            if upper.card == card:
                return lower.card or UNREAD
        return UNREAD

    def put(self, odds: CardOdds, first: CardOdds) -> None:
        """A card came down; `odds` are its own first reading and what else is known of it. One that a look had already
        told of lies there only once."""
        card = evidence.best_card(odds)
        is_known = card is not None and self.stack and self.stack[-1].card == card
        self.stack = (*(self.stack[:-1] if is_known else self.stack[-5:]), Readings(odds, first))

    def take(self, odds: CardOdds) -> None:
        """A card was taken off."""
        if self.stack:
            fits = [evidence.card_likelihood(lying.together, card) if (card := evidence.best_card(odds)) else 0.0
                    for lying in self.stack]  # fmt: skip
            taken = max(range(len(fits)), key=lambda n: (fits[n], n))
            self.stack = self.stack[:taken] + self.stack[taken + 1 :]


class Belief(msgspec.Struct, eq=False):
    """The state of a game as far as it is known."""

    rules: RuleSet
    caution: Caution
    worlds: tuple[World, ...]
    layout: Layout
    counts_known: bool = True
    counts_doubtful: bool = False
    """Whether something in this game was not seen that may have changed a player's count."""
    rows: dict[Player, RowView] = msgspec.field(default_factory=lambda: {player: RowView() for player in PLAYERS})
    piles: dict[Pile, PileView] = msgspec.field(default_factory=lambda: {pile: PileView() for pile in PILES})
    open: dict[int, OpenLanding] = {}
    now_ns: int = LONG_AGO
    due_ns: int = AT_ONCE
    """When there may be something to say next, if nothing new is seen until then; whatever is new makes it now."""
    hands_ns: int = LONG_AGO
    """Since when no hand is over the table; far in the future while there is one."""
    in_view: list[HandsSeen] = []
    moved_ns: int = LONG_AGO
    """The last landing, taking back or change in a row."""
    quiet_until_ns: int = LONG_AGO
    """Nobody is blamed for what happens before this moment: the thread was lost just now."""
    not_stuck: Position | None = None
    """The position that was last found not to be stuck."""
    lost: int = 0
    """Landings since the thread was lost; 0 while it is held."""
    landed: list[Touch] = []
    """The last few landings."""
    ended: World | None = None
    """The table as it lay when the deal was over and its piles were taken, until a card of the next one lands."""
    takers: Mapping[Pile, Player] = {}
    phase: str = ""
    lost_sensors: frozenset[str] = frozenset()
    apart: tuple[World, ...] = ()
    """The worlds, if no two of them lie alike."""
    unseen: int = 0
    """Counts landings that nobody reported, as negative numbers."""
    agreed: Mapping[int, Correction] = {}
    """What people agreed on about landings, by their numbers: it outweighs everything that was seen."""

    def copy(self) -> Self:
        rows, piles = self.rows, self.piles
        return changed(
            self,
            layout=self.layout.copy(),
            rows={"p1": rows["p1"].copy(), "p2": rows["p2"].copy()},
            piles={"A": piles["A"].copy(), "B": piles["B"].copy()},
            open={n: changed(one) for n, one in self.open.items()} if self.open else {},
        )

    @property
    def position(self) -> Position:
        """The table in the likeliest world."""
        return self.worlds[0].position

    def top(self, pile: Pile) -> Card | None:
        """The card that lies on top of a pile in the likeliest world, whether it stands or not."""
        return self.worlds[0].position.middle(pile).physical_top

    def become(self, worlds: Iterable[World]) -> None:
        """These are the worlds from now on; if they are the same as before, nothing is new."""
        worlds, before = tuple(worlds), self.worlds
        if before is not self.apart or len(worlds) != len(before) or not all(map(is_, worlds, before)):
            self.worlds = self.apart = pruned(worlds)
            self.due_ns = AT_ONCE

    def weigh(self, likelihoods: list[float]) -> None:
        """A look fits each of the worlds so well; one that fits all alike tells nothing."""
        if likelihoods.count(likelihoods[0]) == len(likelihoods) and self.worlds is self.apart:
            return
        if self.worlds is self.apart:
            self.worlds = self.apart = reweighed(self.worlds, likelihoods)
            self.due_ns = AT_ONCE
        else:
            self.become([world.weighed(fits) for world, fits in zip(self.worlds, likelihoods, strict=True)])

    def forget_races(self, at_ns: int) -> None:
        """Worlds that differ only in what a card that lands from now on may have been beaten by become one."""
        if len(self.worlds) > 1:
            before_ns = at_ns - self.rules.race_window_ms * MS - RACE_ENDS_NS
            self.become([world.without_races(before_ns) for world in self.worlds])

    def is_quiet(self, at_ns: int, *piles: Pile) -> bool:
        """Whether nobody is blamed for what happened on one of these piles at this moment."""
        if at_ns < self.quiet_until_ns:
            return True
        return any(abs(at_ns - self.piles[pile].doubted_ns) < QUIET_NS for pile in piles)

    def is_sure(self) -> bool:
        """Whether one understanding of the game outweighs all others."""
        return has_more_than(SURE, self.worlds)

    def waits_for_a_landing(self) -> bool:
        """Whether a landing is not judged yet."""
        return bool(self.open) and not all(one.is_told for one in self.open.values())

    def is_in_doubt(self, before_ns: int) -> bool:
        """Whether a landing before this moment is not judged yet."""
        return any(not one.is_told and one.landing.at_ns <= before_ns + 100 * MS for one in self.open.values())
