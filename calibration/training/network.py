"""The card network: a small stack of convolutions and a head that names rank, suit and kind.

Odds of a card are those of its rank times those of its suit; both are read from the same features. That shares what is
learnt of a rank between suits, and leaves the doubt where it is: a seven of spades or of clubs.
"""

import torch
from torch import Tensor, nn

from hardware.vision.reader import CLASSES
from referee.cards import RANKS, SUITS

_PARTS = (*RANKS, *SUITS, "card", "JK", "face_down", "none")


def _assembly() -> Tensor:
    """Which parts add up to the logit of each class, (classes, parts) of 0 and 1."""
    table = torch.zeros(len(CLASSES), len(_PARTS))
    for row, name in enumerate(CLASSES):
        parts = (name,) if name in _PARTS else (name[:-1], name[-1], "card")
        for part in parts:
            table[row, _PARTS.index(part)] = 1
    return table


class _Block(nn.Module):
    """Two convolutions whose result is added to what came in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels)
        self.second = _conv(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(self.first(x))


def _conv(before: int, after: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class CardNet(nn.Module):
    """BGR crops (N, 3, 120, 88), values 0 to 255, to logits (N, 55) in the order of CLASSES."""

    def __init__(self, widths: tuple[int, int, int, int] = (16, 24, 48, 96)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.features = nn.Sequential(
            _conv(3, a, 2),
            _conv(a, b, 2),
            _Block(b),
            _conv(b, c, 2),
            _Block(c),
            _conv(c, d, 2),
            _conv(d, d),
            _conv(d, 40, 1, 1),
        )
        self.hidden = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(40 * 8 * 6, 128), nn.ReLU())
        self.parts = nn.Linear(128, len(_PARTS))
        self.assembly: Tensor
        self.register_buffer("assembly", _assembly())
        self.temperature: Tensor
        self.register_buffer("temperature", torch.ones(1))

    def forward(self, crops: Tensor) -> Tensor:
        parts = self.parts(self.hidden(self.features((crops - 128.0) * (1 / 64.0))))
        return torch.nn.functional.linear(parts, self.assembly) / self.temperature


class Exported(nn.Module):
    """The same network with the assembly of classes and the temperature folded into one last layer."""

    def __init__(self, net: CardNet) -> None:
        super().__init__()
        self.features, self.hidden = net.features, net.hidden
        self.last = nn.Linear(128, len(CLASSES))
        with torch.no_grad():
            self.last.weight.copy_(net.assembly @ net.parts.weight / net.temperature)
            self.last.bias.copy_(net.assembly @ net.parts.bias / net.temperature)

    def forward(self, crops: Tensor) -> Tensor:
        return self.last(self.hidden(self.features((crops - 128.0) * (1 / 64.0))))
