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

from dissensus.io.options import ReadKeywords
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.measures.policies import DEFAULT_MEASURES
from dissensus.reporting import build, figures
from dissensus.reporting.charts.theme import Width
from dissensus.reporting.study import Study
from dissensus.tables.audit import Audit, as_audit
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

Measures = Iterable[str | Measure] | str | Measure


@coerced
def write_report(
    runs: Runs,
    judgments: Judgments,
    path: str | Path,
    *,
    measures: Measures = DEFAULT_MEASURES,
    audit: Audit | Judgments | None = None,
    truth: Judgments | None = None,
    assessor: str | None = None,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
    title: str | None = None,
    documentation: str | None = None,
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> Path:
    """Write the page, whole or not at all, and return where it is.

    `documents` {document: text} and `topic_texts` {topic: query} are shown in the explorer. The rest is as in the
    command `dissensus report`.
    """
    study = study_of(runs, judgments, measures, audit, truth, assessor, seed, documents, topic_texts)
    return build.write_report(study, path, title, documentation)


@coerced
def write_figures(
    runs: Runs,
    judgments: Judgments,
    folder: str | Path,
    *,
    measures: Measures = DEFAULT_MEASURES,
    audit: Audit | Judgments | None = None,
    truth: Judgments | None = None,
    assessor: str | None = None,
    formats: Sequence[str] = ("svg", "pdf", "png"),
    width: Width = "column",
    seed: int = 0,
    **reading: Unpack[ReadKeywords],
) -> list[Path]:
    """Write every chart of the report in every format, sized for a paper; returns the files."""
    study = study_of(runs, judgments, measures, audit, truth, assessor, seed)
    return figures.write_figures(study, folder, formats=formats, width=width)


def study_of(
    runs: Runs,
    judgments: Judgments,
    measures: Measures,
    audit: Audit | Judgments | None = None,
    truth: Judgments | None = None,
    assessor: str | None = None,
    seed: int = 0,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
) -> Study:
    """What a report is about, from what a user holds."""
    return Study(
        runs=runs,
        judgments=judgments,
        measures=tuple(measure_list(measures)),
        audit=None if audit is None else as_audit(audit),
        truth=truth,
        assessor=assessor,
        seed=seed,
        texts=documents or {},
        topic_texts=topic_texts or {},
    )
