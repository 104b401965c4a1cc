"""`dissensus plan --order` and `dissensus compare --anytime`: a committed order, graded from the top."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.io.samples import generated_collection

MEASURE = "P(rel=2)@10"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    sample = generated_collection(topics=10)
    sample.write(folder)
    runs = [str(folder / "runs" / f"{name}.run") for name in ("crossenc", "llm-rewrite")]
    words = ["-j", str(folder / "labels.csv"), "--assessor", "llm", "-m", MEASURE]
    assert main(["plan", *runs, *words, "--order", "--sample", str(folder / "order.csv"), "--seed", "2"]) == 0
    truth = pl.read_csv(folder / "truth.csv", infer_schema=False).select("topic", "doc", answer="grade")
    order = pl.read_csv(folder / "order.csv", infer_schema=False).join(truth, on=["topic", "doc"], how="left")
    graded = order.with_columns(grade=pl.when(pl.col("draw").cast(int) <= 70).then("answer")).drop("answer")
    graded.write_csv(folder / "graded.csv")
    return folder


def _compare(study: Path, *more: str, audit: str = "graded.csv", systems: int = 2) -> list[str]:
    runs = [str(study / "runs" / f"{name}.run") for name in ("crossenc", "llm-rewrite", "bm25")[:systems]]
    words = ["-j", str(study / "labels.csv"), "--assessor", "llm", "-m", MEASURE, "--anytime"]
    return ["compare", *runs, *words, *(["--audit", str(study / audit)] if audit else []), *more]


def test_labels_of_an_order_are_looked_at_after_every_one(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(_compare(study, "--json")) == 0
    out = json.loads(capsys.readouterr().out)
    assert [row["labels"] for row in out["tables"]["looks"]] == list(range(1, 71))
    assert out["decided_at"] is None or out["decided_at"] <= 70
    assert main(_compare(study)) == 0
    text = capsys.readouterr().out
    assert "58 more rows" in text
    assert phrase("parts-anytime.at-closing") in text


def test_a_chart_of_the_looks_is_drawn(study: Path, tmp_path: Path) -> None:
    assert main(_compare(study, "--plot", str(tmp_path / "looks.svg"))) == 0
    assert (tmp_path / "looks.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("audit", "systems", "words"),
    [
        ("", 2, "needs --audit"),
        ("audit.csv", 2, phrase("parts-anytime.not-given-committed-order")),
        ("graded.csv", 3, phrase("parts-anytime.leaves-out")),
    ],
)
def test_what_cannot_be_followed_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str], audit: str, systems: int, words: str
) -> None:
    assert main(_compare(study, audit=audit, systems=systems)) == 2
    assert words in capsys.readouterr().err
