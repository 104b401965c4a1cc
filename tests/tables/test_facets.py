"""Labels of several columns are one class; gains say what it is worth."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from refusals import refused, stated
from shell import run

import dissensus as ds
from dissensus.errors import FileError, InputError, MeasureError, ScaleError
from dissensus.reporting.sections.label_columns import TITLE

COLUMNS = ["snippet", "page"]
SCALE = "No,Maybe,Sure;Non,Rel,Key"
WORTH = {"No, Non": 0.0, "Maybe, Rel": 0.2, "Sure, Rel": 0.3, "Maybe, Key": 0.5, "Sure, Key": 1.0}


def table(seed: int = 3, judges: tuple[str, ...] = ("ann", "bob")) -> pl.DataFrame:
    """Two columns of labels under names that no other file has, ids as numbers."""
    rng = np.random.default_rng(seed)
    labels = list(WORTH)
    rows = [
        (topic, 100 * topic + d, who, *labels[rng.integers(len(labels))].split(", "))
        for topic in range(1, 13) for d in range(12) for who in judges
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=["query_id", "item_id", "worker", "snippet", "page"], orient="row")


def runs(seed: int = 4) -> dict[str, dict[int, dict[int, float]]]:
    rng = np.random.default_rng(seed)
    return {s: {t: {100 * t + d: float(rng.random()) for d in range(12)} for t in range(1, 13)} for s in "xyz"}


def by_hand(labels: pl.DataFrame, who: str, gains: dict[str, float]) -> dict[str, float]:
    """DCG@5 of each system, from the definition."""
    worth = {(t, d): gains[f"{s}, {p}"] for t, d, w, s, p in labels.iter_rows() if w == who}
    out = {}
    for system, topics in runs().items():
        scores = []
        for topic, docs in topics.items():
            order = sorted(docs, key=lambda d: -docs[d])[:5]
            scores.append(sum(worth[topic, d] / np.log2(r + 2) for r, d in enumerate(order)))
        out[system] = float(np.mean(scores))
    return out


def test_several_columns_are_scored_by_their_gains() -> None:
    labels = table()
    measure = ds.measure("DCG@5").with_gains(WORTH)
    scores = ds.evaluate(runs(), labels, measure, labels=COLUMNS)[str(measure)].mean("topic")
    for who in ("ann", "bob"):
        for system, want in by_hand(labels, who, WORTH).items():
            assert float(scores.sel(assessor=who, system=system)) == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("name", ["nDCG@5", "nDCG", "DCG@3", "CG@5", "NCG@5", "RBP", "GAP"])
def test_classes_score_as_grades_that_stand_in_the_order_of_gains(name: str) -> None:
    labels = table()
    grade = {label: i for i, label in enumerate(sorted(WORTH, key=WORTH.__getitem__))}
    whole = pl.col("snippet") + ", " + pl.col("page")
    graded = labels.select("query_id", "item_id", "worker", grade=whole.replace_strict(grade))
    ordered = ds.measure(name).with_gains({grade[label]: worth for label, worth in WORTH.items()})
    classes = ds.measure(name).with_gains(WORTH)
    found = ds.evaluate(runs(), labels, classes, labels=COLUMNS).to_array().values
    assert found == pytest.approx(ds.evaluate(runs(), graded, ordered, scale="0..4").to_array().values, abs=1e-12)
    joined = ds.Collection(ds.Runs.from_dict(runs()), ds.Judgments.from_frame(labels, labels=COLUMNS))
    assert joined.evaluate(classes).to_array().values == pytest.approx(found, abs=1e-12)


def test_measures_without_gains_and_labels_without_gain_are_refused() -> None:
    labels = table()
    with refused(ScaleError, "P@5"):
        ds.evaluate(runs(), labels, [ds.measure("DCG@5").with_gains(WORTH), "P@5"], labels=COLUMNS)
    few = ds.measure("DCG@5").with_gains({label: worth for label, worth in WORTH.items() if label != "Maybe, Key"})
    with refused(MeasureError, "Maybe, Key"):
        ds.evaluate(runs(), labels, few, labels=COLUMNS)
    other = ds.measure("CG@5").with_gains({label: 1 - worth for label, worth in WORTH.items()})
    with refused(MeasureError, str(other)):
        ds.evaluate(runs(), labels, [ds.measure("DCG@5").with_gains(WORTH), other], labels=COLUMNS)


def test_names_without_an_order_need_gains_alone() -> None:
    labels = {"ann": {"q": {"a": "answered", "b": "spam", "c": "partly"}}}
    ranking = {"s": {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}}
    worth = ds.measure("DCG@2").with_gains({"answered": 1, "partly": 0.4, "spam": 0, "never given": 0.7})
    assert float(ds.evaluate(ranking, labels, worth).to_array().mean()) == pytest.approx(1 / np.log2(3))
    pairs = {"ann": {"q": {"a": ("Sure", "Key"), "b": ("No", 0)}}}
    tuples = ds.measure("CG@2").with_gains({("Sure", "Key"): 1, ("No", 0): 0.25})
    assert float(ds.evaluate({"s": {"q": {"b": 3.0, "a": 2.0}}}, pairs, tuples).to_array().mean()) == 1.25


def test_one_column_is_the_grade() -> None:
    labels = table()
    one = ds.agree(labels, labels=["page"], scale="Non,Rel,Key", replicates=99)
    assert one.alpha == ds.agree(labels, columns={"grade": "page"}, scale="Non,Rel,Key", replicates=99).alpha
    assert one.per_column.is_empty()


def test_agreement_of_each_column_is_that_of_the_column_alone() -> None:
    labels = table()
    found = ds.agree(labels, labels=COLUMNS, scale=SCALE, replicates=99)
    for column, scale in zip(COLUMNS, SCALE.split(";"), strict=True):
        alone = ds.agree(labels, labels=[column], scale=scale, replicates=99)
        row = found.to_frame("by column").row(by_predicate=pl.col("column") == column, named=True)
        assert (row["alpha"], row["alpha.low"]) == (float(alone.alpha), alone.alpha.low)
        assert row["equal"] == float(alone.percent)


def test_a_facet_is_the_column() -> None:
    labels = table()
    both = ds.Judgments.from_frame(labels, labels=COLUMNS, scale=SCALE)
    alone = ds.Judgments.from_frame(labels, columns={"grade": "page"}, scale="Non,Rel,Key")
    assert both.facet("page").to_frame().equals(alone.to_frame())
    with refused(InputError, "mood", "page"):
        both.facet("mood")


@pytest.mark.parametrize(
    ("keywords", "error", "value"),
    [
        ({"labels": ["snippet", "mood"]}, FileError, "mood"),
        ({"labels": ["page", "page"]}, InputError, "page"),
        ({"labels": []}, InputError, "labels="),
        ({"labels": COLUMNS, "scale": "Non,Rel,Key"}, ScaleError, "Non,Rel,Key"),
        ({"labels": COLUMNS, "scale": "No,Sure;Non,Rel,Key"}, ScaleError, "Maybe"),
        ({"labels": COLUMNS, "scale": {"mood": "a,b"}}, ScaleError, "mood"),
        ({"labels": COLUMNS, "threshold": 0.5}, InputError, "threshold="),
    ],
)
def test_wrong_columns_and_scales_are_refused(keywords, error: type[Exception], value: str) -> None:
    with refused(error, value):
        ds.agree(table(), **keywords)


def test_an_empty_cell_is_a_missing_label(tmp_path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("qid,doc,worker,snippet,page\n1,a,x,Sure,Key\n1,b,x,,Key\n1,c,x,No,Non\n")
    with refused(InputError, "labels.csv:3"):
        ds.read_judgments(path, labels=COLUMNS)
    kept = ds.read_judgments(path, labels=COLUMNS, missing="skip")
    assert kept.to_frame()["grade"].to_list() == ["Sure, Key", "No, Non"]


def test_commands_go_from_weights_to_scores_and_to_a_report(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    table().write_csv("users.csv")
    table(9, ("llm",)).write_csv("llm.csv")
    gold = table(11, ("gold",)).sample(fraction=0.5, seed=1).with_columns(inclusion=0.5)
    gold.write_csv("gold.csv")
    for system, topics in runs().items():
        lines = [f"{t} Q0 {d} 1 {x} {system}\n" for t, docs in topics.items() for d, x in docs.items()]
        (tmp_path / f"{system}.run").write_text("".join(lines))
    label = ["--label", "snippet", "--label", "page"]
    status, _, err = run(capsys, "weights", "users.csv", *label, "--scale", SCALE, "--zero", "*, Non", "-o", "w.json")
    assert status == 0, err
    gains = json.loads((tmp_path / "w.json").read_text())
    assert gains["Sure, Key"] == 1
    files = ["x.run", "y.run", "z.run"]
    status, out, err = run(capsys, "evaluate", *files, "-j", "users.csv", *label, "-m", "DCG@5", "--gains", "w.json",
                           "--json")  # fmt: skip
    assert status == 0, err
    rows = {(r["assessor"], r["system"]): r for r in json.loads(out)["tables"]["scores"]}
    assert rows["ann", "y"][str(ds.measure("DCG@5").with_gains(gains))] == pytest.approx(
        by_hand(table(), "ann", gains)["y"], abs=1e-12
    )
    audited = ["-j", "llm.csv", *label, "--audit", "gold.csv", "-m", "DCG@5", "--gains", "w.json"]
    status, out, err = run(capsys, "correct", *files, *audited, "--json")
    assert status == 0, err
    want = by_hand(table(11, ("gold",)), "gold", gains)
    for row in next(iter(json.loads(out)["tables"].values())):
        assert abs(row["corrected"] - want[row["system"]]) < 4 * row["se"]
    status, out, err = run(capsys, "compare", *files, *audited)
    assert status == 0, err
    status, out, err = run(capsys, "report", *files, *audited, "-o", "r.html")
    assert status == 0, err
    page = (tmp_path / "r.html").read_text()
    assert TITLE in page
    status, _, err = run(capsys, "correct", *files, *audited, "-m", "nDCG@5")
    assert status == 0, err


def test_modelled_ideals_are_refused_for_labels_without_an_order() -> None:
    """A model of ordered grades was off by 0.3 on a scale of 16 labels with few of the best."""
    gold = table(11, ("gold",)).sample(fraction=0.5, seed=1).with_columns(inclusion=0.5)
    worth = ds.measure("nDCG@5").with_gains(WORTH)
    found = ds.correct(runs(), table(9, ("llm",)), gold, worth, labels=COLUMNS)
    assert found.to_frame()["corrected"].is_nan().all()
    assert stated(found.notes, "nDCG", "DCG", "GAP")


def test_grades_whose_names_hold_commas_can_be_typed(tmp_path, capsys) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        'topic,doc,assessor,grade\n1,a,x,"yes, please"\n1,b,x,"no, thanks"\n1,a,y,"yes, please"\n1,b,y,"no, thanks"\n'
    )
    declared = ["--grade", "no, thanks", "--grade", "yes, please"]
    status, out, err = run(capsys, "agree", path, *declared, "--json")
    assert status == 0, err
    assert [r["grade"] for r in json.loads(out)["tables"]["by grade"]] == ["no, thanks", "yes, please"]
    status, _, err = run(capsys, "agree", path, *declared, "--scale", "0..1")
    assert status == 2
    assert "--scale and --grade" in err
