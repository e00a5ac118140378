"""The live page: the picture, news as they come, and words that people say to the referee."""

import asyncio
from collections.abc import AsyncIterator
from time import monotonic, monotonic_ns
from typing import Any, Final, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from referee.observations import AnyObservation, Called, Undo
from referee.table import Player
from referee.web.desk import Desk
from referee.web.pages import page

Message = TypeVar("Message")

LOOK_S: Final = 0.1
"""So often a viewer's stream looks for news: its delay at most."""
BEAT_S: Final = 1.0
"""So often it says that it is alive; the page takes longer silence for a lost connection."""
PICTURE_WAIT_S: Final = 2.0
FASTEST_S: Final = 0.09
"""No viewer gets pictures faster than that."""


async def live(request: Request) -> Response:
    """The table now."""
    return page(request, "live.html")


async def news(request: Request) -> Response:
    """News as server-sent events: the whole state first, then what changes, a beat every second."""
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(_stream(request.app.state), media_type="text/event-stream", headers=headers)


async def _stream(pages: State) -> AsyncIterator[bytes]:
    desk: Desk = pages.desk
    n = desk.feed.last
    yield _event("state", msgspec.json.encode(await run_in_threadpool(desk.state)))
    beat_s = monotonic()
    while not pages.is_ending():
        since = desk.feed.since(n)
        if since is None or any(news.kind == "anew" for news in since):
            n = desk.feed.last
            yield _event("state", msgspec.json.encode(await run_in_threadpool(desk.state)))
        elif since:
            n = since[-1].n
            yield b"".join(_event(news.kind, news.data) for news in since)
        if monotonic() - beat_s >= BEAT_S:
            beat_s = monotonic()
            yield _event("beat", msgspec.json.encode(await run_in_threadpool(desk.status)))
        await asyncio.sleep(LOOK_S)


def _event(kind: str, data: bytes) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


async def picture(request: Request) -> Response:
    """The newest picture after number `after`, as a JPEG; 204 if none comes within two seconds."""
    desk: Desk = request.app.state.desk
    after, width = (_number(request, name) for name in ("after", "width"))
    end_s = monotonic() + PICTURE_WAIT_S
    await asyncio.sleep(FASTEST_S)
    while desk.pictures.number() in (0, after):
        if monotonic() > end_s or request.app.state.is_ending():
            return Response(status_code=204)
        await asyncio.sleep(0.02)
    made = await run_in_threadpool(desk.pictures.picture, width or 960)
    if made is None:
        return Response(status_code=204)
    return Response(made.jpeg, media_type="image/jpeg", headers={"x-picture": str(made.number)})


def _number(request: Request, name: str) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


class Word(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says on the page instead of with a pad."""

    word: str
    player: Player | None = None


async def say(request: Request) -> Response:
    """Take a word in: `spit` or `ready` of a player, `undo`, or a change of what the table does."""
    desk: Desk = request.app.state.desk
    word = await message(request, Word)
    if word.word in ("play", "set_up"):
        if not desk.takes_turns:
            return refusal(
                "this is a demo that goes by itself; `spit-referee run --simulate` is the rig to practise on", 409
            )
        desk.ask("play" if word.word == "play" else "set_up")
        return JSONResponse({})
    seen = _observation(word)
    if seen is None:
        return refusal(f"{word.word!r} is no word of this page")
    if not desk.put(seen):
        return refusal("no game is running", 409)
    return JSONResponse({})


def _observation(word: Word) -> AnyObservation | None:
    at_ns = monotonic_ns()
    if word.word == "undo":
        return Undo(at_ns=at_ns)
    if word.player is not None and word.word in ("spit", "ready"):
        return Called(at_ns=at_ns, player=word.player, word="spit" if word.word == "spit" else "ready")
    return None


def refusal(sentence: str, status: int = 400) -> JSONResponse:
    """Return why something was not done, for the page to show."""
    return JSONResponse({"error": sentence}, status)


async def message(request: Request, kind: type[Message]) -> Message:
    """Return what the page sent; raises msgspec.DecodeError, which the app answers with a refusal."""
    return msgspec.json.decode(await request.body(), type=kind)


async def unreadable(request: Request, error: Exception) -> Response:
    """Say what is wrong with a message that is none."""
    return refusal(str(error))


async def gone(request: Request, error: Exception) -> Response:
    """Nobody reads this: whoever asked has hung up in the middle of the question, as a phone out of reach does."""
    return Response(status_code=400)


async def state(request: Request) -> Response:
    """The whole state as JSON, for scripts."""
    desk: Desk = request.app.state.desk
    values: dict[str, Any] = await run_in_threadpool(desk.state)
    return JSONResponse(values)
