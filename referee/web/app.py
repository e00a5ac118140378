"""All addresses of the pages in one table, and what stands in front of them."""

from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from referee.web import corrections, games, house, live, setup, sign_in
from referee.web.access import Access, Limiter
from referee.web.desk import Desk
from referee.web.gate import Gate
from referee.web.pages import page, static

SESSION_S: Final = 30 * 24 * 3600


async def not_found(request: Request, error: Exception) -> Response:
    """Say so on a page like the others."""
    return page(request, "message.html", 404, title="No such page", text="The links above lead to every page.")


def build_app(desk: Desk, access: Access) -> Starlette:
    """Return the pages of a table for whoever `access` lets in."""
    app = Starlette(
        routes=[
            Route("/", live.live),
            Route("/news", live.news),
            Route("/picture", live.picture),
            Route("/state", live.state),
            Route("/say", live.say, methods=["POST"]),
            Route("/set-up", setup.set_up),
            Route("/set-up/names", setup.names, methods=["POST"]),
            Route("/set-up/answer", setup.answer, methods=["POST"]),
            Route("/camera", setup.choose_camera, methods=["POST"]),
            Route("/set-up/signal", setup.signal, methods=["POST"]),
            Route("/set-up/picture/{step}/{name}", setup.picture),
            Route("/set-up/{step}", setup.start, methods=["POST"]),
            Route("/practice/pad", setup.press, methods=["POST"]),
            Route("/practice/trouble", setup.trouble, methods=["POST"]),
            Route("/rules", house.house),
            Route("/rules", house.save, methods=["POST"]),
            Route("/rules/preview", house.preview, methods=["POST"]),
            Route("/games", games.games),
            Route("/games/{game}", games.game),
            Route("/games/{game}/log", games.log),
            Route("/games/{game}/corrections", corrections.token),
            Route("/games/{game}/corrections", corrections.correct, methods=["POST"]),
            Route("/sign-in", sign_in.form),
            Route("/sign-in", sign_in.sign_in, methods=["POST"]),
            Route("/sign-out", sign_in.sign_out, methods=["POST"]),
            Route("/static/{name}", static),
        ],
        middleware=[
            Middleware(
                SessionMiddleware,
                secret_key=access.secret,
                session_cookie="spit_referee",
                max_age=SESSION_S,
                same_site="strict",
            ),
            Middleware(Gate, access=access),
        ],
        exception_handlers={
            404: not_found,
            msgspec.DecodeError: live.unreadable,
            ClientDisconnect: live.gone,
        },
    )
    app.state.desk, app.state.access = desk, access
    app.state.is_ending = lambda: False
    app.state.tries = Limiter(sign_in.TRIES, sign_in.TRIES_S, sign_in.TRIES_ALL)
    return app
