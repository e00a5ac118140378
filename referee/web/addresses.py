"""Under which addresses the pages can be reached, for a person and as a QR code."""

import io
import socket
from typing import Final

import segno

LOCALHOST: Final = "127.0.0.1"
EVERYWHERE: Final = "0.0.0.0"
HOME_DOMAINS: Final = ("local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")


def own_address() -> str | None:
    """Return this machine's address on the local network, None without one. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.168.255.255", 9))  # only chooses the interface
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if address.startswith(("127.", "0.")) else address


def page_addresses(port: int, everywhere: bool) -> list[str]:
    """Return the addresses to type in, the surest first."""
    if not everywhere:
        return [f"http://localhost:{port}/"]
    hosts = [own_address(), f"{socket.gethostname().partition('.')[0]}.local"]
    return [f"http://{host}:{port}/" for host in hosts if host]


def sign_in_address(address: str, pin: str) -> str:
    """Return the address with the PIN behind the `#`, which a browser keeps to itself."""
    return f"{address}sign-in#{pin}"


def qr_text(text: str) -> str:
    """Return a QR code in block characters, for a terminal or the console."""
    out = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(out, compact=True, border=2)
    return out.getvalue()


def is_own_host(host: str) -> bool:
    """Return whether a Host header means this machine: a number, `localhost`, or its name in the home network.

    Any other name could be one that a foreign page has pointed at this address.
    """
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0].replace(":", "").isalnum()
    name = name.partition(":")[0]
    if name.replace(".", "").isdigit():
        return True
    own = socket.gethostname().partition(".")[0].lower()
    return name in ("localhost", own, *(f"{own}.{home}" for home in HOME_DOMAINS))
