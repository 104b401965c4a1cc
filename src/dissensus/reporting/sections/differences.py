"""The differences behind the answer: every pair with its interval, the groups, and the ranks each system may have."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from dissensus.reporting.answer import Answer
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.system_scores import difference_chart, rank_set_chart, verdict_word
from dissensus.reporting.study import ScoredSystems
from dissensus.wording import counted

TITLE = "Differences between systems"
PAIRS_DRAWN = 28
GROUPS = {"group": "number of the group", "size": "number of systems in it", "systems": "systems of the group"}


def build(study: ScoredSystems, found: Answer) -> Section:
    """The chart of differences, all pairs, groups and ranks."""
    if not found.pairs.height:
        return Section("differences", TITLE, missing="there is no pair of systems to compare.")
    drawn, whole = difference_table(found), found.tables["pairs"]
    pairs = whole.showing(whole.frame.drop("verdict"))
    caption = f"Differences in {study.measure}: the first system against the others, and neighbours in the order"
    more = f" ({drawn.height} of {found.pairs.height:,} pairs)" if drawn.height < found.pairs.height else ""
    blocks: list[Block] = [
        Paragraph(f"{found.basis[0].upper()}{found.basis[1:]}; {found.family}.", "compare", "quiet"),
        ChartBlock(
            "differences", difference_chart(drawn, study.measure), caption + more,
            f"Points with 95% intervals around zero, of {study.measure}; an interval that contains zero means: "
            f"undecided. {found.family}.",
            "compare", TableBlock("pairs", pairs, "All pairs of systems", "compare"),
        ),
    ]  # fmt: skip
    if found.groups:
        rows = [(i, len(g), ", ".join(g)) for i, g in enumerate(found.groups, start=1)]
        frame = pl.DataFrame(rows, schema=["group", "size", "systems"], orient="row")
        caption = "Systems of which every two are undecided, from the first down"
        blocks.append(TableBlock("groups", frame, caption, "compare", meanings=GROUPS))
    if found.ranks is not None:
        caption = "Ranks by the tested differences, and the ranks that each system may have"
        blocks.append(
            ChartBlock(
                "ranks", rank_set_chart(found.ranks), caption,
                f"Points: ranks in {study.measure}; bars: the ranks that the tested differences leave open. "
                f"{found.ranks_hold[:1].upper()}{found.ranks_hold[1:]}.",
                "ranks", TableBlock("ranks", found.tables["ranks"], f"{caption} ({found.ranks_hold})", "ranks"),
            )
        )  # fmt: skip
    return Section("differences", TITLE, blocks, line=line(found), short="Differences")


def line(found: Answer) -> str:
    """How many pairs were shown to differ."""
    shown = int((found.pairs["claim"] == "better").sum())
    equal = int((found.pairs["claim"] == "equal").sum())
    text = f"One system is better in {shown:,} of {found.pairs.height:,} pairs"
    return text + (f", and {counted(equal, 'pair')} {'are' if equal > 1 else 'is'} identical." if equal else ".")


def difference_table(found: Answer) -> pl.DataFrame:
    """The first against each other system, and neighbours in the order; of many, those at the top; none identical."""
    order, rows = found.order, []
    known = {frozenset((r["a"], r["b"])): r for r in found.pairs.iter_rows(named=True) if r["claim"] != "equal"}
    rivals = [(order[0], s) for s in order[1:] if frozenset((order[0], s)) in known]
    nearby = [pair for pair in pairwise(order) if frozenset(pair) in known and pair not in rivals]
    room = max(PAIRS_DRAWN // 2, PAIRS_DRAWN - len(nearby))
    for a, b in (rivals[:room] + nearby)[:PAIRS_DRAWN]:
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
                    "verdict": verdict_word(row["claim"]),
                }
            )
    kinds = {"pair": pl.String, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64, "verdict": pl.String}
    return pl.DataFrame(rows, schema=kinds)
