"""The trial of the installed referee, inside the machine, as root: a line for each check, all in `trial.json`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from table import (
    FILM,
    GAMES,
    MS,
    OURS,
    SETTINGS,
    STILL,
    UNIT,
    Film,
    Game,
    Pins,
    Watcher,
    calibrate,
    control,
    games,
    is_well,
    status,
    unit,
    until,
)
from troubles import (
    camera_frozen,
    camera_of_another_size,
    camera_slow,
    camera_unplugged,
    clock_jumps,
    disk_full,
    frozen,
    full_from_the_start,
    killed,
    pins_come_late,
    pins_gone,
    settings_are_corrected,
)


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


def at_the_table(trial):
    """Bring the referee to its table, with camera and pads, whatever was before."""
    if SETTINGS.read_text() != OURS or unit("ActiveState")["ActiveState"] != "active":
        calibrate()
    elif not until(is_well, 5):
        trial.film.tell(STILL)
    if not until(is_well, 60):
        raise RuntimeError(f"the referee does not get well: {status()}")


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


# The end --------------------------------------------------------------------------------------------------------------


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
    pins_come_late,
    settings_are_corrected,
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
