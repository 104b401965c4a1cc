"""The ceiling against brute force, published check values, simulation, and its own limits."""

from __future__ import annotations

import functools
import itertools
import json

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import ConfusionError, InputError, MeasureError
from dissensus.inference.ceiling.api import ceiling, ceiling_shares

FIVE = np.array(
    [
        (0.7, 0.15, 0.1, 0.03, 0.02),
        (0.2, 0.5, 0.2, 0.07, 0.03),
        (0.1, 0.2, 0.4, 0.2, 0.1),
        (0.05, 0.1, 0.2, 0.4, 0.25),
        (0.02, 0.05, 0.13, 0.3, 0.5),
    ]
)
GRADES = np.repeat(np.arange(5), (30, 20, 10, 4, 2))
EXP = "nDCG(dcg='exp-log2')"


def brute_force(grades, matrix, measure, scale, ranks=None):
    """Every labelling by the other judge with its probability, every order of its ties.

    `ranks` holds where the best document goes, the next best …: from the top unless users look elsewhere first.
    """
    total = 0.0
    m = ds.measure(measure)

    @functools.cache  # most orders put the same grades at the same ranks
    def score(ranking):
        return m.score(list(ranking), pool=list(grades), scale=scale)

    place = np.argsort(range(len(grades)) if ranks is None else ranks)
    for labels in itertools.product(range(len(matrix)), repeat=len(grades)):
        chance = np.prod([matrix[g][l] for g, l in zip(grades, labels, strict=True)])
        if chance == 0:
            continue
        groups = [[i for i, l in enumerate(labels) if l == j] for j in reversed(range(len(matrix)))]
        orders = [list(itertools.chain(*o)) for o in itertools.product(*(itertools.permutations(g) for g in groups))]
        scores = [score(tuple(grades[o[p]] for p in place)) for o in orders]
        total += chance * np.mean(scores)
    return total


class TestCheckValues:
    def test_ndcg_of_66_documents(self):
        assert float(ceiling(GRADES, FIVE, EXP)) == pytest.approx(0.7564801346, abs=5e-11)

    def test_ndcg_at_10(self):
        assert float(ceiling(GRADES, FIVE, EXP + "@10")) == pytest.approx(0.6045563756, abs=5e-11)

    def test_random_ranking_of_a_thousand_with_a_cutoff(self):
        result = ceiling(np.repeat([0, 1], (950, 50)), np.full((2, 2), 0.5), "P@10")
        assert float(result) == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize("measure", ["P@2", "nDCG", "nDCG@3", "RBP(p=0.7)", "DCG@2", "R@2", "Rprec", "NCG@2", "CG@3"])
def test_exact_equals_brute_force(measure):
    matrix = np.array([[0.6, 0.3, 0.1], [0.25, 0.5, 0.25], [0.05, 0.35, 0.6]])
    grades = [2, 0, 1, 0, 1]
    want = brute_force(grades, matrix, measure, "0..2")
    assert float(ceiling(grades, matrix, measure)) == pytest.approx(want, abs=1e-13)


def test_brute_force_with_impossible_labels():
    matrix = np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5], [0.0, 0.2, 0.8]])
    want = brute_force([0, 1, 2, 0, 1], matrix, "nDCG", "0..2")
    assert float(ceiling([0, 1, 2, 0, 1], matrix, "nDCG")) == pytest.approx(want, abs=1e-13)


class TestLimits:
    @pytest.mark.parametrize("method", ["exact", "normal", "simulate"])
    @pytest.mark.parametrize("measure", ["nDCG", "nDCG@5", "R@11"])
    def test_identity_is_one(self, method, measure):
        grades = np.repeat([0, 1, 2], (20, 7, 4))
        assert float(ceiling(grades, np.eye(3), measure, method, replicates=20)) == pytest.approx(1, abs=1e-12)

    @pytest.mark.parametrize("cutoff", ["", "@10", "@200"])
    def test_uniform_is_the_random_ranking(self, cutoff):
        counts = np.array([850, 100, 30, 15, 5])
        grades = np.repeat(np.arange(5), counts)
        m = ds.measure("nDCG" + cutoff)
        weights, values = m.linear_form(counts, 1000, ds.Scale.range(0, 4))
        random = weights.sum() * (values @ counts) / 1000
        assert float(ceiling(grades, np.full((5, 5), 0.2), m)) == pytest.approx(random, abs=1e-12)
        assert float(ceiling(grades, np.full((5, 5), 0.2), m, "normal")) == pytest.approx(random, abs=2e-3)

    def test_a_judge_who_says_one_thing_only(self):
        matrix = np.array([[0.0, 1.0], [0.0, 1.0]])
        assert float(ceiling([1, 0, 0, 0], matrix, "P@1")) == pytest.approx(0.25, abs=1e-14)

    def test_one_grade_only(self):
        assert float(ceiling([2, 2, 2], FIVE, "nDCG")) == pytest.approx(1, abs=1e-13)

    def test_nothing_relevant_is_undefined_for_ratios_and_zero_for_precision(self):
        result = ceiling({"a": [0, 0, 0], "b": [1, 0]}, np.eye(2), "nDCG")
        assert np.isnan(result.per_topic["a"])
        assert result.mean == result.per_topic["b"] == pytest.approx(1)
        assert phrase("ceiling.topic-without-relevant-documents", 1) in str(result)
        assert float(ceiling([0, 0], np.eye(2), "P@1")) == 0
        assert np.isnan(float(ceiling([0, 0], np.eye(2), "nDCG")))

    def test_one_document(self):
        assert float(ceiling([1], np.full((2, 2), 0.5), "P@1")) == pytest.approx(1)

    def test_cutoff_beyond_the_list(self):
        assert float(ceiling([1, 0], np.eye(2), "P@10")) == pytest.approx(0.1)


class TestMethodsAgree:
    @pytest.mark.parametrize("measure", [EXP, EXP + "@10", "P@5", "RBP(p=0.9)"])
    def test_simulation(self, measure):
        exact = ceiling(GRADES, FIVE, measure)
        drawn = ceiling(GRADES, FIVE, measure, "simulate", replicates=4000, seed=5)
        assert abs(float(drawn) - float(exact)) < 4 * drawn.se[0]

    def test_normal_gets_better_with_length(self):
        gaps = []
        for times in (1, 4, 16):
            grades = np.tile(GRADES, times)
            gaps.append(abs(float(ceiling(grades, FIVE, EXP)) - float(ceiling(grades, FIVE, EXP, "normal"))))
        assert gaps[0] < 3e-3
        assert gaps[2] < gaps[1] < gaps[0]

    @pytest.mark.parametrize("measure", ["P@7", "nDCG", "nDCG@100"])
    @pytest.mark.parametrize("times", [1, 6])
    def test_panels_reach_the_exact_rule(self, measure, times):
        """⌈n/2⌉ nodes over all of (0, 1) are exact for any number of documents."""
        from dissensus.engine.exact_ranks import expected_score
        from dissensus.inference.ceiling.expected_scores import Forms, exact_scores, gauss_legendre

        counts = times * np.array([[54, 36, 18, 8, 4]])  # 120 documents, the most that 32 nodes serve, or 720
        n = int(counts.sum())
        forms = Forms.of(ds.measure(measure), counts, ds.Scale.range(0, 4))
        ours = exact_scores(counts, FIVE[None], np.zeros(1, np.int64), forms)[0]
        inverse = np.concatenate(([0.0], 1 / np.arange(1, n + 2)))
        weights = forms.weights[0, : forms.lengths[0]]
        whole = expected_score(counts[0], FIVE, weights, forms.values[0], *gauss_legendre(n // 2), -1, inverse)
        assert ours == pytest.approx(whole, abs=1e-12)

    def test_a_few_ranks_of_a_very_long_list(self):
        """Only the first hair's breadth of tie-breaks matters: uniform labels, 2 million documents, cut at 10."""
        counts = np.array([[1_900_000, 100_000]])
        from dissensus.inference.ceiling.expected_scores import Forms, exact_scores

        forms = Forms.of(ds.measure("P@10"), counts, ds.Scale.range(0, 1))
        score = exact_scores(counts, np.full((1, 2, 2), 0.5), np.zeros(1, np.int64), forms)
        assert score[0] == pytest.approx(0.05, abs=1e-12)

    def test_not_linear_measures_are_simulated(self):
        grades = [1, 0, 1, 0]
        matrix = [[0.8, 0.2], [0.3, 0.7]]
        drawn = ceiling(grades, matrix, "AP", "simulate", replicates=3000)
        assert abs(float(drawn) - brute_force(grades, matrix, "AP", "0..1")) < 4 * drawn.se[0]
        with refused(MeasureError, 'method="simulate"'):
            ceiling(grades, matrix, "AP")

    def test_same_seed_same_draw(self):
        topics = {t: [1, 0, 1, 0, 0] for t in "abc"}
        first, again = (
            ceiling(topics, [[0.8, 0.2], [0.3, 0.7]], "AP", "simulate", replicates=50, seed=3) for _ in "12"
        )
        assert first.per_topic == again.per_topic
        assert len(set(first.per_topic.values())) == 3  # every topic draws for itself


class TestPosteriorOrder:
    def test_never_below_the_order_of_labels(self):
        rng = np.random.default_rng(1)
        for _ in range(20):
            matrix = rng.dirichlet(np.ones(3), size=3)
            grades = rng.integers(0, 3, 30)
            if grades.max() == 0:
                continue
            plain, posterior = (float(ceiling(grades, matrix, "nDCG", order=o)) for o in ("label", "posterior"))
            assert posterior >= plain - 1e-9

    def test_a_judge_who_turns_the_scale_around(self):
        upside_down = np.eye(3)[::-1]
        grades = [0, 0, 1, 2]
        assert float(ceiling(grades, upside_down, "nDCG")) < 0.8
        assert float(ceiling(grades, upside_down, "nDCG", order="posterior")) == pytest.approx(1)

    def test_equal_when_labels_already_rise_with_worth(self):
        assert float(ceiling(GRADES, FIVE, EXP)) == pytest.approx(float(ceiling(GRADES, FIVE, EXP, order="posterior")))

    def test_simulated_too(self):
        a = ceiling([0, 0, 1, 1], np.eye(2)[::-1], "AP", "simulate", replicates=20, order="posterior")
        assert float(a) == pytest.approx(1)


class TestJudgments:
    J = ds.Judgments.from_dict(
        {
            "ann": {"1": {"a": 1, "b": 0, "c": 0, "d": 1}, "2": {"x": 1, "y": 0}},
            "bob": {"1": {"a": 1, "b": 1, "c": 0, "d": 0}, "2": {"x": 1, "y": 0}},
        }
    )

    def test_matrix_estimated_from_the_assessors(self):
        result = ceiling(self.J, None, "nDCG")
        # 6 documents: both say 1 on a and x, both 0 on c and y, they differ on b and d
        assert result.confusion.matrix == pytest.approx(np.array([[4, 2], [2, 4]]) / 6)
        assert set(result.per_assessor) == {"ann", "bob"}
        assert result.per_topic["2"] == pytest.approx(float(ceiling([1, 0], result.confusion.matrix, "nDCG")))
        assert any(phrase("ceiling.estimated-assessors", 2) in note for note in result.notes)
        assert phrase("ceiling.fewer-shared-labels-some", 2, 50) in str(result)
        assert not result.own

    def test_an_assessor_with_enough_labels_has_a_matrix_of_their_own(self):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 2, 400)
        strict = np.where(rng.random(400) < 0.3, 0, truth)  # misses three relevant documents in ten, invents none
        j = ds.Judgments.from_dict(
            {who: {"1": {f"d{i}": int(g) for i, g in enumerate(row)}} for who, row in (("all", truth), ("few", strict))}
        )
        result = ceiling(j, None, "P@5")
        for who, other in (("all", "few"), ("few", "all")):
            mine = ds.confusion(j, who, other)
            assert result.own[who].matrix == pytest.approx(mine.matrix)
            assert result.per_assessor[who] == pytest.approx(float(ceiling(j, mine, "P@5", assessor=who)))
        assert result.per_assessor["all"] == pytest.approx(1)  # whatever "few" calls relevant is relevant to "all"
        assert result.per_assessor["few"] < 0.8

    def test_one_assessor(self):
        result = ceiling(self.J, np.eye(2), "P@1", assessor="ann")
        assert result.to_frame()["assessor"].unique().to_list() == ["ann"]
        assert result.per_topic == {"1": 1.0, "2": 1.0}
        with refused(InputError, "ann", "bob"):
            ceiling(self.J, np.eye(2), "P@1", assessor="eve")

    def test_larger_matrix_than_grades_seen(self):
        result = ceiling(self.J, np.eye(5), "nDCG")
        assert result.mean == pytest.approx(1)

    def test_published_by_name(self):
        grades = [0, 0, 0, 1, 1, 2]
        by_name = ceiling(grades, "trec-rf10-crowd", "nDCG")
        assert 0.7 < float(by_name) < 0.9
        with refused(ConfusionError, "msr"):
            ceiling(grades, "msr", "nDCG")

    def test_json_reads_back(self):
        content = json.loads(ceiling({"a": [0, 0], "b": [1, 0]}, np.eye(2), "nDCG").to_json())
        assert content["mean"] == pytest.approx(1)
        assert content["tables"]["ceilings"][0]["ceiling"] is None


POOLS = {"1": [0, 0, 0, 1, 1, 2], "2": [0, 0, 0, 1, 1, 2], "3": [0] * 150 + [1, 2, 2], "4": [0, 0], "5": [1, 0, 2]}
THREE = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])


class TestClassesOfTopics:
    """nMCG with a class per topic: two topics with equal pools, a long one, one with nothing relevant, a short one."""

    @pytest.fixture
    def measure(self, tmp_path):
        from dissensus.users.dynamic import dynamics_json

        user, classes = tmp_path / "user.json", tmp_path / "classes.csv"
        user.write_text(
            dynamics_json({"quick": ds.UserDynamic(alpha=1, beta=0, gamma=0), "late": ds.UserDynamic(0, 0.5, 0)})
        )
        classes.write_text("1,quick\n2,late\n3,late\n4,quick\n5,quick\n")
        return ds.measure(f"nMCG(dynamic={str(user)!r}, classes={str(classes)!r})@4")

    @pytest.mark.parametrize("order", ["label", "posterior"])
    @pytest.mark.parametrize("method", ["exact", "normal", "simulate"])
    def test_topic_by_topic(self, measure, method, order):
        ours = ceiling(POOLS, THREE, measure, method, 300, order=order)
        alone = {
            t: ceiling({t: pool}, THREE, measure.for_topic(t), method, 300, order=order) for t, pool in POOLS.items()
        }
        if method == "simulate":  # a topic's draws depend on its place
            wide = [4 * np.hypot(se, alone[t].se[0]) for t, se in zip(ours.topic, ours.se, strict=True)]
        else:
            wide = [0.0] * len(POOLS)
        for (t, value), reach in zip(ours.per_topic.items(), wide, strict=True):
            want = alone[t].mean
            assert np.isnan(value) == np.isnan(want) == (t == "4")
            assert t == "4" or value == pytest.approx(want, rel=1e-15, abs=reach)

    def test_equal_pools_of_different_classes_differ(self, measure):
        for method in ("exact", "normal", "simulate"):
            each = ceiling(POOLS, THREE, measure, method).per_topic
            assert abs(each["1"] - each["2"]) > 0.01

    def test_simulation(self, measure):
        exact = ceiling(POOLS, THREE, measure)
        drawn = ceiling(POOLS, THREE, measure, "simulate", replicates=4000, seed=5)
        known = ~np.isnan(exact.score)
        assert known.sum() == 4
        assert (np.abs(drawn.score - exact.score)[known] < 4 * drawn.se[known]).all()

    def test_brute_force(self, measure):
        each = ceiling(POOLS, THREE, measure).per_topic
        for t in ("1", "2", "5"):
            late = [3, 2, 1, 0, 4, 5] if t == "2" else None  # δ(i) = i/2 down to rank 4
            want = brute_force(POOLS[t], THREE, str(measure.for_topic(t)), "0..2", late)
            assert each[t] == pytest.approx(want, abs=1e-13)

    def test_judgments_of_several_assessors(self, measure):
        from dissensus.inference.ceiling.interval import ceiling_interval

        rng = np.random.default_rng(3)
        j = ds.Judgments.from_dict(
            {a: {t: {f"d{i}": int(g) for i, g in enumerate(rng.choice(3, 20))} for t in "1235"} for a in ("ann", "bob")}
        )
        result = ceiling(j, None, measure)
        assert len(result.score) == 8
        for a in j.assessors:
            for t in "1235":
                alone = ceiling(j.select(topics=[t]), result.confusion, measure.for_topic(t), assessor=a)
                ours = result.score[[k == (a, t) for k in zip(result.assessor, result.topic, strict=True)]]
                assert ours.tolist() == alone.score.tolist()
        assert ceiling_interval(result, j)["low"].is_not_nan().all()

    def test_a_measure_of_ones_own_that_is_not_linear(self):
        from dataclasses import dataclass

        @dataclass(frozen=True)
        class ByTopic(ds.Measure):
            topic: str = ""

            def for_topic(self, topic):
                return ByTopic(topic)

            def compute(self, grades, pool, scale):
                return float(self.topic) if self.topic != "2" else float("nan")

        result = ceiling({3: [1, 0], 2: [1, 0], 1: [1, 0]}, np.eye(2), ByTopic(), "simulate", replicates=5)
        assert result.score[[0, 2]].tolist() == [3.0, 1.0]
        assert np.isnan(result.per_topic["2"])

    def test_topics_without_a_class_are_named_together(self, measure):
        topics = {t: [1, 0] for t in ("7", "1", "8")}
        with refused(MeasureError, 2, 3, 7, 8, "user.json"):
            ceiling(topics, np.eye(2), measure)


class TestRefusals:
    def test_grade_outside_the_matrix(self):
        with refused(ConfusionError, 3, 0, 1):
            ceiling([0, 3], np.eye(2), "nDCG")

    def test_unknown_row(self):
        partial = ds.Confusion(None, counts=[[3, 1], [0, 0]])
        with refused(ConfusionError, 1):
            ceiling([0, 1], partial, "P@1")
        assert float(ceiling([0, 0], partial, "P@1")) == 0  # the unknown row is not needed

    @pytest.mark.parametrize(
        ("change", "value"),
        [
            ({"method": "fft"}, 'method="fft"'),
            ({"order": "rank"}, 'order="rank"'),
            ({"replicates": 1}, "replicates=1"),
        ],
    )
    def test_options(self, change, value):
        with refused(InputError, value):
            ceiling([0, 1], np.eye(2), "P@1", **change)

    def test_no_grades(self):
        with refused(InputError):
            ceiling([], np.eye(2), "P@1")
        with refused(InputError):
            ceiling([0.5, 1.0], np.eye(2), "P@1")
        with refused(ConfusionError, options=["confusion"]):
            ceiling([0, 1], None, "P@1")

    def test_different_scales(self):
        named = ds.Judgments.from_dict({"a": {1: {"x": "Rel", "y": "Non"}}}, scale=("Non", "Rel"))
        with refused(ConfusionError, "0…2", "Non"):
            ceiling(named, ds.Confusion(np.eye(3), scale="0..2"), "P@1")
        assert float(ceiling(named, np.eye(2), "P@1")) == 1

    def test_below_zero_is_left_out_and_said(self):
        result = ceiling([1, 0, -2], np.eye(2), "P@1")
        assert result.documents.tolist() == [2]
        assert phrase("ceiling.grade-below-zero", 1) in str(result)


@pytest.mark.parametrize("method", ["exact", "simulate", "normal"])
def test_a_perfect_ranking_shows_its_best_where_users_look_most(tmp_path, method):
    """With an infallible judge the ceiling of nMCG is 1, also where the user dynamic rises with the rank."""
    (tmp_path / "user.json").write_text(ds.UserDynamic(alpha=-0.05, beta=0.01, gamma=0.1).to_json())
    name = f"nMCG(dynamic='{tmp_path / 'user.json'}')@5"
    found = float(ceiling([2, 1, 0, 0, 1, 0], np.eye(3), name, method=method))
    assert found == pytest.approx(1, abs=1e-12 if method != "normal" else 0.05)


def test_a_relevant_grade_above_the_scale_has_no_ceiling() -> None:
    with refused(MeasureError, 5, "P(rel=5)@1"):
        ds.ceiling([1, 0], [[0.8, 0.2], [0.3, 0.7]], "P(rel=5)@1")


def test_a_seed_is_looked_at_before_any_work() -> None:
    with refused(InputError, "seed=-1"):
        ds.ceiling([1, 0], [[0.8, 0.2], [0.3, 0.7]], "AP", method="simulate", seed=-1)


J = ds.Judgments.from_dict({"ann": {"1": {"a": 1, "b": 0, "c": 0}, "2": {"x": 0, "y": 0}}})
RUNS = ds.Runs.from_dict(
    {"good": {"1": {"new": 9, "a": 3, "b": 2, "c": 1}}, "bad": {"1": {"b": 3, "c": 2, "a": 1}}, "none": {"2": {"x": 1}}}
)


def test_runs_are_condensed_and_undefined_topics_left_out():
    limit = ds.ceiling(J, np.full((2, 2), 0.5), "nDCG")
    frame = ceiling_shares(RUNS, J, limit)
    assert frame["system"].to_list() == ["good", "bad", "none"]
    by_system = {row["system"]: row for row in frame.to_dicts()}
    random = (1 + 1 / np.log2(3) + 0.5) / 3
    assert by_system["good"]["score"] == 1  # the unjudged document above is taken out
    assert by_system["good"]["share"] == pytest.approx(1 / random)  # above 1: it knows this very judge
    assert by_system["bad"]["share"] == pytest.approx(0.5 / random)
    assert by_system["none"]["score"] == 0
    assert frame["topics"].to_list() == [1, 1, 1]  # topic 2 has nothing relevant


def test_each_assessor_has_their_own_ceiling():
    two = ds.Judgments.from_dict(
        {"ann": {"1": {"a": 1, "b": 0}, "2": {"x": 0}}, "bob": {"1": {"a": 0, "b": 1}, "2": {"x": 1}}}
    )
    frame = ceiling_shares(RUNS, two, ds.ceiling(two, None, "P@1"))
    shares = {(r["assessor"], r["system"]): r["score"] for r in frame.to_dicts()}
    assert shares["ann", "good"] == 0.5
    assert shares["bob", "good"] == 0
    only = ceiling_shares(RUNS, two, ds.ceiling(two, None, "P@1", assessor="bob"))
    assert only["assessor"].unique().to_list() == ["bob"]


def test_nothing_to_compare():
    nothing = ds.Judgments.from_dict({"ann": {"1": {"a": 0, "b": 0}, "2": {"x": 0, "y": 0}}}, scale="0..1")
    with refused(InputError):
        ceiling_shares(RUNS, nothing, ds.ceiling(nothing, np.eye(2), "nDCG"))
