"""The numbers of METHODS §18: example E, grades (2, 0, 3, 1, unjudged, 0, 1), the pool holds 3, 1, 0 more."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds

RANKING = [2, 0, 3, 1, None, 0, 1]
POOL = [2, 0, 3, 1, 0, 1, 3, 1, 0]
EXAMPLE = {
    "INSQ(max_rel=4)": 0.288509,
    "INST(max_rel=4)": 0.346023,
    "BPM(max_rel=4)@10": 0.416667,
    "NERR8(max_rel=4)@5": 0.408451,
    "NERR9(max_rel=4)@5": 0.431463,
    "NERR10(max_rel=4)": 0.342567,
    "NERR11(max_rel=4)": 0.421523,
    "SDCG(max_rel=4)@5": 0.333282,
    "infAP": 0.498016,
    "Compat": 0.428516,
    "Compat(normalize=False)": 0.421057,
    "Accuracy": 0.583333,
    "SetAP": 0.380952,
    "SetP(relative=True)": 0.666667,
    "f1@5": 0.545455,
    "hit_rate@2": 1,
    "NumQ": 1,
    "NumRet": 7,
    "NumRel": 6,
    "NumRelRet": 4,
    "AP(judged_only=True)": 0.513889,
    "11pt_avg": 0.506494,
    "IPrecAvg(rounding='v10')": 0.581169,
    "binG": 0.448756,
    "G": 0.303707,
    "Rndcg": 0.519650,
    "ndcg_rel": 0.615407,
    "utility": 1,
    "unj_5": 0.2,
    "relative_P_10": 0.666667,
    "Rprec_mult_0.6": 0.75,
    "num_nonrel_judged_ret": 2,
    "TrecRBP": 0.189681,
    "rbp_resid": 0.543907,
}


@pytest.mark.parametrize(("name", "value"), EXAMPLE.items())
def test_example_e(name: str, value: float) -> None:
    assert ds.measure(name).score(RANKING, POOL, scale="0..4") == pytest.approx(value, abs=6e-7)


def test_inferred_ap_where_documents_were_pooled_and_not_judged() -> None:
    assert ds.measure("infAP").score([1, -1, None, 0, -1, 1], [1, -1, 0, -1, 1, 1]) == pytest.approx(0.5, abs=1e-9)


def test_compat_goes_by_ranks_where_scores_are_negative() -> None:
    runs = ds.Runs.from_dict({"s": {"q": {"a": -1.0, "b": -2.0, "c": -3.0}}})
    judgments = ds.Judgments.from_dict({"j": {"q": {"a": 1, "b": 1, "c": 0, "x": 1}}})
    assert ds.evaluate(runs, judgments, ["Compat"])["Compat"].item() == pytest.approx(0.894537, abs=6e-7)


def test_insq_over_all_ranks_is_below_cwl_evals() -> None:
    for wanted, share in ((1, 1.0016), (10, 1.02)):
        finite, infinite = (
            ds.measure(f"INSQ(max_rel=1, T={wanted}, depth={d})").score([1, 0, 1]) for d in (1000, None)
        )
        assert finite / infinite == pytest.approx(share, rel=5e-4)


def test_a_geometric_mean_with_a_missing_topic() -> None:
    """AP .5 and a missing topic: √(.5·1e-5)."""
    runs = ds.Runs.from_dict({"s": {"1": {"a": 2.0, "b": 1.0}}})
    judgments = ds.Judgments.from_dict({"j": {"1": {"b": 1}, "2": {"c": 1}}})
    scores = ds.Collection(runs, judgments).score(["gm_map"])
    assert scores.means()["GMAP"].item() == pytest.approx(0.002236, abs=6e-7)


def test_judgment_groups() -> None:
    """A (1,0,1,u) with R = 3, B (0,1,0,u), C (0,0,u,u), which counts 0."""
    grades = {"A": {"a": 1, "b": 0, "c": 1, "x": 1}, "B": {"a": 0, "b": 1, "c": 0}, "C": {"a": 0, "b": 0}}
    judgments = ds.Judgments.from_dict({who: {"q": own} for who, own in grades.items()})
    runs = ds.Runs.from_dict({"s": {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "u": 1.0}}})
    names = {"map_avgjg": 0.351852, "P_avgjg_5": 0.2, "Rprec_mult_avgjg_1.00": 0.222222}
    scores = ds.evaluate(runs, judgments, list(names))
    for name, value in names.items():
        np.testing.assert_allclose(scores[str(ds.measure(name))].values, value, atol=6e-7)
