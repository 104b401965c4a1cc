"""Would another judge have said the same? The same systems under every assessor who judged most documents.

Built only where three or more did. `dissensus multiverse` has the same with factors, gold and teams.
"""

from __future__ import annotations

from dissensus.inference.multiverse.api import multiverse
from dissensus.inference.multiverse.result import Multiverse
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.multiverse import charts
from dissensus.reporting.study import ReportedStudy
from dissensus.wording import counted

TITLE = "Does the conclusion depend on the judge?"
LEAST = 3  # judges
MOST = 0.5  # share of the documents that a judge must have labelled
CORRECTED = 12  # judges up to whom all are corrected by the audit: each takes as long as one report's correction
TABLE_OF = {"tree": "groups"}  # the tables of charts that are not called alike
CAPTIONS = {
    "curve": ("One difference under every judge", "Each column is a judge, with its simultaneous interval."),
    "claims": (
        "Under how many judges is one system better?",
        "The darker a cell, the more judges show the row's system better than the column's.",
    ),
    "panel": (
        "How few judges stand for all?",
        "τ_b of the order by the first judges together with the order by all of them.",
    ),
    "tree": ("Which judges order systems alike?", "Judges that join further left order the systems more alike."),
    "spread": (
        "How far apart are the judges before and after the audit?",
        "Standard deviation of each system's score over judges, uncorrected and corrected by the same audit.",
    ),
}


def judges_of(study: ReportedStudy) -> list[str]:
    """Those who labelled at least half of the documents that anybody labelled."""
    share = (study.judgments.matrix() >= 0).mean(axis=0)
    return [name for name, x in zip(study.judgments.assessors, share.tolist(), strict=True) if x >= MOST]


def build(study: ReportedStudy) -> Section:
    """The claims of all judges, what moves the scores, the judges that stand for all, what an audit does to them."""
    names = judges_of(study)
    audit = study.audit if len(names) <= CORRECTED else None
    p = study.policies
    found = multiverse(
        study.runs, study.judgments.select(assessors=names), study.measures[0], audit=audit, replicates=0,
        topics=p.topics, unjudged=p.unjudged, ties=p.ties, empty=p.empty, seed=study.seed,
    )  # fmt: skip
    first, *rest = (line.removeprefix(f"{study.measure}: ") for line in found.sentences())
    blocks: list[Block] = [Paragraph(_whole(first, names), "multiverse", "answer")]
    blocks += [Paragraph(_whole(line, names), "multiverse") for line in rest]
    drawn = charts(found)
    for name, (caption, description) in CAPTIONS.items():
        if name in drawn:
            table = TableBlock(f"judges-{name}", found.tables[TABLE_OF.get(name, name)], caption, "multiverse")
            blocks.append(ChartBlock(name, drawn[name], caption, description, "multiverse", table))
    if study.audit is not None and audit is None:
        blocks.append(Paragraph(f"The audit's part for {counted(len(names), 'judge')}: dissensus multiverse --audit."))
    left = len(study.judgments.assessors) - len(names)
    if left:
        blocks.append(Paragraph(f"{counted(left, 'assessor')} labelled too little to order systems.", kind="quiet"))
    return Section("judge-set", TITLE, blocks, line=_line(found), short="Other judges")


def _whole(line: str, names: list[str]) -> str:
    """The line as a sentence; a name with which it begins stays as it is."""
    whole = line if line.startswith(tuple(names)) else line[:1].upper() + line[1:]
    return whole if whole.endswith(".") else f"{whole}."


def _line(found: Multiverse) -> str:
    """The section in one sentence."""
    u = found.universe()
    winners = len({s for own in u.winner_sets() for s in own[0]})
    if winners == 1:
        return f"All {counted(len(u.judges), 'judge')} give the highest score to {u.winner_sets()[0][0][0]}."
    return f"{winners} systems have the highest score under one or more of {counted(len(u.judges), 'judge')}."
