"""The answer: which systems are better, which cannot be told apart, and what would settle it."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from dissensus.inference.comparison.claims import NAMED
from dissensus.report.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.report.outcome import Outcome
from dissensus.report.study import Study

PAIRS_DRAWN = 28
GROUPS_NAMED = 3  # in sentences, of as many systems as a sentence names; else a table lists them
WORDS = {"better": "different", "equal": "identical", "unanswered": "no answer", "differ": "different, sign unknown"}


def build(study: Study, found: Outcome) -> Section:
    """The verdict in sentences, the differences with their intervals, the groups, and the ranks."""
    from dissensus.report.charts.system_scores import difference_chart

    method = "rectified" if study.audit is not None else "score"
    blocks: list[Block] = [Paragraph(sentence, "compare", "answer") for sentence in verdict(found)]
    blocks.append(Paragraph(f"Based on {found.basis}; {found.family}.", method, "quiet"))
    blocks += warnings(study, found)
    if found.pairs.height:
        blocks.append(
            ChartBlock(
                "differences",
                difference_chart(difference_table(found), study.measure),
                "Differences between neighbours and between the first and the rest, with 95 % intervals",
                "Points with intervals around zero; an interval that holds zero means: cannot be told apart.",
                "compare",
                TableBlock("pairs", found.pairs.drop("verdict"), "All pairs of systems", "compare"),
            )
        )
    if not _nameable(found.groups):
        rows = [(i, len(g), ", ".join(g)) for i, g in enumerate(found.groups, start=1)]
        frame = pl.DataFrame(rows, schema=["group", "size", "systems"], orient="row")
        blocks.append(TableBlock("groups", frame, "Systems that cannot be told apart, from the first down", "compare"))
    if found.ranks is not None:
        caption = f"Ranks, and the ranks from low to high that each system may have ({found.ranks_hold})"
        blocks.append(TableBlock("ranks", found.ranks, caption, "ranks"))
    if found.advice:
        blocks.append(
            Paragraph(
                "What would settle it, if the differences seen are the true ones: " + " ".join(found.advice), "plan"
            )
        )
    return Section("answer", "The answer", blocks)


def verdict(found: Outcome) -> list[str]:
    """The headline: a few sentences a colleague can repeat."""
    groups = [c for c in found.claims if c.kind == "together"]
    out = [str(c) for c in found.claims if c.kind != "together"]
    if _nameable([list(c.systems) for c in groups]):
        return out + [str(c) for c in groups]
    return [*out, f"Among the others, {len(groups)} overlapping groups cannot be told apart; a table lists them."]


def _nameable(groups: list[list[str]]) -> bool:
    return len(groups) <= GROUPS_NAMED and all(len(g) <= NAMED for g in groups)


def warnings(study: Study, found: Outcome) -> list[Block]:
    """What a reader must know before quoting the answer."""
    out: list[Block] = []
    n = len(study.judge_scores.topics)
    if n < 10:
        out.append(Paragraph(f"Only {n} topics: intervals and p-values are unreliable.", "interval", "warning"))
    if study.audit is None:
        out.append(
            Paragraph(
                "No audit was given, so it is not known how far the judge's errors moved these scores. A few hundred "
                "expert labels, drawn with known probabilities, would tell (dissensus plan).",
                "plan",
                "warning",
            )
        )
    elif found.naive is not None:
        kind = "quiet" if found.naive.kind == "confirmed" else "warning"
        out.append(Paragraph(str(found.naive), "rectified", kind))
    if study.verdict is not None and study.verdict.results[study.measure].refused:
        out.append(
            Paragraph(
                "The audit can compare systems but not score them: order, ranks and groups come from differences.",
                "rectified",
                "warning",
            )
        )
    return out


def difference_table(found: Outcome) -> pl.DataFrame:
    """Neighbours in the order, and the best against each other system; at most as many as can be read."""
    order, rows = found.order, []
    wanted = list(dict.fromkeys([(order[0], s) for s in order[1:]] + list(pairwise(order))))
    known = {frozenset((r["a"], r["b"])): r for r in found.pairs.iter_rows(named=True)}
    for a, b in wanted[:PAIRS_DRAWN]:
        row = known.get(frozenset((a, b)))
        if row is not None:
            flip = row["a"] != a
            low, high = (-row["high"], -row["low"]) if flip else (row["low"], row["high"])
            rows.append(
                {
                    "pair": f"{a} − {b}",
                    "difference": -row["difference"] if flip else row["difference"],
                    "low": low,
                    "high": high,
                    "verdict": WORDS.get(row["claim"], "cannot be told apart"),
                }
            )
    return pl.DataFrame(rows)
