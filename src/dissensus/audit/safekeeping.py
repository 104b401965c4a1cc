"""Studies kept safe: whole copies, copies put back, and proof that a study is what was committed (see `audit.seal`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dissensus.aliases import described
from dissensus.audit import whole
from dissensus.audit.assigning import note
from dissensus.audit.closing import close_study
from dissensus.audit.live import Live
from dissensus.audit.seal import Seal
from dissensus.audit.store import StudyStore, is_server
from dissensus.audit.study import Study
from dissensus.errors import FileError, InputError
from dissensus.io.contents import contents, decode


@described
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


@described
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


@described
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
