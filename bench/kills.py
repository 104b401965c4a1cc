"""Kill a job that keeps a workspace again and again, and check that every number is the one it would have been.

    python -m bench --kills 200

A job of seeded units runs with a workspace, in this process's child or in worker processes, and is killed (SIGKILL) at
random moments, also while it starts. It is started again until it ends; then each of its numbers is compared with the
number computed without any workspace. A unit may be done twice, never counted twice, never lost.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

UNITS, SEED = 60, 5
JOB = f"""
import json, sys, time
from dissensus.work.executor import run_units
from dissensus.work.workspace import Workspace

def slow(unit, rng):
    time.sleep(0.004)
    with open(sys.argv[2], "ab", buffering=0) as log:
        log.write(b"%d\\n" % unit)
    return rng.random(3)

if __name__ == "__main__":
    workers = int(sys.argv[3])
    with Workspace(sys.argv[1], {{"seed": {SEED}}}, wait=True) as workspace:
        results = run_units(slow, range({UNITS}), seed={SEED}, workspace=workspace, task="slow", executor=workers)
    sys.stdout.write(json.dumps([r.tolist() for r in results]))
"""


def expected() -> list[list[float]]:
    """The numbers of an undisturbed job."""
    from dissensus.work.seeds import generator

    return [generator(SEED, unit).random(3).tolist() for unit in range(UNITS)]


def one_job(folder: Path, workers: int, rng: random.Random, most: int) -> tuple[int, int]:
    """(kills, units done more than once) of one job, killed at most `most` times and then left alone."""
    folder.mkdir()
    script, log = folder / "job.py", folder / "log"
    script.write_text(JOB)
    log.touch()
    kills = 0
    while True:
        before = log.stat().st_size
        command = [sys.executable, str(script), str(folder / "ws"), str(log), str(workers)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if kills < most:
            if rng.random() < 0.8:  # most kills come while there is work under way, some while it starts
                while process.poll() is None and log.stat().st_size == before:
                    time.sleep(0.002)
            time.sleep(rng.uniform(0, 0.1))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        if process.returncode == 0:
            break
        if process.returncode != -signal.SIGKILL:
            raise SystemExit(f"the job failed with status {process.returncode} after {kills} kills")
        kills += 1
    if json.loads(output) != expected():
        raise SystemExit(f"a number differs after {kills} kills")
    ran = log.read_text().split()
    if {int(unit) for unit in ran} != set(range(UNITS)):
        raise SystemExit("a unit was never done")
    return kills, len(ran) - UNITS


def run(kills: int, seed: int = 0) -> str:
    """Kill jobs until there were `kills` kills; one line about it."""
    rng, done, repeated, jobs = random.Random(seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        while done < kills:
            jobs += 1
            workers = 1 if jobs % 4 else 2
            more, again = one_job(Path(temporary, str(jobs)), workers, rng, kills - done)
            done, repeated = done + more, repeated + again
    return (
        f"{done} kills in {jobs} jobs of {UNITS} units: every number equal, none lost, none counted twice; "
        f"{repeated} units were done again"
    )
