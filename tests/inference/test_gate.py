"""The gate: three outcomes by hand and by simulation, and its forms for other programs."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
import xarray as xr
from audited_study import audit, study
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.gate import _decided
from dissensus.inference.gate_differences import GateDifference


def scores(base, new, measure="AP"):
    values = np.array([[base, new]], float)
    coords = {"assessor": ["j"], "system": ["old", "new"], "topic": [str(t) for t in range(values.shape[2])]}
    return xr.Dataset({measure: (("assessor", "system", "topic"), values)}, coords=coords)


def outcome(difference, se=0.01, df=49.0, tolerance=0.02, must_improve=False, measure="AP"):
    found = GateDifference(measure, 0.5, 0.5 + difference, difference, se, df)
    return _decided([found], tolerance, must_improve, 0.95)[0].decision


@pytest.mark.parametrize(
    ("difference", "expected"),
    [(0.05, "pass"), (0.001, "pass"), (0.0, "cannot tell"), (-0.02, "cannot tell"), (-0.041, "fail"), (-0.1, "fail")],
)
def test_the_interval_decides(difference, expected):
    """t₄₉ = 2.0096: pass from −0.02 + 0.0201 on, fail below −0.02 − 0.0201."""
    assert outcome(difference) == expected
    assert outcome(-difference, measure="ESL") == expected  # where less is better


def test_it_must_improve():
    assert outcome(0.0202, must_improve=True) == "pass"
    assert outcome(0.0199, must_improve=True) == "cannot tell"
    assert outcome(0.0, se=0.0, must_improve=True) == "cannot tell"
    assert outcome(-0.041, must_improve=True) == "fail"


def test_identical_rankings_pass_even_without_tolerance():
    x = np.random.default_rng(0).random(10)
    result = ds.gate("old", "new", None, "AP", tolerance=0, scores=scores(x, x))
    assert result.decision == "pass"
    assert result.checks[0].identical
    assert phrase("inference-gate.same-score-every-topic") in str(result)


def test_a_loss_that_is_the_same_on_two_topics_is_not_shown():
    few = ds.gate("old", "new", None, "AP", tolerance=0.01, scores=scores([0.5, 0.6], [0.4, 0.5]))
    assert few.decision == "cannot tell"
    many = ds.gate("old", "new", None, "AP", tolerance=0.01, scores=scores(np.full(8, 0.5), np.full(8, 0.4)))
    assert many.decision == "fail"


def test_equal_systems_fail_in_at_most_five_percent():
    """A/A pairs: per-topic scores of one distribution, 400 pairs; 2.5 % without tolerance, less with one."""
    rng = np.random.default_rng(3)
    failed = {0.0: 0, 0.01: 0}
    for _ in range(400):
        topic = rng.random(30)
        pair = scores(*(np.clip(topic + 0.1 * rng.standard_t(5, 30), 0, 1) for _ in range(2)))
        for tolerance in failed:
            failed[tolerance] += ds.gate("old", "new", None, "AP", tolerance=tolerance, scores=pair).decision == "fail"
    assert failed[0.0] / 400 < 0.025 + 2.5 * math.sqrt(0.025 * 0.975 / 400)
    assert failed[0.01] <= failed[0.0]


def test_a_true_loss_of_the_tolerance_passes_in_at_most_five_percent():
    rng = np.random.default_rng(4)
    passed = 0
    for _ in range(250):
        topic = rng.random(30)
        old, new = topic + 0.1 * rng.normal(size=30), topic - 0.05 + 0.1 * rng.normal(size=30)
        passed += ds.gate("old", "new", None, "AP", tolerance=0.05, scores=scores(old, new)).decision == "pass"
    assert passed / 250 < 0.025 + 2.5 * math.sqrt(0.025 * 0.975 / 250)


def test_several_measures_by_holm():
    """p of "worse by .02 or more": .006 and .02; Holm's .012 and .02 both pass .025, Bonferroni's .04 would not."""
    from scipy import stats

    se, df = 0.01, 49.0
    gaps = [float(-0.02 + se * stats.t.isf(p, df)) for p in (0.006, 0.02)]
    found = [GateDifference(m, 0.5, 0.5 + g, g, se, df) for m, g in zip(("AP", "P@10"), gaps, strict=True)]
    checks = _decided(found, 0.02, False, 0.95)
    assert [c.decision for c in checks] == ["pass", "pass"]
    assert [c.p_good for c in checks] == pytest.approx([0.012, 0.02])
    assert checks[1].low < -0.02  # the interval shown is Bonferroni's


def test_one_measure_that_fails_is_enough():
    rng = np.random.default_rng(0)
    x = rng.random(30)
    both = scores(x, x + 0.01 * rng.normal(size=30) + 0.1).assign(
        P=scores(x, x - 0.1 + 0.01 * rng.normal(size=30))["AP"]
    )
    result = ds.gate("old", "new", None, ["AP", "P"], tolerance=0.01, scores=both)
    assert [c.decision for c in result.checks] == ["pass", "fail"]
    assert (result.decision, result.exit_code) == ("fail", 1)


def test_runs_dicts_and_an_audit():
    runs, bronze, gold = study(topics=30)
    better = runs.select(systems=["A"])
    worse = ds.Runs.from_dict({"C": {t: {f"d{i:02d}": float(i) for i in range(16)} for t in runs.topics}})
    both = ds.Runs.from_frame(pl.concat([better.to_frame(), worse.to_frame()]))
    naive = ds.gate(better, worse, bronze, "P@5", tolerance=0.01)
    corrected = ds.gate(better, worse, bronze, "P@5", tolerance=0.01, audit=audit(gold))
    expected = ds.correct(both, bronze, audit(gold), "P@5").compare("C", "A")
    assert corrected.corrected
    assert corrected.checks[0].difference == pytest.approx(expected.difference)
    assert (corrected.checks[0].low, corrected.checks[0].high) == pytest.approx(expected.interval)
    assert naive.decision == corrected.decision == "fail"
    assert phrase("inference-gate.labels-taken-true") in naive.notes[0]
    one = {t: {d: 1.0 / (k + 1) for k, d in enumerate(["d00", "d01", "d02"])} for t in bronze.topics}
    same = ds.gate(one, one, bronze, "P@5", tolerance=0.0)
    assert (same.base, same.new, same.decision) == ("base", "new", "pass")


def test_wrong_input_is_refused():
    runs, bronze, _ = study(topics=5)
    x = np.arange(5) / 5
    for tolerance in (-0.1, math.nan, math.inf):
        with refused(InputError, 0):
            ds.gate("old", "new", None, "AP", tolerance=tolerance, scores=scores(x, x))
    with refused(InputError, 3, "A"):
        ds.gate(runs, runs, bronze, "AP", tolerance=0.1)
    with refused(InputError, "older"):
        ds.gate("older", "new", None, "AP", tolerance=0.1, scores=scores(x, x))
    with refused(InputError, options=["measures"]):
        ds.gate("old", "new", None, [], tolerance=0.1, scores=scores(x, x))
    elsewhere = ds.Runs.from_dict({"new": {"q99": {"d00": 1.0}}})
    with refused(InputError, "q00", "q01"):
        ds.gate(runs.select(systems=["A"]), elsewhere, bronze, "AP", tolerance=0.1)


def test_a_gate_that_cannot_tell_says_what_would():
    """The topics that find the distance to the limit, and with an audit the same labels as `compare` names."""
    rng = np.random.default_rng(4)
    d = rng.normal(0, 0.2, 40)
    made = ds.gate("old", "new", None, "AP", tolerance=0.05, scores=scores(np.full(40, 0.5), 0.5 + d))
    assert made.decision == "cannot tell"
    se, distance = d.std(ddof=1) / math.sqrt(40), abs(d.mean() + 0.05)
    wanted = math.ceil(40 * (se * (2.0227 + 0.8416) / distance) ** 2)  # t₃₉ and the quantile of 80 %
    [note] = [n for n in made.notes if phrase("inference-gate.from-the-limit") in n]
    found = int(note.split("about ")[1].split(" topics")[0].replace(",", ""))
    assert found == pytest.approx(wanted, abs=1 + wanted // 1000)


def test_an_audited_gate_names_the_labels_that_compare_names():
    runs, bronze, gold = study(topics=30)
    two = runs.select(systems=["A", "B"])
    few = audit(gold, 0.15)
    made = ds.gate(
        two.select(systems=["B"]), two.select(systems=["A"]), bronze, "P@5", tolerance=0.02, audit=few, seed=0
    )
    assert made.decision == "cannot tell"
    distance = float(f"{made.checks[0].difference + 0.02:.3g}")
    [note] = [n for n in made.notes if phrase("inference-gate.from-the-limit") in n]
    asked = ds.correct(two, bronze, few, "P@5").compare("A", "B", difference=distance)
    assert note.endswith(asked.advice)
