"""The first screen: headline, cards, the systems, what would decide the rest, and what the page cannot say."""

from __future__ import annotations

import math

import polars as pl

from dissensus.inference.comparison.brief import Card
from dissensus.inference.correction.result_notes import reach
from dissensus.reporting.answer import Answer
from dissensus.reporting.blocks import (
    Block,
    CardsBlock,
    ListBlock,
    Paragraph,
    Section,
    SystemsBlock,
    TableBlock,
)
from dissensus.reporting.open_questions import Question, prospect_card
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.study import ReportedStudy, ScoredSystems
from dissensus.reporting.systems_chart import SystemRow, SystemsChart

FEW_TOPICS = 10
SHOWN = 12  # systems on the page at once; the others are folded
AXES = {"pooled": "score", "corrected": "score", "naive": "score", "behind": "to the first", "refused": "score"}
CAPTIONS = {
    "pooled": "What the judge said, and what the experts make of it",
    "corrected": "What the judge said, and what the experts make of it",
    "naive": "Mean scores with 95% intervals over topics",
    "refused": "What the judge said, uncorrected",
    "behind": "Differences to the first system, with 95% intervals that hold together",
}


def build(study: ScoredSystems, found: Answer) -> Section:
    """The first screen: verdict, cards, warnings, the systems, what is open, what cannot be said."""
    audited = found.shown != "naive"
    head, *more = found.claims
    blocks: list[Block] = [Paragraph(str(head), "compare", "answer", lead=head.lead)]
    beside = filter(None, (*map(str, more), found.outcome.outlook, found.outcome.differs))
    blocks += [Paragraph(sentence, "compare", "answer") for sentence in beside]
    blocks.append(CardsBlock(screen_cards(study, found)))
    blocks += warnings(study, found)
    blocks.append(systems_block(study, found))
    if found.questions:
        n_topics = len(study.judge_scores.topics)
        caption = (
            f"What it would take to decide the open questions, if the differences seen are true ({n_topics} topics now)"
        )
        table = question_table(found.questions, audited and isinstance(study, ReportedStudy))
        blocks.append(TableBlock("open", table, caption, "plan", 3, QUESTIONS))
    blocks.append(ListBlock("What this page cannot tell you", found.outcome.limits))
    return Section("answer", "The answer", blocks)


def screen_cards(study: ScoredSystems, found: Answer) -> list[Card]:
    """The cards of the outcome, and what would decide the rest; of several judges without an audit their agreement."""
    decision, trust, right = found.outcome.cards
    if isinstance(study, ReportedStudy) and study.audit is None and study.several and study.assessor is None:
        value, n = f"{study.agreement.percent:.0%} of shared labels", len(study.judgments.assessors)
        right = Card("Do the judges agree?", value, f"This is how often two of the {n} judges give the same grade.")
    return [decision, trust, right, prospect_card(found.outcome, found.questions)]


def systems_block(study: ScoredSystems, found: Answer) -> SystemsBlock:
    """Every system in the outcome's order; of many the first, and the judge's own first, are shown at once."""
    method = "score" if found.shown == "naive" else "pooled" if found.shown in ("pooled", "behind") else "rectified"
    shown = "refused" if refused(found) else found.shown
    rows = system_rows(found)
    favourites = set(found.outcome.alone.systems) if found.outcome.alone is not None else set()
    kept = [r for i, r in enumerate(rows) if len(rows) <= SHOWN + 2 or i < SHOWN or r.system in favourites]
    folded = [r for r in rows if r not in kept]
    caption = f"{CAPTIONS[shown]}: {study.measure}"
    shaded = " Shaded systems could be the best." if any(r.could_be_best for r in rows) else ""
    chart = SystemsChart(
        kept, AXES[shown], f"{caption}. {found.outcome.headline}", zero=shown == "behind", folded=folded
    )
    table = TableBlock("order", found.tables["order"], f"{study.measure}: the order{_letters(found.standings)}", method)
    return SystemsBlock("systems", chart, f"{caption}.{shaded}", table, method)


def refused(found: Answer) -> bool:
    """Is nothing known but what the judge said?"""
    return found.shown == "behind" and found.outcome.headline.kind in ("no-answer", "alone")


def system_rows(found: Answer) -> list[SystemRow]:
    """The rows of the chart, from the outcome's values."""
    out, outcome = [], found.outcome
    naive = outcome.evidence.scores.get("naive", {})
    compared = bool(outcome.pairs) and outcome.headline.kind not in ("no-answer", "alone", "identical")
    for r in found.standings.iter_rows(named=True):
        system = r["system"]
        own = naive.get(system, (math.nan,) * 3)
        if refused(found):
            out.append(SystemRow(r["place"], system, "naive", *own))
            continue
        kind = "corrected" if found.shown == "behind" else outcome.kinds.get(system, "naive")
        known = kind != "naive" and found.shown != "behind" and math.isfinite(own[0])
        places = (r["best rank"], r["worst rank"]) if compared and r["best rank"] is not None else None
        score, low, high = (math.nan if r[c] is None else float(r[c]) for c in ("score", "low", "high"))
        best = compared and system in outcome.best
        out.append(SystemRow(r["place"], system, kind, score, low, high, own[0] if known else None, places, best))
    return out


def _letters(frame: pl.DataFrame) -> str:
    return "; systems that share a letter are undecided" if (frame["groups"] != "").any() else ""


def verdict(found: Answer) -> list[str]:
    """The conclusion in a few sentences, the headline first; groups are in the order's letters and bars."""
    return [*map(str, found.claims), *found.outcome.remarks]


QUESTIONS = {
    "which is better": "the pair that is open",
    "difference": "the difference seen now",
    "more expert labels": "further expert labels that would decide it",
    "topics in all": "number of topics that would decide it",
}


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
    if isinstance(study, ScoreStudy):
        return [*out, Paragraph(study.caution, "rectified", "quiet")]
    assert isinstance(study, ReportedStudy)
    if study.verdict is not None and study.verdict.results[study.measure].refused:
        text = "This audit can compare systems but not score them, so the order shows differences."
        out.append(Paragraph(text, "rectified", "warning"))
    if isinstance(study, ReportedStudy) and study.corrected is not None and (shows := _reach(study)):
        out.append(Paragraph(f"{study.measure}: {shows}", "plan", "quiet"))
    return out


def _reach(study: ReportedStudy) -> str:
    """What an audit of this size can show of the measure that the answer is about."""
    corrected = study.corrected
    assert corrected is not None
    made = corrected.results[study.measure]
    where = "for topics like these" if corrected.target == "population" else "on these topics"
    return reach(made.estimate, corrected.level, not made.refused, where)
