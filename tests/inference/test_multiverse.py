"""Many judges side by side: METHODS §20's numbers on TREC 2021, small sets by hand, refusals, audits and teams."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import xarray as xr
from prompt_judges import dl21_prompt_judges
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.multiverse.claims import claims_of

DIMS = ("assessor", "system", "topic")


def scores(values, judges=None, name="AP"):
    judges = judges or [f"j{i}" for i in range(len(values))]
    axes = {"system": [f"s{i}" for i in range(values.shape[1])], "topic": [str(t) for t in range(values.shape[2])]}
    return xr.Dataset({name: (DIMS, values)}, {"assessor": list(judges), **axes})


def drawn(judges=6, systems=5, topics=40, seed=0):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0.2, 0.8, systems)[None, :, None]
    return quality + rng.normal(0, 0.05, (judges, systems, 1)) + rng.normal(0, 0.1, (judges, systems, topics))


@pytest.fixture(scope="module")
def dl21():
    runs, _, judges = dl21_prompt_judges()
    factors = {j: dict(zip(("llm", "prompt"), j.rsplit("-", 1), strict=True)) for j in judges.assessors}
    return ds.multiverse(runs, judges, ["nDCG@10", "P(rel=2)@10"], factors)


def of(frame, measure):
    return frame.filter(pl.col("measure") == measure)


def test_trec_2021_copies_are_one_and_winners_are_sets(dl21):
    assert dl21.universe().copies == [["pash_f1", "pash_f2", "pash_f3"]]
    assert len(dl21.universe().systems) == 61
    winners = of(dl21.to_frame("winners"), "nDCG@10").select("systems", "tied", "judges").rows()
    assert winners[:2] == [("pash_f1", 1, 32), ("NLE_P_v1", 1, 16)]
    assert sorted((tied, n) for _, tied, n in winners[2:]) == [(1, 1)] * 4 + [(33, 1)]
    precision = of(dl21.to_frame("winners"), "P(rel=2)@10").select("systems", "tied", "judges").rows()
    assert precision[:3] == [("pash_f1", 1, 23), ("NLE_P_v1", 1, 21), ("NLE_P_v1, pash_f1", 2, 3)]
    assert sorted(tied for _, tied, _ in precision)[-3:] == [14, 19, 33]


def test_trec_2021_components_and_their_split(dl21):
    expected = {
        "nDCG@10": [0.004236, 0.000664, 0.006230, 0.005084, 0.000102, None, 0.000659],
        "P(rel=2)@10": [0.007582, 0.001279, 0.011526, 0.010670, 0.000710, None, 0.001008],
    }
    for measure, numbers in expected.items():
        rows = of(dl21.to_frame("components"), measure)
        assert rows["source"].to_list()[:4] == ["system", "system × judge", "system × topic", "rest"]
        for estimate, shown, number in zip(rows["estimate"], rows["variance"], numbers, strict=True):
            if number is None:
                assert estimate < 0 == shown
            else:
                assert shown == pytest.approx(number, abs=6e-7)
    assert dl21.universe().split[1] == (2, 26)


def test_trec_2021_outlier_and_panel(dl21):
    for measure, height, jump in (("nDCG@10", 0.5897, 0.1720), ("P(rel=2)@10", 0.5792, 0.1489)):
        u = dl21.universe(measure)
        judge, at, by = u.groups.alone[0]
        assert (u.judges[judge], at, by) == (
            "llama3.2-g20",
            pytest.approx(height, abs=1e-4),
            pytest.approx(jump, abs=1e-4),
        )
    panels = {m: of(dl21.to_frame("panel"), m) for m in dl21.measures}
    assert panels["nDCG@10"]["judge"].to_list() == ["mistral-g28", "llama3.2-g3"]
    assert panels["nDCG@10"]["tau_b"][-1] == pytest.approx(0.9661, abs=1e-4)
    assert panels["P(rel=2)@10"]["judge"].to_list() == ["mistral-g18", "llama3.2-g1"]
    assert panels["P(rel=2)@10"]["tau_b"][-1] == pytest.approx(0.9611, abs=1e-4)


def test_trec_2021_mean_of_all_judges_beside_the_good_one(dl21):
    runs, nist, _ = dl21_prompt_judges()
    gold = ds.evaluate(runs, nist, ["nDCG@10", "P(rel=2)@10"])
    for measure, tau in (("nDCG@10", 0.8820), ("P(rel=2)@10", 0.8690)):
        u = dl21.universe(measure)
        truth = gold[measure].sel(system=list(u.systems)).mean("topic").values[0].round(12)
        everyone = u.boards.mean(axis=0).round(12)
        assert ds.kendall_tau(truth, everyone, variant="b") == pytest.approx(tau, abs=1e-4)


def test_claims_hold_under_judges_that_show_them():
    values = drawn()
    values[0, 0] += 0.9  # one judge reverses the weakest and the best
    found = ds.multiverse(scores(values), measures="AP")
    rows = {(r["a"], r["b"]): r for r in found.to_frame("claims").iter_rows(named=True)}
    assert (rows["s4", "s0"]["better"], rows["s4", "s0"]["reversed"], rows["s4", "s0"]["undecided"]) == (5, 1, 0)
    assert rows["s4", "s1"]["better"] == 6
    assert found.to_frame("winners").select("systems", "judges").rows() == [("s4", 5), ("s0", 1)]
    curve = found.to_frame("curve")
    assert curve["claim"].to_list().count("reversed") == 1


def test_a_family_of_claims_fails_seldom():
    """Systems that are all alike: some pair is shown better in about 5% of judges."""
    rng = np.random.default_rng(1)
    values = rng.normal(0, 1, (200, 8, 35)) + rng.normal(0, 1, (200, 1, 35))
    wrong = (claims_of(values).sign != 0).any(axis=1).mean()
    assert 0.01 <= wrong <= 0.09


def test_gold_leaves_the_judges_and_names_the_best():
    values = drawn(judges=5, systems=12, topics=60, seed=2)
    values[1] = values[0] + np.random.default_rng(3).normal(0, 0.01, values[0].shape)  # nearly gold
    values[4] = 1 - values[0]
    found = ds.multiverse(
        scores(values, ["gold", "near", "b", "c", "wrong"]), measures="AP", gold="gold", replicates=200
    )
    judges = {r["judge"]: r for r in found.to_frame("judges").iter_rows(named=True)}
    assert "gold" not in judges
    assert judges["near"]["tau"] > 0.95
    assert judges["near"]["may_be_best"]
    assert not judges["wrong"]["may_be_best"]
    assert judges["wrong"]["tau_high"] < 0
    assert judges["near"]["tau_low_systems"] <= judges["near"]["tau_low"] + 0.05
    pairs = found.to_frame("judge_pairs")
    assert pairs.filter((pl.col("a") == "near") & (pl.col("b") == "wrong"))["p"][0] < 0.001


def test_a_teams_own_judge_is_caught():
    values = drawn(judges=4, systems=6, topics=50, seed=4)
    values[0, :2] += 0.1
    teams = {"j0": "us", "s0": "us", "s1": "us", "j1": "them", "s5": "them"}
    rows = {
        r["judge"]: r for r in ds.multiverse(scores(values), measures="AP", teams=teams).to_frame("teams").to_dicts()
    }
    assert rows["j0"]["low"] > 0.02
    assert set(rows) == {"j0", "j1"}


def test_an_audit_of_everything_leaves_no_spread():
    rng = np.random.default_rng(5)
    docs = [f"d{i}" for i in range(12)]
    runs = {
        s: {f"q{q}": {d: float(x) for d, x in zip(docs, rng.random(12), strict=True)} for q in range(12)} for s in "abc"
    }
    truth = {f"q{q}": {d: int(rng.random() < 0.4) for d in docs} for q in range(12)}

    def judge(error):
        return {q: {d: int(g if rng.random() > error else 1 - g) for d, g in rows.items()} for q, rows in truth.items()}

    judges = ds.Judgments.from_dict({"good": judge(0.1), "weak": judge(0.3), "odd": judge(0.25)})
    gold = ds.Judgments.from_dict({"gold": truth})
    found = ds.multiverse(ds.Runs.from_dict(runs), judges, "P@5", audit=gold)
    spread = found.to_frame("spread")
    assert (spread["before"] > 0.01).all()
    assert spread["after"].max() == pytest.approx(0, abs=1e-9)
    assert any("not evidence" in line for line in found.claims)


def test_gaps_are_said_and_judges_with_few_topics_set_aside():
    values = drawn(judges=4)
    values[1, :, :3] = np.nan
    values[2, :, :30] = np.nan
    found = ds.multiverse(scores(values), measures="AP")
    assert (found.judges, found.topics) == (3, 37)
    assert any("j2" in n for n in found.notes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gold": "nobody"}, "nobody"),
        ({"factors": {"j0": {"llm": "x"}}}, "j1"),
        ({"measures": "RBP"}, "RBP"),
        ({"teams": {"x": "y"}}, "x"),
        ({"audit": ds.Judgments.from_dict({"g": {"0": {"d": 1}}})}, "scores alone"),
    ],
)
def test_refusals(change, said):
    with refused(InputError, said):
        ds.multiverse(scores(drawn()), **{"measures": "AP", **change})


def test_one_judge_is_no_multiverse():
    with refused(InputError, 1, "two of each"):
        ds.multiverse(scores(drawn(judges=1)), measures="AP")


def test_charts_are_drawn(tmp_path):
    from dissensus.reporting.charts.multiverse import charts

    factors = {f"j{i}": {"llm": "ab"[i % 2], "prompt": str(i // 2)} for i in range(6)}
    found = ds.multiverse(scores(drawn()), measures="AP", factors=factors)
    assert list(charts(found)) == ["curve", "claims", "panel", "tree"]
    assert found.plot().to_dict()


def test_files_are_read_as_by_every_verb(tmp_path):
    """`columns=`, `missing=` and their like are keywords of every verb that takes paths, frames or dicts."""
    runs = pl.DataFrame([(s, f"q{q}", f"d{i}", float(i if s == "up" else -i)) for s in ("up", "down") for q in range(6)
                         for i in range(5)], schema=["system", "qid", "doc", "score"], orient="row")  # fmt: skip
    rows = [(f"q{q}", f"d{i}", j, str(int(i > 2))) for q in range(6) for i in range(5) for j in ("a", "b")]
    labels = pl.DataFrame([*rows, ("q0", "d9", "a", "NA")], schema=["qid", "doc", "judge", "stars"], orient="row")
    labels.write_csv(tmp_path / "labels.csv")
    named = {"topic": "qid", "assessor": "judge", "grade": "stars"}
    found = [ds.multiverse(runs, given, "AP", columns=named, missing="skip", replicates=0)
             for given in (labels, tmp_path / "labels.csv")]  # fmt: skip
    assert [f.to_frame("winners")["systems"].to_list() for f in found] == [["up"], ["up"]]
    with refused(InputError, "'c'"):
        ds.multiverse(runs, labels, "AP", columns=named, missing="skip", map={"c": {"1": "2"}})


def test_answers_that_are_no_grades_cost_a_judge_its_label_and_not_its_place(tmp_path):
    """A column with a stray answer stays a judge. A declared scale and missing="skip" leave the answer out."""

    def row(q, i):
        stray = "Invalid" if (q, i) == (0, 1) else int(i > 1)
        return f"q{q},d{i},{int(i > 2)},{stray},{7 if (q, i) == (1, 3) else int(i > 3)}"

    path = tmp_path / "wide.csv"
    path.write_text("\n".join(["topic,doc,a,b,c", *(row(q, i) for q in range(6) for i in range(5))]) + "\n")
    runs = {s: {f"q{q}": {f"d{i}": float(i * up) for i in range(5)} for q in range(6)}
            for s, up in (("up", 1), ("down", -1))}  # fmt: skip
    with refused(InputError, "'Invalid'", options=["missing"]):
        ds.multiverse(runs, path, "AP", scale="0..1")
    found = ds.multiverse(runs, path, "AP", scale="0..1", missing="skip")
    assert found.judges == 3
    assert any("1 label of b (Invalid), 1 label of c (7)" in note for note in found.notes)
    assert found.screen().tables["judges"].frame.columns == ["measure", "judge", "winners", "could_be_best"]
    assert {"AP:", "3", "up"} <= set(found.claims[0].split())
