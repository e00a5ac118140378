"""Who sits where: one touch of a pad tells whether the table file has the players at the right ends of the picture."""

from dataclasses import replace

import numpy as np

from hardware.checks.report import Answer, fail, ok, warn
from hardware.pads import Pad
from hardware.tablefile import Table


def turned_round(table: Table) -> Table:
    """Return the same table as p2 sees it: p1 and p2 change ends, and with them left and right."""
    half_turn = np.diag([-1.0, -1.0, 1.0])
    return replace(
        table,
        homography_mm_to_px=table.homography_mm_to_px @ half_turn,
        rotation_deg=(table.rotation_deg + 180) % 360,
    )


def at_bottom(table: Table) -> str:
    """Return the player at the bottom edge of the picture."""
    near_p1, near_p2 = table.to_px(np.array([(0.0, -100.0), (0.0, 100.0)]))
    return "p1" if near_p1[1] > near_p2[1] else "p2"


def settled(table: Table, touched: Pad) -> tuple[Table, Answer]:
    """Return the table with its players at the right ends, after the person at the bottom edge of the picture touched
    the left one of the own pads."""
    if touched.player is None:
        return table, warn("two shared pads do not tell the players", "p1 is whoever sits at the picture's bottom edge")
    bottom = at_bottom(table)
    left = "A" if touched.player == "p1" else "B"
    if touched.pile != left:
        cure = f"swap {touched.player}'s two pads, or their pins in the settings"
        return table, fail(f"{touched.player}'s left pad is wired as the one of pile {touched.pile}", cure)
    if touched.player == bottom:
        return table, ok(f"{bottom} sits at the bottom edge of the picture, as the table file says")
    says = f"{touched.player} sits at the bottom edge of the picture: the table file was turned round"
    return turned_round(table), ok(says)
