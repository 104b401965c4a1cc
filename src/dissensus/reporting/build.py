"""From a study to a page: the sections in their order, each computed with its progress shown.

A section that cannot be computed says why, in its place; it never takes the others down with it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dissensus.errors import DissensusError, DissensusWarning
from dissensus.reporting.answer import Answer, answer_of
from dissensus.reporting.blocks import Block, Paragraph, Section, SystemsBlock, TableBlock
from dissensus.reporting.charts.theme import unchecked
from dissensus.reporting.origin import Origin
from dissensus.reporting.page import render
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.sections import (
    answer,
    assumptions,
    ceiling,
    data,
    differences,
    judge_set,
    judges,
    label_columns,
    measures,
    merging,
    score_table,
    scores,
    versions,
)
from dissensus.reporting.since import LastReport, Since, topic_scores
from dissensus.reporting.study import ReportedStudy
from dissensus.results import Tables
from dissensus.windows.latex import latex_table
from dissensus.wording import counted
from dissensus.work.atomic import atomic

Part = tuple[str, str, Callable[[], Section]]


@dataclass(frozen=True, eq=False)
class Built:
    """A study computed: its verdict, its sections, and why the audit was left out, where it was."""

    study: ReportedStudy | ScoreStudy
    answer: Answer
    sections: list[Section]
    refused: str = ""
    since: Since | None = None

    def saved(self, path: Path) -> Tables:
        """The page's first section for `report --json`, with naive scores by topic for a later `--before`."""
        found, since = self.answer, {} if self.since is None else {"since": self.since.described}
        own = {"report": str(path), "topic_scores": topic_scores(self.study.judge_scores, self.study.measure)}
        notes = [*found.notes, *filter(None, [self.refused])]
        return Tables(found.tables | since, found.title, notes, {**found.facts, **own}, found.claims)


def build(study: ReportedStudy | ScoreStudy, last: LastReport | None = None) -> Built:
    """Everything a page or its figures need, each thing computed once; the verdict's section first.

    `last` is an earlier report: what changed since is said below the conclusion, and in a section.
    """
    notes: list[str] = []

    def one(key: str, title: str, work: Callable[[], Section]) -> Section:
        study.progress(title)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DissensusWarning)
            try:
                section = work()
            except DissensusError as error:
                section = Section(key, title, missing=str(error))
        notes.extend(str(w.message) for w in caught if issubclass(w.category, DissensusWarning))
        return section

    study, refused = usable(study)
    found = answer_of(study)
    with unchecked():
        *built, end = [one(*part) for part in parts(study, found)]
    if refused:
        first = built[0]
        built[0] = replace(first, blocks=[*first.blocks, Paragraph(refused, "rectified", "warning")])
    remarks = [Paragraph(text, kind="warning") for text in dict.fromkeys(notes)]
    changed = None if last is None else Since.of(last, found.outcome, study.judge_scores)
    if changed is not None:
        built[0] = replace(built[0], blocks=below_claims(built[0].blocks, " ".join(changed.sentences())))
        built.insert(1, changed.section())
    return Built(study, found, [*built, replace(end, blocks=[*remarks, *end.blocks])], refused, changed)


def below_claims(blocks: Sequence[Block], text: str) -> list[Block]:
    """The blocks with a further sentence below those of the conclusion."""
    place = next((i for i, b in enumerate(blocks) if not isinstance(b, Paragraph)), len(blocks))
    return [*blocks[:place], Paragraph(text, "compare", "answer"), *blocks[place:]]


def parts(study: ReportedStudy | ScoreStudy, found: Answer) -> list[Part]:
    """(key, title, what computes it) of every section, in their order."""
    first: list[Part] = [
        ("answer", "The answer", lambda: answer.build(study, found)),
        ("differences", differences.TITLE, lambda: differences.build(study, found)),
    ]
    if isinstance(study, ScoreStudy):
        return [
            *first,
            ("scores", "Scores", lambda: score_table.scores(study, found)),
            ("leaderboards", "Do the leaderboards agree?", lambda: score_table.leaderboards(study)),
            ("measures", "The measures", lambda: score_table.measures(study)),
            ("data", "The data", lambda: score_table.data(study)),
        ]
    changed: list[Part] = []
    if study.before is not None or study.new_runs is not None:
        changed = [("versions", versions.TITLE, lambda: versions.build(study))]
    others: list[Part] = []
    if len(judge_set.judges_of(study)) >= judge_set.LEAST:
        others = [("judge-set", judge_set.TITLE, lambda: judge_set.build(study))]
    columns: list[Part] = []
    if study.judgments.scale.facets:
        columns = [("columns", label_columns.TITLE, lambda: label_columns.build(study, found))]
    return [
        *first,
        ("scores", "Scores", lambda: scores.build(study, found)),
        *columns,
        ("judges", "The judges", lambda: judges.build(study)),
        *others,
        *changed,
        ("merging", merging.TITLE, lambda: merging.build(study, found)),
        ("ceiling", ceiling.TITLE, lambda: ceiling.build(study)),
        ("weights", "What grades are worth", lambda: measures.grades(study)),
        ("measures", "The measures and their users", lambda: measures.build(study)),
        ("data", "The data", lambda: data.build(study)),
        ("assumptions", "Assumptions, and how they were tested", lambda: assumptions.build(study, found)),
    ]


def usable(study: ReportedStudy | ScoreStudy) -> tuple[ReportedStudy | ScoreStudy, str]:
    """The study, without its audit where that cannot be used, and the sentence that says why."""
    if isinstance(study, ScoreStudy):
        return study, ""
    try:
        _ = study.verdict, study.corrected
    except DissensusError as error:
        return replace(study, audit=None), f"The audit could not be used, so nothing is corrected: {error.what}"
    return study, ""


def report(
    built: Built, title: str | None = None, documentation: str | None = None, origin: Origin | None = None
) -> str:
    """The whole page as text."""
    study = built.study
    study.progress("writing the page")
    origin = origin or Origin(seed=study.seed)
    sections = [*built.sections, *origin_section(origin)]
    return render(
        title or built.answer.outcome.headline.lead.rstrip("."),
        sections,
        subtitle=" · ".join(filter(None, (title, *eyebrow(study)))),
        documentation=documentation,
        explorer=study.explorer(built.answer.order),
        origin=origin,
        copies=copies(built, origin),
    )


def eyebrow(study: ReportedStudy | ScoreStudy) -> list[str]:
    """What the page is about: the measure, how many systems and topics, whose labels, checked by whom."""
    what = [study.measure, counted(len(study.systems), "system"), counted(len(study.judge_scores.topics), "topic")]
    if isinstance(study, ScoreStudy):
        return [*what, f"scores of {study.judge_name}", *([] if study.gold is None else [f"checked by {study.gold}"])]
    labels = f"{len(study.judge):,} labels by {study.judge_name}"
    if study.audit is None:
        return [*what, labels]
    return [*what, f"{labels}, checked by experts on {counted(len(study.audit), 'document')}"]


def copies(built: Built, origin: Origin) -> dict[str, str]:
    """The answer as text, the systems as CSV and as LaTeX: what the first screen's buttons copy."""
    block = next((b for s in built.sections for b in s.blocks if isinstance(b, SystemsBlock)), None)
    if block is None:
        return {}
    facts = ". ".join(filter(None, (*origin.facts(files=False), origin.command)))
    limits = [f"- {line}" for line in built.answer.outcome.limits]
    table = block.table
    return {
        "text": "\n".join([*answer.verdict(built.answer), "What this cannot tell:", *limits, facts]) + "\n",
        "csv": table.frame.write_csv(),
        "latex": latex_table(table.table, table.caption, [facts], digits=3),
    }  # fmt: skip


def origin_section(origin: Origin) -> list[Section]:
    """Every file that the page was made from, with its checksum."""
    if not origin.inputs:
        return []
    line = " · ".join(origin.facts(files=False))
    blocks: list[Block] = [
        Paragraph(f"{line}. {origin.command}".rstrip(), kind="text"),
        TableBlock(
            "inputs",
            origin.frame(),
            "The files that were read, with the SHA-256 of their bytes",
            meanings={"sha256": "checksum of its bytes"},
        ),
    ]
    line = f"{line} · {counted(len(origin.inputs), 'file')}."
    return [Section("origin", "Where this page came from", blocks, line=line, short="Origin")]


def write_page(
    built: Built,
    path: str | Path,
    title: str | None = None,
    documentation: str | None = None,
    origin: Origin | None = None,
) -> Path:
    """Write the page, whole or not at all."""
    text = report(built, title, documentation, origin)
    with atomic(path) as file:
        file.write(text)
    built.study.progress("done")
    return Path(path)
