"""The generated collection keeps its promises: one seed one collection, a fooled judge, an honest audit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from refusals import refused

from dissensus.errors import InputError
from dissensus.io.api import read_audit, read_judgments, read_runs
from dissensus.io.samples import generated_collection

SAMPLE = generated_collection(seed=0, topics=50)


def precision_at_10(labels: pl.DataFrame) -> dict[str, float]:
    """P(rel=2)@10 by system, counted by hand."""
    runs = SAMPLE.runs.to_frame().with_columns(rank=pl.int_range(pl.len()).over("system", "topic"))
    top = runs.filter(pl.col("rank") < 10).join(labels, on=["topic", "doc"], how="left")
    means = top.group_by("system").agg((pl.col("grade").fill_null(0) >= 2).mean().alias("p"))
    return dict(means.iter_rows())


def test_one_seed_one_collection() -> None:
    again = generated_collection(seed=0, topics=50)
    other = generated_collection(seed=1, topics=50)
    assert again.judgments.to_frame().equals(SAMPLE.judgments.to_frame())
    assert not other.judgments.to_frame().equals(SAMPLE.judgments.to_frame())


def test_more_topics_leave_the_first_ones_alone() -> None:
    few = generated_collection(seed=0, topics=3)
    assert few.runs.to_frame().equals(SAMPLE.runs.select(topics=["q01", "q02", "q03"]).to_frame())


def test_the_llm_judge_prefers_the_wrong_system() -> None:
    truth = precision_at_10(SAMPLE.truth.to_frame())
    labels = SAMPLE.judgments.to_frame()
    llm = precision_at_10(labels.filter(pl.col("assessor") == "llm"))
    assert max(truth, key=lambda s: truth[s]) == "crossenc"
    assert max(llm, key=lambda s: llm[s]) == "llm-rerank"
    assert truth["crossenc"] - truth["llm-rerank"] > 0.1


def test_assessors_differ_in_skill_as_described() -> None:
    joined = SAMPLE.judgments.to_frame().join(SAMPLE.truth.to_frame(), on=["topic", "doc"], suffix="_true")
    right = dict(
        joined.group_by("assessor").agg((pl.col("grade") == pl.col("grade_true")).mean().alias("share")).iter_rows()
    )
    assert right["ann"] > right["ben"] > right["eve"]
    assert right["eve"] < 0.45
    bias = dict(
        joined.group_by("assessor").agg((pl.col("grade") - pl.col("grade_true")).mean().alias("bias")).iter_rows()
    )
    assert bias["cyd"] > 0.2 > -0.1 > bias["dee"]


def test_the_audit_is_drawn_with_the_probabilities_it_names() -> None:
    audit = SAMPLE.audit
    assert audit.inclusion is not None
    pool = SAMPLE.truth.n_items
    estimate = (1 / audit.inclusion).sum()
    error = np.sqrt(((1 - audit.inclusion) / audit.inclusion**2).sum())
    assert abs(estimate - pool) < 3 * error
    gold = audit.to_frame().join(SAMPLE.truth.to_frame(), on=["topic", "doc"], suffix="_true")
    assert gold.height == len(audit)
    assert (gold["grade"] == gold["grade_true"]).all()


def test_files_read_back(tmp_path: Path) -> None:
    sample = generated_collection(seed=3, topics=2)
    files = sample.write(tmp_path)
    assert len(files) == 13
    assert read_runs(tmp_path / "runs" / "*.run").to_frame().equals(sample.runs.to_frame())
    assert read_judgments(tmp_path / "labels.csv").to_frame().equals(sample.judgments.to_frame())
    assert read_audit(tmp_path / "audit.csv").to_frame().equals(sample.audit.to_frame())


def test_no_topics_is_refused() -> None:
    with refused(InputError, "topics=0"):
        generated_collection(topics=0)
