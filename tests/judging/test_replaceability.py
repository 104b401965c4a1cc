"""The alternative annotator test: published rows, a slow twin, size and power."""

from __future__ import annotations

import gzip
import json

import numpy as np
import polars as pl
import pytest
from paths import shared_data
from refusals import refused
from scipy import stats
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.replaceability import benjamini_yekutieli, replaceability

LLMS = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")
# set: (score, ε, ω and ρ of the judges in the order of LLMS)
PUBLISHED = {
    "wax": ("accuracy", 0.1, (0.375, 0.5, 0.5, 0, 0, 0), (0.692312, 0.737148, 0.730021, 0.573028, 0.594493, 0.497714)),
    "framing": ("accuracy", 0.15, (1, 1, 1, 0.5, 1, 0.25), (0.83365, 0.906151, 0.91787, 0.801484, 0.872351, 0.799133)),
    "summeval": ("rmse", 0.2, (0,) * 6, (0.461250, 0.441979, 0.475729, 0.581146, 0.544583, 0.622969)),
    "lesion": ("rmse", 0.15, (0.1667, 1, 0, None, 0.6667, None), (0.710806, 0.809751, 0.617032, None, 0.734858, None)),
}


def alttest(name: str) -> tuple[ds.Judgments, list[str]]:
    with gzip.open(shared_data("alttest") / f"{name}.csv.gz", "rb") as file:
        table = pl.read_csv(file.read(), infer_schema=False).rename({"label": "grade"})
    humans = table.filter(pl.col("kind") == "human")["assessor"].unique(maintain_order=True).to_list()
    numeric = name in ("summeval", "lesion")
    frame = table.drop("kind").with_columns(
        topic=pl.lit("1"), grade=pl.col("grade").cast(pl.Int64) if numeric else pl.col("grade")
    )
    return ds.Judgments.from_frame(frame), humans


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_rows(name: str) -> None:
    score, epsilon, rates, advantages = PUBLISHED[name]
    judgments, humans = alttest(name)
    rows = 0
    for judge, rate, advantage in zip(LLMS, rates, advantages, strict=True):
        if rate is None:
            continue
        rows += 1
        result = replaceability(judgments, judge, humans, score, epsilon, clusters=None)  # type: ignore[arg-type]
        assert result.winning_rate == pytest.approx(rate, abs=5e-5), judge
        assert result.advantage == pytest.approx(advantage, abs=5e-7), judge
        low, high = result.winning_rate_interval
        assert low <= result.winning_rate <= high
    assert rows == {"lesion": 4}.get(name, 6)


def small(seed: int = 0, topics: int = 8, docs: int = 10, skill: tuple[float, ...] = (0.8, 0.7, 0.75, 0.7)):
    """Humans h0, h1, … and the judge (the last) with these chances of a right label; 3 grades."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (topics, docs))
    content: dict[str, dict[int, dict[int, int]]] = {}
    for k, p in enumerate(skill):
        said = np.where(rng.random(truth.shape) < p, truth, rng.integers(0, 3, truth.shape))
        who = "llm" if k == len(skill) - 1 else f"h{k}"
        content[who] = {t: {d: int(said[t, d]) for d in range(docs)} for t in range(topics)}
    return ds.Judgments.from_dict(content, scale="0..2"), content


@pytest.mark.parametrize("score", ["accuracy", "rmse", "ordinal"])
def test_slow_twin(score: str) -> None:
    j, content = small()
    ours = replaceability(j, "llm", people(j), score=score, epsilon=0.15, clusters=None)  # type: ignore[arg-type]
    clustered = replaceability(j, "llm", people(j), score=score, epsilon=0.15)  # type: ignore[arg-type]

    def near(a: int, others: list[int]) -> float:
        gap = np.abs(np.array(others) - a)
        return {"accuracy": (gap == 0).mean(), "rmse": -np.sqrt((gap**2).mean()), "ordinal": -gap.mean()}[score]

    humans = ["h0", "h1", "h2"]
    for row, in_topics, h in zip(ours.table.to_dicts(), clustered.table.to_dicts(), humans, strict=True):
        d, topic, wins = [], [], []
        for t in range(8):
            for doc in range(10):
                others = [content[o][t][doc] for o in humans if o != h]
                f, own = near(content["llm"][t][doc], others), near(content[h][t][doc], others)
                d.append(float(own >= f) - float(f >= own))
                wins.append(f >= own)
                topic.append(t)
        assert row["judge_nearer"] == pytest.approx(np.mean(wins))
        assert row["p_value"] == pytest.approx(stats.ttest_1samp(d, 0.15, alternative="less").pvalue)
        pulled = np.bincount(topic, np.array(d) - np.mean(d))
        se = np.sqrt(8 / 7 * (pulled**2).sum()) / 80
        assert in_topics["p_value"] == pytest.approx(stats.t.cdf((np.mean(d) - 0.15) / se, 7))


def people(j: ds.Judgments) -> list[str]:
    """Everybody but the judge."""
    return [a for a in j.assessors if a != "llm"]


def test_nobody_is_taken_for_a_human() -> None:
    """Coins passed beside gold and other judges, who counted as humans where none were named."""
    j, _ = small()
    with refused(InputError, "llm", "humans=["):
        replaceability(j, "llm")


def test_adjustment_is_scipys() -> None:
    p = np.random.default_rng(0).random((5, 7)) ** 2
    np.testing.assert_allclose(benjamini_yekutieli(p), [stats.false_discovery_control(x, method="by") for x in p])


def test_a_coin_is_refused_and_an_expert_accepted() -> None:
    skills = (0.7, 0.7, 0.7, 0.7)
    coin, _ = small(1, 20, 20, (*skills, 0.0))
    expert, _ = small(1, 20, 20, (*skills, 1.0))
    assert replaceability(coin, "llm", people(coin)).winning_rate == 0
    best = replaceability(expert, "llm", people(expert))
    assert best.winning_rate == 1
    assert best.passes
    assert phrase("replaceability.may-replace") in str(best)
    assert json.loads(best.to_json())["winning_rate"] == 1


def test_errors_on_one_topic_count_once_with_clusters() -> None:
    """A judge that fails on whole topics, at the edge of H0: units of documents reject far too often, topics do not."""
    rng = np.random.default_rng(5)
    rejected = {"topic": 0, None: 0}
    topics, docs, runs, margin = 15, 60, 60, 0.2
    empty = {f"t{t:02}": {f"d{d:02}": 0 for d in range(docs)} for t in range(topics)}
    template = ds.Judgments.from_dict(dict.fromkeys(("h0", "h1", "h2", "llm"), empty), scale="0..1")
    for _ in range(runs):
        truth = rng.integers(0, 2, (topics, docs))
        humans = [np.where(rng.random(truth.shape) < 0.85, truth, 1 - truth) for _ in range(3)]
        # where the judge contradicts, E[W^h − W^f] = .745 − .255 = .49; on .41 of the topics: .2 = ε
        bad = rng.random(topics) < 0.41
        judge = np.where(bad[:, None], 1 - humans[0], humans[0])
        j = template.with_grades(np.stack([*humans, judge], axis=2).ravel())  # rows go by document, then assessor
        for clusters in (None, "topic"):
            table = replaceability(j, "llm", ["h1", "h2"], epsilon=margin, clusters=clusters).table  # type: ignore[arg-type]
            rejected[clusters] += int(table["p_value"][0] < 0.05)
    assert rejected["topic"] <= 0.15 * runs
    assert rejected[None] >= 0.2 * runs


def test_one_topic_and_few_documents_are_told() -> None:
    one, _ = small(topics=1, docs=40)
    result = replaceability(one, "llm", people(one))
    assert result.units == "documents"
    assert any(phrase("replaceability.one-topic-only") in n for n in result.notes)
    tiny, _ = small(topics=2, docs=5)
    with refused(InputError, 30, "llm"):
        replaceability(tiny, "llm", people(tiny))


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"judge": "gpt"}, "judge='gpt'"),
        ({"judge": "llm", "humans": ["h9"]}, "humans='h9'"),
        ({"judge": "llm", "humans": ["llm", "h0"]}, "llm"),
        ({"judge": "llm", "score": "tau"}, 'score="tau"'),
        ({"judge": "llm", "epsilon": 2}, "epsilon=2"),
        ({"judge": "llm", "clusters": "doc"}, 'clusters="doc"'),
    ],
)
def test_wrong_arguments(options: dict[str, object], value: str) -> None:
    j, _ = small()
    with refused(InputError, value):
        replaceability(j, **{"humans": people(j), **options})  # type: ignore[arg-type]


def test_names_without_order_have_no_distance() -> None:
    j = ds.Judgments.from_dict({w: {1: dict.fromkeys(range(40), "cat")} for w in ("a", "b", "llm")})
    with refused(InputError, 'score="rmse"', "cat"):
        replaceability(j, "llm", ["a", "b"], score="rmse")


def test_two_topics_that_say_the_same_prove_little() -> None:
    """A difference without spread had p = 0, however few topics there were; a sign test knows how few they are."""
    grades = {t: {d: d % 3 for d in range(20)} for t in range(2)}
    off = {t: {d: (g + 1) % 3 for d, g in docs.items()} for t, docs in grades.items()}
    judged = ds.Judgments.from_dict({"ann": off, "bob": grades, "cyd": grades, "llm": grades}, scale="0..2")
    found = ds.replaceability(judged, "llm", humans=["ann", "bob", "cyd"])
    assert found.table.filter(assessor="ann")["p_value"].item() == 0.25
    assert not found.passes


def test_a_constant_difference_on_two_topics_is_no_proof() -> None:
    """FINDINGS A10: p was 0."""
    pattern = {"x": lambda i: i % 2, "y": lambda i: i // 2 % 2, "judge": lambda i: i % 2}
    labels = ds.Judgments.from_dict(
        {who: {t: {f"d{i}": grade(i) for i in range(40)} for t in "12"} for who, grade in pattern.items()}
    )
    found = replaceability(labels, "judge", ["x", "y"], epsilon=0.0)
    assert found.to_frame()["p_value"].to_list() == [1, 0.25]  # of four signs, one is as far
    assert found.winning_rate == 0
