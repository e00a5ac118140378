"""The short game that the virtual machine watches: rendered pictures, their table file, and what happens when.

The film begins in play, so that a referee has to find its way in. Ann (p1) has three cards left; Ben (p2) lays a wrong
one and takes it back; Ann's last card clears her row, and both may slap. From `FINALE_NS` on only that last card is
left: shown from there, the film is a game of one card.

`python tests/vm/film.py FOLDER` writes `film.yuyv` (raw pictures, as a webcam sends them), `film.json`, `table.toml`.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from hardware.frames import Image
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.tablefile import save_table
from referee.cards import Card
from referee.script import AnyAction, Deal, Lay, Script, SpitDown, TakeBack, TurnUp
from referee.table import Pile, Player

S: Final = 1_000_000_000
BEGIN_NS: Final = 7 * S
"""Of the script: the spit cards lie, the hands are gone."""
FINALE_NS: Final = round(19.5 * S)
END_NS: Final = round(22.5 * S)
STILL: Final = 8
"""So many last pictures are shown over and over; each has its own noise, as a still table has."""
FPS: Final = 10.0
SIZE_PX: Final = (960, 540)


def hand(player: Player, at_s: float) -> dict[str, Any]:
    """Return who moves and when: the card touches at `at_s`."""
    return {"player": player, "hand": "R", "at_ns": round(at_s * S), "start_ns": round((at_s - 0.4) * S)}


def dealt(player: Player, row: tuple[tuple[Card, ...], ...], spit: Card) -> Deal:
    return Deal(player=player, start_ns=0, at_ns=2 * S, row=(*row, *[()] * (5 - len(row))), spit=(spit,))


def lay(player: Player, at_s: float, place: int, pile: Pile, card: Card, intent: str = "legal") -> Lay:
    askew = {"dx_mm": (at_s * 7) % 9 - 4, "dy_mm": (at_s * 5) % 7 - 3, "angle_deg": (at_s * 11) % 17 - 8}
    return Lay(**hand(player, at_s), place=place, pile=pile, card=card, intent=intent, **askew)


def game() -> Script:
    """Return the script: rows, spit cards, and five cards of play with one breach."""
    actions: list[AnyAction] = [
        dealt("p1", (("8H",), ("7C", "6S")), "5D"),
        dealt("p2", (("KD",), ("AC", "JS"), ("4H", "2D", "9S"), (), ("2C", "2H", "4C", "4S", "3D")), "10H"),
        SpitDown(**hand("p1", 4.0), pile="A", card="5D"),
        SpitDown(**hand("p2", 4.2), pile="B", card="10H"),
        lay("p1", 9.0, 2, "A", "6S"),
        TurnUp(**hand("p1", 11.0), place=2, card="7C"),
        lay("p2", 12.5, 5, "B", "3D", "wrong_rank"),
        TakeBack(**hand("p2", 15.0), place=5, pile="B", card="3D"),
        lay("p2", 16.5, 3, "B", "9S"),
        lay("p1", 18.0, 2, "A", "7C"),
        lay("p1", 21.0, 1, "A", "8H"),
    ]
    return Script(seed=5, rules="pagat", actions=tuple(actions), end_ns=END_NS)


def make(folder: Path) -> None:
    """Write film, index and table file into a folder."""
    look = Look(fps=FPS)
    renderer = Renderer(game(), replace(look, camera=replace(look.camera, size_px=SIZE_PX)))
    save_table(renderer.table(), folder / "table.toml")
    numbers = range(round(BEGIN_NS * FPS / S), round(END_NS * FPS / S))
    with (folder / "film.yuyv").open("wb") as film:
        for number in numbers:
            film.write(yuyv(renderer.frame(number).image))
    index = {
        "size_px": SIZE_PX,
        "fps": FPS,
        "frames": len(numbers),
        "finale": round((FINALE_NS - BEGIN_NS) * FPS / S),
        "still": STILL,
    }
    (folder / "film.json").write_text(json.dumps(index))


def yuyv(image: Image) -> bytes:
    """Return a picture as a webcam without compression sends it: brightness of each pixel, colour of each pair."""
    y, u, v = cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2YUV))
    packed = np.empty((*y.shape, 2), np.uint8)
    packed[..., 0] = y
    packed[:, 0::2, 1] = u[:, 0::2]
    packed[:, 1::2, 1] = v[:, 0::2]
    return packed.tobytes()


if __name__ == "__main__":
    make(Path(sys.argv[1]))
