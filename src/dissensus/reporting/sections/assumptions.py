"""What was assumed, and how it was tested."""

from __future__ import annotations

import polars as pl

from dissensus.reporting.answer import Answer
from dissensus.reporting.blocks import Block, Paragraph, Section, TableBlock
from dissensus.reporting.study import ReportedStudy
from dissensus.wording import counted

FINDINGS = (
    "What the audit says about the judge and about itself. Worry: it casts doubt on a number of this report. Judge: a "
    "fact about the judge on which no number here rests"
)
DIAGNOSIS = (
    "Pairs diagnosed: the difference through the shared matrix (sensitivity line), Hausman's test, the audited share "
    "of the documents that tell the two apart with f*, and the judge's errors on documents of a alone, b alone, both"
)
COLUMNS = {
    "test": "name of the test",
    "finding": "what it found",
    "worry": "whether it casts doubt on a number of this report",
    "judge": "whether it is a fact about the judge alone",
}
WORDS = (
    "Bronze labels are the judge's, gold labels the experts'. π is the probability with which a document was chosen "
    "for the audit; a document of weight w then counts w/π. D says how well the judge tells relevant from not: 1 "
    "always, 0 no better than a coin."
)
UNJUDGED = {
    "nonrelevant": "Unjudged documents count as nonrelevant where scores are naive.",
    "condense": "Unjudged documents were taken out of the rankings.",
}


def build(study: ReportedStudy, found: Answer) -> Section:
    """Findings of the audit, notes of the estimators, warnings raised on the way."""
    blocks: list[Block] = []
    if study.corrected is not None:
        corrected = study.corrected
        findings = [(m, f) for m, each in corrected.diagnosis.items() for f in each]
        sentences = dict.fromkeys(f.sentence for _, f in findings if f.worry)
        blocks += [Paragraph(sentence, "rectified", "warning") for sentence in sentences]
        rows = [(m, f.name, f.sentence, "yes" if f.worry else "no", "yes" if f.judge else "no") for m, f in findings]
        frame = pl.DataFrame(rows, schema=["measure", "test", "finding", "worry", "judge"], orient="row")
        blocks.append(TableBlock("findings", frame, FINDINGS, "rectified", meanings=COLUMNS))
        if found.diagnosis is not None and found.diagnosis.height:
            blocks.append(TableBlock("diagnosis", found.tables["diagnosis"], DIAGNOSIS, "diagnosis"))
        blocks += [Paragraph(WORDS, "rectified", "quiet")]
        blocks += [Paragraph(note, kind="quiet") for note in corrected.account]
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


def line(study: ReportedStudy) -> str:
    """How many of the audit's checks cast doubt on a number here."""
    if study.corrected is None:
        return "Not tested: that the judge errs equally on all systems, or not at all."
    findings = [f for each in study.corrected.diagnosis.values() for f in each]
    doubts, facts = sorted({f.name for f in findings if f.worry}), sorted({f.name for f in findings if f.judge})
    start = f"{counted(len(findings), 'finding')} of the audit."
    about = f" About the judge: {', '.join(facts)}." if facts else ""
    doubt = f"Doubt about a number: {', '.join(doubts)}." if doubts else "None casts doubt on a number here."
    return f"{start} {doubt}{about}"
