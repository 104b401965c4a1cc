"""`dissensus audit backup`, `restore` and `verify`: a study as a file, and as evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from dissensus.audit import whole
from dissensus.cli.build import argument, option
from dissensus.cli.inputs.options import JsonOption
from dissensus.cli.terminal.messages import say
from dissensus.cli.terminal.output import print_json
from dissensus.errors import FileError, InputError
from dissensus.io.contents import contents, decode

if TYPE_CHECKING:
    from dissensus.audit.seal import Seal
    from dissensus.audit.study import Study

PlaceArgument = Annotated[str, argument(metavar="STUDY", help="The study: a file, or postgresql://…")]


def backup(
    place: PlaceArgument,
    output: Annotated[Path, option("--output", "-o", metavar="FILE", help="The copy.")],
    json: JsonOption = False,
) -> None:
    """A consistent copy of a study's file, also while it is served.

    Example:
        dissensus audit backup study.db -o copy.db
    """
    from dissensus.audit.store import StudyStore

    with StudyStore.open(place) as store:
        path = store.backup(output)
    say("note", f"wrote {path}")
    if json:
        print_json({"backup": str(path)}, indent=None)


def restore(
    source: Annotated[Path, argument(metavar="COPY", help="A backup, or another copy.")],
    output: Annotated[Path, option("--output", "-o", metavar="STUDY", help="The study's file.")],
    without_log: Annotated[
        bool, option("--without-log", help="Take a copy that lacks its log: newer labels are lost.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Put a checked copy in the place of a study. The study that was there is renamed, never deleted.

    Example:
        dissensus audit restore copy.db -o study.db
    """
    from dissensus.audit.assigning import note
    from dissensus.audit.store import StudyStore, is_server
    from dissensus.audit.study import Study

    if is_server(str(source)) or is_server(str(output)):
        raise InputError("a PostgreSQL database is not restored from a file.", "Use pg_restore.")
    aside = whole.restore(source, output, without_log=without_log)
    with StudyStore.open(output) as store:
        studies = [Study.load(store, row_id, check=not without_log) for row_id in store.ids()]
        labels = sum(study.seal().labels for study in studies)
        if without_log:
            with store.write() as connection:
                for study in studies:
                    note(connection, study.id, "owner", "restored from a copy without its log")
    say("note", f"restored {output} from {source}: {labels:,} labels.")
    if aside is not None:
        say("note", f"what was there is now {aside}")
    if json:
        print_json({"restored": str(output), "labels": labels, "replaced": None if aside is None else str(aside)})


def verify(
    place: PlaceArgument,
    commitment: Annotated[
        str | None,
        option("--commitment", metavar="HASH", help="What `audit new` printed, or a later hash of the log."),
    ] = None,
    record: Annotated[
        Path | None, option("--record", metavar="FILE", help="The closing record: compute it anew, compare it.")
    ] = None,
    study: Annotated[
        str | None, option("--study", metavar="TITLE", help="Which study, where a database holds several.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compute a study's chain of hashes anew: was anything changed after it was written?

    Without --commitment it can only be shown that the study is consistent with itself.

    Example:
        dissensus audit verify study.db --commitment 9f2e8df71019328d…
    """
    from dissensus.audit.store import StudyStore
    from dissensus.audit.study import Study

    with StudyStore.open(place, changed=True) as store:
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
    sentences = _sentences(found, seal, at, record)
    if json:
        facts = {"commitment": seal.commitment, "head": seal.head, "rows": len(seal.hashes) - 1, "labels": seal.labels}
        print_json({**facts, "proven": at, "record": None if record is None else str(record)})
    else:
        click.echo("\n".join(sentences))


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


def _sentences(study: Study, seal: Seal, at: int | None, record: Path | None) -> list[str]:
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


def _same_record(study: Study, record: Path) -> None:
    from dissensus.audit.closing import close_study
    from dissensus.audit.live import Live

    if study.current().closed is None:
        raise InputError("the study is still open: it has no closing record.", "Close it: dissensus audit close")
    live = Live(study)
    live.refresh()
    if decode(contents(record), record) != close_study(study, live).record:
        raise FileError(f"{record} is not the closing record of {study.store.name}.", "Write it anew and compare them.")
