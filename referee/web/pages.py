"""Templates and files of the pages: loaded once from the package, served by name, never by a path of a request."""

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from referee.web.gate import csrf_of

TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file with its mark, by which a browser knows whether its copy is still right."""

    content: bytes
    packed: bytes
    kind: str
    mark: str


@cache
def assets() -> dict[str, Asset]:
    """Return every static file by its name."""
    found = {}
    for file in (files("referee.web") / "static").iterdir():
        kind = TYPES.get(file.name.rpartition(".")[2])
        if kind is not None:
            content = file.read_bytes()
            mark = sha256(content).hexdigest()[:12]
            found[file.name] = Asset(content, gzip.compress(content, 9, mtime=0), kind, mark)
    return found


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("referee.web", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,  # an upgrade on the disk does not change pages that are being served
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["asset"] = lambda name: f"/static/{name}?{assets()[name].mark}"
    return environment


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page; what all of them need comes from the desk."""
    desk = request.app.state.desk
    shown = {
        "csrf": csrf_of(request),
        "simulated": desk.simulated,
        "has_practice": desk.practice is not None,
        "path": request.url.path,
        "signed_in": bool(request.session.get("in")),
        **values,
    }
    return HTMLResponse(_environment().get_template(template).render(shown), status)


async def static(request: Request) -> Response:
    """A style, script or picture of the pages; kept by the browser until it changes."""
    asset = assets().get(request.path_params["name"])
    if asset is None:
        return PlainTextResponse("There is no such file.", 404)
    headers = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(asset.packed, media_type=asset.kind, headers=headers)
    return Response(asset.content, media_type=asset.kind, headers=headers)
