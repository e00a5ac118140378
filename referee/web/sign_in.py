"""Coming in with the PIN, and going out."""

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from referee.web.gate import client_of
from referee.web.live import message, refusal
from referee.web.pages import page

TRIES, TRIES_ALL, TRIES_S = 5, 30, 300.0
"""So many wrong PINs in five minutes from one address, and from all together."""
WAIT: Final = "too many wrong PINs; wait five minutes, or make a new PIN with `spit-referee web open`"


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody typed."""

    pin: str


async def form(request: Request) -> Response:
    """Ask for the PIN."""
    state = request.app.state
    if not state.access.open or request.session.get("in"):
        return RedirectResponse("/", 303)
    return page(request, "sign_in.html")


async def sign_in(request: Request) -> Response:
    """Let somebody in who knows the PIN; each address has a few tries."""
    state = request.app.state
    if not state.tries.allows(client_of(request)):
        return refusal(WAIT, 429)
    given = await message(request, Pin)
    if not state.access.lets_in(given.pin.strip().replace(" ", "")):
        return refusal("that is not the PIN; it is printed by `spit-referee web open` and on the console", 403)
    request.session["in"] = True
    return JSONResponse({})


async def sign_out(request: Request) -> Response:
    """Forget this browser."""
    request.session.clear()
    return JSONResponse({})
