"""The study of corrected differences: simulated, or on labels of one's own."""

from __future__ import annotations

import pytest
from refusals import refused
from study_files import runs, study_files  # noqa: F401 (a fixture)

from dissensus.errors import InputError
from dissensus.inference.rates.api import corrected_rate
from dissensus.inference.rates.difference import compare_rates
from dissensus.studies.correction import SETTINGS, TABLE_2, engines, published_example, published_runs, run
from dissensus.studies.study import Request


def test_simulated_judges_have_a_row_per_setting_and_method():
    asked = {**SETTINGS, "repetitions": 20, "settings": ("few labels",), "power": 0}
    made = run(Request(settings=asked, seed=1))
    assert {"coverage", "section 5", "section 6", "Table 2"} <= set(made.tables)
    assert set(made.tables["coverage"]["setting"]) == {"few labels"}
    assert made.figures["coverage"].data[0] is made.tables["coverage"]


def test_files_are_sent_to_the_experiment_that_takes_them(files):
    with refused(InputError, "experiment coverage"):
        run(Request(runs=[str(f) for f in runs(files)], judgments=[str(files / "two.csv")], settings=SETTINGS))


def test_section_6():
    by = dict(published_example().select("quantity", "computed").rows())
    assert by["p, variances added (eq. 11)"] == pytest.approx(0.854, abs=5e-4)
    assert by["se of the difference, one judge"] == pytest.approx(0.00996, abs=5e-6)
    assert by["p, one judge"] == pytest.approx(0.017, abs=5e-4)
    assert by["se of a, bootstrap (Algorithm 1)"] > by["se of a"]


def test_table_2_cannot_be():
    rows = published_runs().to_dicts()
    assert [r["corrected"] for r in rows] == pytest.approx([1.293, 3.678], abs=5e-4)
    assert [(r["lowest possible"], r["highest possible"]) for r in rows] == [
        pytest.approx((0.176, 0.447), abs=5e-4),
        pytest.approx((0.193, 0.280), abs=5e-4),
    ]
    assert not any(r["admissible"] for r in rows)


def test_no_number_of_labels_follows_from_impossible_counts():
    _, relevant, nonrelevant, observed = TABLE_2[0]
    one = corrected_rate(observed, 660, relevant, nonrelevant)
    with refused(InputError):
        one.needed(0.05)
    with refused(InputError):
        compare_rates(one, corrected_rate(0.5, 660, relevant, nonrelevant)).needed(0.02)
    a, b = engines()
    assert compare_rates(a, b).needed(0.02).queries > 0
