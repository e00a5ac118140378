"""The referee's own lights shine on the table that its camera watches: that is no card, and takes none away."""

import pytest

from hardware.signals import Mixer
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.simulated.trouble import Trouble, troubled
from hardware.vision.eyes import Eyes
from hardware.vision.reader import CardReader
from referee.observations import CardLanded, CardTakenBack
from referee.script import Deal, Script, SpitDown
from referee.signals import SignalName, cue

S = 1_000_000_000
FPS = 15.0
SEEN_NS = 5 * S
"""From here on the table lies still."""


def still_table() -> Renderer:
    """Both rows and one card on each pile."""
    rows = {"p1": (("8H",), ("7C", "6S")), "p2": (("KD",), ("AC", "JS"))}
    spit = {"p1": ("5D", "A"), "p2": ("10H", "B")}
    deals = [
        Deal(player=player, start_ns=0, at_ns=2 * S, row=(*rows[player], (), (), ()), spit=(spit[player][0],))
        for player in ("p1", "p2")
    ]
    spits = [
        SpitDown(player=player, at_ns=3 * S, start_ns=2 * S, pile=spit[player][1], card=spit[player][0], hand="R")
        for player in ("p1", "p2")
    ]
    return Renderer(Script(seed=5, rules="pagat", actions=(*deals, *spits), end_ns=12 * S), Look(fps=FPS))


def shining(signal: SignalName, until_ns: int) -> list[Trouble]:
    """Return when p1's light burns, a second from the start on: exactly as the mixer would have it."""
    mixer = Mixer()
    mixer.say(cue(signal, "p1"), S)
    spans, now_ns, began_ns = [], S, None
    while now_ns is not None and now_ns < until_ns:
        lit, change_ns = mixer.output(now_ns)
        if lit.p1 and began_ns is None:
            began_ns = now_ns
        elif not lit.p1 and began_ns is not None:
            spans.append(Trouble("led", began_ns, now_ns))
            began_ns = None
        now_ns = change_ns
    return spans


@pytest.mark.slow
@pytest.mark.parametrize("signal", ["illegal", "slap_won", "fault"])
def test_a_signals_light_on_the_table_is_no_landing(signal: SignalName) -> None:
    renderer = still_table()
    eyes = Eyes(renderer.table(), CardReader())
    numbers = range(round(SEEN_NS * FPS / S), round((SEEN_NS + 5 * S) * FPS / S))
    light = shining(signal, 5 * S)
    assert light
    frames = (renderer.frame(number) for number in numbers)
    seen = [one for frame in troubled(frames, light) for one in eyes.see(frame)]
    assert seen and not [one for one in seen if isinstance(one, CardLanded | CardTakenBack)]
