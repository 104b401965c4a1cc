"""Everybody's word against the truth, on the generated collection where the truth is known.

>>> from dissensus.io.samples import generated_collection
>>> frame = against_truth(generated_collection(topics=20), "P(rel=2)@10", assessor="llm")
>>> frame.columns
['system', 'truth', 'naive', 'corrected', 'low', 'high', 'covered']
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from dissensus.inference.correction.api import correct
from dissensus.io.samples import Sample
from dissensus.measures.evaluate import Collection
from dissensus.results import Table, Tables
from dissensus.stats.correlation import kendall_tau


def against_truth(sample: Sample, measure: str, *, assessor: str, seed: int = 0) -> pl.DataFrame:
    """One row per system, best first: true score, naive score by `assessor`, corrected score with its interval."""
    found = correct(sample.runs, sample.judgments, sample.audit, measure, assessor=assessor, seed=seed)
    true = Collection(sample.runs, sample.truth).score(measure)
    means = np.nanmean(next(iter(true.values.values()))[0], axis=1)
    truth = pl.DataFrame({"system": list(true.systems), "truth": means})
    return (
        truth.join(found.table.select("system", "naive", "corrected", "low", "high"), on="system")
        .with_columns(covered=(pl.col("low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("high")))
        .sort("truth", descending=True)
    )


def truth_table(sample: Sample, measure: str, seed: int = 0, facts: Mapping[str, object] | None = None) -> Tables:
    """`against_truth` for the judge `llm` as a result, with what it sums up to."""
    frame = against_truth(sample, measure, assessor="llm", seed=seed)
    table = Table.of(frame, {"truth": "mean score using the true labels"}, level=0.95)
    return Tables({"against the truth": table}, notes=summary(frame), facts=facts or {})


def summary(frame: pl.DataFrame) -> list[str]:
    """Who came first by whom, how similar the orders are, and how often the interval holds the truth.

    Systems whose score the audit was too small to correct are counted, and left out of what compares corrected scores.
    """
    whole, frame = frame, frame.filter(frame["corrected"].is_not_nan())
    lost = whole.height - frame.height
    if frame.height < 2:
        return [f"the audit is too small to correct {lost} of the {whole.height} scores; generate more topics."]
    missing = (
        [f"not corrected, because the audit is too small for it: {lost} of {whole.height} systems"] if lost else []
    )

    def best(column: str) -> str:
        among = frame if column == "corrected" else whole
        return str(among.sort(column, descending=True, nulls_last=True)["system"][0])

    truth, naive, corrected = (frame[c].to_numpy() for c in ("truth", "naive", "corrected"))
    error = {c: float(np.sqrt(np.mean((frame[c].to_numpy() - truth) ** 2))) for c in ("naive", "corrected")}
    return [
        f"first by truth: {best('truth')}   naive: {best('naive')}   corrected: {best('corrected')}",
        f"error (root mean square)   naive: {error['naive']:.3f}   corrected: {error['corrected']:.3f}",
        f"order against the truth (τ)   naive: {kendall_tau(truth, naive):.2f}   "
        f"corrected: {kendall_tau(truth, corrected):.2f}",
        f"95% intervals that contain the truth: {int(frame['covered'].sum())} of {frame.height}",
        *missing,
    ]
