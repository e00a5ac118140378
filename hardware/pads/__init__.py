"""Slap pads: raw edges from the pins, debounced into slaps by pure code."""

from hardware.pads.choose import contact_rules, pad_backend, pads_of
from hardware.pads.edges import FOUR_PADS, TWO_PADS, Pad, PadBackend, PadNote
from hardware.pads.mock_pads import MockPads
from hardware.pads.reader import PadReader

__all__ = [
    "FOUR_PADS",
    "TWO_PADS",
    "MockPads",
    "Pad",
    "PadBackend",
    "PadNote",
    "PadReader",
    "contact_rules",
    "pad_backend",
    "pads_of",
]
