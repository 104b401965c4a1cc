"""May a calibration be used for a run it was not made with?

A judge that was audited on the documents of some runs is calibrated for documents like those. A new run may show
others. Two numbers say whether the calibration carries over:

- `unlike`: the share of the new run's weight in the measure that lies on documents which no calibrated run shows at
  ranks that count, or which carry no label of the judge;
- on a *probe*, audited documents of the new run: the mean residual Σ (w/π)(v(G) − f(J)) per topic, with a t
  interval over topics, f(J) fitted on the calibration's audit alone. It is held against a margin δ in units of the
  score: inside ±δ: pass; outside: fail; neither: cannot tell.

Without a probe the answer is "cannot tell" unless hardly any weight (5 %) is on documents unlike the calibrated ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.inference.judge_bias import audited_pairs
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Linear
from dissensus.results import Result, Table
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

Outcome = Literal["pass", "fail", "cannot tell"]
HARDLY = 0.05
LEAST_TOPICS = 5


@dataclass(frozen=True, eq=False)
class CarryOver(Result):
    """`outcome` for one new system: "pass", "fail" or "cannot tell".

    `unlike` is a share of its weight; `residual` on the probe comes with its interval (NaN without a probe).
    """

    system: str
    measure: str
    margin: float
    outcome: Outcome
    unlike: float
    residual: float
    low: float
    high: float
    probed: int
    n_topics: int

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"carry-over": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        return pl.DataFrame([vars(self)])

    def __str__(self) -> str:
        text = (
            f"{self.system}: {self.outcome}. {self.unlike:.1%} of its weight is on documents unlike the calibrated ones"
        )
        if np.isnan(self.residual):
            return f"{text}; no probe."
        return (
            f"{text}; on {self.probed:,} probed documents of {self.n_topics} topics the calibrated score is off by "
            f"{self.residual:+.3f} [{self.low:+.3f}, {self.high:+.3f}], margin {self.margin:g}."
        )


def carry_over(
    calibrated: Runs,
    new: Runs,
    judgments: Judgments,
    judge: str,
    audit: Audit | str,
    measure: str,
    *,
    margin: float,
    probe: Audit | None = None,
) -> list[CarryOver]:
    """Whether the calibration of `judge` by `audit` on the `calibrated` runs holds for every system of `new`."""
    found = named(measure) if isinstance(measure, str) else measure
    if not isinstance(found, Linear):
        raise InputError(
            f"{found} is not linear in the labels; carry-over is for measures such as P@10, RBP, DCG@10.",
            "Choose a linear measure.",
        )
    if not margin > 0:
        raise InputError(f"margin={margin!r} must be above 0.", "It is in units of the score, for example margin=0.02.")
    pairs, low, _ = audited_pairs(judgments, judge, audit)
    values = np.asarray(found.values(judgments.scale), np.float64)
    fitted = _fitted(pairs, values, low)
    shown = _weights(calibrated, found).select("topic", "doc").unique()
    labelled = judgments.select(assessors=[judge])
    weights = _weights(new, found)
    probes = None if probe is None else audited_pairs(judgments, judge, probe)[0]
    if probes is not None:
        error = values[probes["gold"].to_numpy() - low] - fitted[probes["label"].to_numpy() - low]
        probes = probes.with_columns(error=error)
    return [_outcome(s, str(found), weights, shown, labelled, probes, margin) for s in sorted(set(weights["system"]))]


def _weights(runs: Runs, measure: Linear) -> pl.DataFrame:
    """system, topic, doc, weight of all documents that count."""
    frame = runs.to_frame().sort(["system", "topic", "score", "doc"], descending=[False, False, True, True])
    frame = frame.with_columns(rank=pl.int_range(0, pl.len()).over("system", "topic"))
    deepest = frame["rank"].max()
    table = np.asarray(measure.weights(int(str(deepest)) + 1), np.float64).copy()
    if measure.cutoff is not None:
        table[measure.cutoff :] = 0
    return (
        frame.with_columns(weight=pl.Series(table[frame["rank"].to_numpy()]))
        .filter(pl.col("weight") != 0)
        .select("system", "topic", "doc", "weight")
    )


def _fitted(pairs: pl.DataFrame, values: Floats, low: int) -> Floats:
    """f(J): mean gold value of each label, weighted by 1/π; the overall mean where a label was not audited."""
    w = 1 / pairs["inclusion"].to_numpy()
    v = values[pairs["gold"].to_numpy() - low]
    label = pairs["label"].to_numpy() - low
    total, size = np.bincount(label, w * v, len(values)), np.bincount(label, w, len(values))
    overall = float((w * v).sum() / w.sum())
    return np.asarray(np.divide(total, size, out=np.full(len(values), overall), where=size > 0), np.float64)


def _outcome(
    system: str,
    measure: str,
    weights: pl.DataFrame,
    shown: pl.DataFrame,
    labelled: Judgments,
    probes: pl.DataFrame | None,
    margin: float,
) -> CarryOver:
    """One system; `probes` are its audited documents with the error of what the calibration says of them."""
    from scipy.special import stdtrit

    mine = weights.filter(pl.col("system") == system)
    judged = labelled.to_frame().select("topic", "doc")
    like = mine.join(shown, on=["topic", "doc"], how="semi").join(judged, on=["topic", "doc"], how="semi")
    unlike = 1 - float(like["weight"].abs().sum()) / float(mine["weight"].abs().sum())
    hardly: Outcome = "pass" if unlike <= HARDLY else "cannot tell"
    nothing = CarryOver(system, measure, margin, hardly, unlike, np.nan, np.nan, np.nan, 0, 0)
    if probes is None:
        return nothing
    probed = mine.join(probes, on=["topic", "doc"])
    topics = sorted(set(mine["topic"]))
    if len(set(probed["topic"])) < 2:
        return nothing
    place = {t: i for i, t in enumerate(topics)}
    code = np.array([place[t] for t in probed["topic"]])
    off = probed["error"].to_numpy()
    per_topic = np.bincount(code, probed["weight"].to_numpy() * off / probed["inclusion"].to_numpy(), len(topics))
    n = len(topics)
    mean = float(per_topic.mean())
    half = float(stdtrit(n - 1, 0.975) * per_topic.std(ddof=1) / np.sqrt(n))
    outcome: Outcome = "cannot tell"
    if len(set(probed["topic"])) >= LEAST_TOPICS:
        if -margin <= mean - half and mean + half <= margin:
            outcome = "pass"
        elif mean - half > margin or mean + half < -margin:
            outcome = "fail"
    return CarryOver(system, measure, margin, outcome, unlike, mean, mean - half, mean + half, probed.height, n)
