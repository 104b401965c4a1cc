"""The fault suite of audit studies, as a table for docs/evidence: each fault, how often it was there, what was lost.

    python -m bench.audit_faults --workspace build/evidence/faults        goes on where it was stopped
    python -m bench.audit_faults --only "slow clients" --scale 0.1        one fault, a tenth of its runs
    python -m bench.audit_faults --workspace build/evidence/faults --so-far    only show what is finished

The bar of every row: nothing that was acknowledged is lost, doubled or changed. Faults come in chunks with seeds of
their own; a finished chunk is kept in the workspace, so that a long run can be stopped and continued.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CHUNK = 25  # kills between two studies


@dataclass(frozen=True)
class Row:
    """A fault: what one chunk does, how many chunks, and on which database."""

    name: str
    chunk: Callable[[str, int], Any]
    chunks: int = 1
    server: bool = False  # PostgreSQL
    unit: str = "runs"


def rows() -> list[Row]:
    """All faults, at the size of the evidence."""
    import server_faults as faults
    from server_kills import run

    def kills(place: str, seed: int) -> Any:
        return run(place, CHUNK, seed=seed, topics=12)

    return [
        Row("SIGKILL, SQLite", kills, 1000 // CHUNK, unit="kills"),
        Row("SIGKILL, PostgreSQL", kills, 1000 // CHUNK, server=True, unit="kills"),
        Row("disk full", lambda place, seed: faults.disk_full(place), 5),
        Row("database restarts", lambda place, seed: faults.database_restarts(place, 5), 5, server=True),
        Row("clock steps", lambda place, seed: faults.clock_steps(place, 50, seed), 2),
        Row("two servers, SQLite", lambda place, seed: faults.two_servers(place), 3),
        Row("two servers, PostgreSQL", lambda place, seed: faults.two_servers(place), 3, server=True),
        Row("50 assessors", lambda place, seed: faults.many_assessors(place), 2),
        Row("slow clients", lambda place, seed: faults.slow_clients(place), 3),
        Row("fuzzed requests", lambda place, seed: faults.fuzzed_requests(place, 500, seed), 10),
    ]


def run_chunk(row: Row, seed: int) -> dict[str, Any]:
    """One chunk in a folder of its own, as plain values."""
    from databases import private_postgresql

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the links of a PostgreSQL study go to the working folder
        try:
            if not row.server:
                return asdict(row.chunk(str(Path(folder) / "study.db"), seed))
            with private_postgresql() as address:
                return asdict(row.chunk(address, seed))
        finally:
            os.chdir(before)


def added_up(row: Row, chunks: list[dict[str, Any]], wanted: int) -> dict[str, Any]:
    """The table's line."""
    total = {k: sum(c[k] for c in chunks) for k in ("labels", "resent", "lost", "doubled", "shared", "replay_differs")}
    failures = [f for c in chunks for f in c["failures"]]
    return {
        "fault": row.name,
        "runs": sum(c.get("runs") or c["kills"] for c in chunks),
        "chunks": f"{len(chunks)} of {wanted}",
        "labels": total["labels"],
        "sent again": total["resent"],
        "lost": total["lost"],
        "doubled or shared": total["doubled"] + total["shared"],
        "changed": total["replay_differs"],
        "other failures": len(failures),
        "seen": (failures or [c.get("note", "") for c in chunks])[-1][:120] if chunks else "not run",
    }


def damaged_files(files: int, workspace: Path | None, chunk: int = 50, so_far: bool = False) -> list[dict[str, Any]]:
    """Mutated files by kind: how many were refused, read as before, changed unnoticed, or a foreign error."""
    from study_mutations import KINDS, base, mutated

    out = []
    with tempfile.TemporaryDirectory() as folder:
        good = base(Path(folder))
        for kind in KINDS:
            counts = {"refused": 0, "equal": 0, "changed": 0, "foreign": 0}
            for first in range(0, max(files // len(KINDS), 1), chunk):
                last = min(first + chunk, max(files // len(KINDS), 1))

                def work(kind: str = kind, first: int = first, last: int = last) -> dict[str, int]:
                    ends = [mutated(good, kind, seed)[0] for seed in range(first, last)]
                    return {name: ends.count(name) for name in ("refused", "equal", "changed", "foreign")}

                name = f"damaged-{kind}-{first}-{last}"
                if so_far and not finished(workspace, name):
                    continue
                found = kept(workspace, name, work)
                counts = {name: counts[name] + found[name] for name in counts}
            out.append({"file": kind, "damaged": sum(counts.values()), **counts})
    return out


def place(workspace: Path, name: str) -> Path:
    return workspace / f"{name.replace(' ', '-').replace(',', '')}.json"


def finished(workspace: Path | None, name: str) -> bool:
    return workspace is not None and place(workspace, name).is_file()


def kept(workspace: Path | None, name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result of a chunk: read where it was finished before, else computed and kept."""
    if workspace is None:
        return work()
    file = place(workspace, name)
    if file.is_file():
        return dict(json.loads(file.read_text()))
    found = work()
    workspace.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(found))
    part.replace(file)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.audit_faults", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the tables as JSON")
    parser.add_argument("--workspace", type=Path, help="where finished chunks are kept")
    parser.add_argument("--workers", type=int, help="not used: one fault at a time")
    parser.add_argument("--only", help="one fault, or 'damaged files'")
    parser.add_argument("--so-far", action="store_true", help="only show what is finished in the workspace")
    parser.add_argument("--scale", type=float, default=1.0, help="this part of all chunks")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    workspace = None if arguments.workspace is None else arguments.workspace.absolute()
    lines = []
    for row in rows():
        if arguments.only not in (None, row.name):
            continue
        wanted = max(round(row.chunks * arguments.scale), 1)
        done = []
        for n in range(wanted):
            if arguments.so_far and not finished(workspace, f"{row.name}-{n}"):
                continue
            done.append(kept(workspace, f"{row.name}-{n}", lambda row=row, n=n: run_chunk(row, n)))  # type: ignore[misc]
            sys.stderr.write(f"{row.name}: {n + 1} of {wanted}\n")
        lines.append(added_up(row, done, wanted))
    files = []
    if arguments.only in (None, "damaged files"):
        files = damaged_files(max(round(1000 * arguments.scale), 5), workspace, so_far=arguments.so_far)
    tables = {"faults": lines, "damaged files": files}
    if arguments.json:
        note = "nothing acknowledged may be lost, doubled or changed; damaged files are refused or read as before"
        sys.stdout.write(json.dumps({"seed": 0, "tables": tables, "footer": [note]}, ensure_ascii=False) + "\n")
        return
    for table in tables.values():
        for line in table:
            sys.stdout.write("  ".join(f"{k}: {v}" for k, v in line.items()) + "\n")


if __name__ == "__main__":
    main()
