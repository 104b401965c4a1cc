"""`dissensus report`: one self-contained page, the verdict first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.inputs import options as opt
from dissensus.measures.policies import DEFAULT_MEASURES

if TYPE_CHECKING:
    from dissensus.report.outcome import Outcome


def command(
    context: typer.Context,
    files: opt.StudyFiles = opt.StudyFiles(),
    output: Annotated[Path, opt.output_file("The page to write (.html).")] = Path("report.html"),
    measure: opt.MeasuresOption = [*DEFAULT_MEASURES],  # noqa: B006 (typer reads it and does not change it)
    audit: opt.AuditOption = None,
    truth: opt.TruthOption = None,
    assessor: opt.AssessorOption = None,
    documents: Annotated[
        list[str] | None,
        typer.Option("--documents", metavar="FILE", help="Texts of documents (JSONL, CSV, Parquet or a folder)."),
    ] = None,
    topic_texts: Annotated[
        str | None, typer.Option("--topic-texts", metavar="FILE", help="Texts of topics (TSV, CSV, JSONL, TREC).")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", metavar="NAME", help="The version before of the judge (--assessor): what drifted?"),
    ] = None,
    carried: opt.CarryOver = opt.CarryOver(),
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Title of the page.")] = None,
    documentation: Annotated[
        str | None, typer.Option("--documentation", metavar="URL", help="Where the documentation site is, for links.")
    ] = None,
    reading: opt.RunReading = opt.RunReading(),
    policies: opt.TiesFirst = opt.TiesFirst(),
    save: Annotated[
        Path | None,
        typer.Option(
            "--save-analysis", metavar="FILE", help="Write this command down (.toml), for dissensus run to do it again."
        ),
    ] = None,
    json: opt.JsonOption = False,
    seed: opt.SeedOption = 0,
) -> None:
    """Write one HTML page: the verdict first, then everything behind it. It needs no network.

    The first measure is the one the verdict is about. With --audit, scores are corrected: without a model where
    ranks have weights (P@10, DCG@10, RBP), by imputation for nDCG, AP and ERR. With several assessors,
    --assessor names the one whose labels are scored; without it their majority vote is.

    Examples:
        dissensus report runs/* --judgments labels.csv -o report.html
        dissensus report runs/* --judgments labels.csv --assessor llm --audit gold.csv -m P@10 -o report.html
        dissensus report --score-table leaderboard.csv -m nDCG@10 -o report.html
        dissensus report --score-table llm.csv --score-table people.csv --gold people -o report.html
    """
    from dissensus.cli.inputs.report_inputs import read_study
    from dissensus.cli.terminal.messages import say
    from dissensus.errors import OutputError
    from dissensus.report.build import build, write_page

    if output.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"--output {output}: a report is a web page.", f"Name it {output.with_suffix('.html')}.")
    if save is not None:
        from dissensus.cli.parts.analysis import check_analysis_file

        check_analysis_file(save)
    study = read_study(
        files, measure, reading, audit=audit, truth=truth, assessor=assessor, seed=seed,
        policies=policies.chosen(), label="report",
        documents=documents, topic_texts=topic_texts, before=before, carried=carried,
    )  # fmt: skip
    built = build(study)
    path = write_page(built, output, title, documentation)
    say("note", f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    if save is not None:
        from dissensus.cli.parts.analysis import save_analysis

        save_analysis(context, save, output)
    if json:
        tell_verdict(built.outcome, built.study.measure, path, built.refused)


def tell_verdict(found: Outcome, measure: str, path: Path, refused: str = "") -> None:
    """The page's first section as JSON: scores, pairs, who leads and on what it rests."""
    from dissensus.cli.terminal.output import emit

    facts = {
        "report": str(path),
        "measure": measure,
        "claims": [c.to_dict() for c in found.claims],
        "naive_first": None if found.naive is None else found.naive.to_dict(),
        "order": found.order,
        "leaders": found.leaders,
        "groups": found.groups,
        "basis": found.basis,
        "open": [q.to_dict() for q in found.questions],
    }
    notes = [line for line in (found.family, refused) if line]
    tables = {"scores": found.scores, "pairs": found.pairs}
    if found.standings is not None:
        tables["order"] = found.standings
    if found.ranks is not None:
        tables["ranks"] = found.ranks
    if found.diagnosis is not None:
        tables["diagnosis"] = found.diagnosis
    emit(tables, json=True, footer=notes, facts=facts)
