"""Checks of pads, lights, camera, and who may use them."""

import grp
import os
from pathlib import Path
from typing import Final

from hardware.cameras.choose import one_camera
from hardware.cameras.judge import why_blind
from hardware.cameras.usb import USABLE, needed_mbit, usb_speed_mbit
from hardware.cameras.v4l2 import find_cameras
from hardware.checks.machine import running_referee
from hardware.checks.pins import doubtful
from hardware.checks.report import Answer, fail, from_error, ok, skip, warn
from hardware.checks.software import board
from hardware.gpio import find_header_chip
from hardware.pads.choose import pad_backend
from hardware.signals import outputs_of
from referee.errors import DeviceError
from referee.settings import Settings

KINDS: Final = {"passive": "a passive buzzer", "active": "an active buzzer", "none": "no buzzer"}


def groups(_: Settings) -> Answer:
    """This user may open pins and cameras."""
    needed = {"gpio": "gpiochip*", "video": "video*"}
    nodes = {name: sorted(Path("/dev").glob(pattern)) for name, pattern in needed.items()}
    closed = {name: paths[0] for name, paths in nodes.items() if paths and not os.access(paths[0], os.R_OK | os.W_OK)}
    if closed:
        names = " and ".join(closed)
        return fail(f"this user is not in {names}", f"`sudo usermod -aG {','.join(closed)} $USER`, then log in again")
    if not any(nodes.values()):
        return skip("no pins and no cameras on this machine")
    mine = {grp.getgrgid(gid).gr_name for gid in os.getgroups()} & set(needed)
    return ok(f"pins and cameras may be opened ({', '.join(sorted(mine)) or 'as ' + str(os.geteuid())})")


def chip(_: Settings) -> Answer:
    """The header's pins are found by their label."""
    if not board() and not list(Path("/dev").glob("gpiochip*")):
        return skip("no GPIO pins on this machine")
    try:
        return ok(f"the header is {find_header_chip()}")
    except DeviceError as error:
        return from_error(error)


def held_by_referee(settings: Settings) -> Answer | None:
    """Return that a referee is running and has this device, or None."""
    process = running_referee(settings)
    return (
        skip(f"the running referee has it (process {process}); the page and its log say how it is") if process else None
    )


def why_no_pins(backend: str, settings: Settings) -> Answer | None:
    """Return why pins are not tried: switched off, made up, none there, or in the hands of a running referee; None: try
    them."""
    if backend == "none":
        return skip("switched off in the settings")
    if not list(Path("/dev").glob("gpiochip*")):
        return skip("no GPIO pins on this machine")
    if backend == "mock":
        return warn("made up: the settings ask for pins that nothing is wired to", 'write backend = "auto" there')
    return held_by_referee(settings)


def pads(settings: Settings) -> Answer:
    """The pads' lines can be had, and nothing lies on them."""
    if no_pins := why_no_pins(settings.pads.backend, settings):
        return no_pins
    try:
        backend = pad_backend(settings.pads)
        backend.open()
    except DeviceError as error:
        return from_error(error)
    try:
        down = [str(pad) for pad, is_down in backend.levels().items() if is_down]
    finally:
        backend.close()
    if down:
        return warn(f"{', '.join(down)} down", "lift what lies there; else its two wires touch, or it closes at rest")
    well = ok(f"all open, read by {backend.name}, stamps within {backend.uncertainty_ns / 1000:.0f} us")
    return doubtful(settings, "pads") or well


def lights(settings: Settings) -> Answer:
    """Lights and buzzer can be had; `spit-referee signals` shows whether they are wired."""
    if no_pins := why_no_pins(settings.signals.backend, settings):
        return no_pins
    try:
        outputs = outputs_of(settings.signals)
    except DeviceError as error:
        return from_error(error)
    outputs.close()
    well = ok(f"two lights and {KINDS[settings.signals.buzzer]}, driven by {outputs.name}")
    return doubtful(settings, "signals") or well


def usb(settings: Settings) -> Answer:
    """The camera's USB port is fast enough for its pictures."""
    if settings.camera.source == "picamera2":
        return skip("a ribbon camera")
    cameras = find_cameras()
    source = settings.camera.source
    path = Path(f"/dev/video{source}" if source.isdecimal() else source)
    if source == "auto":
        if not cameras:
            return skip("no USB camera is there")
        path = cameras[0].path
    speed = usb_speed_mbit(path)
    if speed is None:
        return skip(f"{path} is on no USB port")
    needed = needed_mbit(settings.camera)
    if needed > speed * USABLE:
        cure = "plug it into another port (blue ones are faster), without a hub, or set camera.format = 'MJPG'"
        return warn(f"{path}: pictures need {needed:.0f} Mbit/s, its port gives {speed:.0f}", cure)
    return ok(f"{path} on a port of {speed:.0f} Mbit/s, pictures need {needed:.0f}")


def camera(settings: Settings) -> Answer:
    """A picture comes, of the right size and age."""
    if held := held_by_referee(settings):
        return held
    device = one_camera(settings.camera)
    try:
        device.open()
        frame = device.read()
    except DeviceError as error:
        answer = from_error(error)
        return answer if board() else warn(answer.says, f"{answer.cure} (demo and --simulate need none)")
    finally:
        device.close()
    height, width = frame.image.shape[:2]
    if blind := why_blind(frame.image):
        return warn(f"{device.name}: {blind.split('; ')[0]}", blind.split("; ")[1])
    if device.complaints:
        return warn(f"{device.name}: {device.complaints[0].split('; ')[0]}", device.complaints[0].split("; ")[-1])
    return ok(f"{device.name}, {width}x{height}")
