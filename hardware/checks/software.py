"""Checks of what is installed."""

import sys
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hardware.checks.report import Answer, fail, ok, skip, warn
from hardware.pip import PIP
from referee.errors import DeviceError, RefereeError
from referee.settings import Settings

OPENCV_NAMES: Final = (
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
)
MODEL: Final = Path("/proc/device-tree/model")


@cache
def board(model: Path = MODEL) -> str:
    """Return the Raspberry Pi's model, or nothing on another machine."""
    try:
        text = model.read_bytes().rstrip(b"\0").decode(errors="replace")
    except OSError:
        return ""
    return text if "Raspberry Pi" in text else ""


def installed(name: str) -> str:
    """Return a package's version, or nothing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def python(_: Settings) -> Answer:
    """Which Python on which board: the package does not install on one that is too old."""
    here = ".".join(map(str, sys.version_info[:3]))
    return ok(f"{here} on {board() or 'this machine, which is no Raspberry Pi'}")


def opencv(_: Settings) -> Answer:
    """There is one OpenCV, not none and not two."""
    found = sorted({d.metadata["Name"].lower() for d in distributions() if d.metadata["Name"]} & set(OPENCV_NAMES))
    if len(found) > 1:
        keep = "opencv-python-headless"
        cure = f"run `{PIP} uninstall {' '.join(found)}` and then `{PIP} install {keep}`"
        return fail(f"{' and '.join(found)} overwrite each other", cure)
    try:
        here = import_module("cv2").__version__
    except ImportError as error:
        cure = f"run `sudo apt install python3-opencv` on a Pi, `{PIP} install opencv-python-headless` elsewhere"
        return fail(f"OpenCV is missing ({error})", cure)
    return ok(f"{here} ({found[0] if found else 'from the system'})")


def reader(_: Settings) -> Answer:
    """The card reader's network loads."""
    try:
        import numpy as np

        import_module("hardware.vision.reader").CardReader().odds(np.zeros((1, 90, 64, 3), np.uint8))
    except DeviceError as error:
        return fail(str(error), f"`{PIP} install onnxruntime`")
    except RefereeError as error:
        return fail(str(error), "install spit-referee again")
    except ImportError as error:
        return fail(f"the card reader cannot run ({error})", "mend the line `opencv` above first")
    if find_spec("onnxruntime") is None:
        return warn("runs on OpenCV's own network code", f"`{PIP} install onnxruntime` makes it quicker")
    return ok(f"the card reader runs on ONNX Runtime {installed('onnxruntime')}")


def gpio_packages(settings: Settings) -> Answer:
    """The packages for pads and lights are there and new enough for this board."""
    if not board():
        return skip("no Raspberry Pi: pads and lights are simulated here")
    gpiozero = installed("gpiozero")
    old_for_pi5 = gpiozero.startswith("2.0") and gpiozero < "2.0.1.post3"
    if "Pi 5" in board() and old_for_pi5 and "dist-packages" not in str(find_spec("gpiozero")):
        return fail(f"gpiozero {gpiozero} opens the wrong chip on a Pi 5", f"`{PIP} install 'gpiozero>=2.0.1.post3'`")
    if find_spec("lgpio") is None and find_spec("RPi") is None:
        return fail("neither lgpio nor RPi.GPIO is there: no lights, no buzzer", "`sudo apt install python3-lgpio`")
    if installed("lgpio").startswith("0.0."):
        cure = f"`{PIP} uninstall lgpio`, then `sudo apt install python3-lgpio`"
        return fail(f"lgpio {installed('lgpio')} cannot drive lights", cure)
    lights = "lgpio" if find_spec("lgpio") else "RPi.GPIO"
    if find_spec("gpiod") is None or not hasattr(import_module("gpiod"), "request_lines"):
        cure = f"`{PIP} install gpiod` for exact slaps"
        return warn(f"gpiozero {gpiozero} over {lights}; pads without gpiod 2", cure)
    return ok(f"gpiod {installed('gpiod')}, gpiozero {gpiozero} over {lights}")


def picamera(settings: Settings) -> Answer:
    """picamera2 is there if it is wanted."""
    if settings.camera.source != "picamera2":
        return skip("not wanted by the settings")
    if find_spec("picamera2") is not None:
        return ok(f"picamera2 {installed('picamera2')}".strip())
    cure = "`sudo apt install python3-picamera2`, in an environment made with --system-site-packages"
    return fail("picamera2 is missing", cure)
