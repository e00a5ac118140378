"""Make all three networks again: `python -m calibration.training DATA KEPT...`, from the project's folder.

DATA takes what is fetched and drawn (some 4 GB). KEPT are the decks kept for judging (see `lookalike`); training stops
where one of its own resembles them. Every step is seeded. About three hours on two cores; `--minutes` bounds the
teaching of each network, and what was reached is in the model cards.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def steps(data: Path, kept: list[Path], out: Path, minutes: int) -> Iterator[list[str]]:
    """Yield the modules to run with their arguments, in this order."""
    pools = [str(data / name) for name in ("drawn", "printed", "printed", "printed")]
    bounded = ["--minutes", str(minutes)]
    yield ["fetch", str(data)]
    yield ["lookalike", str(data), *map(str, kept)]
    yield ["train", str(data), str(data / "reader"), "--out", str(out), *bounded]
    yield ["corners.pool", str(data), pools[0]]
    yield ["corners.pool", str(data), pools[1], "--printed"]
    yield ["corners.pool", str(data), str(data / "kept_out"), "--first", "5000", "--decks", "24"]
    for network, module in (("finder", "corners.train"), ("namer", "corners.namer")):
        yield [module, str(out / f"{network}.onnx"), *pools, *bounded]
    made = [part for name in ("finder", "namer", "reader") for part in (f"--{name}", str(out / f"{name}.onnx"))]
    yield ["corners.check", str(data / "kept_out"), *made]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path, nargs="+", help="decks kept for judging: folders or .svgz sheets")
    parser.add_argument("--out", type=Path, default=Path("hardware/vision/weights"))
    parser.add_argument("--minutes", type=int, default=60, help="for each network")
    told = parser.parse_args()
    for module, *arguments in steps(told.data, told.kept, told.out, told.minutes):
        print(f"calibration.training.{module} {' '.join(arguments)}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"calibration.training.{module}", *arguments], check=False)
        if done.returncode:
            sys.exit(f"{module} stopped; mend what it said and run this again")


if __name__ == "__main__":
    main()
