"""Three ways to label, and the pNoise each leaves: three grades, five grades, top-k preferences.

Niu, Lan, Guo, Wan & Cheng (2015), Table 3 in shape, with simulated annotators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError
from dissensus.label_noise.counting import PairCounts, count_pairs
from dissensus.learning.labelling import top_k_labelling
from dissensus.studies.study import Request, StudyOutcome
from dissensus.work.executor import run_units

if TYPE_CHECKING:
    pass

SHARES = {"three grades": (0.8, 0.12, 0.08), "five grades": (0.6, 0.2, 0.1, 0.06, 0.04)}

SETTINGS: Values = {
    "queries": 200,
    "documents": 50,
    "relevant": 0.08,
    "k": 10,
    "blur": (0.25, 0.5, 1.0),
    "annotators": 3,
}


def run(request: Request) -> StudyOutcome:
    """pNoise of grades and of top-k labelling for annotators who see worth (deviation 1) through noise of `blur`.

    Each query is labelled by every annotator; its pNoise is the mean over them. Gold: the top `relevant` share. The
    table has, by blur and method, the queries' mean pNoise with its standard error, and questions per query.
    """
    asked = request.settings
    shared = {name: asked[name] for name in ("documents", "relevant", "k", "annotators")}
    blur, queries = asked["blur"], asked["queries"]
    rules = (
        ("relevant", 0 < asked["relevant"] < 1, "the share of relevant documents, between 0 and 1"),
        ("documents", asked["documents"] >= 2, "how many a query has, at least 2"),
        ("blur", len(blur) > 0 and min(blur) >= 0, "deviations of the annotators' noise, at least 0"),
        ("queries", queries >= 1, "how many there are, at least 1"),
        ("annotators", asked["annotators"] >= 1, "how many there are, at least 1"),
        ("k", asked["k"] >= 1, "how many documents are put in order, at least 1"),
    )
    for name, fine, rule in rules:
        if not fine:
            raise InputError(f"{name}={asked[name]}: {rule}.")
    units = [(float(b), q) for b in blur for q in range(queries)]
    found = run_units(
        label_query, units, shared=shared, seed=request.seed, executor=request.workers, progress="queries"
    )
    rows = []
    for b in blur:
        here = [values for (level, _), values in zip(units, found, strict=True) if level == float(b)]
        for method in here[0]:
            noise = np.array([values[method][0] for values in here])
            noise = noise[~np.isnan(noise)]
            questions = float(np.mean([values[method][1] for values in here]))
            error = float(noise.std(ddof=1) / np.sqrt(len(noise))) if len(noise) > 1 else None
            rows.append((float(b), method, float(noise.mean()), error, questions))
    table = pl.DataFrame(rows, orient="row", schema=["blur", "method", "pnoise", "se", "questions"])
    notes = (
        f"{queries:,} simulated queries of {asked['documents']} documents, {asked['relevant']:.0%} relevant; "
        f"{asked['annotators']} annotators",
        f"blur: deviation of the noise through which worth (deviation 1) is seen; top k with k = {asked['k']}",
    )
    return StudyOutcome({"table": table}, notes)


def label_query(
    unit: tuple[float, int],
    *,
    documents: int,
    relevant: float,
    k: int,
    annotators: int,
    rng: np.random.Generator,
) -> dict[str, object]:
    """{method: (pNoise, questions)} of one query, the mean over its annotators."""
    blur, _ = unit
    worth = rng.normal(size=documents)
    gold = (worth >= np.quantile(worth, 1 - relevant)).astype(np.int64)
    out: dict[str, list[tuple[float, float]]] = {name: [] for name in (*SHARES, f"top {k}")}
    for _ in range(annotators):
        for name, shares in SHARES.items():
            out[name].append((_graded(worth, gold, shares, blur, rng).noise, float(documents)))

        def prefer(a: int, b: int) -> bool:
            return bool(worth[a] + blur * rng.normal() > worth[b] + blur * rng.normal())

        top = top_k_labelling(range(documents), prefer, k)
        grade = np.zeros(documents, np.int64)
        grade[list(top.order)] = np.arange(len(top.order), 0, -1)
        out[f"top {k}"].append((count_pairs(gold, grade).noise, float(top.questions)))
    return {name: tuple(np.mean(values, axis=0).tolist()) for name, values in out.items()}


def _graded(
    worth: Floats, gold: NDArray[np.int64], shares: Sequence[float], blur: float, rng: np.random.Generator
) -> PairCounts:
    """Grades of an annotator who knows where the levels lie and sees each document once."""
    cuts = np.quantile(worth, np.cumsum(shares)[:-1])
    return count_pairs(gold, np.searchsorted(cuts, worth + blur * rng.normal(size=len(worth))))
