"""The correction paper's simulation and example, and the experiment's frame."""

from __future__ import annotations

import pytest

from dissensus.errors import InputError
from dissensus.experiments.correction import coverage, published_example, published_simulation


def test_section_5():
    runs, summary = published_simulation(4000, seed=1)
    by = {r["method"]: r for r in summary.iter_rows(named=True)}
    assert by["naive"]["coverage"] == pytest.approx(0.05, abs=0.015)
    assert by["corrected"]["coverage"] == pytest.approx(0.95, abs=0.012)
    assert by["naive"]["mean"] == pytest.approx(0.48, abs=0.002)  # 0.4·0.9 + 0.6·0.2
    assert by["corrected"]["mean"] == pytest.approx(0.4, abs=0.003)
    assert by["naive"]["above_truth"] > 0.998
    assert runs.height == 4000


def test_section_6():
    by = dict(published_example().select("quantity", "computed").rows())
    assert by["p, variances added (eq. 11)"] == pytest.approx(0.854, abs=5e-4)
    assert by["se of the difference, one judge"] == pytest.approx(0.00996, abs=5e-6)
    assert by["p, one judge"] == pytest.approx(0.017, abs=5e-4)


def test_same_numbers_whoever_works():
    one = coverage(20, seed=3, settings=("few labels",), methods=("confusion", "rectified"))
    two = coverage(20, seed=3, settings=("few labels",), methods=("confusion", "rectified"), executor=2)
    assert one.equals(two)
    assert one["method"].to_list() == ["confusion", "rectified"]


def test_unknown_setting():
    with pytest.raises(InputError, match="no setting is called 'rain'"):
        coverage(10, settings=("rain",))
