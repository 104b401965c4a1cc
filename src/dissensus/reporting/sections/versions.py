"""What changed since the judge's last version, and whether its calibration holds for runs that it was not made with.

Built only where a version before (`before`) or new runs (`new_runs`) are given.
"""

from __future__ import annotations

import polars as pl

from dissensus.errors import DissensusError, InputError
from dissensus.inference.carry_over import carry_over
from dissensus.judging.drift import Drift, drift
from dissensus.reporting.blocks import Block, Paragraph, Section, TableBlock
from dissensus.reporting.study import ReportedStudy
from dissensus.tables.judgments import Judgments

TITLE = "The judge's last version, and new runs"
GOLD = "audit"


def build(study: ReportedStudy) -> Section:
    """Drift first, then carry-over; a part that cannot be computed says why."""
    blocks: list[Block] = []
    for given, work in ((study.before, _drift), (study.new_runs, _carry_over)):
        if given is None:
            continue
        try:
            blocks += work(study)
        except DissensusError as error:
            blocks.append(Paragraph(str(error), None, "warning"))
    return Section("versions", TITLE, blocks, short="versions")


def drift_blocks(found: Drift, gold: str | None) -> list[Block]:
    """Tables of a drift: labels that changed, both versions against gold, systems that change places."""
    blocks: list[Block] = [
        TableBlock("flips", found.tables["flips"], f"Labels that changed from {found.old} to {found.new}", "drift")
    ]
    if found.against_gold is not None:
        blocks.append(TableBlock("drift", found.tables["against gold"], f"Both versions against {gold}", "drift"))
    if found.swapped is not None and found.swapped.height:
        blocks.append(TableBlock("swapped", found.tables["swapped"], "Systems that change their order", "drift"))
    return blocks


def _drift(study: ReportedStudy) -> list[Block]:
    judge, before = _judge(study), study.before
    assert before is not None
    labels, gold = study.judgments, None
    if study.audit is not None:
        own = study.judgments.select(assessors=[judge, before]).to_frame()
        audited = study.audit.judgments.to_frame().with_columns(assessor=pl.lit(GOLD))
        labels = Judgments.from_frame(pl.concat([own, audited.select(own.columns)]), scale=study.judgments.scale)
        gold = GOLD
    found = drift(labels, before, judge, gold=gold, runs=study.runs, measure=study.measure)
    first, *rest = found.sentences()
    texts: list[Block] = [Paragraph(first, "drift", "answer"), *(Paragraph(t, "drift") for t in (*rest, *found.notes))]
    return [*texts, *drift_blocks(found, "the audit")]


def _carry_over(study: ReportedStudy) -> list[Block]:
    judge = _judge(study)
    assert study.new_runs is not None
    if study.audit is None:
        raise InputError("whether a calibration holds for new runs needs an audit that calibrated the judge.")
    results = carry_over(
        study.runs, study.new_runs, study.judgments, judge, study.audit, study.measure, margin=study.margin,
        probe=study.probe,
    )  # fmt: skip
    blocks: list[Block] = [Paragraph(str(r), "carry-over", "answer" if r is results[0] else "text") for r in results]
    table = pl.concat([r.to_frame() for r in results])
    return [
        *blocks,
        TableBlock(
            "carry-over",
            next(iter(results[0].tables.values())).showing(table),
            "Does the calibration hold for new runs?",
            "carry-over",
        ),
    ]


def _judge(study: ReportedStudy) -> str:
    """The judge in question: the assessor named, or the only one."""
    if study.assessor is not None:
        return study.assessor
    others = [a for a in study.judgments.assessors if a != study.before]
    if len(others) > 1:
        raise InputError(f"which of {len(others)} assessors is the judge in question?", "Name it as the assessor.")
    return others[0]
