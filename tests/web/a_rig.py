"""A simulated rig in a process of its own, its pages on a free port of this machine, and a Chromium to see them."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import urlopen

from playwright.sync_api import Browser, sync_playwright


@contextmanager
def pages_of_a_rig() -> Iterator[tuple[str, Browser]]:
    """Give the address of the pages of a rig that is being set up, and a browser; both end with the block."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        command = [sys.executable, "-m", "referee", "run", "--simulate", "--set-up", "--port", str(port)]
        rig = subprocess.Popen(command, env={**os.environ, "XDG_STATE_HOME": folder}, stdin=subprocess.DEVNULL)
        try:
            wait_for(address)
            chromium = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = engine.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            yield address, browser
            browser.close()
        finally:
            rig.terminate()
            rig.wait()


def wait_for(address: str) -> None:
    """Wait until the pages are there."""
    for _ in range(300):
        try:
            urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.4)
    sys.exit("the rig does not start")
