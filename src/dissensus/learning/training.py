"""`train` and `rank`: a ranker from a feature file, what it has learned, and the rankings that it gives."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dissensus import learning
from dissensus.aliases import described
from dissensus.errors import InputError
from dissensus.learning.rankers.model_file import load_ranker
from dissensus.learning.rankers.ranker import Ranker
from dissensus.learning.scoring import QueryScorer
from dissensus.learning.settings import settings
from dissensus.measures.catalog import measure
from dissensus.measures.evaluate import evaluate
from dissensus.measures.policies import DEFAULT_MEASURES
from dissensus.results import Result, Table
from dissensus.tables.features import Features, read_features
from dissensus.tables.folds import read_folds, split_folds
from dissensus.tables.runs import Runs

SEARCHED = 20_000  # documents on which the best single feature is looked for
MEANINGS = {
    "ranker": "score of the ranker",
    "random": "score of a random ranking",
    "best feature": "score of the best single feature",
    "feature": "number of that feature, negative where low values are better",
    "fold": "the fold, or the mean over folds",
}


@dataclass(frozen=True, eq=False)
class Training(Result):
    """A ranker and what it scores, next to a random ranking and the best single feature."""

    table: pl.DataFrame
    ranker: Ranker = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What stands above the table: the ranker and its settings."""
        return repr(self.ranker)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"scores": Table.of(self.table, MEANINGS, rest="mean of {name} over topics")}


@dataclass(frozen=True, eq=False)
class Ranked(Result):
    """The rankings that a ranker gives, and their scores where measures were named."""

    table: pl.DataFrame
    runs: Runs = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"ranking": Table.of(self.table, {"score": "what the ranker predicts"}, rest="mean of {name}")}


@described
def train(
    features: Features | str | Path,
    ranker: str | Ranker = "LambdaMART",
    *,
    validation: Features | str | Path | None = None,
    setting: Sequence[str] = (),
    folds: int | None = None,
    measures: Sequence[str] = DEFAULT_MEASURES,
    queries: str | Path | None = None,
    seed: int = 0,
) -> Training:
    """Train a ranker on a feature file, and show what it has learned.

    Next to the ranker's scores stand those of a random ranking and of the best single feature. A ranker that does not
    beat them has learned nothing. A folder with folds, or `folds`, is cross-validated instead.

    Parameters
    ----------
    features
        Features, a LETOR / SVMlight file, or a folder Fold1, Fold2 …
    ranker
        PRank, GBDT, RankSVM, RankBoost, ListNet, AdaRank, LambdaMART or NMCGMART, or an object of these classes.
    validation
        Features, or a file: stop early where they are ranked best.
    setting
        Settings of the ranker as name=value.
    folds
        Cross-validate a single file in so many folds.
    measures
        What to report, by name.
    queries
        A file with the number of documents of each query, if rows have no qid.

    Returns
    -------
    Training
        `.ranker` is the trained ranker. Its table, for a single file and for folds:

        - `scores`: measure, data, ranker, random, best feature, feature
        - `scores`: fold, rounds, and a column for each measure

    Examples
    --------
    >>> import dissensus as ds
    >>> from dissensus.studies.generated.features import Shape, generate
    >>> found = ds.train(generate(Shape(12, 20, 4, (0.6, 0.4))), "PRank", measures=["AP"])
    >>> found.to_frame().columns
    ['measure', 'data', 'ranker', 'random', 'best feature', 'feature']
    """
    chosen = ranker_of(ranker, setting, seed) if isinstance(ranker, str) else ranker
    for name in measures:
        measure(name)  # a name that cannot be read is refused before hours of training
    folder = not isinstance(features, Features) and Path(features).is_dir()
    if folder or folds is not None:
        if validation is not None:
            raise InputError("folds have validation parts of their own.", "Leave validation out.")
        parts = read_folds(Path(str(features))) if folder else split_folds(_read(features, queries), folds or 5, seed)
        rows = []
        for fold in parts:
            fitted = chosen.fit(fold.train, validation=fold.validation, progress=True)
            rows.append({"fold": fold.name, "rounds": fitted.n_rounds_, **_scores(fitted, fold.test, measures)})
        note = "tested on each fold's test part, and stopped early on its validation part"
        return Training(_with_mean(rows), chosen, (note,))
    data = _read(features, queries)
    held_out = None if validation is None else _read(validation, None, data.X.shape[1])
    chosen.fit(data, validation=held_out, progress=True)
    notes = [f"{chosen.n_rounds_:,} rounds; {data!r}", *data.notes, *chosen.notes_]
    if held_out is None:
        notes.append("scores on the training data flatter: give --validation, or --folds")
    notes.append("documents with equal predictions are put in an order drawn at random (rank and evaluate: by name)")
    return Training(_report(chosen, data, held_out, measures), chosen, tuple(notes))


@described
def rank(
    model: Ranker | str | Path,
    features: Features | str | Path,
    *,
    system: str | None = None,
    measures: Sequence[str] = (),
    queries: str | Path | None = None,
) -> Ranked:
    """Rank the documents of a feature file with a trained ranker.

    Parameters
    ----------
    model
        A ranker, or a file written by `dissensus train --model`.
    features
        Features, or a LETOR / SVMlight file.
    system
        The system's name. The model's file name without it.
    measures
        Score the ranking by these, by the labels of the features.
    queries
        A file with the number of documents of each query, if rows have no qid.

    Returns
    -------
    Ranked
        `.runs` are the rankings. Its table, without measures and with them:

        - `ranking`: system, topic, doc, score
        - `ranking`: system, and a column for each measure

    Examples
    --------
    >>> import dissensus as ds
    >>> from dissensus.studies.generated.features import Shape, generate
    >>> data = generate(Shape(12, 20, 4, (0.6, 0.4)))
    >>> ds.rank(ds.train(data, "PRank").ranker, data, system="mine").runs.systems
    ('mine',)
    """
    ranker = model if isinstance(model, Ranker) else load_ranker(Path(model))
    data = _read(features, queries, ranker.n_features_in_)
    name = system or (type(ranker).__name__ if isinstance(model, Ranker) else Path(model).name.removesuffix(".json"))
    runs = data.runs(ranker.predict(data), name)
    notes = [f"{ranker!r} on {data!r}", *data.notes, *ranker.notes_]
    if not measures:
        return Ranked(runs.to_frame(), runs, tuple(notes))
    scores = evaluate(runs, data.judgments(), measures)
    table = pl.DataFrame({"system": [name], **{str(m): [float(scores[m].mean())] for m in scores.data_vars}})
    notes.append(f"means over {len(data.topics):,} topics; topics without relevant documents are left out")
    return Ranked(table, runs, tuple(notes))


def _read(given: Features | str | Path, queries: str | Path | None, n_features: int | None = None) -> Features:
    return given if isinstance(given, Features) else read_features(given, queries=queries, n_features=n_features)


def ranker_of(name: str, words: Sequence[str], seed: int) -> Ranker:
    """The ranker of a name, with settings as `name=value` words."""
    known = {n.lower(): n for n in learning.RANKERS}
    if name.lower() not in known:
        raise InputError(f"there is no ranker {name!r}.", f"There are: {', '.join(learning.RANKERS)}.")
    kind = getattr(learning, known[name.lower()])
    defaults = {p.name: p.default for p in inspect.signature(kind.__init__).parameters.values() if p.name != "self"}
    if "workers" in defaults:
        defaults["workers"] = 0  # read as a number; 0 is all cores
    given: dict[str, object] = settings(defaults, words)
    if "workers" in given:
        given["workers"] = given["workers"] or None
    made: Ranker = kind(**{**given, "seed": seed})
    return made


def _scores(ranker: Ranker, data: Features, measures: Sequence[str]) -> dict[str, float]:
    prediction = ranker.predict(data)
    return {m: QueryScorer(m, data.y, data.bounds, topics=data.topics)(prediction) for m in measures}


def _report(ranker: Ranker, data: Features, held_out: Features | None, measures: Sequence[str]) -> pl.DataFrame:
    """The ranker beside a random ranking and the best single feature, on the data it can be judged by."""
    parts = {"training": data} if held_out is None else {"training": data, "validation": held_out}
    prediction = {name: ranker.predict(part) for name, part in parts.items()}
    rng = np.random.default_rng(0)
    some = data if len(data) <= SEARCHED else data.select(_first_topics(data, SEARCHED))
    best = _best_features(some, measures)
    rows = []
    for m in measures:
        for name, part in parts.items():
            scorer = QueryScorer(m, part.y, part.bounds, topics=part.topics)
            rows.append(
                {
                    "measure": m,
                    "data": name,
                    "ranker": scorer(prediction[name]),
                    "random": scorer(rng.random(len(part))),
                    "best feature": scorer(_feature(part, best[m])),
                    "feature": ("" if best[m] > 0 else "−") + str(abs(best[m]) - 1 + data.first),
                }
            )
    return pl.DataFrame(rows)


def _best_features(data: Features, measures: Sequence[str]) -> dict[str, int]:
    """The feature that ranks best by each measure: its number, the first is 1, negative where low values are better."""
    scorers = {m: QueryScorer(m, data.y, data.bounds, topics=data.topics) for m in measures}
    one = next(iter(scorers.values()))
    best = dict.fromkeys(measures, (float("-inf"), 1))
    for number in (sign * f for f in range(1, data.X.shape[1] + 1) for sign in (1, -1)):
        order = one.order(_feature(data, number))  # the sort takes longest, and is the same for all
        for m, scorer in scorers.items():
            if (score := scorer.of_order(order)) > best[m][0]:
                best[m] = (score, number)
    return {m: number for m, (_, number) in best.items()}


def _first_topics(data: Features, documents: int) -> list[str]:
    """The first topics that hold about that many documents: enough to tell which feature is best."""
    return [t for t, end in zip(data.topics, data.bounds[1:], strict=True) if end <= documents] or [data.topics[0]]


def _feature(data: Features, number: int) -> Any:
    """A column of X, turned round for negative numbers."""
    return data.X[:, abs(number) - 1] * (1 if number > 0 else -1)


def _with_mean(rows: list[dict[str, object]]) -> pl.DataFrame:
    table = pl.DataFrame(rows)
    mean = table.select(
        pl.lit("mean").alias("fold"), pl.lit(None, pl.Int64).alias("rounds"), pl.col(table.columns[2:]).mean()
    )
    return pl.concat([table.with_columns(pl.col("rounds").cast(pl.Int64)), mean])
