"""The Markov Precision experiment: pools cut by the rule, tables of the right shape, real runs."""

from __future__ import annotations

import numpy as np
import pytest
from paths import shared_data
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.studies.markov import MARKOV, OTHERS, holding_table, markov_study, reduced_pools, with_first
from dissensus.tables.scale import UNJUDGED


def small(seed: int = 0) -> tuple[ds.Runs, ds.Judgments]:
    rng = np.random.default_rng(seed)
    topics = ["1", "2", "3", "4"]
    labels = {t: {f"d{d:03}": int(rng.random() < 0.2) for d in range(80)} for t in topics}
    runs = {
        f"s{k}": {t: {d: float(rng.normal(k * 0.4 * g)) for d, g in labels[t].items()} for t in topics}
        for k in range(6)
    }
    return ds.Runs.from_dict(runs), ds.Judgments.from_dict({"nist": labels})


def test_table_5_4() -> None:
    table = holding_table()
    assert table["discrete"].to_list() == pytest.approx([0.9205, 0.8668, 0.8120], abs=5e-5)
    assert table["continuous"].to_list() == pytest.approx([0.6600, 0.8706, 0.8005], abs=5e-5)
    assert table["continuous"].to_list() == pytest.approx(table["printed"].to_list(), abs=5e-4)


def test_pools_are_cut_by_the_rule() -> None:
    runs, judgments = small()
    collection = ds.Collection(runs, judgments)
    labels, columns = reduced_pools(collection, (50, 10), 3, 1, seed=4)
    assert columns == [50, 10] * 3
    full = collection.labels[:, 0]
    for t in range(4):
        items = slice(collection.joined.topic_bounds[t], collection.joined.topic_bounds[t + 1])
        for column, percent in enumerate(columns):
            kept = labels[items, column]
            left = kept != UNJUDGED
            assert (kept[left] == full[items][left]).all()
            for grade, least in ((1, 1), (0, 10)):
                n = int((full[items] == grade).sum())
                assert (kept == grade).sum() == min(n, max(least, round(n * percent / 100)))
        for sample in range(3):  # nested
            half, tenth = (labels[items, 2 * sample + k] != UNJUDGED for k in (0, 1))
            assert (half | ~tenth).all()
    again, _ = reduced_pools(collection, (50, 10), 3, 1, seed=4)
    assert (labels == again).all()
    assert (labels[:, 0] != labels[:, 2]).any()


def test_study_has_every_measure_and_percentage() -> None:
    study = markov_study(ds.Collection(*small()), percents=(50,), samples=2)
    assert study.correlations.height == len(OTHERS) * (len(OTHERS) + len(MARKOV) + 1)
    assert study.pools.height == 2 * (len(OTHERS) + len(MARKOV) + 1)
    tables = study.tables()
    assert tables["correlations"].columns == ["measure", *OTHERS]
    assert tables["pool_tau"]["100"].to_list() == [1.0] * 22
    stars = tables["correlations, starred"]
    assert all(value.endswith("*") == (float(value.rstrip("*")) > 0.9) for value in stars["RBP(p=0.8)"])
    assert tables["Table 5.2"]["collection"].to_list()[:2] == ["here", "printed, TREC 7"]
    assert "nMCG@10" in stars["measure"]
    # local walks differ only by a constant, whatever the distance weights
    wide = tables["correlations"].rows_by_key("measure")
    assert wide["MP(model='LO_AD_ID')"] == wide["MP(model='LO_AD_LID')"]


def test_intervals_of_correlations_are_over_topics() -> None:
    rng = np.random.default_rng(3)
    ability, noise = np.linspace(0, 1, 12)[:, None], rng.standard_normal((2, 12, 40))
    scores = np.stack([ability + noise[0], 2 * (ability + noise[0]) + 1, ability + noise[1]])
    made = with_first(scores, ["a", "same order", "other noise"], seed=0).rows_by_key("measure", unique=True)
    assert made["same order"] == (1.0, 1.0, 1.0, 40)
    tau, low, high, topics = made["other noise"]
    assert low < tau < high <= 1
    assert topics == 40


def test_threshold_of_relevance_reaches_every_measure() -> None:
    runs, judgments = small()
    graded = judgments.with_grades(judgments.grade * 2, ds.Scale.range(0, 2))
    one, two = (
        markov_study(ds.Collection(runs, graded), percents=(50,), samples=1),
        markov_study(ds.Collection(runs, graded), rel=2, percents=(50,), samples=1),
    )
    assert two.correlations["measure"][0] == "AP(rel=2)"
    np.testing.assert_allclose(one.correlations["tau"].to_numpy(), two.correlations["tau"].to_numpy())


def test_what_it_refuses() -> None:
    runs, judgments = small()
    with refused(InputError, 2):
        markov_study(ds.Collection(runs.select(systems=["s0", "s1"]), judgments))
    with refused(InputError, "percents=[0]"):
        markov_study(ds.Collection(runs, judgments), percents=(0,))


def test_real_runs() -> None:
    folder = shared_data("trec-dl21-passage")
    collection = ds.Collection(ds.read_runs(str(folder / "runs" / "*")), ds.read_judgments(folder / "qrels.nist.txt"))
    study = markov_study(collection, percents=(50,), samples=2)
    tau = study.correlations.filter(study.correlations["other"] == "AP").rows_by_key("measure", unique=True)
    assert tau["MP(model='GL_AD_ID')"][1] == pytest.approx(0.6487, abs=5e-5)
    assert tau["MP(model='GL_AD_LID', rec=True)"][1] == pytest.approx(0.9969, abs=5e-5)
