"""`dissensus train`: train a ranker on a LETOR / SVMlight file, or cross-validate it on a folder with folds."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import polars as pl

from dissensus import learning
from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import say
from dissensus.errors import InputError, OutputError
from dissensus.learning.scoring import QueryScorer
from dissensus.measures.catalog import measure
from dissensus.measures.policies import DEFAULT_MEASURES
from dissensus.studies.study import settings
from dissensus.tables.features import read_features
from dissensus.tables.folds import read_folds, split_folds

if TYPE_CHECKING:
    from dissensus.learning.rankers.ranker import Ranker
    from dissensus.tables.features import Features

SEARCHED = 20_000  # documents on which the best single feature is looked for


def command(
    features: Annotated[
        Path, argument(metavar="FEATURES", help="LETOR / SVMlight file (also .gz), or a folder Fold1, Fold2, …")
    ],
    ranker: Annotated[
        str,
        option(
            "--ranker",
            "-r",
            metavar="NAME",
            help="PRank, GBDT, RankSVM, RankBoost, ListNet, AdaRank, LambdaMART or NMCGMART.",
        ),
    ] = "LambdaMART",
    validation: Annotated[
        Path | None, option("--validation", metavar="FILE", help="Stop early where this file is ranked best.")
    ] = None,
    model: Annotated[
        Path | None, option("--model", metavar="FILE", help="Where the ranker is written, as JSON.")
    ] = None,
    setting: Annotated[
        list[str] | None, option("--set", "-s", metavar="NAME=VALUE", help="A setting of the ranker; repeatable.")
    ] = None,
    folds: Annotated[
        int | None, option("--folds", metavar="N", help="Cross-validate a single file in N folds.", min=3)
    ] = None,
    measures: Annotated[
        list[str] | None,
        option(
            "--measures", "-m", metavar="NAME", help=f"What to report; repeatable. Else {', '.join(DEFAULT_MEASURES)}."
        ),
    ] = None,
    queries: opt.QueriesOption = None,
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
) -> None:
    """Train a ranker on a feature file.

    Beside the ranker's scores stand those of a random ranking and of the best single feature: a ranker that does not
    beat them has learned nothing. A folder with folds (or --folds) is cross-validated instead.

    Examples:
        dissensus train train.txt --ranker LambdaMART --validation vali.txt --model model.json
        dissensus train MQ2008/ --ranker RankSVM
    """
    shown.check()
    chosen = _ranker(ranker, setting or [], seed)
    notes: tuple[str, ...]
    wanted = measures or list(DEFAULT_MEASURES)
    for name in wanted:
        measure(name)  # a name that cannot be read is refused before hours of training
    _check_model(model)
    if features.is_dir() or folds is not None:
        if model is not None or validation is not None:
            raise InputError("folds have parts of their own: --model and --validation are for a single file.")
        if features.is_dir():
            parts = read_folds(features)
        else:
            parts = split_folds(read_features(features, queries=queries), folds or 5, seed)
        rows = []
        for fold in parts:
            fitted = chosen.fit(fold.train, validation=fold.validation, progress=True)
            rows.append({"fold": fold.name, "rounds": fitted.n_rounds_, **_scores(fitted, fold.test, wanted)})
        table, notes = _with_mean(rows), ("tested on each fold's test part; stopped early on its validation part",)
    else:
        data = read_features(features, queries=queries)
        held_out = None if validation is None else read_features(validation, n_features=data.X.shape[1])
        chosen.fit(data, validation=held_out, progress=True)
        table = _report(chosen, data, held_out, wanted)
        notes = (f"{chosen.n_rounds_:,} rounds; {data!r}", *data.notes, *chosen.notes_)
        if held_out is None:
            notes += ("scores on the training data flatter: give --validation, or --folds",)
        notes += ("documents with equal predictions are put in an order drawn at random (rank and evaluate: by name)",)
        if model is not None:
            chosen.save(model)
            say("note", f"wrote {model}")
    shown.emit(table, title=repr(chosen), footer=notes)


def _check_model(path: Path | None) -> None:
    """A model that cannot be written is refused before it is trained."""
    if path is not None and path.is_dir():
        raise OutputError(f"--model {path} is a folder.", f"Name a file in it: {path / 'model.json'}")
    if path is not None and not path.absolute().parent.is_dir():
        raise OutputError(f"--model {path}: the folder {path.parent} does not exist.", f"mkdir -p {path.parent}")


def _ranker(name: str, words: list[str], seed: int) -> Ranker:
    known = {n.lower(): n for n in learning.RANKERS}
    if name.lower() not in known:
        raise InputError(f"there is no ranker {name!r}.", f"There are: {', '.join(learning.RANKERS)}.")
    kind = getattr(learning, known[name.lower()])
    defaults = {p.name: p.default for p in inspect.signature(kind.__init__).parameters.values() if p.name != "self"}
    if "workers" in defaults:
        defaults["workers"] = 0  # read as a number; 0 is all cores
    given: dict[str, Any] = settings(defaults, words)
    if "workers" in given:
        given["workers"] = given["workers"] or None
    made: Ranker = kind(**{**given, "seed": seed})
    return made


def _scores(ranker: Ranker, data: Features, measures: list[str]) -> dict[str, float]:
    prediction = ranker.predict(data)
    return {m: QueryScorer(m, data.y, data.bounds, topics=data.topics)(prediction) for m in measures}


def _report(ranker: Ranker, data: Features, held_out: Features | None, measures: list[str]) -> pl.DataFrame:
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


def _best_features(data: Features, measures: list[str]) -> dict[str, int]:
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
