"""`dissensus noise` from the shell."""

from __future__ import annotations

import json

import pytest
from feature_files import feature_folder  # noqa: F401 (a fixture)
from shell import run
from wording import phrase


def test_noise_forecast_inject_and_against(files, capsys):
    status, out, err = run(capsys, "noise", "gold.csv", "--levels", "0:0.2:0.1", "--replicates", "3", "--plot", "n.svg")
    assert status == 0, err
    assert "At dNoise 0.1, " in out
    assert (files / "n.svg").stat().st_size > 2000
    status, _, err = run(capsys, "noise", "gold.csv", "--levels", "0.3", "--profile", "distance", "--inject", "n.csv")
    assert status == 0, err
    assert phrase("cli-noise.labels-changed-seed", 0) in err
    status, out, _ = run(capsys, "noise", "gold.csv", "--against", "n.csv", "--json")
    assert status == 0
    assert 0.15 < json.loads(out)["pnoise"] < 0.45


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("noise", "gold.csv", "--levels", "much"), phrase("cli-noise.levels", "FROM", "TO", "STEP")),
        (("noise", "gold.csv", "--levels", "0.5:0:0.1"), phrase("cli-noise.levels", "FROM", "TO", "STEP")),
        (("noise", "gold.csv", "--inject", "x.csv"), phrase("cli-noise.name-levels", "0.2")),
        (("noise", "gold.csv", "--levels", "0.1,0.2", "--inject", "x.csv"), phrase("cli-noise.one-level-noise")),
        (("noise", "gold.csv", "--against", "gold.csv", "--plot", "x.svg"), phrase("cli-noise.plot-do-nothing")),
        (("noise", "gold.csv", "--levels", "0:2:0.5"), "between 0 and 1"),
        (("noise", "gold.csv", "--profile", "x.json"), phrase("cli-noise.neither-uniform-distance-nor")),
    ],
)
def test_refused(files, capsys, words, message):
    status, _, err = run(capsys, *words)
    assert status == 2
    assert message in err
