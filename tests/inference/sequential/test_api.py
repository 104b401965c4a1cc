from __future__ import annotations

import json
from functools import cache

import polars as pl
import pytest

import dissensus as ds
from dissensus.data.samples import generated_collection
from dissensus.errors import InputError, JudgmentError
from dissensus.inference.sequential.result import Verdicts

MEASURE = "P(rel=2)@10"
PAIR = ("crossenc", "llm-rewrite")


@cache
def _sample():
    sample = generated_collection(topics=12)
    truth = {(t, d): g for t, d, _, g in sample.truth.to_frame().iter_rows()}
    return sample.runs, sample.judgments.select(assessors=["llm"]), truth


def _played(n: int | None = None, **options):
    runs, llm, truth = _sample()
    followed = ds.Sequential(runs, llm, MEASURE, **{"systems": PAIR, "seed": 1, **options})
    while followed.next() and (followed.labels < n if n is not None else followed.decided_at is None):
        topic, doc = followed.next()[0]
        followed.add(topic, doc, truth[topic, doc])
    return followed


def _difference(a: str, b: str | None = None) -> float:
    runs, _, truth = _sample()
    gold = ds.Judgments.from_dict({"g": {t: {d: g for (q, d), g in truth.items() if q == t} for t in runs.topics}})
    means = ds.evaluate(runs, gold, [MEASURE])[MEASURE].mean("topic").squeeze("assessor")
    return float(means.sel(system=a)) - (0.0 if b is None else float(means.sel(system=b)))


def test_a_pair_is_followed_to_its_decision():
    followed = _played()
    result = followed.result()
    assert result.table.columns == ["labels", "a", "b", "estimate", "low", "high", "decided"]
    assert result.table["labels"].to_list() == list(range(1, followed.labels + 1))
    assert result.decided_at == followed.labels == result.table.filter("decided")["labels"][0]
    assert result.verdict.winner == "crossenc"
    assert result.table["low"][-1] > 0
    assert result.forecast == result.decided_at


def test_at_the_end_of_the_order_the_set_is_the_truth():
    runs, llm, truth = _sample()
    followed = ds.Sequential(runs, llm, MEASURE, systems=PAIR)
    for topic, doc in reversed(followed.next(10_000)):
        followed.add(topic, doc, truth[topic, doc])
    last = followed.table.row(-1, named=True)
    assert (last["low"], last["high"]) == pytest.approx([_difference(*PAIR)] * 2, abs=1e-9)


def test_labels_that_come_out_of_order_wait_for_the_gap():
    runs, llm, truth = _sample()
    straight, crooked = (ds.Sequential(runs, llm, MEASURE, systems=PAIR, seed=4) for _ in range(2))
    first = straight.next(20)
    for t, d in first:
        straight.add(t, d, truth[t, d])
    for t, d in first[5:] + first[1:5]:
        crooked.add(t, d, truth[t, d])
    assert (crooked.labels, crooked.waiting, crooked.next()) == (0, 19, [first[0]])
    assert "19 labels wait" in crooked.notes()[0]
    crooked.add(*first[0], truth[first[0]])
    assert crooked.table.equals(straight.table)


def test_strangers_and_contradictions_are_refused_and_changes_are_followed_again():
    followed = _played(12)
    topic, doc = followed.order.select("topic", "doc").row(3)
    grade = _sample()[2][topic, doc]
    with pytest.raises(JudgmentError, match="not in the committed order"):
        followed.add(topic, "unheard-of", 1)
    with pytest.raises(JudgmentError, match="already"):
        followed.add(topic, doc, 3 - grade)
    before = followed.table
    followed.change(topic, doc, 3 - grade)
    assert followed.labels == 12
    assert not followed.table.equals(before)
    followed.change(topic, doc, grade)
    assert followed.table.equals(before)


def test_a_file_of_the_order_gives_what_the_incremental_form_gives(tmp_path):
    runs, llm, truth = _sample()
    plan = ds.plan(runs, llm, measure=MEASURE, systems=PAIR, order=True, seed=9)
    frame = plan.sample
    assert frame["draw"].to_list() == list(range(1, frame.height + 1))
    graded = [truth[t, d] if i < 40 else None for i, (t, d) in enumerate(frame.select("topic", "doc").iter_rows())]
    whole = frame.with_columns(grade=pl.Series(graded))
    whole.write_csv(tmp_path / "order.csv")
    followed = ds.Sequential(runs, llm, MEASURE, systems=PAIR, order=frame)
    for t, d in followed.next(40):
        followed.add(t, d, truth[t, d])
    read = ds.sequential(runs, llm, ds.read_audit(tmp_path / "order.csv"), MEASURE, systems=PAIR)
    start = ds.sequential(runs, llm, whole.head(40).sample(fraction=1, shuffle=True, seed=1), MEASURE, systems=PAIR)
    for result in (read, start):
        for column in ("estimate", "low", "high"):
            assert result.table[column].to_list() == pytest.approx(followed.table[column].to_list(), abs=1e-9)
    assert read.closing.estimate == pytest.approx(followed.closing().estimate)


def test_an_order_is_for_differences_unless_it_is_planned_for_scores():
    runs, llm, _ = _sample()
    pair = runs.select(systems=list(PAIR))
    sizes = [ds.plan(pair, llm, measure=MEASURE, order=True, purpose=p).sample.height for p in (None, "scores")]
    assert sizes[0] == ds.Sequential(pair, llm, MEASURE).order.height
    assert sizes[0] < sizes[1] == ds.Sequential(pair, llm, MEASURE, scores=True).order.height


def test_the_beginning_of_an_order_for_all_systems_serves_a_pair():
    runs, llm, truth = _sample()
    frame = ds.plan(runs, llm, measure=MEASURE, order=True, seed=2).sample
    grades = pl.Series([truth[t, d] for t, d in frame.select("topic", "doc").iter_rows()])
    whole = frame.with_columns(grade=pl.when(pl.col("draw") <= 60).then(grades))
    tables = [ds.sequential(runs, llm, f, MEASURE, systems=PAIR).table for f in (whole, whole.head(60))]
    assert tables[0]["low"].to_list() == pytest.approx(tables[1]["low"].to_list(), abs=1e-9)
    with pytest.raises(InputError, match="do not follow from these runs"):
        ds.sequential(runs, llm, whole.head(60).with_columns(pl.col("rate") * 2), MEASURE, systems=PAIR)


def test_several_pairs_are_decided_by_holm_and_name_the_right_winners():
    systems = ("crossenc", "colbert", "llm-rewrite")
    followed = _played(systems=systems)
    verdict = followed.verdict
    assert isinstance(verdict, Verdicts)
    assert verdict.open == 0
    for v in verdict.each:
        assert _difference(v.winner, v.loser) > 0
    table = followed.table
    assert table["labels"].max() == followed.decided_at
    assert table.filter(pl.col("labels") == followed.decided_at).height == 3
    assert followed.forecast == followed.decided_at


def test_one_score_is_followed_until_it_is_known_well_enough():
    followed = _played(systems=("crossenc",), margin=0.06)
    assert followed.verdict.state == "precise"
    low, high = followed.table.select("low", "high").row(-1)
    assert high - low <= 0.12
    assert low <= _difference("crossenc") <= high
    scores = _played(30, systems=PAIR, scores=True)
    assert scores.table["b"].null_count() == scores.table.height


def test_equivalence_alone_is_found_no_later_than_within_the_set():
    alone = _played(systems=("bm25", "dense"), margin=0.3, question="equivalence", kind="exact")
    both = _played(systems=("bm25", "dense"), margin=0.3, kind="exact")
    assert alone.verdict.state == "equivalent"
    assert alone.decided_at <= both.decided_at


def test_new_topics_widen_the_set_and_each_part_is_named():
    here, everywhere = _played(60), _played(60, target="population")
    parts = everywhere.result().details
    assert parts["topics"].min() > 0
    assert here.result().details["topics"].to_list() == [0.0] * 60
    low = everywhere.table["low"] + parts["topics"]
    assert (low[:30] <= here.table["low"][:30] + 1e-9).all()  # the same bets at half of the error


def test_documents_that_cannot_be_judged_are_bounded():
    runs, llm, truth = _sample()
    followed = ds.Sequential(runs, llm, MEASURE, systems=PAIR)
    for i, (t, d) in reversed(list(enumerate(followed.next(10_000)))):
        followed.add(t, d, None if i in (2, 7) else truth[t, d])
    low, high = followed.table.select("low", "high").row(-1)
    assert high - low == pytest.approx(2 / 120)
    assert low - 1e-9 <= _difference(*PAIR) <= high + 1e-9
    assert "no assessor could judge" in followed.notes()[0]


def test_assessors_are_drawn_with_the_order_and_their_disagreement_widens_the_set():
    runs, llm, truth = _sample()
    followed = [
        ds.Sequential(runs, llm, MEASURE, systems=PAIR, assessors=("ann", "ben"), mean_assessor=mean, seed=3)
        for mean in (False, True)
    ]
    assert followed[0].order.columns[-1] == "assessor"
    assert set(followed[0].order["assessor"]) == {"ann", "ben"}
    for one in followed:
        for i, (t, d, who) in enumerate(one.order.select("topic", "doc", "assessor").head(40).iter_rows()):
            one.add(t, d, truth[t, d], who)
            other = {"ann": "ben", "ben": "ann"}[who]
            one.add(t, d, 3 - truth[t, d] if i % 10 == 0 else truth[t, d], other)
    part = followed[1].result().details["assessors"]
    assert part[-1] > 0
    assert followed[1].table["low"][-1] < followed[0].table["low"][-1]


def test_what_cannot_be_followed_is_refused_with_the_way_out():
    runs, llm, truth = _sample()
    with pytest.raises(InputError, match="not linear") as refused:
        ds.Sequential(runs, llm, "nDCG@10", systems=PAIR)
    assert "whole topics" in str(refused.value)
    gold = ds.Judgments.from_dict({"g": {"q01": {d: g for (t, d), g in truth.items() if t == "q01"}}})
    with pytest.raises(InputError, match="committed order"):
        ds.sequential(runs, llm, gold, MEASURE, systems=PAIR)
    pair = ds.plan(runs, llm, measure=MEASURE, systems=PAIR, order=True).sample.with_columns(grade=pl.lit(1))
    with pytest.raises(InputError, match="leaves out"):
        ds.sequential(runs, llm, pair, MEASURE, systems=("bm25", "dense"))


def test_the_result_goes_to_json():
    data = json.loads(_played(20).result().to_json())
    assert (data["schema"], data["labels"], len(data["table"])) == (1, 20, 20)
    assert data["verdict"]["state"] == "open"


@pytest.mark.parametrize(
    "measure",
    ["DCG@5", "RBP(p=0.8)@10", "DCG(dcg='exp-log2')@10", "DCG(gains={0: 1, 1: 2, 2: 4, 3: 8})@5", "CG@3"],
)
def test_every_linear_measure_ends_at_its_difference(measure):
    runs, llm, truth = _sample()
    short = runs.to_frame().filter(~((pl.col("system") == "bm25") & pl.col("topic").is_in(["q01", "q02"])))
    runs = ds.Runs.from_frame(short.group_by("system", "topic", maintain_order=True).head(12))
    gold = ds.Judgments.from_dict({"g": {t: {d: g for (q, d), g in truth.items() if q == t} for t in runs.topics}})
    means = ds.evaluate(runs, gold, [measure])[measure].mean("topic").squeeze("assessor")
    systems = ("bm25", "dense", "crossenc")
    for chosen in (systems[:2], systems):
        followed = ds.Sequential(runs, llm, measure, systems=chosen)
        labels = [(t, d, truth[t, d]) for t, d in followed.next(10_000)]
        for label in reversed(labels):  # all wait for the first
            followed.add(*label)
        for row in followed.table.filter(pl.col("labels") == len(labels)).iter_rows(named=True):
            difference = float(means.sel(system=row["a"]) - means.sel(system=row["b"]))
            assert (row["low"], row["high"]) == pytest.approx((difference, difference), abs=1e-8)
            assert row["decided"]
        verdicts = followed.verdict.each if len(chosen) > 2 else (followed.verdict,)
        for v in verdicts:
            assert float(means.sel(system=v.winner)) > float(means.sel(system=v.loser))
