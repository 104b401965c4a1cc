"""How the order of systems changes from one way of using the judges to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def rank_chart(frame: pl.DataFrame, ways: list[str], highlight: list[str]) -> Any:
    """A line per system through its ranks, from a table way, system, rank, score; `highlight` names the bold ones."""
    import altair as alt

    systems = frame["system"].n_unique()
    chosen = alt.selection_point(fields=["system"], on="pointerover", nearest=True, empty=False)
    shown = alt.FieldOneOfPredicate(field="system", oneOf=highlight)
    colour = alt.condition(shown, alt.Color("system:N", legend=None), alt.value("#9AA0A6"))
    base = alt.Chart(frame).encode(
        x=alt.X("way:N", sort=ways, title=None, axis=alt.Axis(labelAngle=-30, grid=False)),
        y=alt.Y("rank:Q", scale=alt.Scale(reverse=True, nice=False, domain=[0.5, systems + 0.5]), title="rank",
                axis=alt.Axis(tickMinStep=1, format="d")),
        color=colour,
        tooltip=[
            *map(alt.Tooltip, ("system:N", "way:N", "rank:Q")), alt.Tooltip("score:Q", format=".4f"),
        ],
    )  # fmt: skip
    lines = base.mark_line().encode(
        detail=alt.Detail("system:N"), size=alt.condition(chosen, alt.value(4), alt.value(1.6)),
    )  # fmt: skip
    points = base.mark_point(filled=True, size=60).add_params(chosen)
    last = alt.FieldEqualPredicate(field="way", equal=ways[-1])
    names = (
        base.transform_filter(last)
        .mark_text(align="left", dx=8, fontSize=11 if systems <= 30 else 9)
        .encode(text=alt.Text("system:N"))
    )
    height = max(160, 22 * min(systems, 40))
    layers = (lines + points + names) if systems <= 70 else (lines + points)
    return layers.properties(width="container", height=height)
