"""A rule set in plain sentences that two players can agree on before the game, generated from its data.

Every clause carries the numbers of its rules. Clauses hang on the value of an option, so a house rule changes exactly
the sentences it is about.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from referee.cards import PACK, PACK_WITH_JOKERS
from referee.rules.deals import HAND_SIZE, full_row
from referee.rules.rule_set import AGREEMENT_MS, RuleSet


class Clause(msgspec.Struct, frozen=True):
    """One sentence of an agreement."""

    chapter: str
    rules: str
    """The rules it states, as `R22` or `R22, R25`."""
    sentence: str


def describe(rules: RuleSet) -> tuple[Clause, ...]:
    """Return the whole rule set as clauses, in the order in which a game goes."""
    chapters = (
        ("The deal", _deal(rules)),
        ("The start", _start(rules)),
        ("Playing", _playing(rules)),
        ("Your own cards", _own_cards(rules)),
        ("When nobody can play", _stuck(rules)),
        ("The end", _end(rules)),
        ("What the referee measures", _measures(rules)),
    )
    return tuple(Clause(chapter, numbers, sentence) for chapter, clauses in chapters for numbers, sentence in clauses)


Clauses = Iterator[tuple[str, str]]

_NUMBERS: Final = {4: "four", 5: "five"}


def _deal(rules: RuleSet) -> Clauses:
    pack = "54 cards, two of them jokers" if rules.jokers == "wild" else "52 cards, without jokers"
    if rules.decks == "own":
        yield "R72", f"Each player has a pack of {pack}."
    else:
        yield "R4, R5, R7", f"One pack of {pack}, is shuffled and halved."
    sizes = full_row(rules)
    match rules.setup:
        case "pyramid":
            piles = f"{', '.join(map(str, sizes[:-1]))} and {sizes[-1]} cards"
            numbers = "R8, R9" if rules.piles == 5 else "R9, R15"
            yield (
                numbers,
                f"Each player lays out {_NUMBERS[len(sizes)]} stock piles of {piles}, the top card of each face up.",
            )
        case "canfield":
            yield (
                "R13",
                "Each player lays out four single face-up cards, and a stack of ten face down with one face up on top.",
            )
        case "row_of_four":
            yield "R73, R74", "Each player lays out four face-up cards in a row and holds the rest as a deck."
        case "hand_of_five":
            yield (
                "R83, R84",
                (
                    f"Each player holds {HAND_SIZE} cards and has a face-down stock; two outer stacks lie in the "
                    "middle, and the first card of each starts a pile."
                ),
            )
            yield "R85", f"With {_outer_stacks(rules)}."
    if rules.has_slap:
        yield (
            "R10, R11",
            "The cards that are left are the player's spit cards, face down in the hand or beside the row.",
        )


def _outer_stacks(rules: RuleSet) -> str:
    """What outer stacks of five, ten and fifteen leave for each player; a card of each already lies in the middle."""
    pack = len(PACK_WITH_JOKERS if rules.jokers == "wild" else PACK)
    cards = pack if rules.decks == "own" else pack // 2
    first, *others = ((size, cards - 1 - size) for size in (5, 10, 15))
    more = "".join(f", with {size} it is {left}" for size, left in others)
    return f"{first[0]} more cards in each outer stack, each player gets {first[1]} cards{more}"


def _start(rules: RuleSet) -> Clauses:
    sources = {"row_of_four": "the top card of their deck", "hand_of_five": "a card of the outer stack on their side"}
    source = sources.get(rules.setup, "their top spit card")
    yield (
        "R16, R17",
        (
            f"When both are ready, each turns {source} into the middle at the same time; p1 starts pile A, p2 pile B. "
            "Nothing is played before."
        ),
    )


def _playing(rules: RuleSet) -> Clauses:
    yield "R2, R21", "There are no turns, and either middle pile may be used."
    places = {"row_of_four": "one of your own row", "hand_of_five": "one of your hand"}
    from_where = places.get(rules.setup, "the face-up top card of one of your own piles")
    yield "R20, R26", f"Play one card at a time: {from_where}."
    yield (
        "R22, R23, R25",
        "It must be one rank higher or lower than the card it covers; the ace is next to the king and to the 2.",
    )
    yield "R22", "A card that may not be played goes back and counts for nothing; there is no other penalty."
    if rules.colours == "alternate":
        yield "R71", "Red and black must alternate; spit cards may have any colour."
    else:
        yield "R24", "Suit and colour do not matter."
    if rules.jokers == "wild":
        yield "R5, R86", "A joker goes on any card, and any card goes on a joker."
    yield "R29, R30", "A card is played as soon as it touches the pile; then the other player may play on it."
    yield (
        "R31, R32",
        (
            "If both go for one pile, the first card stands; "
            "the second goes back without a fault, unless it fits on the first."
        ),
    )
    yield "R31", "If nobody can tell which card was first, both go back."
    if rules.hands == "one":
        yield "R27", "Use one hand only; the hand that holds the face-down cards does not count."
    else:
        yield "R28", "Both hands may be used."


def _own_cards(rules: RuleSet) -> Clauses:
    match rules.setup:
        case "row_of_four":
            yield (
                "R76, R77",
                "A gap may be filled at once from your deck; there are never more than four cards in a row.",
            )
            yield "R79", "When your deck is gone, you go on with the row only."
        case "hand_of_five":
            yield "R83", f"Draw from your stock whenever you like, never to more than {HAND_SIZE} cards."
        case _:
            yield "R34", "A face-down card that lies on top of a pile may be turned up."
            yield (
                "R35, R36, R37",
                (
                    "A face-up top card may be moved into an empty space; "
                    f"there are never more than {_NUMBERS[len(full_row(rules))]} piles."
                ),
            )
            if rules.row_stack_same_rank:
                yield (
                    "R14, R38",
                    "Cards of the same rank may be put on each other within your row, also before the start.",
                )
            else:
                yield "R38", "Cards of the same rank may not be put on each other within your row."


def _stuck(rules: RuleSet) -> Clauses:
    if rules.spit_when == "called":
        yield "R88", "When both say that they cannot play, each turns a new card into the middle."
    elif rules.refills:
        yield "R78", "When nobody can play or fill a gap, spit: each turns a new card into the middle."
    else:
        yield (
            "R40, R48",
            "When nobody can play, turn or usefully move a card, spit: each turns a new card into the middle.",
        )
    if rules.spit_when == "stuck_or_agreed":
        yield "R46", "You may also spit when both choose not to play."
    yield "R40", "A spit card need not fit; a card played between the two spits stands."
    if rules.spit_pile == "own":
        yield "R41", "Each spits on the pile they started."
    else:
        yield "R42", "Each spits on one of the piles, as long as each pile gets one card."
    if rules.setup == "hand_of_five":
        yield "R84", "When the outer stacks are used up, what lies under the two top cards is shuffled into new ones."
        return
    numbers = "R80" if rules.refills else "R43, R44, R45"
    own = rules.solo_spit == "own_pile"
    where = "on the pile they started" if own else "on either pile, and keeps using it"
    yield numbers, f"If only one player has a card left to spit with, that player spits alone {where}."


def _end(rules: RuleSet) -> Clauses:
    if rules.setup == "row_of_four":
        yield "R81", "Whoever plays the last card of the row, with the deck gone, wins."
        yield (
            "R82",
            "If both decks are gone and nobody can play, the player with fewer cards wins; equal is a draw.",
        )
        return
    if rules.setup == "hand_of_five":
        yield "R3, R83", "Whoever has no cards left in hand and stock wins."
        return
    yield "R49, R50", "A deal ends when a player has cleared the row, or when nobody can play and nobody can spit."
    yield "R49", "A card that touches a pile after that goes back."
    if rules.pile_choice == "slap":
        yield (
            "R51, R52, R53, R55",
            "Then both slap a pile: the first slap takes its pile, the other player takes the other one.",
        )
    else:
        yield "R56", "The player who cleared the row chooses a pile; if nobody did, the first slap takes its pile."
    yield "R57, R59", "Each adds their leftover cards to the pile they took, shuffles and deals again."
    yield from _few_cards(rules)
    yield "R70", "The first player without any cards wins the game."


def _few_cards(rules: RuleSet) -> Clauses:
    size = sum(full_row(rules))
    ways = {"pile_by_pile": "pile by pile", "row_by_row": "one card to each pile in turn"}
    yield "R61, R62", f"With fewer than {size} cards, lay them out {ways[rules.short_deal]} as far as they go."
    if rules.one_pile == "at_most_layout":
        yield "R63, R64", f"If a player has {size} cards or fewer, there is one middle pile, and only the other spits."
    else:
        yield (
            "R61, R63",
            (
                f"If a player has fewer than {size} cards, there is one middle pile, and only the other spits; "
                f"with exactly {size} the other starts both piles."
            ),
        )
    yield "R65, R66, R68", "With one middle pile, whoever clears the row first takes nothing; the other takes the pile."
    takes = {
        "more_cards_takes": "the player with more cards left takes it, or, with as many, whoever started it",
        "starter_takes": "whoever started it takes it",
    }
    yield "R67", f"If a deal with one middle pile is blocked, {takes[rules.one_pile_stuck]}."


def _measures(rules: RuleSet) -> Clauses:
    yield "R31", f"A card counts as beaten, not as wrong, up to {_seconds(rules.race_window_ms)} after the other one."
    if rules.hands == "one":
        yield "R27", f"The other hand may act {_seconds(rules.hand_change_ms)} after the first."
    if rules.spit_when != "stuck":
        yield "R46", f"Two spit cards within {_seconds(AGREEMENT_MS)} of each other mean that both agree to spit."
    if rules.has_slap:
        yield (
            "R53, R54",
            (
                f"Slaps on one pile no more than {rules.slap_resolution_us / 1000:g} ms (thousandths of a second) "
                "apart are too close: the hand underneath was first, or slap again."
            ),
        )
        yield (
            "R51",
            (
                f"A pad hit within {_seconds(rules.slap_play_window_ms)} of your own card there has felt that "
                "card, which is no slap; a slap before the end is announced and changes nothing."
            ),
        )


def _seconds(ms: int) -> str:
    return "1 second" if ms == 1000 else f"{ms / 1000:g} seconds"
