"""Teaching on from weights: those that an earlier run left, or the packaged network itself."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn


def resume(net: nn.Module, start: Path, pictures: Iterable[Tensor]) -> None:
    """Load `start` into `net`: a .pt of an earlier run, or an ONNX file, in which every batch norm was melted into
    its convolution. Those norms are set up anew so that the network answers as before: `pictures` gives batches to
    measure them on (eight are taken)."""
    if start.suffix == ".pt":
        net.load_state_dict(torch.load(start))
        return
    layers = [m for m in net.modules() if isinstance(m, nn.Conv2d | nn.BatchNorm2d | nn.Linear)]
    stored = _weights(start)
    for layer, following in zip(layers, [*layers[1:], None], strict=True):
        if isinstance(layer, nn.BatchNorm2d):
            continue
        weight, bias = (torch.tensor(v) for v in next(stored))
        norm = following if isinstance(following, nn.BatchNorm2d) else None
        with torch.no_grad():
            layer.weight.copy_(weight)
            (layer.bias if norm is None else norm.bias).copy_(bias)
    _measure_norms(net, pictures)


def _weights(path: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Weight and bias of each convolution and linear layer, in the order of running."""
    graph = onnx.load(str(path)).graph
    kept = {one.name.removesuffix("_half"): numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            yield kept[node.input[1]].astype(np.float32), kept[node.input[2]].astype(np.float32)


def _measure_norms(net: nn.Module, pictures: Iterable[Tensor]) -> None:
    """Give each batch norm, which adds its bias only, the mean and spread of what flows through it."""
    norms = [m for m in net.modules() if isinstance(m, nn.BatchNorm2d)]
    flows: dict[nn.Module, list[Tensor]] = {norm: [] for norm in norms}
    for norm in norms:
        norm.running_var.fill_(1 - norm.eps)

    def note(norm: nn.Module, given: tuple[Tensor, ...]) -> None:
        flat = given[0].detach().float().transpose(0, 1).flatten(1)
        flows[norm].append(torch.stack([flat.mean(1), flat.square().mean(1)]))

    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    net.eval()
    with torch.no_grad():
        for batch in islice(pictures, 8):
            net(batch)
        for norm in norms:
            mean, square = torch.stack(flows[norm]).mean(0)
            spread = (square - mean**2).clamp(min=1e-6)
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(spread)
            norm.weight.copy_((spread + norm.eps).sqrt())
            norm.bias.add_(mean)
    for hook in hooks:
        hook.remove()
    net.train()
