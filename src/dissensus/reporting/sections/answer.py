"""The answer: who is better, the order with intervals, what the audit says of the judge, what would settle the rest."""

from __future__ import annotations

import polars as pl

from dissensus.reporting.answer import Answer
from dissensus.reporting.blocks import Block, OrderBlock, Paragraph, Section, TableBlock
from dissensus.reporting.open_questions import Question
from dissensus.reporting.study import ReportedStudy, ScoredSystems

FEW_TOPICS = 10
SCORES = {
    "pooled": "corrected, pooled",
    "corrected": "corrected",
    "naive": "score",
    "behind": "difference to the first",
}
ORDERS = {
    "pooled": "The order, by corrected scores pooled over systems, with 95% intervals",
    "corrected": "The order, by corrected scores, with 95% intervals",
    "naive": "The order, by mean scores, with 95% intervals over topics",
    "behind": "The order, by differences to the first system, with 95% intervals that hold together",
}


def build(study: ScoredSystems, found: Answer) -> Section:
    """The first screen: verdict, warnings, the order, and what would settle what is open."""
    audited = found.shown != "naive"
    method = "rectified" if audited else "score"
    blocks: list[Block] = [Paragraph(sentence, "compare", "answer") for sentence in verdict(found)]
    blocks += warnings(study, found)
    blocks.append(
        OrderBlock(
            "order", found.standings, ORDERS[found.shown] + _letters(found.standings), SCORES[found.shown],
            "pooled" if found.shown in ("pooled", "behind") else method,
            zero=found.shown == "behind",
        )
    )  # fmt: skip
    n_topics = len(study.judge_scores.topics)
    if found.questions:
        seen = (
            "the differences of corrected scores, before pooling,"
            if found.shown == "pooled"
            else "the differences seen"
        )
        caption = f"What would settle what is open, if {seen} are true ({n_topics} topics now)"
        blocks.append(
            TableBlock(
                "open",
                question_table(found.questions, audited and isinstance(study, ReportedStudy)),
                caption,
                "plan",
                digits=3,
            )
        )
    return Section("answer", "The answer", blocks)


def _letters(frame: pl.DataFrame) -> str:
    return "; systems that share a letter are undecided" if (frame["groups"] != "").any() else ""


def verdict(found: Answer) -> list[str]:
    """The conclusion in a few sentences, the headline first; groups are in the order's letters and bars."""
    return [*map(str, found.claims), *found.outcome.remarks]


def question_table(questions: list[Question], audited: bool) -> pl.DataFrame:
    """One row per open question, in words that need no sentence around them."""
    rows = [(f"{q.a} or {q.b}?", q.difference, _labels(q), _topics(q)) for q in questions]
    schema = {
        "which is better": pl.String,
        "difference": pl.Float64,
        "more expert labels": pl.String,
        "topics in all": pl.String,
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame if audited else frame.drop("more expert labels")


def _labels(q: Question) -> str:
    if q.labels is None:
        return "labels alone cannot"
    return f"about {q.labels:,}" if q.labels else "none"


def _topics(q: Question) -> str:
    if q.topics:
        return f"about {q.topics:,}"
    return "enough, if this were the only question" if q.topics == 0 else "these will do"


def warnings(study: ScoredSystems, found: Answer) -> list[Block]:
    """What a reader must know before quoting the answer: how far to trust the judge, and the topics."""
    out: list[Block] = []
    n = len(study.judge_scores.topics)
    if n < FEW_TOPICS:
        out.append(Paragraph(f"Only {n} topics: intervals and p-values are unreliable.", "interval", "warning"))
    if found.shown == "naive" or (isinstance(study, ReportedStudy) and study.audit is None):
        return [*out, Paragraph(study.caution, "plan", "warning")]
    sentences = [audit_sentence(study) if isinstance(study, ReportedStudy) else study.caution]
    if isinstance(study, ReportedStudy) and study.verdict is not None and study.verdict.results[study.measure].refused:
        sentences.append("This audit can compare systems but not score them, so the order shows differences.")
    alone = found.outcome.alone
    kind = "text" if alone is None or alone.kind == "confirmed" else "warning"
    out.append(Paragraph(" ".join(filter(None, sentences)), "rectified", kind))
    return out


def audit_sentence(study: ReportedStudy) -> str:
    """What the scores rest on; what the audit says of the judge stands with the claims."""
    if study.corrected is None:
        return ""
    design = study.corrected.design
    alone = int(design.audited.sum())
    measure, judge = study.measure, study.judge_name
    start = f"{measure} by the labels of {judge}, corrected by an expert audit of {alone:,} documents"
    if not (design.audited & (design.bronze < design.n_labels - 1)).any():
        return f"{measure} by the labels of {judge}, corrected by {alone:,} expert labels."
    facts = study.corrected.judge
    if facts is None:
        return f"{start}, graded on another scale."
    return f"{start}."
