"""The answer: which systems are better, which cannot be told apart, and what would settle it."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from dissensus.report.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.report.outcome import Outcome
from dissensus.report.study import Study

PAIRS_DRAWN = 28


def build(study: Study, found: Outcome) -> Section:
    """The verdict in sentences, the differences with their intervals, the groups, and the ranks."""
    from dissensus.report.charts.system_scores import difference_chart

    method = "rectified" if study.audit is not None else "score"
    blocks: list[Block] = [Paragraph(sentence, "compare", "answer") for sentence in verdict(found)]
    blocks.append(Paragraph(f"Based on {found.basis}; {found.family}.", method, "quiet"))
    blocks += warnings(study, found)
    if found.pairs.height:
        drawn = difference_table(found)
        blocks.append(
            ChartBlock(
                "differences",
                difference_chart(drawn, study.measure),
                "Differences between neighbours and between the best and the rest, with 95 % intervals",
                "Points with intervals around zero; an interval that holds zero means: cannot be told apart.",
                "compare",
                TableBlock("pairs", found.pairs.drop("verdict"), "All pairs of systems", "compare"),
            )
        )
    if len(found.groups) > 6:
        rows = [(i, len(g), ", ".join(g)) for i, g in enumerate(found.groups, start=1)]
        frame = pl.DataFrame(rows, schema=["group", "size", "systems"], orient="row")
        blocks.append(TableBlock("groups", frame, "Systems that cannot be told apart, from the best down", "compare"))
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
    """One or two sentences a colleague can repeat."""
    if len(found.order) == 1:
        return [f"There is one system, {found.order[0]}; nothing to compare."]
    best, n = found.order[0], len(found.order)
    beaten = found.beaten_by(best)
    if len(beaten) == n - 1:
        out = [f"{best} is better than {_others(n - 1)}."]
    elif beaten:
        rivals = [s for s in found.leaders if s != best]
        out = [
            f"{best} has the highest score and is better than {_names(beaten)}, "
            f"but cannot be told apart from {_names([s for s in found.order[1:] if s not in beaten])}."
        ]
        if rivals and len(rivals) < n - 1 - len(beaten):
            out.append(f"No system was shown to be better than {_names([best, *rivals])}.")
    else:
        out = [f"{best} has the highest score, but no system was shown to be worse than it."]
    together = [g for g in found.groups if best not in g]
    if len(together) > 6:
        out.append(f"Among the others, {len(together)} overlapping groups cannot be told apart; a table lists them.")
    elif together:
        out.append("Cannot be told apart: " + "; ".join(_names(g) for g in together) + ".")
    return out


def warnings(study: Study, found: Outcome) -> list[Block]:
    """What a reader must know before quoting the answer."""
    out: list[Block] = []
    n = len(study.judge_scores.topics)
    if n < 10:
        out.append(Paragraph(f"Only {n} topics: intervals and p-values are unreliable.", "interval", "warning"))
    if study.audit is None:
        out.append(
            Paragraph(
                "No audit was given, so nobody knows how far the judge's errors moved these scores. A few hundred "
                "expert labels, drawn with known probabilities, would tell (dissensus plan).",
                "plan",
                "warning",
            )
        )
    elif (naive := _naive_best(study)) != found.order[0]:
        out.append(
            Paragraph(
                f"Taken as they are, the labels of {study.judge_name} would have put {naive} first; the audit does not "
                "support that.",
                "rectified",
                "warning",
            )
        )
    return out


def _naive_best(study: Study) -> str:
    assert study.verdict is not None
    table = study.verdict.table.filter(pl.col("measure") == study.measure)
    return str(table.sort("naive", descending=study.measures[0].higher_is_better, nulls_last=True)["system"][0])


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
                    "verdict": "different" if row["significant"] else "cannot be told apart",
                }
            )
    return pl.DataFrame(rows)


def _names(systems: list[str]) -> str:
    if len(systems) > 8:
        return f"{', '.join(systems[:5])} and {len(systems) - 5} more"
    return systems[0] if len(systems) == 1 else ", ".join(systems[:-1]) + " and " + systems[-1]


def _others(n: int) -> str:
    return "the other system" if n == 1 else f"all {n} other systems"
