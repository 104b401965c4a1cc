"""`dissensus audit`: the place where experts judge, from the committed order to the report."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from dissensus.cli.build import argument, option
from dissensus.cli.inputs.options import JsonOption, OutputOption, Saved
from dissensus.cli.parts.audit_files import backup, restore, verify
from dissensus.cli.parts.audit_new import new
from dissensus.cli.terminal.files import write_text
from dissensus.cli.terminal.messages import say
from dissensus.cli.terminal.output import print_json, show
from dissensus.errors import InputError
from dissensus.tables.design import frame_path
from dissensus.windows.files import check_output, file_name
from dissensus.windows.terminal import Style
from dissensus.work.atomic import atomic_path

if TYPE_CHECKING:
    from dissensus.audit.study import Person, Study

PlaceArgument = Annotated[str, argument(metavar="STUDY", help="The study: a file, or postgresql://…")]
StudyOption = Annotated[
    str | None, option("--study", metavar="TITLE", help="Which study, where a database holds several.")
]
NamesOption = Annotated[bool, option("--names", help="Assessors by name; pseudonyms without it.")]
ExpertOption = Annotated[str | None, option("--expert", metavar="NAME", help="For this expert only.")]


def command() -> None:
    """Experts judge the planned sample in their browsers, until it is decided.

    Examples:
        dissensus audit new study.db runs/* -j llm.qrels -m "P(rel=2)@10" --documents docs.jsonl --between A B
        dissensus audit serve study.db
        dissensus audit export study.db -o audit.csv
    """


@contextmanager
def opened(place: str, which: str | None = None) -> Iterator[Study]:
    """The study that a command is about; at the end its file is whole again."""
    from dissensus.audit import api

    with api.opened(place, which) as found:
        if found.commitment is None:
            say("note", api.UNSEALED.format(name=found.store.name))
        yield found


def serve(
    place: PlaceArgument,
    host: Annotated[
        str | None,
        option("--host", metavar="ADDRESS", help="Listen to other machines, too: 0.0.0.0, for example."),
    ] = None,
    port: Annotated[int, option("--port", metavar="N", help="Port; 0 takes a free one.", min=0, max=65535)] = 8321,
    name: Annotated[str | None, option("--name", metavar="HOST", help="The name that links show, with --host.")] = None,
    browser: Annotated[bool, option("--browser/--no-browser", help="Open the owner's page.")] = True,
    root_path: Annotated[
        str, option("--root-path", metavar="PATH", help="Where a proxy puts the pages: /audit, for example.")
    ] = "",
    forwarded: Annotated[
        bool, option("--forwarded", help="Believe a proxy's X-Forwarded-Proto and X-Forwarded-Host headers.")
    ] = False,
    new_links: Annotated[bool, option("--new-links", help="Make new links; old ones stop working.")] = False,
    study: StudyOption = None,
    json: JsonOption = False,
) -> None:
    """Serve the pages of a study: one link per expert, one for the owner. Ctrl-C stops it, and nothing is lost.

    It listens on this machine only, unless --host is given. Anyone with a link can judge under its name.
    Behind a proxy with encryption, give --forwarded, and --root-path if the pages do not lie at the top.

    Example:
        dissensus audit serve study.db
    """
    from dissensus.audit.people import kept_tokens
    from dissensus.audit.security import Way, names_of, path_of
    from dissensus.audit.server import address_of, bind, links
    from dissensus.audit.server import serve as run

    with opened(place, study) as found:
        tokens = kept_tokens(found, place, new=new_links)
        listening = bind(host or "127.0.0.1", port)
        shown = links(found, tokens, address_of(listening, name) + path_of(root_path))
        if json:
            print_json({"links": shown}, indent=None)
        else:
            width = max(map(len, shown))
            sys.stdout.write(f"{found.row.title}\n" + "".join(f"  {n:<{width}}  {link}\n" for n, link in shown.items()))
        sys.stdout.flush()
        if host is not None:
            say("note", "listening to other machines without encryption: anyone with a link can judge under its name.")
        ready = (lambda: webbrowser.open(shown["owner"])) if browser and sys.stdout.isatty() and not json else None
        run(found, listening, way=Way(path_of(root_path), forwarded, names_of(host, name)), ready=ready)
        say("note", f"stopped. Nothing is lost, and {found.store.name} can be served again.")


def status(place: PlaceArgument, study: StudyOption = None, shown: Saved = Saved()) -> None:
    """How far a study is: labels, verdict, forecast, experts. It holds at every look.

    Example:
        dissensus audit status study.db
    """
    from dissensus.audit.api import status_of

    shown.check()
    with opened(place, study) as found:
        shown.show(status_of(found))


def close(
    place: PlaceArgument,
    output: Annotated[
        Path,
        option("--output", "-o", metavar="FOLDER", help="Where audit.csv, differences.csv, report.html … go."),
    ] = Path("closed"),
    names: NamesOption = False,
    study: StudyOption = None,
    json: JsonOption = False,
) -> None:
    """Close a study: no further judgment is taken; write the audit, the corrected scores and the report.

    Example:
        dissensus audit close study.db -o closed
    """
    from dissensus.audit.api import closing_files

    with opened(place, study) as found:
        done, files = closing_files(found, names=names)
        output.mkdir(parents=True, exist_ok=True)
        for name, body in files.items():
            write_text(output / name, body)
        _frame_beside(found, output / "audit.csv")
        if json:
            facts = {"labels": done.labels, "summary": done.summary, "level": done.level, "notes": done.notes}
            outcome = None if done.outcome is None else done.outcome.to_dict()
            print_json({**facts, "outcome": outcome, "folder": str(output)})
        else:
            style = Style.on(sys.stdout, colour=False)
            click.echo("\n".join(line for said in done.summary.split("\n") for line in style.filled(said)))


def export(
    place: PlaceArgument,
    output: OutputOption = None,
    names: NamesOption = False,
    log: Annotated[bool, option("--log", help="The whole log instead: skips and undos, too.")] = False,
    study: StudyOption = None,
    json: JsonOption = False,
) -> None:
    """The audit so far: graded documents with the exact probability with which each was chosen.

    Example:
        dissensus audit export study.db -o audit.csv
    """
    from dissensus.audit.api import export_of

    check_output(output)
    with opened(place, study) as found:
        show(export_of(found, names=names, log=log), json=json, output=output, digits=6)
        if found.planned is not None and not log:
            _frame_beside(found, output)


def _frame_beside(found: Study, audit: Path | None) -> None:
    """Write the probabilities of all documents beside the audit of a planned sample, which needs them."""
    if found.planned is not None and audit is not None:
        with atomic_path(frame_path(audit)) as temporary:
            found.planned.frame.table.write_parquet(temporary)


def page(
    place: PlaceArgument,
    output: Annotated[Path, option("--output", "-o", metavar="FILE", help="The file to send.")] = Path("audit.html"),
    count: Annotated[int, option("--count", metavar="N", help="Give out the first N documents.", min=1)] = 100,
    expert: ExpertOption = None,
    form: Annotated[
        Literal["html", "label-studio", "quepid"],
        option("--form", help="A page to mail, tasks for Label Studio, or a book for Quepid."),
    ] = "html",
    study: StudyOption = None,
    json: JsonOption = False,
) -> None:
    """Judging without a server: one file for an expert, whose judgments come back with `audit import`.

    Without --expert there is a file for each expert, and the documents are shared out among all of them.

    Examples:
        dissensus audit page study.db -o audit.html --expert ann --count 200
        dissensus audit page study.db -o tasks.json --form label-studio
    """
    from dissensus.audit.offline import label_studio_config, label_studio_tasks, offline_page, quepid_book, reserve

    with opened(place, study) as found:
        people = _experts(found, expert)
        given = reserve(found, people, count)
        written = {}
        for person in people:
            rows = given[person.id]
            file = (
                output
                if len(people) == 1
                else output.with_name(f"{output.stem}-{file_name(person.name)}{output.suffix}")
            )
            if form == "html":
                body = offline_page(found, person, rows)
            else:
                body = label_studio_tasks(found, rows) if form == "label-studio" else quepid_book(found, rows)
            write_text(file, body, f": {len(rows):,} documents for {person.name}")
            written[str(file)] = len(rows)
        if form == "label-studio":
            write_text(
                output.with_suffix(".xml"), label_studio_config(found), ": the labelling interface for these tasks"
            )
        if json:
            print_json({"files": written}, indent=None)


def import_(
    place: PlaceArgument,
    files: Annotated[list[Path], argument(metavar="FILES", help="Judged pages, or exports.")],
    study: StudyOption = None,
    json: JsonOption = False,
) -> None:
    """Judgments that were made elsewhere: a judged page (.jsonl), Label Studio's JSON, a Quepid book.

    Importing a file twice is harmless.

    Example:
        dissensus audit import study.db judgments-1a2b3c.jsonl
    """
    from dissensus.audit.api import import_into

    with opened(place, study) as found:
        show(import_into(found, files), json=json)


def _experts(study: Study, name: str | None) -> list[Person]:
    people = study.experts()
    if name is None:
        return people
    chosen = [p for p in people if p.name == name]
    if not chosen:
        raise InputError(f"no expert is called {name!r}; there are {', '.join(p.name for p in people)}.")
    return chosen


SUBCOMMANDS = {
    "new": new,
    "serve": serve,
    "status": status,
    "close": close,
    "export": export,
    "page": page,
    "import": import_,
    "backup": backup,
    "restore": restore,
    "verify": verify,
}
