"""The report of a closed study: the answer first, how it came about, whether the experts agree, what was committed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from dissensus.arrays import Values
from dissensus.audit.planned import Once, SeenSample
from dissensus.audit.reliability import SourceShare, confusion_counts
from dissensus.audit.study import Study
from dissensus.inference.comparison.claims import minus
from dissensus.inference.sequential.api import Sequential
from dissensus.inference.sequential.result import Verdicts
from dissensus.inference.sequential.stop import Verdict
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.page import render
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.audit.closing import Closed

MOST_POINTS = 1000
TITLE = "Corrected differences"
WIDER = "Sets that hold at every look are wider: followed label by label, it would not be decided yet."


def closing_summary(study: Study, closed: Closed) -> str:
    """The answer, and what the experts' disagreement does to it, a sentence a line."""
    if study.planned is not None:
        judged = f"{counted(closed.labels, 'document')} {'is' if closed.labels == 1 else 'are'} judged."
        return "\n".join([judged, *conclusion(closed)])
    return "\n".join([*conclusion(closed), average_sentence(study, closed)])


def conclusion(closed: Closed) -> list[str]:
    """The outcome in sentences, then how the audited question stands; of single scores only the second."""
    claims = [] if closed.outcome is None else [str(c) for c in closed.outcome.claims]
    if closed.outcome is None:
        return str(closed.verdict).splitlines()
    return [*claims, standing(closed.verdict, closed.labels, closed.stopped_by_labels)]


def standing(verdict: Verdict | Verdicts | SeenSample, labels: int, looked: bool) -> str:
    """After how many labels a pair was decided, or that it is not; of several, how many are decided."""
    if not looked or isinstance(verdict, SeenSample):
        said = f"That is after {counted(labels, 'label')}, a number fixed before the first one."
        if isinstance(verdict, SeenSample) or verdict.state != "open":
            return said
        return f"{said} {WIDER}"
    if isinstance(verdict, Verdicts):
        return f"{verdict.headline[:-1]} after {counted(labels, 'label')}, valid at every look."
    after = counted(verdict.labels, "label")
    decided = "Not decided" if verdict.state == "open" else "Decided"
    lean = f" It leans to {verdict.leaning}." if verdict.state == "open" and verdict.leaning else ""
    return f"{decided} after {after}, valid at every look at {verdict.level:.0%}.{lean}"


def average_sentence(study: Study, closed: Closed) -> str:
    """What becomes of the conclusion for an average expert, instead of those who were drawn."""
    experts = len(study.experts())
    if closed.average is None:
        if experts < 2:
            return "One expert judged: the answer holds for this expert."
        return "There are too many pairs to say what an average expert would conclude."
    doubled = closed.reliability.between.n
    how = (
        f"{counted(doubled, 'document')} {'was' if doubled == 1 else 'were'} judged twice"
        if doubled
        else "no document was judged twice, so experts are taken to differ as much as they can"
    )
    if isinstance(closed.average, Verdicts) or isinstance(closed.verdict, Verdicts):
        kept = closed.average.decided if isinstance(closed.average, Verdicts) else 0
        of = closed.verdict.decided if isinstance(closed.verdict, Verdicts) else 0
        if study.scores:
            wide = max((v.high - v.low for v in closed.average.each), default=0.0)  # type: ignore[union-attr]
            return f"For an average expert the intervals are at most {wide:.3f} wide ({how})."
        if not of:
            return f"No pair is decided, for these experts or for an average one ({how})."
        return f"At every look, {kept} of {counted(of, 'decided pair')} stay decided for an average expert ({how})."
    return f"For an average expert {average_one(closed.verdict, closed.average)} ({how})."


def average_one(drawn: Verdict, average: Verdict) -> str:
    inside = f"the interval is [{minus(f'{average.low:.3f}')}, {minus(f'{average.high:.3f}')}]"
    if average.state == drawn.state and average.winner == drawn.winner and drawn.state != "open":
        return f"the conclusion is the same: {inside}"
    if drawn.state == "open":
        return inside
    return f"it is not decided: {inside}, so the conclusion holds for the experts who were drawn"


def closing_report(study: Study, sequence: Sequential | Once, closed: Closed) -> str:
    """The page as text, self-contained."""
    sections = [
        _answer(study, sequence, closed),
        *([] if study.single or isinstance(sequence, Once) else [_looks(sequence)]),
        _scores(study, closed),
        _experts(study, closed),
        _judge(study, closed),
        _committed(study, closed),
    ]
    row = study.row
    size = (
        f"{counted(len(study.systems), 'system')}, {closed.labels:,} of {len(study.order):,} documents judged in order"
    )
    return render(f"Audit: {row.title}", sections, subtitle=f"{row.measure}; {size}")


def _answer(study: Study, sequence: Sequential | Once, closed: Closed) -> Section:
    said = conclusion(closed)
    blocks: list[Block] = [Paragraph(line, kind="answer" if i == 0 else "text") for i, line in enumerate(said)]
    if isinstance(sequence, Once):
        return Section("answer", "The answer", blocks)
    blocks.append(Paragraph(average_sentence(study, closed)))
    if study.single:
        blocks.append(_chart(study, sequence))
    if closed.stopped_by_labels:
        blocks.append(
            Paragraph(
                "The interval holds at every look, so the audit could be looked at after each label and be stopped "
                f"when it was {'narrow enough' if study.scores else 'decided'}.",
                kind="quiet",
            )
        )
    return Section("answer", "The answer", blocks)


def shrinking(table: pl.DataFrame, what: str, *, zero: bool = True) -> object:
    """A band from low to high around the estimate, by number of labels; thinned to a thousand looks."""
    import altair as alt

    rows = table.gather_every(max(1, table.height // MOST_POINTS)).select("labels", "estimate", "low", "high")
    base = alt.Chart(rows).encode(x=alt.X("labels:Q", title="labels in the committed order"))
    band = base.mark_area(opacity=0.25).encode(y=alt.Y("low:Q", title=what), y2="high:Q")
    line = base.mark_line().encode(
        y="estimate:Q",
        tooltip=[alt.Tooltip(f"{c}:Q", format="" if c == "labels" else ".4f") for c in rows.columns],
    )
    rule = [alt.Chart(rows.head(1)).mark_rule(strokeDash=[4, 3]).encode(y=alt.datum(0))] if zero else []
    return alt.layer(band, line, *rule).properties(width="container", height=300)


def _chart(study: Study, sequence: Sequential) -> ChartBlock:
    what = study.systems[0] if study.scores else " − ".join(study.systems)
    caption = (
        "The interval of the score narrows with the labels."
        if study.scores
        else "The interval of the difference narrows with the labels; it is decided where it leaves zero."
    )
    return ChartBlock(
        "interval", shrinking(sequence.table, what, zero=not study.scores), f"{what} against the number of labels",
        caption, table=TableBlock("looks", sequence.table, "Every look"),
    )  # fmt: skip


def _looks(sequence: Sequential) -> Section:
    scores = all(b is None for _, b in map(sequence.asked.names, range(len(sequence.asked.contrasts))))
    caption = "Every tenth look" if scores else "Every tenth look, and each at which a pair was decided."
    title = "How the intervals narrowed" if scores else "How it was decided"
    return Section("sequence", title, [TableBlock("pairs", sequence.table, caption)])


def _scores(study: Study, closed: Closed) -> Section:
    notes = [Paragraph(text, kind="warning") for text in closed.notes]
    title = "Corrected scores" if study.scores else TITLE
    if closed.differences.is_empty() and closed.scores.is_empty():
        return Section("scores", title, notes)
    why = (
        f"Intervals are at the level {closed.level:.2%}, the one of the stopping look: the labels decided when to stop."
        if closed.stopped_by_labels
        else f"Intervals are at the level {closed.level:.0%}: the number of labels was fixed before the first one."
    )
    pooled = "; pooled ones share the judge's bias" if "pooled_difference" in closed.differences.columns else ""
    beside = ", and corrected by the audit" if study.scores else ""
    tables = [TableBlock("scores", closed.scores, f"Scores by the labels of {study.row.judge}{beside}")]
    if not closed.differences.is_empty():
        caption = f"Differences corrected by the audit{pooled}"
        tables.insert(len(tables) if study.scores else 0, TableBlock("differences", closed.differences, caption))
    return Section("scores", title, [Paragraph(why), *tables, *notes])


def _experts(study: Study, closed: Closed) -> Section:
    trust = closed.reliability
    blocks: list[Block] = [
        Paragraph(share_sentence("Two experts gave one document the same grade", trust.between)),
        Paragraph(share_sentence("Experts repeated their own grade", trust.within)),
    ]
    if not math.isnan(trust.kappa):
        blocks.append(Paragraph(f"Kappa of the experts, beyond chance: {trust.kappa:.3f}."))
    if trust.disputed:
        rows = [(d.position, d.topic, d.doc, d.grades[0], d.grades[1], d.adjudicated) for d in trust.disputed]
        frame = pl.DataFrame(rows, schema=["draw", "topic", "doc", "first", "second", "third view"], orient="row")
        blocks.append(TableBlock("disputed", frame, "Documents on which two experts differ; the first grade counts"))
    return Section("experts", "Do the experts agree?", blocks)


def share_sentence(what: str, share: SourceShare) -> str:
    """A share with its interval, or that there is none."""
    if share.n == 0:
        return f"How often {what[0].lower()}{what[1:]} is not known: no document was judged twice for this."
    inside = f"{share.value:.0%}, 95% interval {share.low:.0%} to {share.high:.0%}"
    return f"{what} in {share.hits} of {share.n} cases ({inside})."


def _judge(study: Study, closed: Closed) -> Section:
    counts = confusion_counts(study, closed.audit["grade"][: closed.labels].to_list())
    rows: list[Values] = [{f"{study.row.judge} says": k, **v} for k, v in sorted(counts.items())]
    return Section(
        "judge", f"{study.row.judge} and the experts",
        [
            Paragraph("Counts of the audit's documents, which were not drawn with equal probabilities.", kind="quiet"),
            TableBlock("confusion", pl.DataFrame(rows), "Documents by the judge's label (rows) and the experts' grade"),
        ],
    )  # fmt: skip


def _committed(study: Study, closed: Closed) -> Section:
    row = study.row
    return Section(
        "committed",
        "What was committed before the first label",
        [
            Paragraph(f"Stop rule: {study.stop}, {study.stop.sentence()}. Level {row.level:.0%}, target {row.target}."),
            Paragraph(
                f"Hash of the order of all {len(study.order):,} documents and their "
                f"{'rates' if study.planned is None else 'probabilities'}: {row.order_hash}"
            ),
            Paragraph(f"Hash of the seed: {row.seed_hash} (sha256 of salt:seed, salt {row.salt})", kind="quiet"),
            TableBlock(
                "audit",
                closed.audit.head(closed.labels),
                "The audit, with the exact probability of each document",
                digits=6,
            ),
        ],
    )
