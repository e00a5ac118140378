"""The corner finder: one fully convolutional network that marks every printed index and draws the card round it.

Input: N x 3 x H x W, BGR, 0..1, sides multiples of 16. Output: N x 18 x H/4 x W/4, channels as in `CHANNELS`.
"""

from typing import Final

import torch
from torch import Tensor, nn

STRIDE: Final = 4
INDEX_UNIT_PX: Final = 16.0
"""Index corners are given in these units from the middle of the cell."""
CARD_UNIT_PX: Final = 64.0
"""Card corners likewise."""
CHANNELS: Final = {"heat": slice(0, 1), "index": slice(1, 9), "card": slice(9, 17), "complete": slice(17, 18)}


class _Block(nn.Module):
    """Two convolutions with a shortcut; the second may look further (dilation)."""

    def __init__(self, width: int, reach: int = 1) -> None:
        super().__init__()
        far = nn.Conv2d(width, width, 3, padding=reach, dilation=reach, bias=False)
        self.body = nn.Sequential(_conv(width, width), far, nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.body(x))


def _conv(into: int, out: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    mixed = nn.Conv2d(into, out, size, stride, size // 2, bias=False)
    return nn.Sequential(mixed, nn.BatchNorm2d(out), nn.ReLU(inplace=True))


class CornerFinder(nn.Module):
    """See the module's text."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(_conv(3, 16, 2), _conv(16, 32, 2), _Block(32))
        self.middle = nn.Sequential(_conv(32, 48, 2), _Block(48), _Block(48))
        self.coarse = nn.Sequential(_conv(48, 64, 2), _Block(64, 2), _Block(64, 4), _Block(64, 2))
        self.from_coarse, self.at_middle = _conv(64, 48, size=1), _conv(48, 48)
        self.from_middle, self.at_fine = _conv(48, 32, size=1), _conv(32, 64)
        self.head = nn.Conv2d(64, 18, 1)
        nn.init.constant_(self.head.bias[0], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        fine = self.fine(x)
        middle = self.middle(fine)
        coarse = self.from_coarse(self.coarse(middle))
        middle = self.at_middle(middle + _twice(coarse))
        fine = self.at_fine(fine + _twice(self.from_middle(middle)))
        return self.head(fine)


def _twice(x: Tensor) -> Tensor:
    return nn.functional.interpolate(x, scale_factor=2.0, mode="nearest")
