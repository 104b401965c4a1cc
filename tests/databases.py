"""Real databases for tests: a SQLite file, and a private PostgreSQL that an unprivileged user runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def postgresql_programs() -> Path | None:
    """The folder with initdb and pg_ctl: on the path, or where Debian puts them."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if (on_path := shutil.which("initdb")) is not None:
        places.insert(0, Path(on_path).resolve().parent)
    return next((p for p in places if (p / "initdb").exists() and (p / "pg_ctl").exists()), None)


@contextmanager
def private_postgresql() -> Iterator[str]:
    """The address of a new server that listens on a socket in a temporary folder only."""
    programs = postgresql_programs()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="dissensus-pg-", dir="/tmp"))
    user: dict[str, str] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = {"user": "postgres", "group": "postgres"}
        shutil.chown(folder, "postgres", "postgres")
    data = str(folder / "data")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c max_connections=60"

    def run(*command: str) -> None:
        subprocess.run(
            [str(programs / command[0]), *command[1:]], check=True, cwd=folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, **user,  # type: ignore[call-overload]
        )  # fmt: skip

    try:
        run("initdb", "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8", "--no-sync")
        run("pg_ctl", "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
