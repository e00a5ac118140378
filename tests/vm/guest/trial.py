"""The trial of the installed referee, inside the machine, as root: a line for each check, all in `trial.json`."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from table import GAMES, MS, UNIT, Film, Game, Pins, Watcher, control, games, journal, set_chip, status, unit, until

STATE = Path("/var/lib/spit-referee")
SETTINGS = Path("/etc/spit-referee/settings.toml")
OURS = """
[storage]
games_dir = "/var/lib/spit-referee/games"
table_file = "/var/lib/spit-referee/table.toml"
reserve_mb = 0

[players]
p1 = "Ann"
p2 = "Ben"

[camera]
source = "/run/camera"
width_px = 960
height_px = 540
fps = 10.0
format = "YUYV"
"""
FPS = 10
WATCHDOG_S = 20
FILM = json.loads(Path("/host/film.json").read_text())
END = FILM["frames"] - FILM["still"]
STILL = f"still {END}"
"""The end of the film: nobody moves."""


class Trial:
    """Runs checks in order; each is timed, none stops the next one, and none needs the one before it."""

    def __init__(self):
        self.results = []
        self.pins, self.film = Pins(), Film()

    def check(self, run):
        began = time.monotonic()
        try:
            if run not in BEFORE_THE_TABLE:
                at_the_table(self)
            good, says = run(self)
        except Exception as error:  # noqa: BLE001  one check that breaks must not take the results of the later ones along
            good, says = False, f"{type(error).__name__}: {error}"
        seconds = round(time.monotonic() - began, 1)
        words = (run.__doc__ or run.__name__).strip()
        self.results.append({"check": run.__name__, "words": words, "ok": bool(good), "seconds": seconds, "says": says})
        print(f"{'ok  ' if good else 'FAIL'} {seconds:6.1f} s  {words}: {says}", flush=True)
        Path("/host/trial.json").write_text(json.dumps(self.results, indent=1))


def is_well(backend="gpiod"):
    """Return whether camera and pads work."""
    words = status()
    return f"{FPS} fps" in words and f"pads {backend}" in words and "LOST" not in words


def at_the_table(trial):
    """Bring the referee to its table, with camera and pads, whatever was before."""
    if SETTINGS.read_text() != OURS or unit("ActiveState")["ActiveState"] != "active":
        calibrate()
    elif not until(is_well, 5):
        trial.film.tell(STILL)
    if not until(is_well, 60):
        raise RuntimeError(f"the referee does not get well: {status()}")


def calibrate(settings=OURS):
    """Give it settings and a table file, and start it; return how long that took, None if it failed."""
    SETTINGS.write_text(settings)
    shutil.copy("/host/table.toml", STATE / "table.toml")
    shutil.chown(STATE / "table.toml", "spit-referee", "spit-referee")
    began = time.monotonic()
    return None if control("restart") else round(time.monotonic() - began, 1)


# The game ------------------------------------------------------------------------------------------------------------


def waits_for_its_table(trial):
    """Started at boot without a table file: it waits to be set up, and says so"""
    until(lambda: "set up" in status(), 60)
    now = unit("ActiveState", "NRestarts", "ActiveEnterTimestampMonotonic", "StatusText")
    return now["ActiveState"] == "active" and now["NRestarts"] == "0" and "set up" in now["StatusText"], now


def is_shut_in(trial):
    """Its own user, no capability, system calls filtered; `systemd-analyze security` at 2.0 or better"""
    pid = unit("MainPID")["MainPID"]
    lines = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    judged = subprocess.run(["systemd-analyze", "security", UNIT, "--no-pager"], capture_output=True, text=True).stdout
    exposure = float(judged.strip().splitlines()[-1].split(":")[1].split()[0])
    shut = Path(f"/proc/{pid}").stat().st_uid != 0 and int(lines["CapEff"], 16) == 0 and lines["Seccomp"].strip() == "2"
    return shut and exposure <= 2.0, {"exposure": exposure, "CapEff": lines["CapEff"], "Seccomp": lines["Seccomp"]}


def begins_when_calibrated(trial):
    """With settings and a table file it finds its camera and its pads"""
    ready_s = calibrate()
    return until(is_well, 60) and ready_s is not None, {"ready_s": ready_s, "status": status()}


def judges_the_game(trial):
    """The film's five cards: named, judged, the wrong one told to go back, the cleared row seen"""
    game = Game()
    in_play = game.wait("phase_changed", 30, phase="play")
    with Watcher(trial.pins) as lights:
        trial.film.tell("play 0")
        shown_ns = trial.film.played()
        over = game.wait("deal_over", 20)
        slap_phase = game.wait("phase_changed", 10, phase="slap")
    judged = [(line["player"], line["card"], line["pile"], line["ruling"]) for line in game.all("play_judged")]
    wanted = [
        ("p1", "6S", "A", "legal"),
        ("p2", "3D", "B", "illegal"),
        ("p2", "9S", "B", "legal"),
        ("p1", "7C", "A", "legal"),
        ("p1", "8H", "A", "legal"),
    ]
    back = game.all("taken_back", card="3D", was_due=True)
    lit = {name: lights.lit(name) for name in ("p1", "p2", "buzzer")}
    good = in_play and judged == wanted and back and over and slap_phase and all(lit.values())
    return good, {"judged": judged, "taken_back": len(back), "over": over, "rose": lit, "shown_ns": shown_ns}


def slaps(trial, apart_us, *pads):
    """Return what the log says about a race, what really was between the presses, and what lit up."""
    game = Game()
    since = game.count()
    with Watcher(trial.pins) as lights:
        moments = trial.pins.slap(*pads, apart_us=apart_us)
        award = until(lambda: game.all("award", since) or game.all("dead_heat", since), 5)
        time.sleep(0.8)
    (first, second) = moments
    bounds_us = ((second[0] - first[1]) / 1000, (second[1] - first[0]) / 1000)
    told = award[0] if award else {}
    light_ms = {
        who: round((min((at for at, name, on in lights.changes if name == who and on), default=0) - first[0]) / MS, 1)
        for who in ("p1", "p2")
    }
    return told, {
        "told": {k: told.get(k) for k in ("kind", "first", "p1", "p2", "margin_us", "uncertainty_us")},
        "true_us": [round(us, 1) for us in bounds_us],
        "within": bounds_us[0] - 1 <= told.get("margin_us", -9) <= bounds_us[1] + 1,
        "first_light_ms": light_ms,
        "rose": {name: lights.lit(name) for name in ("p1", "p2", "buzzer")},
        "now": trial.pins.outputs(),
    }


def award(trial, apart_us, winner, *pads):
    in_slap_phase(trial)
    told, facts = slaps(trial, apart_us, *pads)
    loser = "p2" if winner == "p1" else "p1"
    lights = facts["now"][winner] and not facts["now"][loser] and facts["rose"]["buzzer"] > 5
    return told.get("kind") == "award" and told["first"] == winner and facts["within"] and lights, facts


def in_slap_phase(trial):
    """Come to the slap after a cleared row: the one that waits for its hands, or that of a game of one card."""
    if Game().phase() == "slap":
        return
    control("stop")
    trial.film.tell(f"still {FILM['finale']}")
    before = games()
    control("start")
    until(lambda: games() - before, 60)
    game = Game()
    if not game.wait("phase_changed", 60, phase="play"):
        raise RuntimeError("the game did not begin")
    time.sleep(1.0)
    trial.film.tell(f"play {FILM['finale']}")
    trial.film.played()
    if not game.wait("phase_changed", 20, phase="slap"):
        raise RuntimeError("the cleared row was not seen")


def too_close_is_a_dead_heat(trial):
    """Pads pressed together as closely as can be: nobody is named, both slap again"""
    in_slap_phase(trial)
    told, facts = slaps(trial, 0, "p1/A", "p2/A")
    return told.get("kind") == "dead_heat" and facts["within"], facts


def awards_5_ms(trial):
    """5 ms apart: the first one has it, her light and the buzzer say so, the margin is the true one"""
    return award(trial, 5000, "p1", "p1/A", "p2/A")


def awards_1_ms(trial):
    """1 ms apart, the other player first"""
    return award(trial, 1000, "p2", "p2/A", "p1/A")


def awards_150_us(trial):
    """150 us apart"""
    return award(trial, 150, "p1", "p1/A", "p2/A")


def stamps(trial, pairs, apart_us, slack_us=1, stalled_s=0):
    """Slap pairs of pads, order alternating; return how many were stamped in order and with the true margin, and what
    the log has of the others. `stalled_s`: the process stands still for so long around each pair."""
    game, right, odd = Game(), 0, []
    process = int(unit("MainPID")["MainPID"])
    for number in range(pairs):
        since = game.count()
        pads = ("p1/A", "p2/A") if number % 2 else ("p2/A", "p1/A")
        if stalled_s:
            os.kill(process, signal.SIGSTOP)
        first, second = trial.pins.slap(*pads, apart_us=apart_us, contact_ms=30)
        if stalled_s:
            time.sleep(stalled_s)
            os.kill(process, signal.SIGCONT)
        until(lambda since=since: len(game.all("pad_slapped", since)) == 2, 3)
        told = sorted(game.all("pad_slapped", since), key=lambda line: line["at_ns"])
        apart_ns = told[-1]["at_ns"] - told[0]["at_ns"] if told else 0
        margin_ns = (second[0] - first[1] - slack_us * 1000, second[1] - first[0] + slack_us * 1000)
        if len(told) == 2 and told[0]["player"] == pads[0][:2] and margin_ns[0] <= apart_ns <= margin_ns[1]:
            right += 1
        else:
            odd.append({"pair": number, "true_ns": margin_ns, "told": told})
        time.sleep(0.1)
    return right, odd


def stamps_at_100_us(trial):
    """Through the whole service, 100 us apart, order alternating: every stamp in order, every margin the true one"""
    right, odd = stamps(trial, 30, apart_us=100)
    return right == 30, {"right": f"{right} of 30", "odd": odd}


def stalled(trial):
    """The process stands still for 0.4 s around every pair of slaps: none is lost, every stamp and margin is true"""
    right, odd = stamps(trial, 6, apart_us=1000, stalled_s=0.4)
    return right == 6, {"right": f"{right} of 6", "odd": odd}


def own_light(trial):
    """A pad that is touched lights its own lamp each time, also while it blinks; in the middle of ten within 10 ms"""
    delays_ms = []
    for number in range(10):
        pad, player = (("p1/B", "p1"), ("p2/B", "p2"))[number % 2]
        until(lambda player=player: not trial.pins.outputs()[player], 2, 0.002)
        with Watcher(trial.pins) as lights:
            (moment,) = trial.pins.slap(pad, contact_ms=80)
            time.sleep(0.6)
        ours = [(at, on) for at, name, on in lights.changes if name == player]
        burns = any(on for at, on in ours if at <= moment[0])
        lit = [moment[0]] if burns else [at for at, on in ours if on]
        delays_ms.append(round((lit[0] - moment[0]) / MS, 1) if lit else 999)
    return sorted(delays_ms)[5] <= 10 and 999 not in delays_ms, {"ms": delays_ms}


def pads_over_gpiozero(trial):
    """`pads.backend = "gpiozero"`, over lgpio: 1 ms apart, every stamp in order, every margin within 50 us"""
    calibrate(OURS + '\n[pads]\nbackend = "gpiozero"\n')
    named = until(lambda: is_well("gpiozero over LGPIO") and status(), 60)
    right, odd = stamps(trial, 20, apart_us=1000, slack_us=50)
    return named and right == 20, {"status": named, "right": f"{right} of 20", "odd": odd}


def pads_of_an_old_board(trial):
    """Over RPi.GPIO, which keeps no stamp of the kernel: every press is felt, within the uncertainty that is told"""
    control("stop")
    command = ["/opt/spit-referee/bin/python", "/host/old_board.py"]
    here = {"PYTHONPATH": "/opt/old-board", "RPI_LGPIO_REVISION": "c03115", "PATH": os.environ["PATH"]}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=here) as reader:
        told = json.loads(reader.stdout.readline())
        moments = []
        for _ in range(20):
            moments += trial.pins.slap("p1/A", contact_ms=30)
            time.sleep(0.1)
        stamps_ns = json.loads(reader.communicate()[0])
    control("start")
    late_us = [round((at - before) / 1000) for at, (before, _) in zip(stamps_ns, moments, strict=False)]
    good = len(stamps_ns) == 20 and all(-50 <= late <= told["uncertainty_us"] for late in late_us)
    return good, {**told, "felt": len(stamps_ns), "late_us": late_us}


# What goes wrong -----------------------------------------------------------------------------------------------------


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


def checks_itself(trial):
    """`spit-referee check` beside the running service"""
    command = ["runuser", "-u", "spit-referee", "--", "spit-referee", "check", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/run/spit-referee")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    states = {line["check"]: line["state"] for line in lines}
    bad = [line for line in lines if line["state"] in ("FAIL", "WARN")]
    return done.returncode == 0 and len(lines) > 8, {"states": states, "bad": bad, "stderr": done.stderr[-300:]}


def stops_in_order(trial):
    """Stopped: no error, dark and silent, the log closed"""
    began = time.monotonic()
    failed = control("stop")
    closed = [line for line in Game().lines() if line["kind"] == "closed"]
    result = unit("Result", "ExecMainStatus")
    facts = {"seconds": round(time.monotonic() - began, 1), "dark": trial.pins.are_dark(), **result}
    return not failed and closed and facts["dark"] and result == {"Result": "success", "ExecMainStatus": "0"}, facts


def uninstalls(trial):
    """Taken away by one command, games and settings kept"""
    done = subprocess.run(["/usr/src/spit-referee/systemd/uninstall.sh"], capture_output=True, text=True)
    gone = not Path("/opt/spit-referee").exists() and not Path("/etc/systemd/system/spit-referee.service").exists()
    return done.returncode == 0 and gone and list(GAMES.iterdir()) and SETTINGS.exists(), done.stderr[-200:]


BEFORE_THE_TABLE = (waits_for_its_table, is_shut_in, begins_when_calibrated)
CHECKS = (
    waits_for_its_table,
    is_shut_in,
    begins_when_calibrated,
    judges_the_game,
    too_close_is_a_dead_heat,
    awards_5_ms,
    awards_1_ms,
    awards_150_us,
    stamps_at_100_us,
    stalled,
    own_light,
    pads_over_gpiozero,
    pads_of_an_old_board,
    camera_unplugged,
    camera_frozen,
    camera_of_another_size,
    camera_slow,
    clock_jumps,
    pins_gone,
    disk_full,
    full_from_the_start,
    killed,
    frozen,
    checks_itself,
    stops_in_order,
    uninstalls,
)

SHORT = (
    waits_for_its_table,
    is_shut_in,
    begins_when_calibrated,
    judges_the_game,
    too_close_is_a_dead_heat,
    awards_5_ms,
    stamps_at_100_us,
    stalled,
    camera_unplugged,
    pins_gone,
    killed,
)
"""A boot, a game, an award, stamps, and the worst troubles."""


def main():
    trial = Trial()
    wanted = Path("/host/checks").read_text().strip().split(",")
    for run in CHECKS:
        if run.__name__ in wanted:
            trial.check(run)
    return not all(result["ok"] for result in trial.results)


if __name__ == "__main__":
    sys.exit(main())
