"""The gate in front of every page: headers that shut foreign content out, the PIN, and who may change something."""

import secrets
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.access import Access, Limiter
from referee.web.addresses import is_own_host

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FIXED_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
LARGEST_BODY: Final = 16_384
PUBLIC: Final = ("/sign-in", "/static/")
SAFE: Final = ("GET", "HEAD")
CSRF_HEADER: Final = "x-csrf-token"


class Gate:
    """Middleware inside the sessions'. Refuses strange hosts, strangers, foreign pages that post, and floods."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access
        self._posts = Limiter(40, 10.0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_shut(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in FIXED_HEADERS.items():
                    headers[name] = value
                headers.setdefault("content-security-policy", POLICY)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refused = self._refusal(Request(scope))
        await (refused or self._app)(scope, receive, send_shut)

    def _refusal(self, request: Request) -> Response | None:
        """Return what to answer instead of the page; None: come in."""
        if not is_own_host(request.headers.get("host", "")):
            return PlainTextResponse("Open the page by this machine's own name or number.", 421)
        path = request.url.path
        public = path == PUBLIC[0] or path.startswith(PUBLIC[1])
        if self._access.open and not public and not request.session.get("in"):
            if request.method in SAFE and "text/html" in request.headers.get("accept", ""):
                return RedirectResponse("/sign-in", 303)
            return JSONResponse({"error": "not signed in; open the page again and give the PIN"}, 401)
        return None if request.method in SAFE else self._post_refusal(request)

    def _post_refusal(self, request: Request) -> Response | None:
        headers = request.headers
        if not self._posts.allows(client_of(request)):
            return JSONResponse({"error": "too many at once; wait a few seconds"}, 429)
        if _is_foreign(headers) or not _same(headers.get(CSRF_HEADER, ""), request.session.get("csrf", "")):
            return JSONResponse({"error": "this page is out of date; load it again"}, 403)
        if not headers.get("content-length", "").isdigit() or int(headers["content-length"]) > LARGEST_BODY:
            return JSONResponse({"error": "that is too much for one message"}, 413)
        return None


def csrf_of(request: Request) -> str:
    """Return the token that a page of this session must send with everything that changes something."""
    token: str = request.session.setdefault("csrf", secrets.token_urlsafe(24))
    return token


def client_of(request: Request) -> str:
    """Return who asks, for limits."""
    return request.client.host if request.client else "unknown"


def _is_foreign(headers: Headers) -> bool:
    """Whether a browser says that another site's page sent this."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def _same(given: str, wanted: str) -> bool:
    return bool(wanted) and secrets.compare_digest(given.encode(), wanted.encode())
