"""What was assumed, and how it was tested."""

from __future__ import annotations

import polars as pl

from dissensus.reporting.blocks import Block, Paragraph, Section, TableBlock
from dissensus.reporting.outcome import Outcome
from dissensus.reporting.study import Study

FINDINGS = (
    "What the audit says about the judge and about itself; worry: does it cast doubt on a number of this report? "
    "Faults of the confusion matrix do so only where scores were corrected through it"
)
DIAGNOSIS = (
    "Pairs diagnosed: the difference through the shared matrix (sensitivity line), Hausman's test, the audited share "
    "of the documents that tell the two apart with f*, and the judge's errors on documents of a alone, b alone, both"
)
WORDS = (
    "Bronze labels are the judge's, gold labels the experts'. π is the probability with which a document was chosen "
    "for the audit; a document of weight w then counts w/π. D says how well the judge tells relevant from not: 1 "
    "always, 0 no better than a coin."
)
UNJUDGED = {
    "nonrelevant": "Unjudged documents count as nonrelevant where scores are naive.",
    "condense": "Unjudged documents were taken out of the rankings.",
}


def build(study: Study, found: Outcome) -> Section:
    """Findings of the audit, notes of the estimators, warnings raised on the way."""
    blocks: list[Block] = []
    if study.corrected is not None:
        corrected = study.corrected
        findings = [(m, f) for m, each in corrected.diagnosis.items() for f in each]
        sentences = dict.fromkeys(f.sentence for _, f in findings if f.worry)
        blocks += [Paragraph(sentence, "rectified", "warning") for sentence in sentences]
        rows = [(m, f.name, f.sentence, "yes" if f.worry else "no") for m, f in findings]
        frame = pl.DataFrame(rows, schema=["measure", "test", "finding", "worry"], orient="row")
        blocks.append(TableBlock("findings", frame, FINDINGS, "rectified"))
        if found.diagnosis is not None and found.diagnosis.height:
            blocks.append(TableBlock("diagnosis", found.diagnosis, DIAGNOSIS, "diagnosis"))
        blocks += [Paragraph(WORDS, "rectified", "quiet")]
        blocks += [Paragraph(note, kind="quiet") for note in corrected.notes]
    else:
        blocks.append(
            Paragraph(
                "Assumed and not tested: that the judge errs equally on all systems, or not at all. Only an audit can "
                "test it.",
                "rectified",
            )
        )
    blocks += [
        Paragraph("Topics are taken as a random sample of the topics one cares about.", "interval", "quiet"),
        Paragraph(UNJUDGED[study.policies.unjudged], "policies", "quiet"),
    ]
    return Section(
        "assumptions", "Assumptions, and how they were tested", blocks, line=line(study), short="Assumptions"
    )


def line(study: Study) -> str:
    """How many of the audit's checks cast doubt on a number here."""
    if study.corrected is None:
        return "Not tested: that the judge errs equally on all systems, or not at all."
    findings = [f for each in study.corrected.diagnosis.values() for f in each]
    doubts = {f.name for f in findings if f.worry}
    if not doubts:
        return f"{len(findings)} findings of the audit; none casts doubt on a number here."
    return f"{len(findings)} findings of the audit; doubt is cast by: {', '.join(sorted(doubts))}."
