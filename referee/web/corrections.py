"""Corrections that a replay page sends: to the running game's referee, or into the log of one that has been played."""

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from referee.errors import RefereeError
from referee.log import LoggedGame
from referee.observations import Observation
from referee.replay.amend import Words, amend, words_of
from referee.verdicts import Verdict
from referee.web.desk import Desk
from referee.web.games import find
from referee.web.gate import csrf_of
from referee.web.live import refusal


async def token(request: Request) -> Response:
    """What a replay page, the same for everybody, has to send with its corrections."""
    return JSONResponse({"csrf": csrf_of(request)})


async def correct(request: Request) -> Response:
    """Take corrections in; the answer says what is now what it was not."""
    desk: Desk = request.app.state.desk
    directory = await run_in_threadpool(find, request)
    if directory is None:
        return refusal("this game is not here any more", 404)
    try:
        words = words_of(await request.body())
        if desk.mode == "play" and directory.name == desk.game:
            return JSONResponse(await run_in_threadpool(_tell_the_table, desk, directory, words), 202)
        outcome = await run_in_threadpool(amend, directory, words)
    except RefereeError as error:
        return refusal(str(error))
    if outcome.unknown and not outcome.told:
        return refusal("the log holds nothing there that can be corrected")
    return JSONResponse({"told": len(outcome.told)})


def _tell_the_table(desk: Desk, directory: Path, words: Words) -> dict[str, int]:
    """Hand the words to the referee, who judges on; returns how many were `told` and how many wait for a lull."""
    wanted = {word.of for word in words.words}
    at_ns = {
        entry.n: entry.item.at_ns
        for entry in LoggedGame(directory).entries()
        if entry.n in wanted and isinstance(entry.item, Observation | Verdict)
    }
    became = [desk.correct(word, at_ns[word.of]) for word in words.words if word.of in at_ns]
    return {"told": became.count("put"), "waits": became.count("waits")}
