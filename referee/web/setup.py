"""The set-up's page, and the practise rig's buttons."""

from importlib.util import find_spec
from typing import Any, Literal

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from calibration.plan import PLAN
from hardware.cameras.v4l2 import find_cameras
from hardware.pads.mock_pads import KEYS
from hardware.simulated.switches import TroubleName
from referee.errors import RefereeError
from referee.signals import cue
from referee.table import Player
from referee.web.desk import Desk
from referee.web.live import message, refusal
from referee.web.pages import page
from referee.web.wizard import Options

PADS = {f"{pad.player}{pad.pile}": pad for pad in KEYS.values()}
SHEETS = (
    ("594x420", "the printed mat (594 × 420 mm)"),
    ("420x297", "a sheet of A3 (420 × 297 mm)"),
    ("297x210", "a sheet of A4 (297 × 210 mm)"),
    ("279x216", "a sheet of US Letter (279 × 216 mm)"),
    ("other", "something else"),
)
"""Rectangles that a household has, lying across."""


async def set_up(request: Request) -> Response:
    """All steps on one page."""
    desk: Desk = request.app.state.desk
    cameras = [] if desk.simulated else await run_in_threadpool(cameras_to_choose)
    chosen = desk.settings.camera.source
    return page(request, "set_up.html", steps=PLAN, sheets=SHEETS, cameras=cameras, camera=chosen)


def cameras_to_choose() -> list[tuple[str, str]]:
    """Return the cameras of this machine: what the setting says, and what a person reads."""
    found = [(str(camera.path), f"{camera.card} ({camera.path})") for camera in find_cameras()]
    ribbon = [("picamera2", "the ribbon camera")] if find_spec("picamera2") is not None else []
    return [("auto", "the first that is found"), *found, *ribbon]


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A camera of the list."""

    source: str


async def choose_camera(request: Request) -> Response:
    """Look through another camera from now on."""
    desk: Desk = request.app.state.desk
    source = (await message(request, Source)).source
    if source not in dict(await run_in_threadpool(cameras_to_choose)):
        return refusal("this camera is not there any more; load the page again", 409)
    try:
        await run_in_threadpool(desk.choose, {"camera": {"source": source}})
    except (OSError, RefereeError) as error:
        return refusal(f"the choice cannot be kept ({error}); give the referee a folder of its own")
    if desk.mode == "set_up":
        desk.ask("set_up")
    return JSONResponse({})


async def start(request: Request) -> Response:
    """Begin a step."""
    desk: Desk = request.app.state.desk
    try:
        options = msgspec.json.decode(await request.body() or b"{}", type=Options)
        why_not = await run_in_threadpool(desk.wizard.start, request.path_params["step"], options)
    except RefereeError as error:
        return refusal(str(error))
    return refusal(why_not, 409) if why_not else JSONResponse({})


class Answered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person answers to a step that waits: go on, enough, or leave it."""

    word: Literal["more", "enough", "leave"]


async def answer(request: Request) -> Response:
    """Go on with the step that runs."""
    desk: Desk = request.app.state.desk
    word = (await message(request, Answered)).word
    if word == "leave":
        desk.wizard.stop()
    else:
        desk.wizard.answer(word == "more")
    return JSONResponse({})


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which cards the pictures show that a step has asked about, in their order; empty: left out."""

    names: list[str]


async def names(request: Request) -> Response:
    """Name the cards that the deck's step was not sure of."""
    desk: Desk = request.app.state.desk
    why_not = desk.wizard.name((await message(request, Named)).names)
    return refusal(why_not, 409) if why_not else JSONResponse({})


async def picture(request: Request) -> Response:
    """A picture that a step has drawn."""
    desk: Desk = request.app.state.desk
    found = desk.wizard.picture(request.path_params["step"], request.path_params["name"])
    return Response(status_code=404) if found is None else Response(found, media_type="image/jpeg")


class Try(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A light to light up and a tone to sound."""

    player: Player


async def signal(request: Request) -> Response:
    """Light a player's LED and sound the buzzer, to see whether they are wired."""
    desk: Desk = request.app.state.desk
    player = (await message(request, Try)).player
    signals = desk.bench.signals
    if signals is None:
        return refusal("the table is not being set up", 409)
    signals.say(cue("slap_won", player))
    return refusal(signals.fault, 409) if signals.fault else JSONResponse({})


class Pressed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pad of the practise rig: `p1A` to `p2B`."""

    pad: str


async def press(request: Request) -> Response:
    """Slap a simulated pad."""
    desk: Desk = request.app.state.desk
    pad = PADS.get((await message(request, Pressed)).pad)
    if desk.practice is None or pad is None:
        return refusal("only a simulated table has pads on the page", 409)
    desk.practice.mock.slap(pad)
    return JSONResponse({})


class Troubled(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A trouble of the practise rig."""

    what: TroubleName
    on: bool


async def trouble(request: Request) -> Response:
    """Make trouble at the simulated table, or mend it."""
    desk: Desk = request.app.state.desk
    wanted = await message(request, Troubled)
    if desk.practice is None:
        return refusal("only a simulated table has troubles on the page", 409)
    desk.practice.troubles.turn(wanted.what, wanted.on)
    shown: list[Any] = sorted(desk.practice.troubles.on)
    desk.feed.publish("trouble", shown)
    return JSONResponse({})
