"""The simulated rig of `run --simulate`: a game between two simulated players, or a still table to set up."""

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from hardware.pads import MockPads, PadReader, contact_rules, pads_of
from hardware.pads.mock_pads import ScriptedPads
from hardware.pads.reader import NoteSink
from hardware.rig import NewsQueue
from hardware.simulated.look import Look
from hardware.simulated.practice import PracticeCamera, PracticeFilm, StillTable
from hardware.simulated.renderer import Renderer
from hardware.simulated.rig import pad_changes
from hardware.simulated.switches import Troubles
from hardware.tablefile import Table, load_table
from hardware.vision.tablefinder import find_table
from referee.cli.table_parts import Blind, Parts, SharpEyes, deck_reader, outputs_or_drawing
from referee.demo import simulated_script
from referee.errors import TableFileError
from referee.ports import ObservationSink
from referee.script import Script
from referee.settings import Loaded, Settings, choices_file, table_file, with_choices

NOTICE = "SIMULATED TABLE: rendered frames and mock pads; eyes, tracker, log and signals are real."
PLAIN_SEED = 7
"""The seed whose table is the plain one of the documentation."""


@dataclass(slots=True)
class Practice:
    """A rig without hardware. The next game has the next seed."""

    seed: int
    deals: int
    by_keys: bool
    """A person slaps, not the script."""
    mock: MockPads = field(default_factory=MockPads)
    troubles: Troubles = field(default_factory=Troubles)
    still: StillTable | None = None
    """The table while it is set up."""
    _script: Script | None = None

    @property
    def look(self) -> Look:
        """What the table looks like: it stays the same, the games change."""
        return Look() if self.seed == PLAIN_SEED else Look.seeded(self.seed)

    def play_parts(
        self, settings: Settings, queue: NewsQueue, felt: ObservationSink, found: Callable[[Table], None]
    ) -> Parts:
        """Return the parts of a game. The table of the table file, where there is one; else it is found by itself."""
        look = self.look
        script = self._next_script()
        renderer = Renderer(script, look)
        players = ScriptedPads(self.mock, [] if self.by_keys else pad_changes(script))
        camera = PracticeCamera(renderer.picture, look, self.troubles, players.start)
        notices = [NOTICE]
        reader = deck_reader(settings, True, notices)
        known = known_table(settings, notices)
        self.still = None
        return Parts(
            source="simulated",
            camera=PracticeFilm(camera, queue.put, script.end_ns),
            make_eyes=lambda album: SharpEyes(
                lambda frame: known or find_table(frame.image, renderer.deck.size_mm), album, reader, found
            ),
            pads=self._pads(settings, felt),
            outputs=outputs_or_drawing(settings.signals, []),  # on the page in any case
            mock=self.mock,
            notices=tuple(notices),
        )

    def set_up_parts(self, settings: Settings, queue: NewsQueue, felt: ObservationSink, notes: NoteSink) -> Parts:
        """Return the parts of a table that is being set up."""
        script = simulated_script(self.seed, 1)
        self.still = StillTable(script, self.look)
        camera = PracticeCamera(self.still.picture, self.look, self.troubles)
        notices = [NOTICE]
        return Parts(
            source="simulated",
            camera=PracticeFilm(camera, queue.put, None),
            make_eyes=lambda album: Blind(),
            pads=self._pads(settings, felt, notes),
            outputs=outputs_or_drawing(settings.signals, []),  # on the page in any case
            mock=self.mock,
            notices=tuple(notices),
        )

    def _next_script(self) -> Script:
        after = self.seed if self._script is None else self._script.seed + 1
        self._script = simulated_script(after, self.deals)
        return self._script

    def _pads(self, settings: Settings, felt: ObservationSink, notes: NoteSink = lambda note: None) -> PadReader:
        return PadReader(self.mock, pads_of(settings.pads), felt, notes, contact_rules(settings.pads))


def known_table(settings: Settings, notices: list[str]) -> Table | None:
    """Return the table of the practice's own table file, if it was set up; a damaged file is told and left alone."""
    path = table_file(settings)
    if not path.exists():
        return None
    try:
        return load_table(path)
    except TableFileError as error:
        notices.append(f"THE TABLE FILE IS NOT USED: {error}.")
        return None


def practice_settings(loaded: Loaded) -> Loaded:
    """Return the settings with files of their own beside the real ones: to practise changes nothing at the table."""
    settings = loaded.settings
    file = table_file(settings).parent / "practice" / "table.toml"
    apart = replace(settings, storage=replace(settings.storage, table_file=str(file)))
    return with_choices(Loaded(apart, loaded.origins, loaded.complaints), choices_file(file))
