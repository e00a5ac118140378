"""Takes the pictures of the pages for the documentation: `python tests/web/take_pictures.py`, with Chromium installed.

The simulated rig is set up on a phone and then plays; nothing but this project's own pages is seen.
"""

import sys
from pathlib import Path

from a_rig import pages_of_a_rig
from playwright.sync_api import Browser, Page

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1180, "height": 760}}


def main() -> None:
    with pages_of_a_rig() as (address, browser):
        take(address, browser)


def take(address: str, browser: Browser) -> None:
    """Walk through the pages and keep what is seen."""
    phone = browser.new_context(**PHONE).new_page()
    phone.goto(f"{address}/set-up#corners")
    until(phone, "mode === 'set_up'")
    phone.click("[data-run=corners]")
    until(phone, "results.corners?.state === 'good'")
    until(phone, "document.querySelector('#frame').naturalWidth > 0")
    phone.evaluate("scrollTo(0, 150)")
    phone.screenshot(path=DOCS / "set-up-phone.jpg", type="jpeg", quality=82)
    phone.goto(f"{address}/rules")
    phone.screenshot(path=DOCS / "rules-phone.jpg", type="jpeg", quality=82)
    laptop = browser.new_context(**LAPTOP).new_page()
    laptop.goto(address)
    until(laptop, "isConnected === true && !byId('play').hidden")
    laptop.evaluate("byId('play').click()")
    until(laptop, "document.querySelectorAll('#lines li').length >= 3")
    laptop.screenshot(path=DOCS / "table-page.jpg", type="jpeg", quality=82)


def until(page: Page, script: str) -> None:
    """Wait until a script is true."""
    for _ in range(3000):
        if page.evaluate(script):
            return
        page.wait_for_timeout(100)
    sys.exit(f"never: {script}")


if __name__ == "__main__":
    main()
