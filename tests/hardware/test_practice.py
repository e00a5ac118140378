"""The rig to practise on says what helps a rendered table, not what helps a camera."""

from hardware.frames import Image
from hardware.simulated.look import Look
from hardware.simulated.practice import PracticeCamera, PracticeFilm
from hardware.simulated.switches import Troubles
from referee.observations import AnyObservation, SensorLost


def never_drawn(at_ns: int, number: int) -> Image:
    raise AssertionError("nobody looks")


def test_a_table_that_is_not_drawn_in_time_has_no_plug_to_check() -> None:
    told: list[AnyObservation] = []
    film = PracticeFilm(PracticeCamera(never_drawn, Look(), Troubles()), told.append, None)
    film._trouble = ""  # a picture came before
    film.check(film.beat_ns + 5_000_000_000)
    [lost] = told
    assert isinstance(lost, SensorLost)
    assert "end other programs" in lost.reason and "plug" not in lost.reason
    assert film.why_slow() == ""
    film.close()
