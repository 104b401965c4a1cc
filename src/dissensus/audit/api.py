"""Studies from Python: look at one, take its labels out and in, close it, and prove that nothing was changed.

    ds.audit_status("study.db")      ds.audit_export("study.db").to_frame()      ds.audit_close("study.db", "closed")

Each verb is the command `dissensus audit …` of that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from dissensus.audit import whole
from dissensus.audit.assigning import note
from dissensus.audit.closing import Closed, close_study
from dissensus.audit.export import audit_frame, log_frame
from dissensus.audit.importing import import_file
from dissensus.audit.live import Live
from dissensus.audit.overview import overview
from dissensus.audit.reliability import reliability
from dissensus.audit.report import share_sentence
from dissensus.audit.seal import Seal
from dissensus.audit.store import StudyStore, is_server
from dissensus.audit.study import Study
from dissensus.errors import FileError, InputError
from dissensus.io.contents import contents, decode
from dissensus.results import Result, Table
from dissensus.windows.spreadsheets import inert
from dissensus.work.atomic import atomic

MEANINGS = {
    "name": "name or pseudonym of the expert",
    "new": "judgments taken in",
    "known already": "judgments that the study had",
    "refused": "judgments that were refused",
    "of": "number of documents in the whole order",
}
UNSEALED = "{name} was made before studies were sealed. Changes to it cannot be noticed."


@dataclass(frozen=True, eq=False)
class AuditTable(Result):
    """A table of a study, and what is said with it."""

    name: str
    frame: pl.DataFrame = field(repr=False)
    title: str = ""
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {self.name: Table.of(self.frame, MEANINGS, rest="{name}, as the audit page shows it")}


@contextmanager
def opened(place: str | Path, which: str | None = None) -> Iterator[Study]:
    """The study that a verb is about; at the end its file is whole again."""
    with StudyStore.open(str(place)) as store:
        yield Study.load(store, which)


def followed(study: Study) -> Live:
    """The study with all its labels taken in."""
    live = Live(study)
    live.refresh()
    return live


def audit_status(place: str | Path, study: str | None = None) -> AuditTable:
    """The state of a study: labels, verdict, forecast, experts. It holds at every look.

    Parameters
    ----------
    place
        The study: a file, or postgresql://…
    study
        Which study, by its title, where a database holds several.

    Returns
    -------
    AuditTable
        The verdict and the labels to go are in `.notes`, all numbers in `.facts`. Its table has a row for each expert:

        - `experts`: name, judged, skipped, minutes

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "study.db"
    >>> from dissensus.audit.simulate import example_study, play
    >>> made = example_study(place)
    >>> ds.audit_status(place).facts["labels"]
    0
    """
    with opened(place, study) as found:
        return status_of(found)


def status_of(found: Study) -> AuditTable:
    """The status of a study that is open."""
    state = overview(found, followed(found))
    trust = reliability(found)
    notes = [
        state["verdict"],
        f"{state['labels']:,} labels count, of {state['documents']:,} documents.",
        f"{state['waiting']:,} more are out of order: they count once the gap before them is closed.",
        share_sentence("two experts gave one document the same grade", trust.between),
    ]
    if state["closed"] is not None:
        notes.append("The study is closed.")
    elif state["stopped_at"] is not None:
        notes.append(f"The stop rule {state['stop']} was met after {state['stopped_at']:,} labels.")
    elif state["labels"]:
        notes.append(f"Labels to go: {state['outlook']['labels']} ({state['outlook']['text']}).")
    facts = {k: v for k, v in state.items() if k not in ("experts", "grades", "title")}
    return AuditTable("experts", pl.DataFrame(state["experts"]).drop("idle"), state["title"], tuple(notes), facts)


def audit_export(place: str | Path, study: str | None = None, *, names: bool = False, log: bool = False) -> AuditTable:
    """The audit so far: graded documents with the exact probability with which each was chosen.

    Parameters
    ----------
    place
        The study: a file, or postgresql://…
    study
        Which study, by its title, where a database holds several.
    names
        Assessors by name. Pseudonyms without it.
    log
        The whole log instead: skips and undos, too.

    Returns
    -------
    AuditTable
        Its table, or that of the log:

        - `audit`: topic, doc, grade, assessor, draw, rate, inclusion, of

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "study.db"
    >>> from dissensus.audit.simulate import example_study, play
    >>> made = example_study(place)
    >>> ds.audit_export(place, log=True).to_frame().height
    0
    """
    with opened(place, study) as found:
        return export_of(found, names=names, log=log)


def export_of(found: Study, *, names: bool, log: bool) -> AuditTable:
    """The labels of a study that is open."""
    if log:
        return AuditTable("log", log_frame(found, names=names), "The log")
    frame = audit_frame(found, followed(found), names=names)
    graded = frame["grade"].is_not_null().sum()
    if found.planned is not None:
        notes = [f"{graded:,} of {frame.height:,} documents of the sample are judged."]
        if graded < frame.height:
            notes.append("The study is open: look at its results once, when all documents are judged.")
        return AuditTable("audit", frame, "The audit", tuple(notes))
    notes = [
        f"{graded:,} labels count, along a committed order of {frame.height:,} documents.",
        "Inclusion is exact if it is closed here. Keep the rows without a grade: they belong to the audit.",
    ]
    if found.current().stopped_at is None and found.current().closed is None:
        notes.append("the study is open: look at ordinary intervals once, after closing.")
    return AuditTable("audit", frame, "The audit", tuple(notes))


def audit_import(place: str | Path, files: Sequence[str | Path], study: str | None = None) -> AuditTable:
    """Take in judgments that were made elsewhere: a judged page (.jsonl), Label Studio's JSON, a Quepid book.

    Importing a file twice is harmless.

    Parameters
    ----------
    place
        The study: a file, or postgresql://…
    files
        Judged pages, or exports.
    study
        Which study, by its title, where a database holds several.

    Returns
    -------
    AuditTable
        Its table has a row for each file:

        - `imported`: file, new, known already, refused

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "study.db"
    >>> from dissensus.audit.simulate import example_study, play
    >>> made = example_study(place)
    >>> ds.audit_import(place, []).facts["labels"]
    0
    """
    with opened(place, study) as found:
        return import_into(found, files)


def import_into(found: Study, files: Sequence[str | Path]) -> AuditTable:
    """Judgments of files into a study that is open."""
    rows, refused = [], []
    for file in files:
        done = import_file(found, Path(file))
        rows.append((str(file), done.new, done.known, len(done.refused)))
        refused += done.refused
    live = followed(found)
    live.mark_stop()
    frame = pl.DataFrame(rows, schema=["file", "new", "known already", "refused"], orient="row")
    notes = [f"refused: {line}" for line in refused] + [f"{len(live.prefix):,} labels count now."]
    return AuditTable("imported", frame, "Imported", tuple(notes), {"labels": len(live.prefix), "refused": refused})


def audit_close(
    place: str | Path, output: str | Path = "closed", study: str | None = None, *, names: bool = False
) -> Closed:
    """Close a study, and write the audit, the corrected scores and the report. No further judgment is taken.

    Parameters
    ----------
    place
        The study: a file, or postgresql://…
    output
        The folder for audit.csv, differences.csv, report.html …
    study
        Which study, by its title, where a database holds several.
    names
        Assessors by name. Pseudonyms without it.

    Returns
    -------
    Closed
        `.summary`, `.labels`, `.audit`, `.scores`, `.differences`, `.verdict`.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "study.db"
    >>> from dissensus.audit.simulate import example_study, play
    >>> made = example_study(place)
    >>> with opened(place) as study:  # experts who always give the true grade
    ...     played = play(study, {(f"q{q}", f"d{i}"): str(i % 2) for q in range(12) for i in range(9)}, error=0)
    >>> ds.audit_close(place, place.with_name("closed")).labels > 0
    True
    """
    with opened(place, study) as found:
        done, files = closing_files(found, names=names)
        folder = Path(output)
        folder.mkdir(parents=True, exist_ok=True)
        for name, body in files.items():
            with atomic(folder / name) as file:
                file.write(body)
        return done


def closing_files(found: Study, *, names: bool) -> tuple[Closed, dict[str, str]]:
    """Close a study that is open: (what was found, the texts of the files that belong to it)."""
    live = followed(found)
    live.mark_stop()
    done = close_study(found, live)
    files = {
        "record.json": done.record,
        "audit.csv": inert(audit_frame(found, live, names=names)).write_csv(),
        "scores.csv": inert(done.scores).write_csv() if not done.scores.is_empty() else "",
        "differences.csv": inert(done.differences).write_csv() if not done.differences.is_empty() else "",
        "log.csv": inert(log_frame(found, names=names)).write_csv(),
        "report.html": done.report,
    }
    return done, {name: body for name, body in files.items() if body}


def audit_backup(place: str | Path, output: str | Path) -> Path:
    """A consistent copy of a study's file, also while it is served.

    Parameters
    ----------
    place
        The study's file.
    output
        The copy.

    Returns
    -------
    pathlib.Path
        Where the copy is.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "study.db"
    >>> from dissensus.audit.simulate import example_study, play
    >>> made = example_study(place)
    >>> ds.audit_backup(place, place.with_name("copy.db")).name
    'copy.db'
    """
    with StudyStore.open(str(place)) as store:
        return store.backup(Path(output))


@dataclass(frozen=True)
class Restored:
    """How many labels the study has now, and where the one that was there is kept."""

    labels: int
    replaced: Path | None


def audit_restore(source: str | Path, output: str | Path, *, without_log: bool = False) -> Restored:
    """Put a checked copy in the place of a study. The study that was there is renamed, never deleted.

    Parameters
    ----------
    source
        A backup, or another copy.
    output
        The study's file.
    without_log
        Take a copy that lacks its log: newer labels are lost.

    Returns
    -------
    Restored
        `.labels`, and `.replaced`: where the study that was there is now.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "study.db"
    >>> from dissensus.audit.simulate import example_study, play
    >>> made = example_study(place)
    >>> copy = ds.audit_backup(place, place.with_name("copy.db"))
    >>> ds.audit_restore(copy, place).labels
    0
    """
    if is_server(str(source)) or is_server(str(output)):
        raise InputError("a PostgreSQL database is not restored from a file.", "Use pg_restore.")
    aside = whole.restore(Path(source), Path(output), without_log=without_log)
    with StudyStore.open(Path(output)) as store:
        studies = [Study.load(store, row_id, check=not without_log) for row_id in store.ids()]
        labels = sum(study.seal().labels for study in studies)
        if without_log:
            with store.write() as connection:
                for study in studies:
                    note(connection, study.id, "owner", "restored from a copy without its log")
    return Restored(labels, aside)


@dataclass(frozen=True)
class Verified:
    """What a study's chain of hashes proves; `proven` is the number of rows that the commitment proves."""

    commitment: str | None
    head: str | None
    rows: int
    labels: int
    proven: int | None
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def audit_verify(
    place: str | Path,
    commitment: str | None = None,
    record: str | Path | None = None,
    study: str | None = None,
) -> Verified:
    """Compute a study's chain of hashes anew: was anything changed after it was written?

    Without a commitment it can only be shown that the study is consistent with itself.

    Parameters
    ----------
    place
        The study: a file, or postgresql://…
    commitment
        What `audit new` printed, or a later hash of the log.
    record
        The closing record: compute it anew and compare it.
    study
        Which study, by its title, where a database holds several.

    Returns
    -------
    Verified
        `.sentences` in words, `.commitment`, `.head`, `.rows`, `.labels`, `.proven`. A study that was changed is an
        error.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp()) / "study.db"
    >>> from dissensus.audit.simulate import example_study, play
    >>> made = example_study(place)
    >>> ds.audit_verify(place, made.commitment).proven
    0
    """
    with StudyStore.open(str(place), changed=True) as store:
        found = Study.load(store, study, check=False)
        seal = found.seal()
        if not seal.sealed:
            raise FileError(f"{store.name} was made before studies were sealed: there is nothing to verify.")
        if seal.problems:
            more = "".join(f"\n  {problem}." for problem in seal.problems[1:])
            raise FileError(f"{store.name} was changed after it was written: {seal.problems[0]}.{more}")
        at = None if commitment is None else _place(seal, commitment, store.name)
        if record is not None:
            _same_record(found, record)
    said = tuple(_sentences(found, seal, at, record))
    return Verified(seal.commitment, seal.head, len(seal.hashes) - 1, seal.labels, at, said)


def _place(seal: Seal, given: str, name: str) -> int:
    """The number of rows that a kept hash proves."""
    wanted = given.strip().lower()
    if len(wanted) < 16:
        raise InputError(f"{given!r} is too short for a commitment.", "Give the whole hash that was printed.")
    for n, value in enumerate(seal.hashes):
        if value.startswith(wanted):
            return n
    raise FileError(
        f"{name} is not the study with the commitment {given}.", f"It is consistent with itself: {seal.commitment}."
    )


def _sentences(study: Study, seal: Seal, at: int | None, record: str | Path | None) -> list[str]:
    rows = len(seal.hashes) - 1
    out = [
        f"{study.store.name} is consistent with itself: {len(study.order):,} documents, {seal.labels:,} labels "
        f"among {rows:,} rows of the log.",
    ]
    if at is None:
        out.append("Whether it is what was committed can only be shown with --commitment HASH, kept elsewhere.")
    else:
        out.append("The settings, the order and all rates are those that were committed before the first label.")
        if at == rows:
            out.append("All rows of the log are as they were when this hash was printed.")
        else:
            out.append(
                f"The hash proves {at:,} of {rows:,} rows of the log. A later one proves more: {seal.head} is the last."
            )
    if record is not None:
        out.append(f"The closing record was computed anew: {record} has the same bytes.")
    return out


def _same_record(study: Study, record: str | Path) -> None:
    if study.current().closed is None:
        raise InputError("the study is still open: it has no closing record.", "Close it: dissensus audit close")
    live = Live(study)
    live.refresh()
    if decode(contents(Path(record)), record) != close_study(study, live).record:
        raise FileError(f"{record} is not the closing record of {study.store.name}.", "Write it anew and compare them.")
