"""The correction paper's simulation and example, and the experiment's frame."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.studies.audits.corrected_coverage import coverage, published_simulation


def test_section_5():
    runs, summary = published_simulation(4000, seed=1)
    by = {r["method"]: r for r in summary.iter_rows(named=True)}
    assert by["naive"]["coverage"] == pytest.approx(0.05, abs=0.015)
    assert by["corrected"]["coverage"] == pytest.approx(0.95, abs=0.012)
    assert by["naive"]["mean"] == pytest.approx(0.48, abs=0.002)  # 0.4·0.9 + 0.6·0.2
    assert by["corrected"]["mean"] == pytest.approx(0.4, abs=0.003)
    assert by["naive"]["above_truth"] > 0.998
    assert runs.height == 4000


def test_same_numbers_whoever_works():
    one = coverage(20, seed=3, settings=("few labels",), methods=("confusion", "rectified"))
    two = coverage(20, seed=3, settings=("few labels",), methods=("confusion", "rectified"), executor=2)
    assert one.equals(two)
    assert one["method"].to_list() == ["confusion", "rectified"]


def test_unknown_setting():
    with refused(InputError, "rain"):
        coverage(10, settings=("rain",))


LINEAR = ("naive", "confusion", "gold only", "rectified")
