"""A set of judges drawn: the specification curve, the share of judges per claim, the tree of judges, the spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.judging.multiverse.groups import ENOUGH
from dissensus.reporting.charts.theme import CORRECTED, NAIVE, SERIES, tooltips

if TYPE_CHECKING:
    from altair.typing import ChartType

    from dissensus.inference.multiverse.result import Multiverse

MOST_SYSTEMS = 12  # of the map of claims
LEVELS = 12  # of a factor, above which its row is left out: colours would repeat
CLAIMS = {"better": SERIES[0], "undecided": "#9A9A9A", "reversed": SERIES[1]}
WIDTH = 560


def whole(result: Multiverse) -> ChartType:
    """The specification curve of the first measure: `result.plot()`."""
    first = result.measures[0]
    return specification_curve(result.to_frame("curve").filter(result.to_frame("curve")["measure"] == first))


def specification_curve(curve: pl.DataFrame) -> ChartType:
    """One column per judge, sorted by the difference of two systems; its factors in coloured rows below."""
    import altair as alt

    row = curve.row(0, named=True)
    fixed = ("measure", "a", "b", "place", "judge", "difference", "low", "high", "claim")
    factors = [c for c in curve.columns if c not in fixed and curve[c].n_unique() <= LEVELS]
    x = alt.X("place:O", axis=None, title=None)
    colour = alt.Color(
        "claim:N", scale=alt.Scale(domain=list(CLAIMS), range=list(CLAIMS.values())), title=f"{row['a']} is",
        legend=alt.Legend(orient="top"),
    )  # fmt: skip
    tips = tooltips("judge:N", "difference:Q|.4f", "low:Q|.4f", "high:Q|.4f", "claim:N", *(f"{f}:N" for f in factors))
    base = alt.Chart(curve).encode(x=x, tooltip=tips)
    ends = base.mark_rule(strokeWidth=1.5).encode(
        y=alt.Y("low:Q", title=f"{row['measure']}: {row['a']} − {row['b']}"), y2="high:Q", color=colour
    )
    points = base.mark_point(size=28, filled=True).encode(y="difference:Q", color=colour)
    zero = alt.Chart().mark_rule(strokeDash=[3, 3]).encode(y=alt.datum(0))
    title = f"The same difference under {curve.height} judges, with simultaneous intervals"
    parts = [alt.layer(ends, points, zero, data=curve).properties(width=WIDTH, height=220, title=title)]
    for i, factor in enumerate(factors):
        last = i == len(factors) - 1
        parts.append(
            alt.Chart(curve).mark_rect().encode(
                x=alt.X("place:O", axis=None, title=f"{curve.height} judges, sorted" if last else None),
                color=alt.Color(f"{factor}:N", title=factor, legend=alt.Legend(orient="bottom", columns=6)),
                tooltip=tips,
            ).properties(width=WIDTH, height=14)
        )  # fmt: skip
    return alt.vconcat(*parts, spacing=6).resolve_scale(color="independent", x="shared")


def claim_shares(claims: pl.DataFrame, judges: int) -> ChartType:
    """Systems × systems: under how many judges the row's system is shown better than the column's."""
    import altair as alt

    worth = (
        pl.concat([
            claims.select(system="a", x=pl.col("better") - pl.col("reversed")),
            claims.select(system="b", x=pl.col("reversed") - pl.col("better")),
        ])
        .group_by("system").agg(pl.col("x").sum()).sort(["x", "system"], descending=[True, False])
    )  # fmt: skip
    order = worth["system"].to_list()
    if len(order) > MOST_SYSTEMS:  # the best half of the room, and an even choice of the rest
        rest = np.linspace(MOST_SYSTEMS // 2, len(order) - 1, MOST_SYSTEMS - MOST_SYSTEMS // 2).round().astype(int)
        order = [*order[: MOST_SYSTEMS // 2], *(order[i] for i in rest)]
    both = pl.concat([
        claims.select("a", "b", shown="better"), claims.select(a="b", b="a", shown="reversed"),
    ]).filter(pl.col("a").is_in(order) & pl.col("b").is_in(order))  # fmt: skip
    base = alt.Chart(both).encode(
        x=alt.X("b:N", sort=order, title="better than", axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("a:N", sort=order, title="shown better"),
        tooltip=tooltips("a:N", "b:N", "shown:Q"),
    )
    cells = base.mark_rect().encode(
        color=alt.Color("shown:Q", title=f"of {judges} judges", scale=alt.Scale(domain=[0, judges]))
    )
    words = base.mark_text(fontSize=10).encode(
        text=alt.Text("shown:Q", format="d"),
        color=alt.ColorValue(**alt.condition(f"datum.shown > {judges / 2}", alt.value("white"), alt.value("#1d2125"))),
    )
    return alt.layer(cells, words, width={"step": 34}, height={"step": 24})


def judge_tree(
    tree: NDArray[np.float64], judges: tuple[str, ...], order: tuple[int, ...], group: tuple[int, ...]
) -> ChartType:
    """The dendrogram of average linkage on 1 − τ_b, leaves coloured by group."""
    import altair as alt

    n = len(judges)
    place = {judge: float(i) for i, judge in enumerate(order)}
    height = dict.fromkeys(range(n), 0.0)
    lines = []
    for k, (a, b, h, _) in enumerate(tree.tolist()):
        left, right = int(a), int(b)
        for child in (left, right):
            lines.append({"x": height[child], "x2": h, "y": place[child], "y2": place[child]})
        lines.append({"x": h, "x2": h, "y": place[left], "y2": place[right]})
        place[n + k], height[n + k] = (place[left] + place[right]) / 2, h
    leaves = pl.DataFrame(
        {"judge": list(judges), "y": [place[i] for i in range(n)], "group": [str(g + 1) for g in group], "x": [0.0] * n}
    )
    scale = alt.Scale(domain=[-0.7, n - 0.3], nice=False)
    branches = alt.Chart(pl.DataFrame(lines)).mark_rule(strokeWidth=1).encode(
        x=alt.X("x:Q", title="1 − τ_b where two groups of judges join"), x2="x2:Q",
        y=alt.Y("y:Q", axis=None, scale=scale), y2="y2:Q",
    )  # fmt: skip
    names = alt.Chart(leaves).mark_text(align="right", dx=-6, fontSize=9).encode(
        x="x:Q", y=alt.Y("y:Q", axis=None, scale=scale), text="judge:N",
        color=alt.Color("group:N", sort=[str(g + 1) for g in range(max(group) + 1)], title="group"),
    )  # fmt: skip
    return alt.layer(branches, names).properties(width=WIDTH - 120, height=max(12 * n, 80))


def panel_chart(panel: pl.DataFrame, judges: int) -> ChartType:
    """How near the first judges together come to the order by all of them."""
    import altair as alt

    base = alt.Chart(panel).encode(
        x=alt.X("place:O", title="judges in the panel", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("tau_b:Q", title=f"τ_b with all {judges}", scale=alt.Scale(zero=False)),
        tooltip=tooltips("place:O", "judge:N", "tau_b:Q|.4f"),
    )
    enough = alt.Chart().mark_rule(strokeDash=[3, 3]).encode(y=alt.datum(ENOUGH))
    names = base.mark_text(align="left", dx=8, dy=-8).encode(text="judge:N")
    parts = (base.mark_line(), base.mark_point(filled=True), names, enough)
    return alt.layer(*parts, data=panel).properties(width=min(90 * panel.height, WIDTH - 120), height=160)


def spread_chart(spread: pl.DataFrame) -> ChartType:
    """Standard deviation over judges of every system's score, before and after the audit."""
    import altair as alt

    order = spread.sort("before", descending=True)["system"].to_list()
    long = spread.unpivot(["before", "after"], index=["measure", "system"], variable_name="scores", value_name="sd")
    scale = alt.Scale(domain=["before", "after"], range=[NAIVE, CORRECTED])
    base = alt.Chart(long).encode(y=alt.Y("system:N", sort=order, title=None))
    lines = base.mark_line(strokeWidth=1, color="#9A9A9A").encode(x="sd:Q", detail="system:N")
    points = base.mark_point(filled=True).encode(
        x=alt.X("sd:Q", title="standard deviation of the score over judges"),
        color=alt.Color("scores:N", scale=scale, title="the audit"),
        shape=alt.Shape("scores:N", scale=alt.Scale(domain=["before", "after"]), title="the audit"),
        tooltip=tooltips("system:N", "scores:N", "sd:Q|.4f"),
    )
    return alt.layer(lines, points).properties(width=WIDTH - 120, height={"step": 13})


def charts(result: Multiverse, measure: str | None = None) -> Values:
    """Every chart of one measure by name: curve, claims, tree and, with an audit, spread."""
    u = result.universe(measure)
    own = {name: frame.filter(frame["measure"] == u.measure) for name, frame in result.frames.items()}
    found = {
        "curve": specification_curve(own["curve"]),
        "claims": claim_shares(own["claims"], len(u.judges)),
        "panel": panel_chart(own["panel"], len(u.judges)),
        "tree": judge_tree(u.groups.tree, u.judges, u.groups.order, u.groups.group),
    }
    return found | ({"spread": spread_chart(own["spread"])} if "spread" in own and own["spread"].height else {})
