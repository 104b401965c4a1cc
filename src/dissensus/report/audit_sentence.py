"""What the audit says about the judge, in one plain sentence: counts of the documents that experts graded, no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dissensus.report.study import Study


def audit_sentence(study: Study) -> str:
    """How often the judge gave the experts' grade, a higher one, a lower one, on the audited documents."""
    if study.corrected is None:
        return ""
    design = study.corrected.design
    both = design.audited & (design.bronze < design.n_labels - 1)
    n, alone = int(both.sum()), int(design.audited.sum())
    measure, judge = study.measure, study.judge_name
    if not n:
        return f"{measure} by the labels of {judge}, corrected by {alone:,} expert labels."
    start = f"{measure} by the labels of {judge}, corrected by an expert audit of {alone:,} documents"
    if design.bronze_scale.names != design.gold_scale.names:
        return f"{start}, graded on another scale."
    gap = (design.bronze[both] + design.bronze_scale.low) - (design.gold[both] + design.gold_scale.low)
    shares = [float((gap == 0).mean()), float((gap > 0).mean()), float((gap < 0).mean())]
    them = "them" if n == alone else f"the {n:,} among them that it graded, too,"
    return (
        f"{start}. The judge graded {shares[0]:.0%} of {them} as the experts did, {shares[1]:.0%} higher and "
        f"{shares[2]:.0%} lower."
    )
