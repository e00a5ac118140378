"""Takes the pictures of the pages for the documentation: `python docs/pictures/pages.py`, with Chromium installed.

The simulated rig is set up on a phone and then plays; nothing but this project's own pages is seen.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1180, "height": 760}}


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "referee", "run", "--simulate", "--set-up", "--port", str(port)]
        rig = subprocess.Popen(command, env={**os.environ, "XDG_STATE_HOME": folder}, stdin=subprocess.DEVNULL)
        try:
            take(f"http://127.0.0.1:{port}")
        finally:
            rig.terminate()
            rig.wait()


def take(address: str) -> None:
    """Walk through the pages and keep what is seen."""
    wait_for(address)
    with sync_playwright() as engine:
        browser = engine.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        phone = browser.new_context(**PHONE).new_page()
        phone.goto(f"{address}/set-up#corners")
        until(phone, "mode === 'set_up'")
        phone.click("[data-run=corners]")
        until(phone, "results.corners?.state === 'good'")
        until(phone, "document.querySelector('#frame').naturalWidth > 0")
        phone.evaluate("scrollTo(0, 150)")
        phone.screenshot(path=HERE / "set-up-phone.jpg", type="jpeg", quality=82)
        phone.goto(f"{address}/rules")
        phone.screenshot(path=HERE / "rules-phone.jpg", type="jpeg", quality=82)
        laptop = browser.new_context(**LAPTOP).new_page()
        laptop.goto(address)
        until(laptop, "isConnected === true && !byId('play').hidden")
        laptop.evaluate("byId('play').click()")
        until(laptop, "document.querySelectorAll('#lines li').length >= 3")
        laptop.screenshot(path=HERE / "table-page.jpg", type="jpeg", quality=82)
        browser.close()


def wait_for(address: str) -> None:
    """Wait until the pages are there."""
    for _ in range(300):
        try:
            urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.4)
    sys.exit("the rig does not start")


def until(page: Page, script: str) -> None:
    """Wait until a script is true."""
    for _ in range(3000):
        if page.evaluate(script):
            return
        page.wait_for_timeout(100)
    sys.exit(f"never: {script}")


if __name__ == "__main__":
    main()
