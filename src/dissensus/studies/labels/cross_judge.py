"""Does the ceiling predict what happens? Predicted against actual cross-judge scores (S0 Fig. 1).

For every topic and ordered pair of assessors: the actual score of the ranking by one judge's labels under the other's
labels, and the score that the confusion matrix alone predicts from how many documents of each grade there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError, MeasureError, Option, Text
from dissensus.inference.ceiling.expected_scores import Forms, exact_scores
from dissensus.judging.confusion.api import Confusion
from dissensus.judging.confusion.counting import other_judge_confusion
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Measure, topic_measures
from dissensus.results import Result, Table, single_values
from dissensus.stats.resampling import topic_interval
from dissensus.studies.labels.crossed import RANKING, Crossed, crossed
from dissensus.tables.judgments import Judgments

Source = Literal["pair", "pooled", "left-out"]


@dataclass(frozen=True, eq=False)
class CrossJudge(Result):
    """`table`: topic, ranks, scores, documents, actual, predicted; `error` and `correlation` compare the last two."""

    measure: str
    source: str
    table: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def bias(self) -> float:
        """Mean of predicted − actual."""
        return float((self.table["predicted"] - self.table["actual"]).mean())  # type: ignore[arg-type]

    @property
    def rmse(self) -> float:
        """Root mean squared difference of predicted and actual."""
        return float(np.sqrt(((self.table["predicted"] - self.table["actual"]) ** 2).mean()))  # type: ignore[arg-type]

    @property
    def correlation(self) -> float:
        """Pearson's correlation of predicted and actual; NaN where one of them does not vary."""
        x, y = self.table["predicted"].to_numpy(), self.table["actual"].to_numpy()
        if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
            return float("nan")
        return float(np.corrcoef(x, y)[0, 1])

    def intervals(self) -> dict[str, float]:
        """`bias_low`, `bias_high` and so on: studentised bootstrap over topics, whose points belong together."""
        topic = np.unique(self.table["topic"].to_numpy(), return_inverse=True)[1]
        x, y = self.table["predicted"].to_numpy(), self.table["actual"].to_numpy()
        every = (np.ones_like(x), x, y, x * x, y * y, x * y)
        parts = np.stack([np.bincount(topic, part) for part in every], axis=1)
        out: dict[str, float] = {}
        for name, statistic in (("bias", _bias), ("rmse", _rmse), ("correlation", _correlation)):
            one = topic_interval(parts, statistic, level=0.95, seed=0)
            out |= {f"{name}_low": one.low, f"{name}_high": one.high}
        return out

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        return {**single_values(self), "bias": self.bias, "rmse": self.rmse}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"topics": Table.of(self.table)}

    def __str__(self) -> str:
        head = f"{self.measure}, {self.table.height:,} topics × pairs, confusion: {self.source}"
        body = f"predicted − actual: mean {self.bias:+.4f}, RMSE {self.rmse:.4f}, correlation {self.correlation:.3f}"
        return "\n".join((head, body, *self.notes))


def _bias(m: Floats) -> Floats:
    """Of the means of 1, x, y, x², y², xy over topics; so the next two."""
    return np.asarray((m[..., 1] - m[..., 2]) / m[..., 0], np.float64)


def _rmse(m: Floats) -> Floats:
    return np.asarray(np.sqrt((m[..., 3] + m[..., 4] - 2 * m[..., 5]) / m[..., 0]), np.float64)


def _correlation(m: Floats) -> Floats:
    n, x, y = m[..., 0], m[..., 1], m[..., 2]
    spread = (n * m[..., 3] - x * x) * (n * m[..., 4] - y * y)
    top = n * m[..., 5] - x * y
    return np.asarray(np.divide(top, np.sqrt(spread), out=np.full_like(top, np.nan), where=spread > 0), np.float64)


@dataclass(frozen=True, eq=False)
class CrossScores:
    """Actual cross-judge scores, to be set against predictions from as many matrices as you like."""

    judgments: Judgments
    measure: Measure
    sides: Crossed
    scored: pl.DataFrame
    cells: Ints  # documents of each pair by (grade of who ranks, grade of who scores)
    forms: Forms

    @classmethod
    def of(cls, judgments: Judgments, measure: str | Measure = "nDCG", *, min_documents: int = 10) -> CrossScores:
        """Every topic and ordered pair of assessors who share at least `min_documents` documents of it."""
        chosen = measure if isinstance(measure, Measure) else named(measure)
        sides = crossed(judgments, min_documents=min_documents)
        cells = _cells(sides, len(judgments.scale))
        own = topic_measures(chosen, sides.pairs["topic"].to_list())
        forms = Forms.of_each(*own, cells.sum(axis=1), judgments.scale)
        if forms is None:
            raise MeasureError(f"{chosen} is not linear, so it has no exact ceiling.", "Use nDCG, P@k, RBP …")
        return cls(judgments, chosen, sides, sides.scores([chosen]).rename({str(chosen): "actual"}), cells, forms)

    def against(self, confusion: Source | Confusion) -> CrossJudge:
        """Predictions from one kind of matrix beside the actual scores."""
        counts = self.cells.sum(axis=1)  # documents by the grade of who scores
        matrices, matrix_of = _matrices(self.judgments, self.sides, self.cells, confusion)
        actual = self.scored["actual"].is_not_nan().to_numpy()
        usable = self.forms.defined & actual & _known(matrices, matrix_of, counts)
        if not usable.any():
            raise InputError(
                "no topic and pair of judges can be compared.", "Are there relevant documents both judged?"
            )
        rows = np.flatnonzero(usable)
        known = np.ascontiguousarray(np.nan_to_num(matrices))
        predicted = exact_scores(np.ascontiguousarray(counts[rows]), known, matrix_of[rows], self.forms.rows(rows))
        lost = len(usable) - len(rows)
        notes = (f"{lost:,} topics × pairs without a defined score left out",) if lost else ()
        table = self.scored[rows.tolist()].drop("name").with_columns(predicted=predicted)
        source = confusion if isinstance(confusion, str) else "given"
        return CrossJudge(str(self.measure), source, table, (*self.sides.notes, *notes))


def _cells(sides: Crossed, k: int) -> Ints:
    """Documents of each pair by (grade of who ranks, grade of who scores)."""
    low = sides.judgments.scale.low
    place = pl.DataFrame({"topic": sides.pairs["name"], "row": np.arange(sides.pairs.height)})
    grade = sides.judgments.grade.astype(np.int64) - low
    scored = pl.DataFrame(
        {
            "topic": [sides.judgments.topics[t] for t in sides.judgments.item_topic[sides.judgments.item]],
            "doc": sides.judgments.doc_ids(sides.judgments.item),
            "scores": grade,
        }
    )
    ranked = sides.runs.select(systems=[RANKING]).to_frame().select("topic", "doc", "score")
    both = ranked.join(scored, on=["topic", "doc"]).join(place, on="topic")
    level = both["score"].to_numpy().astype(np.int64) - low
    cell = (both["row"].to_numpy() * k + level) * k + both["scores"].to_numpy()
    return np.bincount(cell, minlength=sides.pairs.height * k * k).reshape(-1, k, k).astype(np.int64)


def _matrices(judgments: Judgments, sides: Crossed, cells: Ints, confusion: Source | Confusion) -> tuple[Floats, Ints]:
    """(matrices reference × label, which row uses which); rows of unknown grades are NaN."""
    n = len(cells)
    if isinstance(confusion, Confusion):
        if len(confusion) != len(judgments.scale):
            raise InputError(f"the matrix has {len(confusion)} grades, the judgments' scale {judgments.scale}.")
        return np.array(confusion.matrix)[None], np.zeros(n, np.int64)
    if confusion == "pooled":
        return np.array(other_judge_confusion(judgments).matrix)[None], np.zeros(n, np.int64)
    if confusion not in ("pair", "left-out"):
        raise InputError(
            Text(Option("confusion", confusion), " is not known."),
            'Choose "pair", "left-out", "pooled" or a Confusion.',
        )
    keys = {key: i for i, key in enumerate(sides.pairs.select("ranks", "scores").unique(maintain_order=True).rows())}
    pair = np.array([keys[key] for key in sides.pairs.select("ranks", "scores").rows()], np.int64)
    totals = np.zeros((len(keys), *cells.shape[1:]), np.int64)
    np.add.at(totals, pair, cells)
    if confusion == "left-out":
        counts, matrix_of = totals[pair] - cells, np.arange(n)
    else:
        counts, matrix_of = totals, pair
    turned = counts.transpose(0, 2, 1).astype(np.float64)  # reference (who scores) × label (who ranks)
    given = turned.sum(axis=2, keepdims=True)
    matrices = np.divide(turned, given, out=np.full_like(turned, np.nan), where=given > 0)
    return matrices, matrix_of


def _known(matrices: Floats, matrix_of: Ints, counts: Ints) -> np.ndarray:
    """Rows whose matrix knows every grade that occurs."""
    unknown = np.isnan(matrices[:, :, 0])[matrix_of]
    return np.asarray(~(unknown & (counts > 0)).any(axis=1))
