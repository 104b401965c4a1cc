"""Maps of judges: numbers can be read on the colour they are written on."""

from __future__ import annotations

import polars as pl
import pytest

from dissensus.report.charts.judge_maps import agreement_map


@pytest.mark.parametrize(("kappas", "white"), [([0.87], [True]), ([0.1, 0.5, 0.9], [False, True, True])])
def test_ink_is_white_on_the_darker_half_of_the_colours(kappas: list[float], white: list[bool]) -> None:
    """FINDINGS C6: the map of two judges was dark on dark."""
    pairs = [("a", "b"), ("a", "c"), ("b", "c")][: len(kappas)]
    frame = pl.DataFrame(
        {
            "assessor_a": [p[0] for p in pairs],
            "assessor_b": [p[1] for p in pairs],
            "n": [9] * len(pairs),
            "kappa": kappas,
        }
    )
    spec = agreement_map(frame, ["a", "b", "c"][: len(kappas) + 1]).to_dict()
    ink = spec["layer"][1]["encoding"]["color"]
    limit = float(ink["condition"]["test"].rsplit(">", 1)[1])
    assert ink["condition"]["value"] == "white"
    assert [k > limit for k in kappas] == white
