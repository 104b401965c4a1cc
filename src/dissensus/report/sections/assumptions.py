"""What was assumed, and how it was tested."""

from __future__ import annotations

import polars as pl

from dissensus.report.blocks import Block, Paragraph, Section, TableBlock
from dissensus.report.study import Study


def build(study: Study) -> Section:
    """Findings of the audit, notes of the estimators, warnings raised on the way."""
    blocks: list[Block] = []
    if study.corrected is not None:
        found = study.corrected
        worries = [(m, f) for m, findings in found.diagnosis.items() for f in findings if f.worry]
        said = dict.fromkeys(f.sentence for _, f in worries)
        blocks += [Paragraph(sentence, "rectified", "warning") for sentence in said]
        rows = [
            (m, f.name, f.sentence, "yes" if f.worry else "no")
            for m, findings in found.diagnosis.items()
            for f in findings
        ]
        frame = pl.DataFrame(rows, schema=["measure", "test", "finding", "worry"], orient="row")
        blocks.append(
            TableBlock("findings", frame, "What the audit says about the judge and about itself", "rectified")
        )
        blocks += [Paragraph(note, kind="quiet") for note in found.notes]
    else:
        blocks.append(
            Paragraph(
                "Assumed and not tested: that the judge errs alike on all systems, or not at all. Only an audit can "
                "test it.",
                "rectified",
            )
        )
    blocks += [
        Paragraph("Topics are taken as a random sample of the topics one cares about.", "interval", "quiet"),
        Paragraph("Unjudged documents count as nonrelevant where scores are naive.", "policies", "quiet"),
    ]
    return Section("assumptions", "Assumptions, and how they were tested", blocks)
