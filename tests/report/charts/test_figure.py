"""Figures that studies name are drawn; the charts of the noise study beside its curves."""

from __future__ import annotations

import polars as pl

from dissensus.report.charts.figure import draw
from dissensus.studies.labels.label_scales import pair_noise_by_scale
from dissensus.studies.study import Figure


def test_scales_and_loss_are_drawn() -> None:
    scales = pair_noise_by_scale(["uniform"], [0.1, 0.2])
    chart = draw(Figure("noise_scales", "scale_chart", (scales, "Fig. 11"))).to_dict()
    assert chart["facet"]["column"]["field"] == "set"
    loss = pl.DataFrame({"set": ["a"], "profile": ["uniform"], "dnoise": [0.1], "loss": [0.2]})
    assert draw(Figure("noise_scales", "loss_chart", (loss,))).to_dict()["spec"]["encoding"]["y"]["field"] == "loss"
