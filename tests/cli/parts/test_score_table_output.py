"""`--score-table` with `--gold`: compare, correct, gate and report."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from wording import phrase

import dissensus as ds
from dissensus.cli import main


@pytest.fixture(name="tables")
def _tables(tmp_path):
    """(--score-table …, --gold people) of a judge on 30 topics and people on 12 of them."""
    rng = np.random.default_rng(2)
    topic = rng.random(30)
    rows = {"llm": [], "people": []}
    for s, (shift, bias) in {"a": (0.0, 0.0), "b": (0.02, 0.3), "c": (0.3, 0.0)}.items():
        for t in range(30):
            score = topic[t] + shift + 0.03 * rng.normal()
            rows["llm"].append((s, f"t{t}", "quality", score + bias + 0.03 * rng.normal()))
            if t < 12:
                rows["people"].append((s, f"t{t}", "quality", score))
    out = []
    for name, held in rows.items():
        frame = pl.DataFrame(held, schema=["system", "topic", "measure", "value"], orient="row")
        frame.write_csv(tmp_path / f"{name}.csv")
        out += ["--score-table", str(tmp_path / f"{name}.csv")]
    return [*out, "--gold", "people"]


def test_compare_is_the_library_s(tables, capsys):
    assert main(["compare", *tables, "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    expected = ds.compare(ds.read_scores(tables[1], tables[3]), "quality", gold="people")
    assert [r["difference"] for r in held["tables"]["pairs"]] == pytest.approx([d.difference for d in expected.pairs])
    assert held["outcome"]["best"] == ["c"]  # the judge alone: b is as good
    assert main(["compare", *tables, "--target", "these_topics", "--explain"]) == 0
    assert phrase("score-table-output.corrected-people-topic-topic") in capsys.readouterr().out


def test_correct_and_its_table(tables, tmp_path, capsys):
    assert main(["correct", *tables, "-o", str(tmp_path / "c.csv")]) == 0
    table = pl.read_csv(tmp_path / "c.csv", comment_prefix="#")
    assert table["gold_topics"].to_list() == [12, 12, 12]
    expected = ds.correct_scores(ds.read_scores(tables[1], tables[3]), "quality", gold="people").table
    assert table.sort("system")["corrected"].to_list() == pytest.approx(expected.sort("system")["corrected"].to_list())
    capsys.readouterr()


def test_the_gate(tables, capsys):
    assert main(["gate", "a", "b", *tables, "--tolerance", "0.05"]) == 0
    assert main(["gate", "c", "b", *tables, "--tolerance", "0.05"]) == 1
    assert phrase("score-table-output.corrected-topic-topic-scores") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "--gold", "people"], "give --score-table"),
        (["correct", "--gold", "people"], "Give --score-table FILE"),
        (["correct"], phrase("score-table-output.no-runs")),
        (["correct", "--score-table", "llm.csv"], "--gold NAME"),
        (
            ["correct", "--score-table", "llm.csv", "--audit", "gold.csv"],
            phrase("score-table-output.audit-no-effect-here"),
        ),
        (
            ["gate", "a", "b", "--tolerance", "0", "--score-table", "llm.csv", "-j", "x"],
            phrase("score-table-output.judgments-no-effect"),
        ),
        (
            ["gate", "a", "b", "--tolerance", "0", "--gold", "people"],
            phrase("score-table-output.gold-names-judge-table"),
        ),
        (["report", "--gold", "people"], phrase("score-table-output.gold-names-judge-table")),
    ],
)
def test_what_is_refused(arguments, words, capsys):
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_hole_in_gold_is_an_error_with_its_flag(tables, tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    assert main(["compare", *tables]) == 2
    assert "--missing skip" in capsys.readouterr().err
    assert main(["compare", *tables, "--missing", "skip", "--explain"]) == 0
    assert phrase("score-table-output.topic-people-scores-some", 1) in capsys.readouterr().out
    assert main(["gate", "a", "c", *tables, "--tolerance", "0.05", "--missing", "skip"]) == 0
    assert main(["correct", *tables[:-1], "nobody"]) == 2
    assert phrase("score-table-output.gold-none-judges", "nobody") in capsys.readouterr().err


def test_the_leaderboards_of_several_judges(tmp_path, capsys):
    for judge, values in (("llm", (0.3, 0.2, 0.1)), ("people", (0.3, 0.1, 0.2))):
        rows = [f"{s},t{t},AP,{v + t / 100}" for s, v in zip("xyz", values, strict=True) for t in range(5)]
        (tmp_path / f"{judge}.csv").write_text("\n".join(["system,topic,measure,value", *rows]) + "\n")
    files = [w for j in ("llm", "people") for w in ("--score-table", str(tmp_path / f"{j}.csv"))]
    assert main(["compare", *files, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["tables"]
    assert shown["agreement"][0]["tau"] == pytest.approx(1 / 3)
    assert {r["system"]: (r["llm"], r["people"]) for r in shown["ranks"]} == {"x": (1, 1), "y": (2, 3), "z": (3, 2)}
    assert main(["compare", *files, "--assessor", "llm"]) == 0
