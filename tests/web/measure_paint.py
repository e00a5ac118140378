"""How soon do the pages show something on a cheap phone? `python tests/web/measure_paint.py`, with Chromium installed.

Two answers a page, with nothing in the cache. *Seen*: Chromium slowed to a sixth (a phone of a hundred euros against a
laptop), on a network of 10 Mbit/s with 40 ms; the best of `TRIES`, true only while nothing else runs. *Counted*: the
processor time that the browser took until it painted, six times as much, and three ways over that network with the
bytes that a paint waits for (the page, its style): no other program changes that.
"""

from typing import Any, Final

from a_rig import pages_of_a_rig
from playwright.sync_api import Browser, BrowserContext

PAGES: Final = ("/", "/set-up", "/rules", "/games")
SLOWER, TRIES = 6, 3
WAYS, LATENCY_MS, BYTES_MS = 3, 40, 1250
"""Connection, page and style each take a way; so many bytes come in a millisecond."""
NETWORK: Final = {
    "offline": False,
    "latency": LATENCY_MS,
    "downloadThroughput": 1_250_000,
    "uploadThroughput": 1_250_000,
}
PAINTED: Final = "performance.getEntriesByName('first-contentful-paint').map(one => one.startTime)"


def main() -> None:
    with pages_of_a_rig() as (address, browser):
        measure(address, browser)


def on_a_phone(browser: Browser) -> BrowserContext:
    """A new window of a phone, nothing kept from the last one."""
    return browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)


def measure(address: str, browser: Browser) -> None:
    """Print a line a page."""
    print("page       files   bytes   first paint: seen   counted (of it browser)")
    for path in PAGES:
        tries = [visit(browser, address + path) for _ in range(TRIES)]
        seen = min(one["painted_ms"] for one in tries)
        browser_ms = SLOWER * min(busy_ms(browser, address + path) for _ in range(TRIES))
        files, size = tries[0]["files"], tries[0]["bytes"]
        counted = browser_ms + WAYS * LATENCY_MS + size / BYTES_MS
        print(f"{path:10} {files:5} {size:7}   {seen:14.0f} ms   {counted:.0f} ms ({browser_ms:.0f} ms)", flush=True)


def visit(browser: Browser, address: str) -> dict[str, Any]:
    """Open a page in a fresh, slowed browser; return its files, bytes, and when something was seen."""
    context = on_a_phone(browser)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    asked: dict[str, str] = {}
    sizes: list[int] = []
    session.on("Network.requestWillBeSent", lambda told: asked.update({told["requestId"]: told["request"]["url"]}))
    session.on("Network.loadingFinished", lambda told: sizes.append(int(told["encodedDataLength"])))
    page.goto(address, wait_until="load")
    while not (painted := page.evaluate(PAINTED)):
        page.wait_for_timeout(20)
    files = [url for url in asked.values() if "/picture" not in url and "/news" not in url and url.startswith("http")]
    context.close()
    return {"files": len(files), "bytes": sum(sizes), "painted_ms": painted[0]}


def busy_ms(browser: Browser, address: str) -> float:
    """Return how long the page's process was busy until something was seen, all its threads together, unslowed."""
    context = on_a_phone(browser)
    page = context.new_page()
    session = context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    ended: list[object] = []
    session.on("Tracing.dataCollected", lambda told: events.extend(told["value"]))
    session.on("Tracing.tracingComplete", lambda told: ended.append(told))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["toplevel", "loading", "blink.user_timing"]}})
    page.goto(address, wait_until="load")
    while not page.evaluate(PAINTED):
        page.wait_for_timeout(20)
    session.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    context.close()
    painted = next(one for one in events if one["name"] == "firstContentfulPaint")
    started = max(one["ts"] for one in events if one["name"] == "navigationStart" and one["ts"] < painted["ts"])
    tasks = [one for one in events if one.get("ph") == "X" and one["name"].endswith("RunTask")]
    mine = [one for one in tasks if one["pid"] == painted["pid"] and started <= one["ts"] <= painted["ts"]]
    return sum(one.get("tdur", one["dur"]) for one in mine) / 1000


if __name__ == "__main__":
    main()
