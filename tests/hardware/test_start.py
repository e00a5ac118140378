"""The start of a table: what takes long is loaded before the pads are open, and nothing is loaded after that."""

import subprocess
import sys
from pathlib import Path

A_GAME = """
import gc, sys
from pathlib import Path

from hardware.heart import Heart
from hardware.pads import FOUR_PADS, MockPads, PadReader
from hardware.signals import MockOutputs
from hardware.simulated.look import Look
from hardware.simulated.renderer import Renderer
from hardware.vision.reader import CardReader
from referee.cli.table_parts import Parts, SharpEyes
from referee.cli.table_run import TableRun
from referee.demo import simulated_script
from referee.rules.rule_set import rule_set
from referee.settings import Settings

read, at_the_opening = [], {}

class Reader(CardReader):
    def read(self, crops):
        read.append(len(crops))
        return super().read(crops)

class Pads(MockPads):
    def open(self):
        at_the_opening.update(modules=set(sys.modules), read=len(read), frozen=gc.get_freeze_count())
        super().open()

class Pictures:
    renderer = Renderer(simulated_script(5, 1), Look())
    fps, size_px = 30.0, (1280, 720)

    def frames(self):
        yield from (self.renderer.frame(number) for number in range(90, 96))

    def close(self): ...

run = TableRun(Settings(), rule_set("pagat"), shadow=False)
parts = Parts(
    source="pictures",
    camera=Pictures(),
    make_eyes=lambda album: SharpEyes(lambda frame: Pictures.renderer.table(), album, Reader()),
    pads=PadReader(Pads(), FOUR_PADS, run.queue.put),
    outputs=MockOutputs(keep=1),
    mock=None,
)
run.play(parts, Path(sys.argv[1]), Heart(dict))
late = sorted(set(sys.modules) - at_the_opening["modules"])
assert not late, f"loaded while the pads were open: {late}"
assert "onnxruntime" in sys.modules and at_the_opening["read"] == 1 and len(read) > 1, read
assert at_the_opening["frozen"] > 10_000, "the collector goes through everything that was loaded"
"""


def test_the_eyes_are_loaded_before_the_pads_open(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", A_GAME, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
