"""Biases planted into judges: how often the bias table finds them, and how often it finds what is not there.

Generated topics and five systems; a binary judge that is right on 85 % of the documents, and on top of it, with
probability `strength`, calls relevant what the worst system shows in its top ranks (system), long documents (length),
or the documents of a third of the topics (topic). `strength` 0 is a fair judge: what is found then is found wrongly. A
second table asks, for a fair judge and for one that favours the worst system, whether it may replace one of three human
assessors on documents and for ordering systems.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.inference.judge_bias import judge_bias
from dissensus.judging.leaderboard_replaceability import leaderboard_replaceability
from dissensus.judging.replaceability import replaceability
from dissensus.studies.study import Request, StudyOutcome
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.executor import run_units

TOP = 8  # ranks of a system that a favouring judge looks at
Grid = NDArray[np.int64]
FEATURE = {"system": "shown by s4", "length": "document length (log)", "topic": "topic"}
NOISE = (0.6, 0.9, 1.2, 1.6, 2.2)

SETTINGS: Values = {"topics": 25, "documents": 40, "trials": 20, "strengths": (0.0, 0.2, 0.5, 1.0)}


def run(request: Request) -> StudyOutcome:
    s = request.settings
    size = {"topics": s["topics"], "documents": s["documents"]}
    cells = [("nothing", 0.0)] + [(k, x) for k in FEATURE for x in s["strengths"] if x > 0]
    units = [(kind, strength) for kind, strength in cells for _ in range(s["trials"])]
    found = run_units(one_audit, units, shared=size, seed=request.seed, progress="audits")
    rows = []
    for i, (kind, strength) in enumerate(cells):
        part = found[i * s["trials"] : (i + 1) * s["trials"]]
        hit = [FEATURE.get(kind) in names for names in part]
        other = [any(n != FEATURE.get(kind) for n in names) for names in part]
        rows.append((kind, strength, s["trials"], None if kind == "nothing" else np.mean(hit), float(np.mean(other))))
    schema = {
        "planted": pl.String,
        "strength": pl.Float64,
        "trials": pl.Int64,
        "found": pl.Float64,
        "others": pl.Float64,
    }
    kinds = [k for k in ("fair", "partial") for _ in range(s["trials"])]
    boards = run_units(one_leaderboard, kinds, shared=size, seed=request.seed + 1, progress="leaderboards")
    passed = [
        (kind, *np.mean(boards[i * s["trials"] : (i + 1) * s["trials"]], axis=0))
        for i, kind in enumerate(("fair", "partial"))
    ]
    names = ["judge", "passes on documents", "passes on the leaderboard"]
    return StudyOutcome(
        tables={
            "biases": pl.DataFrame(rows, schema=schema, orient="row"),
            "replaceability": pl.DataFrame(passed, schema=names, orient="row"),
        },
        notes=[
            "found: share of audits in which the planted bias has an adjusted p below .05; others: some other feature",
            "a judge that favours one system is too strict on the others' documents, too: features are not independent",
        ],
    )


def one_audit(unit: tuple[str, float], topics: int, documents: int, rng: np.random.Generator) -> list[str]:
    """The features that the bias table finds in one generated audit of all documents."""
    kind, strength = unit
    truth, scores = world(topics, documents, rng, NOISE)
    words = rng.integers(20, 400, truth.shape)
    wrongly = rng.random(truth.shape) < strength
    if kind == "system":
        wrongly &= top_of(scores[-1])
    elif kind == "length":
        wrongly &= words > 250
    elif kind == "topic":
        wrongly &= (rng.random(topics) < 1 / 3)[:, None]
    judge = np.where(wrongly, 1, with_errors(truth, rng, 0.85))
    texts = {f"t{t}d{d}": "w " * int(words[t, d]) for t in range(topics) for d in range(documents)}
    labels = judgments_of({"gold": truth, "judge": judge})
    return judge_bias(labels, "judge", "gold", runs=runs_of(scores), documents=texts).found()


def one_leaderboard(unit: str, topics: int, documents: int, rng: np.random.Generator) -> tuple[float, float]:
    """Whether the judge passes on documents, and on the leaderboard."""
    truth, scores = world(topics, documents, rng, (0.3, 0.6, 0.9, 1.3, 1.9, 3.0))
    said = {f"h{k}": with_errors(truth, rng, 0.85) for k in range(3)}
    judge = with_errors(truth, rng, 0.9 if unit == "fair" else 0.97)
    said["judge"] = np.where(top_of(scores[-1]), 1, judge) if unit == "partial" else judge
    labels, humans = judgments_of(said), ["h0", "h1", "h2"]
    by_document = replaceability(labels, "judge", humans).winning_rate >= 0.5
    by_order = leaderboard_replaceability(runs_of(scores), labels, "judge", humans, "P@10").winning_rate >= 0.5
    return float(by_document), float(by_order)


# ── the generated world ──
def world(
    topics: int, documents: int, rng: np.random.Generator, noise: tuple[float, ...]
) -> tuple[Grid, list[NDArray[np.float64]]]:
    """True binary grades, and the scores of systems: the grade plus noise of a given size."""
    truth = (rng.random((topics, documents)) < 0.35).astype(np.int64)
    return truth, [truth + rng.normal(0, sd, truth.shape) for sd in noise]


def with_errors(truth: Grid, rng: np.random.Generator, accuracy: float) -> Grid:
    return np.where(rng.random(truth.shape) < accuracy, truth, 1 - truth)


def top_of(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Documents in the top ranks of a system."""
    shown = np.zeros(scores.shape, bool)
    np.put_along_axis(shown, np.argsort(-scores, axis=1)[:, :TOP], True, axis=1)
    return shown


def _ids(shape: tuple[int, ...]) -> pl.DataFrame:
    pairs = [(f"t{t}", f"t{t}d{d}") for t in range(shape[0]) for d in range(shape[1])]
    return pl.DataFrame(pairs, schema=["topic", "doc"], orient="row")


def judgments_of(said: dict[str, Grid]) -> Judgments:
    frames = [_ids(g.shape).with_columns(assessor=pl.lit(who), grade=pl.Series(g.ravel())) for who, g in said.items()]
    return Judgments.from_frame(pl.concat(frames), scale="0..1")


def runs_of(scores: list[NDArray[np.float64]]) -> Runs:
    frames = [
        _ids(s.shape).with_columns(system=pl.lit(f"s{k}"), score=pl.Series(s.ravel())) for k, s in enumerate(scores)
    ]
    return Runs.from_frame(pl.concat(frames))
