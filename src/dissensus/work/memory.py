"""Will it fit? What work needs is estimated before it begins, and refused where this machine does not have it.

    >>> with_room(1_000_000, "the scores")
    >>> readable(3_400_000_000)
    '3.4 GB'

An estimate of two gigabytes and more is shown on a terminal. `DISSENSUS_MAX_MEMORY=8G` says how much there is, where
what the system says does not hold.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from dissensus.errors import Fix, InputError
from dissensus.work.limits import limit, variable

TOLD = 2_000_000_000  # bytes from which an estimate is shown
_SYSTEM = Path("/proc/meminfo")
_GROUPS = (  # the container's limit, and what of it is taken: files in the cache can go
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.stat"), "anon"),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.stat"), "rss"),
)


def with_room(needed: int, what: str, *ways_out: str | Fix) -> None:
    """Refuse work that needs more bytes than are free; show an estimate of very many."""
    if needed < TOLD:
        return
    there = free()
    if there is not None and needed > there:
        raise InputError(
            f"{what} would take about {readable(needed)} of memory, and {readable(there)} are free.",
            *ways_out,
            f"If that is wrong, say how much there is: {variable('MEMORY')}={-(-needed // 10**9)}G",
        )
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"{what} will take about {readable(needed)} of memory\n")


def free() -> int | None:
    """Bytes that are free for this process; None where the system does not say."""
    if os.environ.get(variable("MEMORY")):
        return limit("MEMORY")
    known = [n for n in (_of_system(), *(_of_group(*files) for files in _GROUPS)) if n is not None]
    return min(known, default=None)


def _of_system() -> int | None:
    there = _number(_SYSTEM, "MemAvailable:")
    return None if there is None else there * 1024


def _of_group(most: Path, account: Path, taken: str) -> int | None:
    used = _number(account, taken)
    try:
        return None if used is None else max(int(most.read_text()) - used, 0)
    except (OSError, ValueError):  # there is none, or it says "max"
        return None


def _number(path: Path, name: str) -> int | None:
    try:
        lines = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    except (OSError, ValueError):
        return None
    return next((int(line[1]) for line in lines if len(line) > 1 and line[0] == name), None)


def readable(size: int) -> str:
    """A number of bytes as people say it."""
    return f"{size / 1e9:.1f} GB" if size < 1e11 else f"{size / 1e9:,.0f} GB"
