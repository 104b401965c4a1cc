"""The audit's server killed again and again on both databases; how is told in tests/server_kills.py."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"


@contextmanager
def places(folder: str) -> Iterator[dict[str, str]]:
    """A new SQLite file, and a private PostgreSQL where the machine has one."""
    from databases import postgresql_programs, private_postgresql

    here = {"SQLite": str(Path(folder) / "study.db")}
    if postgresql_programs() is None:
        yield here
        return
    with private_postgresql() as address:
        yield {**here, "PostgreSQL": address}


def report(kills: int) -> str:
    """What was seen on each database, a line each."""
    sys.path.insert(0, str(TESTS))
    from server_kills import run

    lines = []
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, places(folder) as both:
        os.chdir(folder)  # the links of a PostgreSQL study go to the working folder
        try:
            for name, place in both.items():
                seen = run(place, kills)
                lines.append(
                    f"{name}: {seen.kills} kills, {seen.labels} labels in the log, {seen.resent} sent again, "
                    f"{seen.lost} acknowledged ones lost, {seen.doubled} doubled, {seen.shared} items shared in a "
                    f"role, replays that differ: {seen.replay_differs}, other failures: {seen.failures[:3]}"
                )
        finally:
            os.chdir(before)
    return "\n".join(lines)
