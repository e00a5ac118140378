"""The installed service on real kernel interfaces: a virtual machine with a GPIO chip, a camera and systemd.

`make test-vm` runs it; `VM_CHECKS=judges_the_game,killed` only some checks, in any order and each without the others;
`VM_CHECKS=short` the few that matter most, as `.ci/run` does. The machine is booted once; every check of
`guest/trial.py` is a test here. Its result is what the trial wrote into the folder that it shares with the machine,
also what came before a failure.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

HERE = Path(__file__).parent
GUEST = HERE / "guest"
LIMIT_S: Final = os.environ.get("VM_LIMIT_S", "14400")
"""For the machine from boot to power off, emulated on a computer that is busy with other things."""
CANNOT_BE_HAD: Final = 3
"""What `image.sh` ends with where a system cannot be built at all."""


def named(collection: str) -> list[str]:
    """Return the checks in a collection of the trial, whose file runs only in the machine."""
    names = (GUEST / "trial.py").read_text().partition(f"\n{collection} = (")[2].partition("\n)")[0]
    return re.findall(r"^    (\w+),$", names, re.M)


def chosen(words: str) -> list[str]:
    """Return the checks that VM_CHECKS asks for; all of them if it is empty."""
    wanted = named("SHORT") if words == "short" else words.split(",") if words else named("CHECKS")
    if unknown := set(wanted) - set(named("CHECKS")):
        raise pytest.UsageError(f"no check is called {', '.join(unknown)}; there are {', '.join(named('CHECKS'))}")
    return wanted


CHECKS: Final = chosen(os.environ.get("VM_CHECKS", ""))

pytestmark = [pytest.mark.vm, pytest.mark.slow]


def cache() -> Path:
    """Return where kernel, system, wheels and image are kept between runs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spit-referee-vm"


def build_image() -> None:
    """Build the image as root. Where a system cannot be had it is a failure only if REQUIRE names the machine."""
    if os.geteuid() and shutil.which("sudo") is None:
        no_machine("building a system needs root")
    words = [*(["sudo"] if os.geteuid() else []), "env", f"PYTHON={sys.executable}", HERE / "image.sh", cache()]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode == CANNOT_BE_HAD:
        no_machine(done.stderr.strip()[-400:])
    if done.returncode:
        pytest.fail(f"image.sh ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:]}")


def no_machine(why: str) -> NoReturn:
    """Say that nothing can be tried here."""
    say = pytest.fail if "vm" in os.environ.get("REQUIRE", "").split(",") else pytest.skip
    say(f"no virtual machine can be built here: {why}")


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Build the image with this very source, boot it, and return what its trial found, by the name of the check."""
    film, shared = tmp_path_factory.mktemp("film"), tmp_path_factory.mktemp("shared")
    build_image()
    subprocess.run([sys.executable, HERE / "film.py", film], cwd=HERE.parents[1], check=True)
    for file in (*GUEST.glob("*.py"), film / "film.json", film / "table.toml"):
        shutil.copy(file, shared)
    (shared / "checks").write_text(",".join(CHECKS))
    subprocess.run([HERE / "boot.sh", cache(), shared, film / "film.yuyv", LIMIT_S], check=False)
    kept = cache() / "last"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(shared, kept)
    trial = shared / "trial.json"
    if not trial.exists():
        pytest.fail(f"the machine ended before its first check; {kept} has its console and journal")
    found = {result["check"]: result for result in json.loads(trial.read_text())}
    for result in found.values():
        state = "ok  " if result["ok"] else "FAIL"
        print(f"{state} {result['seconds']:6.1f} s  {result['words']}: {json.dumps(result['says'])}")
    return found


@pytest.mark.parametrize("check", CHECKS)
def test_in_the_virtual_machine(results: Mapping[str, Any], check: str) -> None:
    assert check in results, f"the machine ended before this check; {cache() / 'last'} has its console and journal"
    assert results[check]["ok"], json.dumps(results[check], indent=1)
