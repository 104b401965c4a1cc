"""`dissensus report`: one self-contained page, the verdict first.

`read_study` reads what `report` and `figures` are about, with progress on stderr.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.parts.analysis import check_analysis_file, file_of, save_analysis
from dissensus.cli.terminal.messages import say, words_of_command
from dissensus.cli.terminal.output import show
from dissensus.errors import InputError, OutputError
from dissensus.inference.comparison.by_group import groups_of
from dissensus.inference.comparison.decision import check_negligible
from dissensus.io.documents import read_documents
from dissensus.io.files import find_files
from dissensus.io.topic_texts import read_topic_texts
from dissensus.measures.catalog import measure_list
from dissensus.measures.policies import DEFAULT_MEASURES, Policies
from dissensus.reporting.build import build, write_page
from dissensus.reporting.origin import Origin, checksums, today
from dissensus.reporting.paper import check_folder, write_paper
from dissensus.reporting.score_study import ScoreStudy, chosen_measures
from dissensus.reporting.since import LastReport
from dissensus.reporting.study import ReportedStudy
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments


def command(
    files: opt.StudyFiles = opt.StudyFiles(),
    output: Annotated[Path, opt.output_file("The page to write (.html).")] = Path("report.html"),
    measures: opt.MeasuresOption = [*DEFAULT_MEASURES],  # noqa: B006
    gains: opt.GainsOption = None,
    audit: opt.AuditOption = None,
    truth: opt.TruthOption = None,
    assessor: opt.AssessorOption = None,
    documents: Annotated[
        list[str] | None,
        option("--documents", metavar="FILE", help="Texts of documents (JSONL, CSV, Parquet or a folder)."),
    ] = None,
    topic_texts: Annotated[
        str | None, option("--topic-texts", metavar="FILE", help="Texts of topics (TSV, CSV, JSONL, TREC).")
    ] = None,
    before: Annotated[
        str | None,
        option(
            "--before",
            metavar="NAME|FILE",
            help="The version before of the judge (--assessor), or a report's JSON (.json): what changed since?",
        ),
    ] = None,
    carried: opt.CarryOverOptions = opt.CarryOverOptions(),
    negligible: opt.NegligibleOption = None,
    by: opt.ByOption = None,
    title: Annotated[str | None, option("--title", metavar="TEXT")] = None,
    documentation: Annotated[str | None, option("--documentation", metavar="URL")] = None,
    reading: opt.RunReading = opt.RunReading(),
    policies: opt.TiesFirst = opt.TiesFirst(),
    save: Annotated[
        Path | None,
        option(
            "--save-analysis", metavar="FILE", help="Write this command down (.toml), for dissensus run to do it again."
        ),
    ] = None,
    paper: Annotated[
        Path | None,
        option(
            "--paper", metavar="FOLDER", help="Write a table, a figure and methods for a paper, and how to repeat it."
        ),
    ] = None,
    json: opt.JsonOption = False,
    seed: opt.SeedOption = 0,
) -> None:
    """Write one HTML page: the verdict first, then everything behind it. It needs no network.

    The first measure is the one the verdict is about. With --audit, scores are corrected: without a model where
    ranks have weights (P@10, DCG@10, RBP), with one of the labels for nDCG and AP. With several assessors,
    --assessor names the one whose labels are scored; without it their majority vote is.

    Examples:
        dissensus report runs/* --judgments labels.csv -o report.html
        dissensus report runs/* --judgments labels.csv --assessor llm --audit gold.csv -m P@10 -o report.html
        dissensus report runs/* --judgments labels.csv --audit gold.csv --assessor llm -m P@10 --paper paper/
        dissensus report runs/* --judgments labels.csv -m P@10 --before last.json --json > this.json
        dissensus report --score-table leaderboard.csv -m nDCG@10 -o report.html
        dissensus report --score-table llm.csv --score-table people.csv --gold people -o report.html
    """
    if output.suffix.lower() not in (".html", ".htm"):
        raise OutputError(f"--output {output}: a report is a web page.", f"Name it {output.with_suffix('.html')}.")
    if save is not None:
        check_analysis_file(save)
    if paper is not None:
        check_folder(paper)
    last, before = (LastReport.read(before), None) if before and before.endswith(".json") else (None, before)
    wanted = opt.measured(measures, gains, files.score_table)
    study = read_study(
        files, wanted, reading, audit=audit, truth=truth, assessor=assessor, seed=seed,
        policies=policies.chosen(), label="report",
        documents=documents, topic_texts=topic_texts, before=before, carried=carried,
    )  # fmt: skip
    check_negligible(negligible)
    study = replace(study, negligible=negligible, by=None if by is None else groups_of(by))
    built = build(study, last)
    path = write_page(built, output, title, documentation, origin(files, seed, audit, truth, documents, topic_texts))
    say("note", f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    if paper is not None:
        say("note", f"wrote {counted(len(write_paper(built, paper)), 'file')} to {paper}: see paper.tex")
        save = save or paper / "replication.toml"
    if save is not None:
        save_analysis(save, output)
    if json:
        show(built.saved(path), json=True)


def origin(files: opt.StudyFiles, seed: int, *more: str | Sequence[str] | None) -> Origin:
    """The command, the date, and every file that was read, with its checksum.

    A page that an analysis file makes has neither command nor date: it is the same byte for byte each time.
    """
    given = [files.runs, files.judgments, files.score_table, *more]
    names = [file_of(f) for some in given if some for f in ([some] if isinstance(some, str) else some)]
    inputs = checksums(find_files([n for n in names if n != "-"], "report")) if names else ()
    words = words_of_command()
    return Origin(shlex.join(["dissensus", *words]) if words else "", today() if words else "", seed, inputs)


# ── what a report, or figures, are about ──
def read_study(
    files: opt.StudyFiles,
    measures: Sequence[str],
    reading: opt.RunReading,
    *,
    audit: str | None,
    truth: str | None,
    assessor: str | None,
    seed: int,
    label: str,
    policies: Policies = Policies(),
    documents: Sequence[str] | None = None,
    topic_texts: str | None = None,
    before: str | None = None,
    carried: opt.CarryOverOptions = opt.CarryOverOptions(),
) -> ReportedStudy | ScoreStudy:
    """The study of some files; stages are announced on a terminal."""
    _check_files(files, policies, audit=audit, truth=truth, documents=documents)
    tell = stages(label)
    tell("reading files")
    if files.score_table:
        scores = reading.scores(files.score_table)
        reading.refuse_unused()
        names = chosen_measures(scores, measures, DEFAULT_MEASURES)
        return ScoreStudy(scores, names, assessor, seed, read_queries(topic_texts), tell, files.gold)
    found = reading.judgments(files.judgments or ())
    gold: dict[str, Any] = {"assessor": "truth", **({"scale": found.scale} if found.scale.ordered else {})}
    study = ReportedStudy(
        judgments=found, texts=read_texts(found, documents), topic_texts=read_queries(topic_texts),
        runs=reading.runs(*files.runs or ()), measures=tuple(measure_list(measures)), policies=policies,
        audit=reading.audit(audit, found.scale),
        truth=None if truth is None else reading.judgments([truth], **gold),
        assessor=assessor, before=before, probe=carried.audit(reading, found.scale), margin=carried.margin,
        new_runs=reading.runs(*carried.new_run) if carried.new_run else None, seed=seed, progress=tell,
    )  # fmt: skip
    reading.refuse_unused()
    return study


def _check_files(files: opt.StudyFiles, policies: Policies, **others: object) -> None:
    """Refuse what has no effect beside a table of scores; without a table, runs and judgments must be there."""
    if files.score_table:
        given = {"runs": files.runs, "--judgments": files.judgments, **{f"--{k}": v for k, v in others.items()}}
        extra = [name for name, value in given.items() if value]
        extra += [f"--{name}" for name, value in policies.to_dict().items() if value != getattr(Policies, name)]
        if extra:
            raise InputError(
                f"{', '.join(extra)}: --score-table brings the scores, nothing is computed from rankings or labels.",
                f"Leave out {', '.join(extra)}.",
            )
        return
    opt.refuse_gold(files.gold)
    if not files.runs or not files.judgments:
        raise InputError("there are no runs or no judgments.", "Give run files and --judgments, or --score-table FILE.")


def read_queries(topic_texts: str | None) -> dict[str, str]:
    """{topic: its query} of a file of topics."""
    if not topic_texts:
        return {}

    return {topic: t.query for topic, t in read_topic_texts(topic_texts).items()}


def read_texts(judgments: Judgments, documents: Sequence[str] | None) -> dict[str, str]:
    """{document: title and text} of the judged documents that some files hold."""
    if not documents:
        return {}

    found = read_documents(documents, judgments.doc_ids())
    return {doc: "\n".join(filter(None, (d.title, d.text))) for doc, d in found.items()}


def stages(label: str) -> Callable[[str], None]:
    """A function that shows the stage at work on one line of a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda stage: None

    def tell(stage: str) -> None:
        text = f"{label}: {stage} …"
        sys.stderr.write(f"\r\x1b[2K{text}" if stage != "done" else "\r\x1b[2K")
        sys.stderr.flush()

    return tell
