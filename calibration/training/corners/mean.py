"""Put runs of the namer together: `python -m calibration.training.corners.mean OUT.onnx RUN.pt RUN.pt...`.

Runs that went on from one another err in different places; the mean of their weights errs less than either.
"""

import argparse
from pathlib import Path

import torch

from calibration.training.corners.namer import IndexNamer, write_onnx


def mean_of(runs: list[Path]) -> IndexNamer:
    """The namer with the mean of the runs' weights."""
    states = [torch.load(run) for run in runs]
    net = IndexNamer()
    net.load_state_dict(
        {
            name: torch.stack([state[name] for state in states]).mean(0) if value.is_floating_point() else value
            for name, value in states[0].items()
        }
    )
    return net


def main() -> None:
    parser = argparse.ArgumentParser(description="Mean of several runs of the namer.")
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    told = parser.parse_args()
    write_onnx(mean_of(told.runs), told.out)


if __name__ == "__main__":
    main()
