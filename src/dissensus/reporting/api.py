"""The report and its figures from Python: `ds.write_report(runs, judgments, "report.html")`.

    >>> import dissensus as ds, tempfile, pathlib
    >>> runs = ds.Runs.from_dict({"A": {"q1": {"x": 2.0}, "q2": {"y": 1.0}}, "B": {"q1": {"y": 1.0}, "q2": {"x": 1.0}}})
    >>> labels = ds.Judgments.from_dict({"ann": {"q1": {"x": 1, "y": 0}, "q2": {"x": 0, "y": 1}}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = ds.write_report(runs, labels, pathlib.Path(folder) / "report.html", measures=["P@1"])
    ...     page.name
    'report.html'

The page is one file that needs no network; the first measure is the one that the verdict is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from dissensus.inference.comparison.by_group import groups_of
from dissensus.inference.comparison.decision import check_negligible
from dissensus.io.options import ReadKeywords
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.measures.policies import DEFAULT_MEASURES, Empty, Policies, Ties, Topics, Unjudged
from dissensus.reporting import build, figures
from dissensus.reporting.charts.theme import Width
from dissensus.reporting.origin import Origin, today
from dissensus.reporting.paper import write_paper
from dissensus.reporting.study import ReportedStudy
from dissensus.tables.audit import Audit, as_audit
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

USUAL = Policies()
Measures = Iterable[str | Measure] | str | Measure


@coerced
def write_report(
    runs: Runs,
    judgments: Judgments,
    path: str | Path = "report.html",
    *,
    measures: Measures = DEFAULT_MEASURES,
    audit: Audit | Judgments | None = None,
    truth: Judgments | None = None,
    assessor: str | None = None,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
    title: str | None = None,
    documentation: str | None = None,
    negligible: float | None = None,
    by: Mapping[str, str] | str | None = None,
    paper: str | Path | None = None,
    seed: int = 0,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    **reading: Unpack[ReadKeywords],
) -> Path:
    """One self-contained HTML page: the verdict first, then everything behind it.

    The page is written whole or not at all, and needs no network. The first measure is the one the verdict is about.

    Parameters
    ----------
    path
        The page to write (.html).
    measures
        Measures, by name. The first one is the verdict's.
    audit
        Expert labels of some scored documents: scores are corrected.
    truth
        Complete gold judgments, to be shown next to the rest.
    assessor
        The assessor whose labels are scored. Without it their majority vote is.
    documents
        {document: text}, shown in the explorer.
    topic_texts
        {topic: query}, shown in the explorer.
    title
        Title of the page.
    documentation
        Address of the documentation site, for links.
    negligible
        A loss that does not matter to the recommendation: 0.02 where scores lie between 0 and 1.
    by
        Groups of topics, {topic: group} or a file with topic and class. The page says where the order differs.
    paper
        A folder for a table, a figure and a paragraph of methods and results, as parts of a paper.

    Returns
    -------
    pathlib.Path
        Where the page is.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> runs = {"A": {"q1": {"x": 2.0}, "q2": {"y": 1.0}}, "B": {"q1": {"y": 1.0}, "q2": {"x": 1.0}}}
    >>> labels = {"ann": {"q1": {"x": 1, "y": 0}, "q2": {"x": 0, "y": 1}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ds.write_report(runs, labels, pathlib.Path(folder) / "report.html", measures=["P@1"]).name
    'report.html'
    """
    check_negligible(negligible)
    study = ReportedStudy(
        runs,
        judgments,
        tuple(measure_list(measures)),
        None if audit is None else as_audit(audit),
        truth,
        assessor,
        seed=seed,
        texts=documents or {},
        topic_texts=topic_texts or {},
        policies=Policies(topics, unjudged, ties, empty),
        negligible=negligible,
        by=None if by is None else groups_of(by),
    )
    built = build.build(study)
    if paper is not None:
        write_paper(built, Path(paper))
    return build.write_page(built, path, title, documentation, Origin(made=today(), seed=seed))


@coerced
def write_figures(
    runs: Runs,
    judgments: Judgments,
    folder: str | Path = "figures",
    *,
    measures: Measures = DEFAULT_MEASURES,
    audit: Audit | Judgments | None = None,
    truth: Judgments | None = None,
    assessor: str | None = None,
    formats: Sequence[str] = ("svg", "pdf", "png"),
    width: Width = "column",
    seed: int = 0,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    **reading: Unpack[ReadKeywords],
) -> list[Path]:
    """Every chart of the report as SVG, PDF and PNG, sized for a paper.

    A caption of every figure, which says what was computed, is written into its SVG and into captions.md.

    Parameters
    ----------
    folder
        The folder to write figures to.
    measures
        Measures, by name.
    audit
        Expert labels of some scored documents: scores are corrected.
    truth
        Complete gold judgments, to be shown next to the rest.
    assessor
        The assessor whose labels are scored. Without it their majority vote is.
    formats
        Formats to write: svg, pdf, png.
    width
        One column (240 pt) or the page (504 pt).

    Returns
    -------
    list of pathlib.Path
        The files written.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> runs = {s: {f"q{q}": {"x": 2.0 * up, "y": 1.0} for q in range(4)} for s, up in (("A", 1), ("B", 0))}
    >>> labels = {"ann": {f"q{q}": {"x": 1, "y": q % 2} for q in range(4)}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = ds.write_figures(runs, labels, folder, measures=["P@1"], formats=["svg"])
    >>> {file.suffix for file in files} >= {".svg"}
    True
    """
    study = ReportedStudy(
        runs,
        judgments,
        tuple(measure_list(measures)),
        None if audit is None else as_audit(audit),
        truth,
        assessor,
        seed=seed,
        policies=Policies(topics, unjudged, ties, empty),
    )
    return figures.write_figures(study, folder, formats=formats, width=width)
