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

from dissensus.aliases import described
from dissensus.audit.closing import Closed, close_study, concluded, doubts, pair_rows, spent
from dissensus.audit.export import audit_frame, counted_labels, log_frame
from dissensus.audit.importing import import_file
from dissensus.audit.live import Live
from dissensus.audit.overview import overview
from dissensus.audit.reliability import reliability
from dissensus.audit.report import share_sentence, standing
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.results import Result, Table
from dissensus.windows.spreadsheets import inert
from dissensus.wording import counted
from dissensus.work.atomic import atomic

MEANINGS = {
    "name": "name or pseudonym of the expert",
    "joined": "whether the expert has opened the page",
    "judged": "documents that the expert graded",
    "cannot": "documents that the expert could not judge, or whether this one was",
    "open": "documents that wait for the expert",
    "new": "judgments taken in",
    "known already": "judgments that the study had",
    "refused": "judgments that were refused",
    "of": "number of documents in the whole order",
    "assessor": "name or pseudonym of the expert",
    "second": "grade of the second expert, who judged the document again",
    "stop": "rule that says when the audit stops",
    "pairs": "pairs of systems that the order is for",
    "design": "command of the plan, with a checksum",
    "row": "number of the row in the log",
    "role": "whether the expert judged the document first or again",
    "attempt": "how often the document was given to an expert",
    "action": "what the expert did",
    "comment": "comment of the expert",
    "seconds": "seconds that the expert took",
    "at": "time of the action, in seconds since 1970",
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
    claims: Sequence[Any] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {self.name: Table.of(self.frame, MEANINGS)}


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


@described
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

        - `experts`: name, joined, judged, cannot, open

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


def _counting(labels: int) -> str:
    """How many labels count, as the start of a sentence."""
    return f"{counted(labels, 'label')} {'counts' if labels == 1 else 'count'}"


def _waiting(labels: int) -> list[str]:
    """What is said of labels that came before their turn."""
    if not labels:
        return []
    what = "1 more is out of order: it counts" if labels == 1 else f"{labels:,} more are out of order: they count"
    return [f"{what} once the gap before is closed."]


def status_of(found: Study) -> AuditTable:
    """The status of a study that is open."""
    live = followed(found)
    state, n = overview(found, live), counted_labels(found, live)
    seen = state["closed"] is not None if found.planned is not None else not found.scores
    outcome = concluded(found, audit_frame(found, live)) if live.prefix and seen else None
    trust = reliability(found)
    verdict = state["verdict"]
    if outcome is not None:
        verdict = standing(live.sequence.verdict, n, not spent(found, n)) if found.planned is None else outcome.headline
    notes = [
        str(verdict),
        f"{_counting(state['labels'])}, of {counted(state['documents'], 'document')}.",
        *_waiting(state["waiting"]),
        share_sentence("two experts gave one document the same grade", trust.between),
    ]
    if state["closed"] is not None:
        notes.append("The study is closed.")
    elif state["stopped_at"] is not None:
        notes.append(f"The stop rule {state['stop']} was met after {counted(state['stopped_at'], 'label')}.")
    elif state["labels"]:
        notes.append(f"Labels to go: {state['outlook']['labels']} ({state['outlook']['text']}).")
    facts = {k: v for k, v in state.items() if k not in ("experts", "grades", "title")}
    facts["outcome"] = None if outcome is None else outcome.to_dict()
    claims = () if outcome is None else outcome.claims
    experts = pl.DataFrame(state["experts"]).drop("idle")
    return AuditTable("experts", experts, state["title"], tuple(notes), facts, claims)


@described
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
        Its table, that of a planned sample, or that of the log:

        - `audit`: topic, doc, grade, inclusion, covers, pairs, draw, of, rate, next_key, assessor, second, stop
        - `audit` of a sample: topic, doc, grade, inclusion, covers, pairs, design, assessor, second
        - `log`: row, topic, doc, draw, role, attempt, assessor, action, grade, cannot, comment, seconds, at

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
    graded = int(frame["grade"].is_not_null().sum())
    if found.planned is not None:
        notes = [f"{graded:,} of {frame.height:,} documents of the sample are judged."]
        if graded < frame.height:
            notes.append("The study is open: look at its results once, when all documents are judged.")
        return AuditTable("audit", frame, "The audit", tuple(notes))
    notes = [
        f"{_counting(graded)}, along a committed order of {counted(frame.height, 'document')}.",
        "Inclusion is exact if it is closed here. Keep the rows without a grade: they belong to the audit.",
    ]
    if found.current().stopped_at is None and found.current().closed is None:
        notes.append("the study is open: look at ordinary intervals once, after closing.")
    return AuditTable("audit", frame, "The audit", tuple(notes))


@described
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
    odd = doubts(found, live)
    notes = [*(f"refused: {line}" for line in refused), f"{_counting(len(live.prefix))} now.", *odd]
    facts = {"labels": len(live.prefix), "refused": refused, "doubts": odd}
    return AuditTable("imported", frame, "Imported", tuple(notes), facts)


@described
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
        "differences.csv": inert(pair_rows(done.outcome)).write_csv() if done.outcome is not None else "",
        "log.csv": inert(log_frame(found, names=names)).write_csv(),
        "report.html": done.report,
    }
    return done, {name: body for name, body in files.items() if body}
