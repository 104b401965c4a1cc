"""The disagreement tables and figures: what is drawn agrees with what is exact."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import stated

import dissensus as ds
from dissensus.studies.disagreement import (
    SETTINGS,
    dependencies,
    disagreement_study,
    pair_table,
    picked,
)


def crowd(labels: int = 6, topics: int = 12, seed: int = 1) -> ds.Judgments:
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(topics):
        for d in range(20):
            taste = rng.dirichlet((2, 2, 1))
            for k in range(labels):
                rows.append((str(t), f"d{d}", f"w{k}", int(rng.choice(3, p=taste))))
    return ds.Judgments.from_frame(pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row"))


def test_tables_of_a_crowd():
    study = disagreement_study(crowd(), SETTINGS | {"draws": 30, "mutual": False})
    tables = study.frames
    assert set(tables) == {"Fig. 1", "Fig. 5", "Table 1", "Table 3", "Table 3, printed (FedWeb12)", "weights"}
    assert stated(study.notes, 2, 3)
    first = tables["Fig. 1"]
    assert first["n"].max() == 5
    # every draw is an unbiased picture of the exact value, and more labels make it sharper
    assert ((first["mean"] - first["exact"]).abs() < 4 * first["sd"] / np.sqrt(30)).all()
    spread = first.group_by("n", maintain_order=True).agg(pl.col("sd").mean())["sd"]
    assert spread[4] < spread[0]
    five = tables["Fig. 5"]
    assert five.filter(users=2)["counted"].to_list() == pytest.approx(five.filter(users=2)["predicted"].to_list())
    assert ((five["mean"] - five["counted"]).abs() < 5 * five["sd"] / np.sqrt(30)).all()
    assert (five["low"] <= five["predicted"]).all()


def test_picking_is_seeded():
    table = ds.disagreement(crowd()).table
    one, again = (picked(table, 3, None, np.random.default_rng(5)) for _ in "12")
    assert one.tolist() == again.tolist()


def test_paired_labels_beside_the_second_alone():
    rng = np.random.default_rng(2)
    rows = []
    for d in range(120):
        taste = rng.random()
        for who in "ab":
            good = rng.random() < taste
            snippet = "Sure" if rng.random() < (0.8 if good else 0.3) else "No"
            rows.append(("1", f"d{d}", who, snippet, "Key" if good else "Rel"))
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "snippet", "page"], orient="row")
    pairs = ds.Judgments.from_frame(frame, labels=["snippet", "page"], scale="No,Sure;Rel,Key")
    table = pair_table(pairs)
    assert table.row(0)[:3] == ("Sure", "Key", 1.0)
    weight = {(a, b): w for a, b, w in table.select("first", "second", "weight").rows()}
    assert weight["No", "Key"] < 1  # a poor snippet takes from a key page
    alone = ds.disagreement(pairs.facet("page")).weights(1, 3, zero=())
    assert table.filter(second="Rel")["second alone"].unique().to_list() == pytest.approx([alone["Rel"]])


def test_dependencies_by_depth_list_and_group():
    j = crowd(labels=2)
    runs = ds.Runs.from_dict(
        {s: {str(t): {f"d{(d + k) % 20}": 20.0 - d for d in range(20)} for t in range(12)} for k, s in enumerate("xy")}
    )
    table = dependencies(j, None, runs, (3, 10), {str(t): "even" if t % 2 == 0 else "odd" for t in range(12)})
    assert set(table["depth"]) == {"3", "10"}
    assert set(table["topics"]) == {"all", "even", "odd"}
    assert set(table["lists"]) == {"with a top label", "without"}
    assert table.filter(lists="without", topics="all")["p"].max() > 0  # one judge decides, the others are counted
