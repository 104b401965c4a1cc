"""`dissensus audit backup`, `restore` and `verify`: a study as a file, and as evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from dissensus.cli.build import argument, option
from dissensus.cli.inputs.options import JsonOption
from dissensus.cli.terminal.messages import say
from dissensus.cli.terminal.output import print_json

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
    from dissensus.audit.safekeeping import audit_backup

    path = audit_backup(place, output)
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
    from dissensus.audit.safekeeping import audit_restore

    done = audit_restore(source, output, without_log=without_log)
    say("note", f"restored {output} from {source}: {done.labels:,} labels.")
    if done.replaced is not None:
        say("note", f"what was there is now {done.replaced}")
    if json:
        aside = None if done.replaced is None else str(done.replaced)
        print_json({"restored": str(output), "labels": done.labels, "replaced": aside})


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
    from dissensus.audit.safekeeping import audit_verify

    found = audit_verify(place, commitment, record, study)
    if json:
        facts = {"commitment": found.commitment, "head": found.head, "rows": found.rows, "labels": found.labels}
        print_json({**facts, "proven": found.proven, "record": None if record is None else str(record)})
    else:
        click.echo(str(found))
