"""How much memory the referee holds: the pictures of a folder refereed by a whole table in a process of its own.

Camera, eyes, pads, tracker, log, lights and screen as in a game, and what serves the pages; nothing is rendered.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic_ns
from typing import Final

PICTURES: Final = "*.jpg"
STATUS: Final = Path("/proc/self/status")


def refereeing_mb(folder: Path) -> float:
    """Return the most memory in MB that refereeing a folder of JPEG pictures took, in the order of their names.

    Raises:
        subprocess.CalledProcessError: the table did not run to its end.
    """
    command = [sys.executable, "-m", "referee.cli.memory_cost", str(folder)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return float(told.stdout.splitlines()[-1])


def referee_folder(folder: Path) -> float:
    """Referee the pictures here and return the most memory in MB that this process has held."""
    import cv2
    from numpy import fromfile, uint8

    import referee.web.app
    import referee.web.server
    from hardware.frames import Frame
    from hardware.heart import Heart
    from hardware.pads import MockPads, PadReader, pads_of
    from hardware.signals import MockOutputs
    from hardware.vision.reader import CardReader
    from hardware.vision.tablefinder import find_table
    from referee.cli.table_parts import Parts, SharpEyes
    from referee.cli.table_run import TableRun
    from referee.rules.rule_set import rule_set
    from referee.settings import Settings

    assert referee.web.app and referee.web.server  # loaded for their memory
    cv2.setNumThreads(1)

    class Pictures:
        fps, size_px, name = 30.0, (1280, 720), "pictures"

        def frames(self) -> Iterator[Frame]:
            begun_ns = monotonic_ns()
            for number, path in enumerate(sorted(folder.glob(PICTURES))):
                picture = cv2.imdecode(fromfile(path, uint8), cv2.IMREAD_COLOR)
                assert picture is not None
                yield Frame(begun_ns + round(number * 1e9 / self.fps), picture.astype(uint8, copy=False), number)

        def close(self) -> None:
            pass

    settings = Settings()
    run = TableRun(settings, rule_set(settings.rules.name), shadow=True)
    parts = Parts(
        source="pictures",
        camera=Pictures(),
        make_eyes=lambda album: SharpEyes(lambda frame: find_table(frame.image), album, CardReader()),
        pads=PadReader(MockPads(pads_of(settings.pads)), pads_of(settings.pads), run.queue.put),
        outputs=MockOutputs(keep=1),
        mock=None,
    )
    with TemporaryDirectory() as games:
        run.play(parts, Path(games), Heart(dict))
    return _most_held_mb()


def _most_held_mb() -> float:
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    print(f"\n{referee_folder(Path(sys.argv[1])):.1f}")
