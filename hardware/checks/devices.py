"""Checks of pads, lights, camera, and who may use them."""

import grp
import os
from pathlib import Path

from hardware.cameras.choose import one_camera
from hardware.checks.report import Answer, fail, from_error, ok, skip, warn
from hardware.checks.software import board
from hardware.gpio import find_header_chip
from hardware.pads.choose import pad_backend
from referee.errors import DeviceError
from referee.settings import Settings


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


def pads(settings: Settings) -> Answer:
    """The pads' lines can be had, and nothing lies on them."""
    if settings.pads.backend in ("mock", "none"):
        return skip("switched off in the settings")
    if not list(Path("/dev").glob("gpiochip*")):
        return skip("no GPIO pins on this machine")
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
    return ok(f"all open, read by {backend.name}, stamps within {backend.uncertainty_ns / 1000:.0f} us")


def camera(settings: Settings) -> Answer:
    """A picture comes, of the right size and age."""
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
    if device.complaints:
        return warn(f"{device.name}: {device.complaints[0].split('; ')[0]}", device.complaints[0].split("; ")[-1])
    return ok(f"{device.name}, {width}x{height}")
