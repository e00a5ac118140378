"""The set-up in order: what each step is called and what to do with one's hands before it."""

from typing import Final, NamedTuple


class Planned(NamedTuple):
    """A step as a person reads of it."""

    name: str
    title: str
    before: str


PLAN: Final = (
    Planned("wires", "Wires", "You press each slap pad once."),
    Planned("camera", "Camera", "The camera hangs over the middle of the table; cards or the mat lie there."),
    Planned(
        "light",
        "Light",
        "The lamps are on as they will be in play; some cards lie about, not in the middle. Have an ace at hand.",
    ),
    Planned("corners", "Corners", "The mat, or both rows and two middle piles, lie in view. No hands."),
    Planned("sides", "Sides", "The person at the bottom edge of the picture presses a pad."),
    Planned("deck", "Deck", "You lay out the pack in parts, the cards apart from each other."),
    Planned("test", "Test", "Single cards lie on both piles and in both rows. No hands."),
)
BEFORE: Final = {step.name: step.before for step in PLAN}
