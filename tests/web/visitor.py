"""Somebody who asks the pages for something, with the cookies and tokens that a browser would keep."""

import http.client
import json
import re
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Visitor:
    """A browser without a screen."""

    port: int
    host: str = "127.0.0.1"
    cookies: dict[str, str] = field(default_factory=dict)
    csrf: str = ""
    source: str = "127.0.0.1"
    """The address from which it comes."""

    def get(self, path: str, **headers: str) -> Answer:
        answer = self._ask("GET", path, None, {"accept": "text/html", **headers})
        if found := re.search(r'name="csrf" content="([^"]+)"', answer.body.decode(errors="replace")):
            self.csrf = found[1]
        return answer

    def post(self, path: str, values: Any, **headers: str) -> Answer:
        sent = {"content-type": "application/json", "x-csrf-token": self.csrf, **headers}
        return self._ask("POST", path, json.dumps(values).encode(), sent)

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=10, source_address=(self.source, 0))
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        answer = Answer(response.status, {n.lower(): v for n, v in response.getheaders()}, response.read())
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, rest = value.partition(";")
                key, _, content = cookie.partition("=")
                if "expires=Thu, 01 Jan 1970" in rest:
                    self.cookies.pop(key, None)
                else:
                    self.cookies[key] = content
        connection.close()
        return answer
