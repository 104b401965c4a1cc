"""Damaged files of a study: the database at rest, the database as a kill leaves it, the links, the frame of a sample.

`mutated` damages one of them as its seed says and opens it as a command would. What may come out: a refusal in our
words, or the results of the undamaged file; anything else is a foreign exception or a change that nobody noticed.
"""

from __future__ import annotations

import random
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from audit_studies import experts, grade_next, sample, small_study

import dissensus as ds
from dissensus.audit.export import audit_frame
from dissensus.audit.live import Live
from dissensus.audit.people import issue_tokens, keep_tokens, kept_tokens
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.errors import DissensusError

Ending = Literal["refused", "equal", "changed", "foreign"]
KINDS = ("at rest", "after a kill", "log", "links", "frame")


@dataclass(frozen=True)
class Base:
    """Undamaged files, and what comes out of them."""

    folder: Path
    labels: str
    links: dict[str, str]
    audit: str


def base(folder: Path) -> Base:
    """study.db at rest, killed.db with its log, links, and a planned sample with its frame."""
    study = small_study(StudyStore.create(folder / "study.db"), experts=("ann",))
    tokens = issue_tokens(study)
    keep_tokens(folder / "study.db.links", tokens)
    (ann,) = experts(study)
    for i in range(12):
        grade_next(study, ann, f"r{i}")
    study.store.close()
    again = Study.load(StudyStore.open(folder / "study.db"))
    for i in range(12, 24):
        grade_next(again, ann, f"r{i}")
    for end in ("", "-wal", "-count"):
        shutil.copy(folder / f"study.db{end}", folder / f"killed.db{end}")
    again.store.close()
    s = sample()
    plan = ds.plan(s.runs, s.judgments, measures="P(rel=2)@5", budget=60, assessor="llm", seed=1)
    plan.write(folder / "sample.csv")
    table = (folder / "sample.csv").read_text().splitlines()
    where = table[0].split(",").index("grade")
    rows = [line.split(",") for line in table[1:]]
    for i, row in enumerate(rows):
        row[where] = str(i % 4)
    (folder / "sample.csv").write_text("\n".join([table[0], *(",".join(r) for r in rows)]) + "\n")
    return Base(folder, counted(folder / "study.db"), tokens, corrected(folder / "sample.csv"))


def counted(path: Path) -> str:
    """What the study says."""
    with StudyStore.open(path) as store:
        study = Study.load(store)
        live = Live(study)
        live.refresh()
        return audit_frame(study, live).write_csv()


def corrected(path: Path) -> str:
    """What the audited sample says."""
    s = sample()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        audit = ds.read_audit(path, scale="0..3")
        return str(ds.correct(s.runs, s.judgments.select(assessors=["llm"]), audit, "P(rel=2)@5").table.rows())


def damaged(data: bytes, dice: random.Random) -> bytes:
    """One kind of damage."""
    at, kind = dice.randrange(max(len(data), 1)), dice.randrange(6)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :] if data else data
    if kind == 2:
        n = dice.choice([1, 8, 512, 4096])
        return data[:at] + bytes(dice.randrange(256) for _ in range(n)) + data[at + n :]
    if kind == 3:
        page = at // 4096 * 4096
        return data[:page] + bytes(min(4096, len(data) - page)) + data[page + 4096 :]
    if kind == 4:
        n = dice.choice([1, 100, 4096])
        return data[:at] + data[at + n :]
    other = dice.randrange(max(len(data), 1)) // 4096 * 4096
    page = at // 4096 * 4096
    return data[:page] + data[other : other + 4096] + data[page + 4096 :]


def mutated(good: Base, kind: str, seed: int) -> tuple[Ending, str]:
    """Damage a copy of one file, use it, and say how that ended."""
    dice = random.Random(f"{kind}-{seed}")
    here = good.folder / f"m-{seed}"
    here.mkdir()
    try:
        path, victim = _copied(good, kind, here)
        before = victim.read_bytes()
        victim.write_bytes(damaged(before, dice))
        if victim.read_bytes() == before:
            return "equal", "nothing was damaged"
        return _used(good, kind, path)
    finally:
        shutil.rmtree(here)


def _copied(good: Base, kind: str, here: Path) -> tuple[Path, Path]:
    """(the file to use, the file to damage) of fresh copies."""
    names = {
        "at rest": ("study.db", ("study.db",), "study.db"),
        "after a kill": ("killed.db", ("killed.db", "killed.db-wal", "killed.db-count"), "killed.db"),
        "log": ("killed.db", ("killed.db", "killed.db-wal", "killed.db-count"), "killed.db-wal"),
        "links": ("study.db", ("study.db", "study.db.links"), "study.db.links"),
        "frame": ("sample.csv", ("sample.csv", "sample.frame.parquet"), "sample.frame.parquet"),
    }
    use, copied, victim = names[kind]
    for name in copied:
        shutil.copy(good.folder / name, here / name)
    return here / use, here / victim


def _used(good: Base, kind: str, path: Path) -> tuple[Ending, str]:
    try:
        if kind == "links":
            with StudyStore.open(path) as store:
                tokens = kept_tokens(Study.load(store), str(path))
            return ("equal", "") if tokens == good.links or set(tokens) == set(good.links) else ("changed", str(tokens))
        if kind == "frame":
            return ("equal", "") if corrected(path) == good.audit else ("changed", "another result")
        return ("equal", "") if counted(path) == good.labels else ("changed", "another result")
    except DissensusError as error:
        return "refused", str(error).splitlines()[0]
    except Exception as error:
        return "foreign", f"{type(error).__name__}: {error}"[:200]
