"""Who gets in, and what a stranger, a foreign page or a hostile name can do: nothing."""

import asyncio
import os
import re
import signal
import socket
import stat
import sys
import threading
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from time import sleep
from typing import Any
from urllib.parse import quote

import pytest
from served import Table
from typer.testing import CliRunner
from visitor import Visitor

from referee.cli.app import app
from referee.errors import DeviceError, SettingsError
from referee.log import GameLog, Header, game_entry
from referee.web import connections
from referee.web import games as games_page
from referee.web import server as web_server
from referee.web.access import Access, Limiter, access_file, fresh_access, load_access, save_access
from referee.web.addresses import is_own_host, page_addresses, qr_text, sign_in_address
from referee.web.games import _make
from referee.web.server import WebServer

Visit = Callable[[], Visitor]


def listens_on(port: int) -> set[str]:
    """Return the addresses on which a port is listened to, from the kernel's own table."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    local = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    numbers = [address.split(":") for address in local if int(address.split(":")[1], 16) == port]
    return {socket.inet_ntoa(bytes.fromhex(number)[::-1]) for number, _ in numbers}


# One visitor too many -----------------------------------------------------------------------------------------------


def test_a_device_that_holds_connections_open_shuts_nobody_out(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connections, "SILENT_S", 0.4)
    server = table.serve()
    begun = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
    with ExitStack() as held:
        silent = [held.enter_context(hold(server.port, b"")) for _ in range(connections.MOST_AT_ONCE)]
        assert Visitor(server.port, source="127.0.0.2").get("/").status == 200
        assert hung_up(silent[0]), "it asked for nothing"
        assert hung_up(held.enter_context(hold(server.port, b"GET / HTTP/1.1\r\nHost: ")))
        assert hung_up(held.enter_context(hold(server.port, begun)))
        viewer = held.enter_context(hold(server.port, b"GET /news HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        sleep(1.5)
        assert not hung_up(viewer, 0.1), "a viewer stays"


def test_a_phone_that_hangs_up_in_mid_sentence_is_no_fault_of_the_pages(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    server = table.serve()
    here = Visitor(server.port)
    here.get("/")
    cookie = "; ".join(f"{name}={value}" for name, value in here.cookies.items())
    head = f"POST /rules HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nx-csrf-token: {here.csrf}\r\n"
    with hold(server.port, f"{head}Content-Length: 99\r\n\r\n{{".encode()):
        sleep(0.3)
    with hold(server.port, b"no HTTP\r\n\r\n") as stranger:
        assert stranger.recv(20).startswith(b"HTTP/1.1 400")
    assert here.get("/").status == 200
    assert not caplog.records


def hold(port: int, said: bytes) -> socket.socket:
    """Return a connection on which somebody began to speak."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(said)
    return connection


def hung_up(connection: socket.socket, within_s: float = 5.0) -> bool:
    """Return whether the pages have ended a connection, which takes them a moment."""
    connection.settimeout(within_s)
    try:
        while connection.recv(65_536):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        pass
    return True


# Private at first ----------------------------------------------------------------------------------------------------


def test_the_pages_are_for_this_machine_only_at_first(table: Table) -> None:
    server = table.serve()
    assert listens_on(server.port) == {"127.0.0.1"}
    assert "this machine only" in table.said[0]
    assert Visitor(server.port).get("/").status == 200


def test_open_and_close_are_followed_by_a_running_server(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    server = table.serve()
    save_access(fresh_access(open_=True), table.access_file)
    wait_until(lambda: listens_on(server.port) == {"0.0.0.0"})
    assert Visitor(server.port).get("/").status == 303
    save_access(fresh_access(open_=False), table.access_file)
    wait_until(lambda: listens_on(server.port) == {"127.0.0.1"})
    assert "PIN" in table.said[1] and "▄" in table.said[1]


def test_who_opens_the_pages_while_they_start_is_followed_too(table: Table) -> None:
    def opened_meanwhile(_: str) -> None:
        if not load_access(table.access_file).open:
            save_access(fresh_access(open_=True), table.access_file)

    with WebServer(table.desk, table.access_file, 0, strict=True, say=opened_meanwhile) as server:
        wait_until(lambda: listens_on(server.port) == {"0.0.0.0"})


def test_the_command_opens_shows_and_closes(tmp_path: Path) -> None:
    settings = tmp_path / "s.toml"
    settings.write_text(f'[storage]\ntable_file = "{tmp_path / "table.toml"}"\n')
    file = access_file(tmp_path / "table.toml")

    def web(*words: str) -> str:
        result = CliRunner().invoke(app, ["web", *words, "--config", str(settings)])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert "this machine only" in web("show")
    told = web("open")
    pin = load_access(file).pin
    assert f"PIN {pin[:3]} {pin[3:]}" in told and "█" in told
    assert web("open") == told, "opening what is open keeps the PIN"
    assert web("open", "--new-pin") != told
    assert load_access(file).secret != ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o660
    web("close")
    assert not load_access(file).open
    assert load_access(file).pin != pin


# The PIN -------------------------------------------------------------------------------------------------------------


def test_without_the_pin_only_the_sign_in_page_is_served(table: Table) -> None:
    port = table.serve(open_=True).port
    for path in ("/", "/set-up", "/rules", "/games", "/games/x", "/games/x/log", "/nothing"):
        answer = Visitor(port).get(path)
        assert (answer.status, answer.headers["location"]) == (303, "/sign-in"), path
    for path in ("/news", "/picture", "/state"):
        assert Visitor(port).get(path, accept="*/*").status == 401, path
    assert Visitor(port).get("/sign-in").status == 200


def test_the_pin_lets_in_and_signing_out_ends_it(table: Table) -> None:
    server = table.serve(open_=True)
    phone = Visitor(server.port)
    phone.get("/sign-in")
    assert phone.post("/sign-in", {"pin": "000"}).status == 403
    pin = server.access.pin
    assert phone.post("/sign-in", {"pin": f"{pin[:3]} {pin[3:]}"}).status == 200
    assert phone.get("/").status == 200
    phone.post("/sign-out", {})
    assert phone.get("/").status == 303


def test_a_session_outlives_a_restart_and_ends_with_a_new_pin(table: Table) -> None:
    with WebServer(table.desk, table.access_file, 0) as first:
        pass
    save_access(fresh_access(open_=True), table.access_file)
    phone = Visitor(0)
    with WebServer(table.desk, table.access_file, 0) as server:
        phone.port = server.port
        phone.get("/sign-in")
        assert phone.post("/sign-in", {"pin": server.access.pin}).status == 200
    with WebServer(table.desk, table.access_file, 0) as server:
        phone.port = server.port
        assert phone.get("/").status == 200
    save_access(fresh_access(open_=True), table.access_file)
    with WebServer(table.desk, table.access_file, 0) as server:
        phone.port = server.port
        assert phone.get("/").status == 303
    assert first.port


def test_an_open_page_does_not_hold_up_the_end(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    """Its stream of news never ends by itself; the server ends it, without an error in the log."""
    with WebServer(table.desk, table.access_file, 0) as server:
        stream = urllib.request.urlopen(f"http://localhost:{server.port}/news", timeout=10)
        assert stream.readline().startswith(b"event: state")
    with stream:
        assert not caplog.records


def test_wrong_pins_are_limited_and_then_even_the_right_one_waits(table: Table) -> None:
    server = table.serve(open_=True)
    thief = Visitor(server.port)
    thief.get("/sign-in")
    assert [thief.post("/sign-in", {"pin": str(n)}).status for n in range(6)] == [403] * 5 + [429]
    assert thief.post("/sign-in", {"pin": server.access.pin}).status == 429


def test_the_limit_holds_for_each_and_for_all_together_and_ends() -> None:
    now = [0.0]
    limit = Limiter(2, 10.0, count_all=3, now=lambda: now[0])
    assert [limit.allows("a"), limit.allows("a"), limit.allows("a")] == [True, True, False]
    assert [limit.allows("b"), limit.allows("c")] == [True, False]
    now[0] = 10.5
    assert limit.allows("a")


# Foreign pages -------------------------------------------------------------------------------------------------------


def test_a_post_needs_the_token_of_the_page(table: Table, visit: Visit) -> None:
    here = visit()
    here.get("/")
    assert here.post("/rules/preview", {"rules": "pagat", "options": {}}).status == 200
    for wrong in ("", "guessed", "x" * 5000):
        assert here.post("/say", {"word": "play"}, x_csrf_token=wrong).status == 403
    assert table.desk.wish is None


@pytest.mark.parametrize("header", [{"origin": "http://evil.example"}, {"sec_fetch_site": "cross-site"}])
def test_a_post_from_another_site_is_refused_even_with_the_token(visit: Visit, header: dict[str, str]) -> None:
    here = visit()
    here.get("/")
    assert here.post("/say", {"word": "play"}, **header).status == 403


@pytest.mark.parametrize(
    "host, own",
    [
        ("localhost:8765", True),
        ("127.0.0.1", True),
        ("[::1]:8765", True),
        ("192.168.1.7:8765", True),
        (f"{socket.gethostname().partition('.')[0]}.local:8765", True),
        ("evil.example", False),
        ("localhost.evil.example", False),
        (f"{socket.gethostname().partition('.')[0]}.evil.example", False),
        ("1.2.3.4.evil.example", False),
        ("", False),
    ],
)
def test_a_foreign_name_for_this_address_is_refused(host: str, own: bool) -> None:
    assert is_own_host(host) == own


def test_a_rebound_name_gets_nothing(visit: Visit) -> None:
    assert visit().get("/", host="evil.example").status == 421


def test_every_answer_shuts_foreign_content_out(visit: Visit) -> None:
    here = visit()
    for path in ("/", "/set-up", "/rules", "/games", "/nothing", "/state"):
        headers = here.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"], path
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    cookie = here.get("/").headers.get("set-cookie", "httponly; samesite=strict").lower()
    assert "httponly" in cookie and "samesite=strict" in cookie


def test_too_much_at_once_and_too_long_a_message_are_refused(visit: Visit) -> None:
    here = visit()
    here.get("/")
    assert here.post("/rules/preview", {"rules": "x" * 20_000, "options": {}}).status == 413
    statuses = [here.post("/rules/preview", {"rules": "pagat", "options": {}}).status for _ in range(45)]
    assert statuses[0] == 200 and statuses[-1] == 429


@pytest.mark.parametrize("body", ["[]", '{"word": 3}', '{"word": "play", "more": 1}', "\x00", '{"word": "shutdown"}'])
def test_a_message_that_is_none_is_answered_with_a_sentence(visit: Visit, body: str) -> None:
    here = visit()
    here.get("/")
    answer = here._ask("POST", "/say", body.encode(), {"x-csrf-token": here.csrf})
    assert answer.status == 400 and answer.json()["error"]


# No path from a request ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "%2fetc%2fpasswd", "game\0"])
def test_no_file_is_named_by_a_request(table: Table, visit: Visit, name: str) -> None:
    GameLog.create(table.folder / "games", Header()).close()
    quoted = name.replace("\0", "%00")
    for path in (f"/games/{quoted}", f"/games/{quoted}/log", f"/static/{quoted}", f"/set-up/picture/{quoted}/x"):
        answer = visit().get(path)
        assert answer.status in (303, 404), path
        assert b"root:" not in answer.body


def test_names_are_escaped_everywhere(table: Table, visit: Visit) -> None:
    bad = "<script>alert(1)</script>\"'&"
    GameLog.create(table.folder / "games", Header(players={"p1": bad, "p2": "\u202eneB"}, rules_name=bad)).close()
    here = visit()
    here.get("/rules")
    values = {"rules": "pagat", "options": {}, "p1": bad, "p2": "Ben"}
    assert here.post("/rules", values).status == 200
    for path in ("/games", "/rules", "/", "/set-up"):
        text = here.get(path).text
        assert "<script>alert" not in text, path
        assert "\u202e" not in text, path
    assert "&lt;script&gt;" in here.get("/games").text


@pytest.mark.parametrize("name", ["Weihnachten 🎄", 'a "b"', "50 % #1?", "two\nlines", os.fsdecode(b"\xff")])
def test_a_game_whose_folder_was_renamed_is_shown_and_kept(table: Table, visit: Visit, name: str) -> None:
    games = table.folder / "games"
    with GameLog.create(games, Header(players={"p1": "Ann", "p2": "Ben"})) as log:
        made = log.directory
    made.rename(games / name)
    here = visit()
    listed = here.get("/games")
    address = re.search('class="game" href="([^"]+)"', listed.text)
    assert listed.status == 200 and address is not None
    kept = here.get(f"{address[1]}/log")
    if name.isprintable():  # others are no text that an address can be
        assert kept.body == (games / name / "game.jsonl").read_bytes()
        assert kept.headers["content-disposition"].endswith(f"''{quote(name, safe='')}.jsonl")
    assert kept.status in (200, 303)


def test_many_games_come_in_pages_and_only_the_logs_of_a_page_are_opened(
    table: Table, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 121):
        GameLog.create(table.folder / "games", Header(players={"p1": f"Ann {number}", "p2": "Ben"})).close()
    opened: list[Path] = []
    monkeypatch.setattr(games_page, "game_entry", lambda folder: opened.append(folder) or game_entry(folder))
    here = visit()
    first = here.get("/games").text
    assert "Ann 120<" in first and "Ann 71<" in first and "Ann 70<" not in first
    assert "1 to 50 of 120" in first and "Newer" not in first
    second = here.get("/games?older=50").text
    assert "Ann 70<" in second and 'href="/games?older=0"' in second and 'href="/games?older=100"' in second
    assert "101 to 120 of 120" in (last := here.get("/games?older=100").text) and "Older<" not in last
    assert len(opened) == 120
    assert "There are no older games" in here.get("/games?older=5000").text
    for nonsense in ("-1", "x", "٣", "9" * 5000):
        assert "Ann 120<" in here.get(f"/games?older={quote(nonsense)}").text
    assert here.get(f"/games/{opened[-1].name}/log").status == 200


# Files that are damaged ----------------------------------------------------------------------------------------------


DEEP = b'{"secret": "s", "more": ' + b"[" * 100_000
WITHOUT_PIN = (b'{"open": true, "pin": "", "secret": "s"}', b'{"open": true, "secret": "s"}', b'{"open": true}')


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"open": 3}', b"\x00" * 40, DEEP, *WITHOUT_PIN])
def test_a_damaged_access_file_closes_the_door_and_is_named(table: Table, content: bytes) -> None:
    table.access_file.write_bytes(content)
    with pytest.raises(SettingsError, match="web open"):
        load_access(table.access_file)
    server = table.serve()
    assert listens_on(server.port) == {"127.0.0.1"}
    assert str(table.access_file) in table.said[0]


def test_a_damaged_log_is_named_without_telling_where_on_this_machine_it_lies(table: Table, visit: Visit) -> None:
    with GameLog.create(table.folder / "games", Header()) as log:
        pass
    (log.directory / "game.jsonl").write_bytes(b"not a log")
    table.serve()
    for path in ("/games", f"/games/{log.directory.name}"):
        text = visit().get(path).text
        assert f"{log.directory.name}/game.jsonl is not a game log" in text, path
        assert str(table.folder) not in text, path


def test_a_page_in_the_making_ends_with_the_pages(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[asyncio.subprocess.Process] = []
    begin = asyncio.create_subprocess_exec

    async def sleeper(*_: str, **pipes: Any) -> asyncio.subprocess.Process:
        made.append(await begin(sys.executable, "-c", "import time; time.sleep(60)", **pipes))
        return made[0]

    async def closed_meanwhile() -> None:
        making = asyncio.create_task(_make(table.folder, table.folder / "replay.html"))
        while not made:
            await asyncio.sleep(0.01)
        making.cancel()
        with suppress(asyncio.CancelledError):
            await making

    monkeypatch.setattr("asyncio.create_subprocess_exec", sleeper)
    with ThreadPoolExecutor() as pool:  # this thread may have an event loop already, that of a browser
        pool.submit(asyncio.run, closed_meanwhile()).result()
    assert made[0].returncode == -signal.SIGKILL, "it is not left to go on by itself"


def test_a_port_that_is_taken_is_told_or_another_one_is_found(table: Table) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(DeviceError, match="another one"),
            WebServer(table.desk, table.access_file, port, strict=True),
        ):
            pass
        with WebServer(table.desk, table.access_file, port) as server:
            assert port < server.port < port + 10


def test_the_qr_code_holds_address_and_pin_which_stays_in_the_browser() -> None:
    address = sign_in_address("http://192.168.1.7:8765/", "123456")
    assert address == "http://192.168.1.7:8765/sign-in#123456"
    assert len(qr_text(address).splitlines()) > 12
    assert page_addresses(8765, False) == ["http://localhost:8765/"]
    assert not Access().lets_in("")


def wait_until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something is so; fails if it never is."""
    from time import monotonic, sleep

    end = monotonic() + seconds
    while not true():
        assert monotonic() < end, "it never came to that"
        sleep(0.05)


def test_pages_whose_loop_hangs_are_known_to_the_watchdog(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = threading.Event()
    monkeypatch.setattr("referee.web.server.LOOK_S", 0.01)
    server = table.serve()
    version = web_server._version  # called in the loop itself
    monkeypatch.setattr(web_server, "_version", lambda path: (let_go.wait(), version(path))[1])
    while server.age_ns() < 300_000_000:
        sleep(0.01)
    let_go.set()
    while server.age_ns() > 200_000_000:
        sleep(0.01)
