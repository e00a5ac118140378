"""Two seeded players at a table: human timing, one hand each, real cards, and breaches at given rates.

`play_game` and `play_deal` return the script of what happened; `demo_script` finds a short deal in which much does.
Every `intent` in it is what the rules make of that movement at the moment of touch, so a script is its own truth.
"""

import heapq
import random
from collections.abc import Callable

import msgspec

from referee.cards import PACK, Card
from referee.script import (
    AnyAction,
    Deal,
    Gather,
    Hover,
    Knock,
    Lay,
    Move,
    Script,
    Slap,
    SpitDown,
    TakeBack,
    TurnUp,
)
from referee.simulated.noise import LIFT_SHARE
from referee.simulated.table import Lying, SimulatedTable, follows
from referee.table import OPPONENT, OTHER_PILE, PILES, PLAYERS, Hand, Pile, Player
from referee.units import MS


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """How the two play: rates are per decision of a player, times in milliseconds."""

    wrong_rank: float = 0.02
    """Lays a card that does not follow: the same rank, two apart, or any other."""
    not_yours: float = 0.004
    not_a_top: float = 0.004
    """Plays a spit card when none is due."""
    two_at_once: float = 0.004
    unused_pile: float = 0.01
    """In a one-pile deal, lays a card on the empty place."""
    early_slap: float = 0.006
    too_soon: float = 0.03
    """Lays a row card before both spit cards lie, once a deal."""
    wrong_pile: float = 0.05
    """Spits on the opponent's pile, per spit call."""
    after_the_end: float = 0.3
    """Lays another card although the deal is over, per deal."""
    on_illegal: float = 0.25
    """Plays on a card that has to go back, where he can."""
    leave_lying: float = 0.08
    call: float = 0.3
    """Presses both own pads when stuck."""
    hover: float = 0.02
    knock: float = 0.01
    turn_first: float = 0.35
    same_slap_pile: float = 0.5
    dead_heat: float = 0.05
    reaction_ms: tuple[int, int] = (250, 900)
    travel_ms: tuple[int, int] = (180, 420)
    both_spit_ms: tuple[int, int] = (0, 300)
    slap_margin_ms: tuple[int, int] = (1, 200)


HONEST = Habits(
    wrong_rank=0, not_yours=0, not_a_top=0, two_at_once=0, unused_pile=0, early_slap=0, too_soon=0, wrong_pile=0,
    after_the_end=0, on_illegal=0, leave_lying=0,
)  # fmt: skip
"""Players who keep to the rules; they still lose races."""


class _Match:
    """A game being played: a queue of moments, the table, and the script so far."""

    def __init__(self, seed: int, habits: Habits, deals: int) -> None:
        self.random = random.Random(seed)
        self.habits = habits
        self.deals_left = deals
        self.now = 0
        self.actions: list[AnyAction] = []
        self.queue: list[tuple[int, int, Callable[[], None]]] = []
        self.count = 0
        self.hands: dict[Player, Hand] = {"p1": "R", "p2": "R" if self.random.random() < 0.8 else "L"}
        self.to_return: dict[Player, list[Lying]] = {"p1": [], "p2": []}
        self.in_air: set[Player] = set()
        self.thoughts: dict[Player, int] = {"p1": 0, "p2": 0}
        self.spitting = False
        pack = list(PACK)
        self.random.shuffle(pack)
        self.packs: dict[Player, list[Card]] = {"p1": pack[:26], "p2": pack[26:]}
        self.table = SimulatedTable.dealt(self.packs)

    # -- time -------------------------------------------------------------------------------------------------------

    def at(self, at_ns: int, do: Callable[[], None]) -> None:
        heapq.heappush(self.queue, (at_ns, self.count, do))
        self.count += 1

    def between(self, span_ms: tuple[int, int]) -> int:
        return round(self.random.uniform(*span_ms) * MS)

    def chance(self, rate: float) -> bool:
        return self.random.random() < rate

    def run(self) -> None:
        self.deal()
        while self.queue:
            self.now, _, do = heapq.heappop(self.queue)
            do()

    def rest(self) -> dict[str, float]:
        """Where a thrown card comes to rest on its pile."""
        gauss = self.random.gauss
        return {"dx_mm": gauss(0, 6), "dy_mm": gauss(0, 6), "angle_deg": gauss(0, 9)}

    # -- deal and spit ----------------------------------------------------------------------------------------------

    def deal(self) -> None:
        self.table = SimulatedTable.dealt(self.packs)
        self.to_return = {"p1": [], "p2": []}
        self.deals_left -= 1
        for player in PLAYERS:
            end = self.now + self.between((2500, 5000))
            row = tuple(tuple(stock.cards) for stock in self.table.rows[player])
            spit = tuple(self.table.spit[player])
            self.actions.append(Deal(at_ns=end, start_ns=self.now, player=player, row=row, spit=spit))
        self.at(self.now + 5000 * MS + self.between((800, 2500)), self.open_deal)

    def open_deal(self) -> None:
        if self.chance(self.habits.too_soon):
            player = self.random.choice(PLAYERS)
            place, card = self.random.choice(self.table.tops(player))
            self.lay(player, player, place, card, self.random.choice(self.table.piles))
            self.at(self.now + 4500 * MS, self.spit_round)
        else:
            self.spit_round()
        for player in PLAYERS:
            self.think(player, self.now + 5200 * MS if self.in_air else self.now + 900 * MS)

    def spit_round(self) -> None:
        """Everyone who has to spit does so, 0 to 300 ms apart; one may choose the wrong pile and put it right."""
        if self.table.phase not in ("await_spit", "play"):
            return
        due = dict(self.table.due)
        first = self.now + self.between((150, 500))
        for n, (player, pile) in enumerate(self.random.sample(list(due.items()), len(due))):
            touch = first + n * self.between(self.habits.both_spit_ms)
            wrong = n == len(due) - 1 and len(self.table.piles) == 2 and self.chance(self.habits.wrong_pile)
            self.spit(player, OTHER_PILE[pile] if wrong else pile, touch)
            if wrong:
                self.at(touch + 3500 * MS, self.spit_round)

    def spit(self, player: Player, pile: Pile, touch_ns: int) -> None:
        start = touch_ns - self.between(self.habits.travel_ms)

        def touch() -> None:
            table = self.table
            self.in_air.discard(player)
            if not table.spit[player]:
                return
            is_due = table.due.get(player) == pile
            if table.phase == "play" and not self.spitting and not any(map(table.can_play, PLAYERS)):
                self.think_soon(player)  # meanwhile nobody can play, so that it would be no breach any more
                return
            reason = "wrong_pile" if player in table.due else "not_a_top_card"
            intent = "legal" if is_due else "deal_is_over" if table.phase in ("slap", "done") else reason
            card = table.spit_down(player, pile, self.now, intent)
            self.actions.append(
                SpitDown(at_ns=self.now, start_ns=start, player=player, pile=pile, card=card,
                         hand=self.hands[player], intent=intent, **self.rest())
            )  # fmt: skip
            self.spitting = self.spitting and bool(table.due)
            self.after_landing(player, pile)

        self.in_air.add(player)
        self.at(touch_ns, touch)

    # -- a player's mind --------------------------------------------------------------------------------------------

    def think(self, player: Player, at_ns: int) -> None:
        """The player decides at this moment, and not at any that was planned before."""
        self.thoughts[player] += 1
        table, thought = self.table, self.thoughts[player]

        def now() -> None:
            if table is self.table and thought == self.thoughts[player]:
                self.decide(player)

        self.at(at_ns, now)

    def think_soon(self, player: Player) -> None:
        self.think(player, self.now + self.between(self.habits.reaction_ms))

    def decide(self, player: Player) -> None:
        if self.table.phase in ("slap", "done"):
            return
        if self.is_held_up(player):
            self.think_soon(player)
        elif not (self.break_a_rule(player) or self.play_on(player)):
            self.wait(player)

    def is_held_up(self, player: Player) -> bool:
        """The hand is busy, a card has to be fetched or awaited, or the deal has not begun."""
        away = any(lying.owner == player for who in PLAYERS for lying in self.to_return[who])
        begun = all(self.table.middle[pile] for pile in self.table.piles)
        return player in self.in_air or bool(self.to_return[player]) or away or not begun

    def play_on(self, player: Player) -> bool:
        """A play, a card to turn up or a useful move, whichever comes to mind first."""
        table, choose = self.table, self.random.choice
        plays = [play for play in table.plays(player) if not self.waits_for(play[2], player)]
        face_down, moves = table.face_down(player), table.useful_moves(player)
        if plays and not (face_down and self.chance(self.habits.turn_first)):
            place, card, pile = choose(plays)
            self.lay(player, player, place, card, pile)
        elif face_down:
            self.turn_up(player, choose(face_down))
        elif moves:
            self.move(player, *choose(moves))
        else:
            return False
        return True

    def waits_for(self, pile: Pile, player: Player) -> bool:
        """A card that has to go back still lies on the pile; most people let it be taken first."""
        pending = [lying for owner in PLAYERS for lying in self.to_return[owner]]
        on_top = any(lying in pending for lying in self.table.middle[pile][-1:])
        last = any(not self.table.cards_left(lying.owner) for lying in pending)
        return on_top and (last or self.chance(0.7))

    def wait(self, player: Player) -> None:
        """Nothing to play: look around, and when nobody can, spit or end the deal."""
        if self.chance(self.habits.hover) and not self.spitting:
            self.hover(player)
        elif self.chance(self.habits.knock):
            self.knock(player)
        quiet = not self.in_air and not any(self.to_return.values())
        if quiet and not self.spitting and self.table.phase == "play" and not any(map(self.table.can_play, PLAYERS)):
            self.stuck()
        self.think_soon(player)

    def stuck(self) -> None:
        self.spitting = True
        table = self.table
        if not any(table.spit.values()):
            self.at(self.now + 1200 * MS, lambda: self.end(None))
            return
        if self.chance(self.habits.call):
            for player in PLAYERS:
                self.call(player, self.now + self.between((700, 1100)))
        table.due = {player: table.own_pile(player) for player in PLAYERS if table.spit[player]}
        self.at(self.now + self.between((1800, 3200)), self.spit_round)

    # -- breaches ---------------------------------------------------------------------------------------------------

    def break_a_rule(self, player: Player) -> bool:
        """One of the breaches, if it comes to mind and the table allows it."""
        if self.table.phase != "play" or self.spitting or self.table.due:
            return False
        habits = self.habits
        tempting: list[tuple[float, Callable[[Player], bool]]] = [
            (habits.wrong_rank, self.lay_a_wrong_rank),
            (habits.not_yours, self.lay_the_opponents_card),
            (habits.not_a_top, self.lay_a_spit_card),
            (habits.two_at_once, self.lay_two_at_once),
            (habits.unused_pile, self.lay_on_an_unused_pile),
            (habits.early_slap, self.slap_early),
            (habits.on_illegal, self.lay_on_an_illegal_card),
        ]
        return any(self.chance(rate) and breach(player) for rate, breach in tempting)

    def lay_a_wrong_rank(self, player: Player) -> bool:
        table, pile = self.table, self.random.choice(self.table.piles)
        top = table.logical_top(pile)
        wrong = [(n, card) for n, card in table.tops(player) if top is not None and not follows(card, top)]
        if not wrong:
            return False
        near = [(n, card) for n, card in wrong if top is not None and self.is_tempting(card, top)]
        self.lay(player, player, *self.random.choice(near or wrong), pile)
        return True

    @staticmethod
    def is_tempting(card: Card, top: Card) -> bool:
        """The same rank, or two apart."""
        return card[:-1] == top[:-1] or any(follows(card, other) and follows(other, top) for other in PACK)

    def lay_the_opponents_card(self, player: Player) -> bool:
        owner = OPPONENT[player]
        if owner in self.in_air or self.table.cards_left(owner) < 2:
            return False
        plays = self.table.plays(owner)
        if plays:
            self.lay(player, owner, *self.random.choice(plays))
        return bool(plays)

    def lay_a_spit_card(self, player: Player) -> bool:
        if not self.table.spit[player] or self.table.face_down(player) or self.spitting:
            return False
        self.spit(player, self.random.choice(self.table.piles), self.now + self.between(self.habits.travel_ms))
        return True

    def lay_two_at_once(self, player: Player) -> bool:
        tops = self.table.tops(player)
        if len(tops) < 2 or self.table.cards_left(player) < 4:
            return False
        pile = self.random.choice(self.table.piles)
        travel = self.between(self.habits.travel_ms)
        for place, card in self.random.sample(tops, 2):
            self.lay(player, player, place, card, pile, travel_ns=travel, intent="two_cards")
        return True

    def lay_on_an_unused_pile(self, player: Player) -> bool:
        tops = self.table.tops(player)
        if len(self.table.piles) == 2 or not tops:
            return False
        self.lay(player, player, *self.random.choice(tops), "B")
        return True

    def lay_on_an_illegal_card(self, player: Player) -> bool:
        pending = self.to_return[OPPONENT[player]]
        illegal = [(pile, on[-1].card) for pile, on in self.table.middle.items() if on and on[-1] in pending]
        plays = [(n, card, pile) for pile, top in illegal if self.table.cards_left(player) > 1
                 for n, card in self.table.tops(player) if follows(card, top)]  # fmt: skip
        if plays:
            self.lay(player, player, *self.random.choice(plays))
        return bool(plays)

    def slap_early(self, player: Player) -> bool:
        start = self.now
        pile = self.random.choice(self.table.piles)
        self.at(self.now + self.between(self.habits.travel_ms), lambda: self.slap(player, pile, start, "false_slap"))
        self.think(player, self.now + 1000 * MS)
        return True

    # -- movements --------------------------------------------------------------------------------------------------

    def lay(self, player: Player, owner: Player, place: int, card: Card, pile: Pile,
            travel_ns: int = 0, intent: str = "") -> None:  # fmt: skip
        """The hand goes out now; what the rules make of it is known at the touch."""
        start, table = self.now, self.table
        self.in_air.add(player)

        def touch() -> None:
            self.in_air.discard(player)
            if table is not self.table or table.rows[owner][place - 1].top != card:
                self.think_soon(player)
                return
            ruling = table.what_the_rules_say(player, owner, card, pile, self.now)
            ruling = intent if intent and ruling != "deal_is_over" else ruling
            table.lay(player, owner, place, pile, self.now, ruling)
            self.actions.append(
                Lay(at_ns=self.now, start_ns=start, player=player, place=place, pile=pile, card=card, intent=ruling,
                    hand=self.hands[player], owner=None if owner == player else owner, **self.rest())
            )  # fmt: skip
            self.after_landing(player, pile)

        self.at(self.now + (travel_ns or self.between(self.habits.travel_ms)), touch)

    def after_landing(self, player: Player, pile: Pile) -> None:
        self.in_air.discard(player)
        table, lying = self.table, self.table.middle[pile][-1]
        if table.phase in ("slap", "done") and lying.intent == "legal":
            self.deal_ended()
        elif not lying.stands:
            must = self.must_go_back(lying)
            if must or not self.chance(self.habits.leave_lying):
                self.to_return[player].append(lying)
                delay = self.between((400, 1600) if must else (400, 3000))
                self.at(self.now + delay, lambda: self.take_back(player, lying))
        self.think_soon(player)

    def must_go_back(self, lying: Lying) -> bool:
        """Cards that the other player insists on, even from under another card; the rest may be left lying."""
        insisted = ("deal_is_over", "wrong_pile", "not_started", "pile_not_in_use", "not_a_top_card", "not_your_card")
        return lying.intent in insisted or not self.table.cards_left(lying.owner)

    def take_back(self, player: Player, lying: Lying) -> None:
        """The hand goes out to fetch the card; a card that was played on meanwhile stays, unless it must go back."""
        start, table = self.now, self.table

        def touch() -> None:
            if lying in self.to_return[player]:
                self.to_return[player].remove(lying)
            pile = next((pile for pile in PILES if lying in table.middle[pile]), None)
            if pile is None or table is not self.table:
                return
            if table.middle[pile][-1] is not lying and not self.must_go_back(lying):
                return
            table.take_back(pile, lying)
            self.actions.append(
                TakeBack(at_ns=self.now, start_ns=start, player=player, place=lying.place, pile=pile, card=lying.card,
                         hand=self.hands[player], owner=None if lying.owner == player else lying.owner)
            )  # fmt: skip

        others = [one for one in self.to_return[player] if one.at_ns > lying.at_ns or one.at_ns == lying.at_ns]
        if player in self.in_air or (len(others) > 1 and others[-1] is not lying):
            self.at(self.now + 300 * MS, lambda: self.take_back(player, lying))
        else:
            travel = self.between((250, 450))
            if self.must_go_back(lying):
                lying.lifted_ns = self.now + round(LIFT_SHARE * travel)
            self.at(self.now + travel, touch)

    def turn_up(self, player: Player, place: int) -> None:
        start, table = self.now, self.table
        self.in_air.add(player)

        def touch() -> None:
            self.in_air.discard(player)
            if table.rows[player][place - 1].cards and not table.rows[player][place - 1].up:
                card = table.turn_up(player, place)
                self.actions.append(TurnUp(at_ns=self.now, start_ns=start, player=player, place=place, card=card,
                                           hand=self.hands[player]))  # fmt: skip
            self.think_soon(player)

        self.at(self.now + self.between((200, 420)), touch)

    def move(self, player: Player, place: int, to_place: int) -> None:
        start, table = self.now, self.table
        self.in_air.add(player)

        def touch() -> None:
            self.in_air.discard(player)
            if table.rows[player][place - 1].top is not None and not table.rows[player][to_place - 1].cards:
                card = table.move(player, place, to_place)
                self.actions.append(Move(at_ns=self.now, start_ns=start, player=player, place=place,
                                         to_place=to_place, card=card, hand=self.hands[player]))  # fmt: skip
            self.think_soon(player)

        self.at(self.now + self.between((280, 500)), touch)

    def hover(self, player: Player) -> None:
        pile, start = self.random.choice(self.table.piles), self.now
        middle = start + self.between(self.habits.travel_ms)
        end = middle + self.between((200, 600))
        self.in_air.add(player)
        self.at(end, lambda: self.in_air.discard(player))
        self.actions.append(Hover(at_ns=middle, start_ns=start, player=player, pile=pile, hand=self.hands[player],
                                  end_ns=end))  # fmt: skip

    def knock(self, player: Player) -> None:
        pile, gauss = self.random.choice(self.table.piles), self.random.gauss
        self.actions.append(Knock(at_ns=self.now + 200 * MS, start_ns=self.now, player=player, pile=pile,
                                  dx_mm=gauss(0, 4), dy_mm=gauss(0, 4), angle_deg=gauss(0, 5)))  # fmt: skip

    # -- end of the deal --------------------------------------------------------------------------------------------

    def slap(self, player: Player, pile: Pile, start_ns: int, intent: str) -> None:
        if intent == "false_slap" and self.table.phase != "play":
            return
        self.actions.append(Slap(at_ns=self.now, start_ns=start_ns, player=player, pile=pile, intent=intent,
                                 hand=self.hands[player], release_ns=self.now + self.between((60, 250))))  # fmt: skip

    def call(self, player: Player, at_ns: int) -> None:
        def press(pile: Pile, hand: Hand) -> None:
            if self.table.phase == "play":
                start, release = self.now - 250 * MS, self.now + self.between((100, 200))
                self.actions.append(Slap(at_ns=self.now, start_ns=start, player=player, pile=pile, hand=hand,
                                         release_ns=release, intent="call"))  # fmt: skip

        self.at(at_ns, lambda: press("A", "L"))
        self.at(at_ns + self.between((5, 110)), lambda: press("B", "R"))

    def end(self, by: Player | None) -> None:
        self.table.end(by)
        self.deal_ended()

    def deal_ended(self) -> None:
        """The loser may still throw a card; then the cards that do not stand go back, and the slap comes."""
        table, loser = self.table, OPPONENT[self.table.ended_by] if self.table.ended_by else None
        if loser and loser not in self.in_air and table.tops(loser) and self.chance(self.habits.after_the_end):
            place, card = self.random.choice(table.tops(loser))
            self.lay(loser, loser, place, card, self.random.choice(table.piles))
        self.at(self.now + 500 * MS, self.when_all_is_back)

    def when_all_is_back(self) -> None:
        if self.in_air or any(self.to_return.values()):
            self.at(self.now + 300 * MS, self.when_all_is_back)
        elif self.table.phase == "slap":
            self.slap_race()
        else:
            taker = self.table.taker_of_the_lone_pile()
            self.at(self.now + 1500 * MS, lambda: self.gather({taker: "A", OPPONENT[taker]: None}))

    def slap_race(self) -> None:
        """Two hands on their way; on one pile within 40 us nobody can say who was first, and they slap again."""
        habits, first = self.habits, self.random.choice(PLAYERS)
        second, touch = OPPONENT[first], self.now + self.between((150, 700))
        smaller = min(PILES, key=lambda pile: len(self.table.middle[pile]))
        pile = smaller if self.chance(0.7) else OTHER_PILE[smaller]
        same = self.chance(habits.same_slap_pile)
        tie = same and self.chance(habits.dead_heat)
        margin = self.random.randint(0, 40_000) if tie else self.between(habits.slap_margin_ms)
        other = pile if same else OTHER_PILE[pile]
        start = self.now
        self.at(touch, lambda: self.slap(first, pile, start, "legal"))
        self.at(touch + margin, lambda: self.slap(second, other, start, "legal"))
        if tie:
            self.at(touch + margin + self.between((1500, 3000)), self.slap_race)
        else:
            takes: dict[Player, Pile | None] = {first: pile, second: OTHER_PILE[pile]}
            self.at(touch + margin + self.between((1200, 2500)), lambda: self.gather(takes))

    def gather(self, takes: dict[Player, Pile | None]) -> None:
        for player, pile in takes.items():
            end = self.now + self.between((800, 1600))
            self.actions.append(Gather(at_ns=end, start_ns=self.now, player=player, pile=pile))
        self.packs = self.table.gather(takes)
        if not all(self.packs.values()) or self.deals_left <= 0:
            return
        for pack in self.packs.values():
            self.random.shuffle(pack)
        self.at(self.now + self.between((3000, 6000)), self.deal)


def play_game(seed: int, habits: Habits | None = None, deals: int = 100) -> Script:
    """A whole game until somebody has no cards, or at most so many deals."""
    match = _Match(seed, habits or Habits(), deals)
    match.run()
    actions = tuple(sorted(match.actions, key=lambda action: action.at_ns))
    return Script(seed=seed, rules="pagat", actions=actions, end_ns=match.now + 2000 * MS)


def play_deal(seed: int, breaches: bool = True) -> Script:
    """The first deal of a game, up to the gathering of the piles; with breaches, more than people usually make."""
    lively = Habits(wrong_rank=0.05, leave_lying=0.0, hover=0.1, dead_heat=0.0)
    return play_game(seed, lively if breaches else HONEST, deals=1)


def demo_script(seed: int, longest_ns: int = 60_000 * MS) -> Script:
    """The first deal from this seed on that shows an illegal play, a stuck table with its spits, and a decided slap."""
    while not _shows_much(script := play_deal(seed)) or script.end_ns > longest_ns:
        seed += 1
    return script


def _shows_much(script: Script) -> bool:
    illegal = any(isinstance(a, Lay) and a.intent not in ("legal", "beaten") for a in script.actions)
    spits = sum(isinstance(a, SpitDown) and a.intent == "legal" for a in script.actions)
    slaps = sum(isinstance(a, Slap) and a.intent == "legal" for a in script.actions)
    return illegal and spits >= 4 and slaps == 2
