"""Checks of the trial: what goes wrong at a table, what is said of it, and how it is well again."""

import json
import os
import signal
import subprocess
import time

from table import (
    END,
    GAMES,
    MS,
    OURS,
    SETTINGS,
    STILL,
    Game,
    Watcher,
    calibrate,
    control,
    games,
    is_well,
    journal,
    set_chip,
    status,
    unit,
    until,
)

WATCHDOG_S = 20


def lost_and_back(trial, spoil, mend, word):
    """Return whether the camera's fault is said in a sentence within a second, and gone when it is mended."""
    game = Game()
    since, began_ns = game.count(), time.monotonic_ns()
    spoil()
    lost = game.wait("sensor_lost", 4, since, sensor="camera")
    said = until(lambda: word in status(), 4) and status()
    trial.pins.slap("p1/A")
    felt = game.wait("pad_slapped", 3, since)
    mended_ns = time.monotonic_ns()
    mend()
    back = game.wait("sensor_back", 15, since, sensor="camera")
    facts = {
        "lost_after_ms": lost and round((lost["at_ns"] - began_ns) / MS),
        "reason": lost and lost["reason"],
        "status": said,
        "pads_meanwhile": bool(felt),
        "back_after_ms": back and round((back["at_ns"] - mended_ns) / MS),
    }
    return lost and facts["lost_after_ms"] <= 1100 and said and felt and back, facts


def camera_unplugged(trial):
    """The camera is pulled out and plugged in again"""
    return lost_and_back(trial, lambda: trial.film.tell("unplugged"), lambda: trial.film.tell(STILL), "CAMERA LOST")


def camera_frozen(trial):
    """The camera repeats one picture"""
    return lost_and_back(trial, lambda: trial.film.tell("frozen"), lambda: trial.film.tell(STILL), "same picture")


def camera_of_another_size(trial):
    """The camera comes back with a smaller picture"""

    def smaller():
        trial.film.tell("unplugged")
        time.sleep(0.3)
        trial.film.tell(f"small {END}")

    def as_before():
        trial.film.tell("unplugged")
        time.sleep(1.5)
        trial.film.tell(STILL)

    return lost_and_back(trial, smaller, as_before, "480x270")


def camera_slow(trial):
    """The camera sends a third of its pictures: said, and played on"""
    trial.film.tell("slow")
    said = until(lambda: "pictures a second" in status(), 5) and status()
    trial.film.tell(STILL)
    well = until(lambda: "pictures a second instead" not in status(), 8)
    return said and well, said


def pins_gone(trial):
    """The GPIO chip goes away and comes back under the name of a Pi 5's: pads and lights work again"""
    game = Game()
    since, began_ns = game.count(), time.monotonic_ns()
    trial.pins.forget()
    set_chip(None)
    lost = game.wait("sensor_lost", 5, since, sensor="pads")
    said = until(lambda: "PADS LOST" in status(), 3) and status()
    set_chip("pinctrl-rp1")
    trial.pins.__init__()
    back = game.wait("sensor_back", 15, since, sensor="pads")
    time.sleep(2)
    with Watcher(trial.pins) as lights:
        trial.pins.slap("p2/B")
        felt = game.wait("pad_slapped", 5, since)
        time.sleep(0.5)
    facts = {
        "lost_after_ms": lost and round((lost["at_ns"] - began_ns) / MS),
        "reason": lost and lost["reason"],
        "status": said,
        "felt": bool(felt),
        "lit": lights.lit("p2"),
        "restarts": unit("NRestarts")["NRestarts"],
    }
    return lost and said and back and felt and lights.lit("p2"), facts


def pins_come_late(trial):
    """Started without a GPIO chip: it comes up, says so, and feels and lights as soon as there is one"""
    control("stop")
    trial.pins.forget()
    set_chip(None)
    failed = control("start")
    said = until(lambda: "PADS LOST" in status() and status(), 60)
    set_chip("pinctrl-rp1")
    trial.pins.__init__()
    well = until(is_well, 30)
    game = Game()
    with Watcher(trial.pins) as lights:
        trial.pins.slap("p2/B")
        felt = game.wait("pad_slapped", 5)
        time.sleep(0.5)
    facts = {"said": said, "felt": bool(felt), "lit": lights.lit("p2"), **unit("NRestarts", "ActiveState")}
    return not failed and said and well and felt and lights.lit("p2") and facts["NRestarts"] == "0", facts


def settings_are_corrected(trial):
    """Started with rules that do not exist: it comes up, says in which line, and goes on when that is corrected"""
    failed = calibrate(OURS + '\n[rules]\nname = "pagta"\n') is None
    said = until(lambda: "there is no rule set 'pagta'" in status() and status(), 60)
    SETTINGS.write_text(OURS)
    well = until(is_well, 60)
    return not failed and said and well and unit("NRestarts")["NRestarts"] == "0", {"said": said, "status": status()}


def clock_jumps(trial):
    """The wall clock goes back three hours, then two years forward: slaps keep their order, nothing starts again"""
    game, restarts = Game(), unit("NRestarts")["NRestarts"]
    since = game.count()
    true_offset = time.time() - time.monotonic()
    for jump in ("-3 hours", "+2 years"):
        subprocess.run(["date", "--set", jump], check=True, capture_output=True)
        trial.pins.slap("p1/A", "p2/A", apart_us=2000)
        time.sleep(0.7)
    time.clock_settime(time.CLOCK_REALTIME, true_offset + time.monotonic())
    stamps = [line["at_ns"] for line in game.all("pad_slapped", since)]
    alive = unit("ActiveState", "NRestarts") == {"ActiveState": "active", "NRestarts": restarts}
    return len(stamps) == 4 and stamps == sorted(stamps) and alive, {"slaps": len(stamps), "restarts": restarts}


def disk_full(trial):
    """The disk of the games fills up: said, played on; with room again the log goes on"""
    with SmallDisk():
        control("start")
        until(games, 60)
        return on_a_full_disk(trial, Game())


def full_from_the_start(trial):
    """The disk is full already when the service starts: it runs, says so, and logs as soon as there is room"""
    with SmallDisk() as filler:
        fill(filler)
        restarts = unit("NRestarts")["NRestarts"]
        control("start")
        said = until(lambda: is_well() and "NOT LOGGED" in status() and status(), 60)
        with Watcher(trial.pins) as lights:
            trial.pins.slap("p1/A")
            time.sleep(1)
        checked = subprocess.run(["runuser", "-u", "spit-referee", "--", "spit-referee", "check", "--json"],
                                 capture_output=True, text=True, cwd="/run/spit-referee")  # fmt: skip
        cure = [line for line in map(json.loads, checked.stdout.splitlines()) if line["check"] == "disk"]
        nothing = not games() or not any(path.joinpath("game.jsonl").stat().st_size for path in games())
        filler.unlink()
        trial.pins.slap("p2/A")
        header = until(lambda: games() and Game().lines() and Game().lines()[0], 10)
        felt = Game().wait("pad_slapped", 5, player="p2")
        well = until(lambda: "NOT LOGGED" not in status(), 10)
        now = unit("NRestarts", "ActiveState")
    facts = {"said": said, "lit": lights.lit("p1"), "check": cure, "header": header and header.get("started"), **now}
    good = said and nothing and lights.lit("p1") and cure and cure[0]["state"] == "FAIL" and header and felt and well
    return good and now == {"NRestarts": restarts, "ActiveState": "active"}, facts


class SmallDisk:
    """A disk of 4 MB for the games, while the service stands still; gives the path of a file that may fill it."""

    def __enter__(self):
        control("stop")
        room = "size=4m,mode=2770,uid=spit-referee,gid=spit-referee"
        subprocess.run(["mount", "-t", "tmpfs", "-o", room, "games", GAMES], check=True)
        return GAMES / "filler"

    def __exit__(self, *_):
        control("stop")
        subprocess.run(["umount", GAMES], check=True)
        control("start")


def on_a_full_disk(trial, game):
    until(is_well, 60)
    filler = GAMES / "filler"
    fill(filler)
    before = game.count()
    for _ in range(20):
        trial.pins.slap("p1/A", contact_ms=30)
        time.sleep(0.1)
    said = until(lambda: "NOT LOGGED" in status(), 10) and status()
    alive = unit("ActiveState")["ActiveState"] == "active"
    written = game.count() - before
    filler.unlink()
    since = game.count()
    trial.pins.slap("p2/A")
    goes_on = game.wait("pad_slapped", 5, since, player="p2")
    well = until(lambda: "NOT LOGGED" not in status(), 10)
    facts = {"said": said, "written_meanwhile": written, "goes_on": bool(goes_on), "status": status()}
    return said and alive and goes_on and well, facts


def fill(path):
    """Write a file until not a byte more fits on its disk."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        for size in (65536, 512, 1):
            while True:
                try:
                    os.write(file, b"x" * size)
                except OSError:
                    break
    finally:
        os.close(file)


def running_again(number, seconds):
    now = unit("NRestarts", "ActiveState", "SubState")
    return (
        until(lambda: unit("NRestarts", "ActiveState") == {"NRestarts": str(number), "ActiveState": "active"}, seconds)
        and now
    )


def signals_on(trial):
    """Wait until a fault blinks: then lights and buzzer are in use."""
    trial.film.tell("unplugged")
    until(lambda: "CAMERA LOST" in status(), 5)
    return until(lambda: any(trial.pins.outputs().values()), 10, 0.01)


def killed(trial):
    """kill -9 while lights burn: dark and silent at once, started again, and the same game goes on"""
    lit = signals_on(trial)
    before = games()
    restarts = int(unit("NRestarts")["NRestarts"])
    began = time.monotonic()
    os.kill(int(unit("MainPID")["MainPID"]), signal.SIGKILL)
    until(trial.pins.are_dark, 10, 0.01)
    dark_s = time.monotonic() - began
    post = until(lambda: "code=exited ; status=0" in unit("ExecStopPost")["ExecStopPost"], 10)
    again = running_again(restarts + 1, 60)
    trial.film.tell(STILL)
    seen = until(is_well, 60)
    same = games() == before and any(line["kind"] == "continued" for line in Game().lines())
    facts = {"lit": lit, "dark_s": round(dark_s, 2), "silenced": post, "same_game": same, "status": status()}
    return lit and dark_s < 3 and post and again and seen and same, facts


def frozen(trial):
    """The process is stopped (SIGSTOP): the watchdog ends it, lights go out, it starts again"""
    lit = signals_on(trial)
    restarts = int(unit("NRestarts")["NRestarts"])
    began = time.monotonic()
    os.kill(int(unit("MainPID")["MainPID"]), signal.SIGSTOP)
    until(lambda: unit("NRestarts")["NRestarts"] == str(restarts + 1) or "watchdog" in unit("Result")["Result"], 60)
    until(trial.pins.are_dark, 30, 0.01)
    dark_s = time.monotonic() - began
    again = running_again(restarts + 1, 60)
    trial.film.tell(STILL)
    facts = {"lit": lit, "dark_s": round(dark_s, 1), "again": again, "told": "Watchdog timeout" in journal()}
    return lit and again and facts["told"] and dark_s < WATCHDOG_S + 4, facts
