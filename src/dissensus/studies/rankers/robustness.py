"""What noise in the training labels does to rankers: train on noisy labels, test on clean ones.

    result = ds.robustness(features, ["RankSVM", "GBDT"], "uniform", levels=(0, 0.2, 0.4))
    result.curves()          # ranker, profile, dnoise, pnoise, mean and standard error of every measure

Reference: Niu, Lan, Guo, Wan & Cheng, "Which noise affects algorithm robustness for learning to rank", Information
Retrieval Journal 18 (2015), whose Figs. 1, 2, 4 and 5 are such curves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus import learning
from dissensus.aliases import described
from dissensus.arrays import Values
from dissensus.errors import InputError, Option, Text
from dissensus.label_noise.counting import count_pairs
from dissensus.label_noise.injection import Family, as_profiles
from dissensus.learning.rankers.ranker import Ranker
from dissensus.learning.scoring import QueryScorer
from dissensus.results import Result, Table
from dissensus.tables.features import Features
from dissensus.tables.folds import Fold, digest, split_folds
from dissensus.wording import counted
from dissensus.work.executor import run_units
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    from dissensus.work.workspace import Workspace

PAIRS = 10_000  # of documents with one label
MEASURES = ("AP", "nDCG(dcg='exp-log2')@10")
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


MEANINGS = {
    "set": "name of the set of features",
    "repeat": "number of the draw of noise",
    "fold": "number of the fold",
    "same_grade": "share of pairs of labels that noise leaves alone",
    "loss": "share of the score that noise costs",
    "level": "level of noise",
}


@dataclass(frozen=True, eq=False)
class Robustness(Result):
    """`table`: one row per set, ranker, profile, level, repeat and fold. `curves()` has means over them."""

    table: pl.DataFrame
    measures: tuple[str, ...]
    notes: tuple[str, ...]

    def curves(self) -> pl.DataFrame:
        """Means over repeats and folds: set, ranker, profile, level, dnoise, pnoise, loss, measures, `.se`, …

        `.relative` divides by the same set and ranker without noise. Standard errors are over folds of means over
        repeats; folds share training topics, so they are a guide, not a guarantee.
        """
        key = ["set", "ranker", "profile", "level"]
        by_fold = self.table.group_by([*key, "fold"], maintain_order=True).mean()
        out = by_fold.group_by(key, maintain_order=True).agg(
            pl.col("dnoise").mean(),
            pl.col("pnoise").mean(),
            pl.col("loss").mean(),
            *(pl.col(m).mean() for m in self.measures),
            *((pl.col(m).std() / pl.len().sqrt()).alias(f"{m}.se") for m in self.measures),
        )
        clean = out.filter(pl.col("level") == 0).select(
            "set", "ranker", "profile", *(pl.col(m).alias(f"{m}.clean") for m in self.measures)
        )
        out = out.join(clean, on=["set", "ranker", "profile"], how="left", maintain_order="left")
        relative = [(pl.col(m) / pl.col(f"{m}.clean")).alias(f"{m}.relative") for m in self.measures]
        return out.with_columns(relative).drop([f"{m}.clean" for m in self.measures])

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {
            "scores": Table.of(self.table, MEANINGS, rest="score by {name}"),
            "curves": Table.of(self.curves(), MEANINGS, rest="mean score, {name}"),
        }


@described
def robustness(
    features: Features | Mapping[str, Features | Sequence[Fold]],
    rankers: Sequence[str | Ranker] | Mapping[str, Ranker],
    confusion_family: Family = "uniform",
    *,
    levels: Sequence[float] = LEVELS,
    replicates: int = 3,
    folds: int = 5,
    measures: Sequence[str] = MEASURES,
    seed: int = 0,
    executor: object = None,
    workspace: Workspace | None = None,
) -> Robustness:
    """Train rankers on labels with rising noise, test them on clean labels, fold by fold.

    Labels of a replicate are the same for all rankers. No early stopping: validation parts are not touched. Simulated
    noise is independent of the document; judges who err on hard documents do less harm, or more.

    Parameters
    ----------
    features
        One set of features, or several by name (also as folds).
    rankers
        Rankers by name, or objects of `dissensus.learning`.
    confusion_family
        uniform, distance, a function (grades, level) → Confusion, a Confusion (level t mixes t·C + (1 − t)·I),
        or several of them by name.
    levels
        Levels of noise, between 0 and 1.
    replicates
        How often noise is drawn at each level.
    folds
        Folds of a set that has none.
    measures
        What to report.
    executor
        Where units run: None, a number of processes, or an executor.
    workspace
        An open workspace: stopped work goes on where it was.

    Returns
    -------
    Robustness
        A row per set, ranker, profile, level, replicate and fold, and their means, with the standard error of each
        measure (.se) and its share of the score without noise (.relative):

        - `scores`: set, ranker, profile, level, repeat, fold, dnoise, pnoise, same_grade, loss, a column for each
          measure
        - `curves`: set, ranker, profile, level, dnoise, pnoise, loss, a column for each measure

    Examples
    --------
    >>> from dissensus.studies.generated.features import Shape, generate
    >>> data = generate(Shape(12, 20, 4, (0.6, 0.4)))
    >>> robustness(data, ["PRank"], levels=(0, 0.4), replicates=1, folds=3).table.height
    6
    """
    sets = _as_folds(features, folds, seed)
    chosen = _as_rankers(rankers)
    profiles = as_profiles(confusion_family)
    steps = [float(level) for level in levels]
    if not steps or min(steps) < 0 or max(steps) > 1 or replicates < 1:
        raise InputError(
            Text(
                Option("levels", levels),
                ", ",
                Option("replicates", replicates),
                ": levels lie in [0, 1], replicates are 1 or more.",
            )
        )
    for fold in (fold for some in sets.values() for fold in some):
        for make in profiles.values():  # refuses a matrix with too few grades, before any work is done
            make(max(int(fold.train.grades().max()) + 1, 2), max(steps))
    # without noise every profile and repeat is the same: trained once
    cells = [
        (p, level, r)
        for level in steps
        for p in (profiles if level > 0 else list(profiles)[:1])
        for r in range(replicates if level > 0 else 1)
    ]
    units = [(s, k, p, t, r, f) for s, fs in sets.items() for p, t, r in cells for f in range(len(fs)) for k in chosen]
    shared = {"sets": sets, "rankers": chosen, "profiles": profiles, "measures": tuple(measures), "seed": seed}
    about = {"data": digest(sets), "rankers": {k: repr(r) for k, r in chosen.items()}, "measures": list(measures)}
    rows = run_units(
        train_and_test,
        units,
        shared=shared,
        executor=executor,
        progress="trainings",
        workspace=workspace,
        task="rankers",
        about={**about, "noise seed": seed},
    )
    table = pl.DataFrame(rows, orient="row", schema=_schema(measures))
    clean = table.filter(pl.col("level") == 0)
    others = [clean.with_columns(pl.lit(p).alias("profile")) for p in list(profiles)[1:]]
    notes = (
        f"{len(units):,} trainings: {', '.join(chosen)} on {', '.join(sets)}; {counted(replicates, 'repeat')}, "
        f"{' and '.join(dict.fromkeys(str(len(f)) for f in sets.values()))} folds, seed {seed}",
        "noise in the training labels only; tested on clean labels; no early stopping",
    )
    return Robustness(pl.concat([table, *others]), tuple(measures), notes)


def train_and_test(
    unit: tuple[str, str, str, float, int, int],
    *,
    sets: dict[str, tuple[Fold, ...]],
    rankers: dict[str, Ranker],
    profiles: Values,
    measures: tuple[str, ...],
    seed: int,
) -> tuple[Any, ...]:
    """One unit of work: noise, training, test. One row of the table."""
    set_name, ranker_name, profile, level, repeat, fold_number = unit
    fold = sets[set_name][fold_number]
    train, clean = fold.train, fold.train.grades()
    grades = int(clean.max()) + 1
    # the same noise for every ranker: the key leaves the ranker out
    where = list(sets).index(set_name), list(profiles).index(profile), repeat, fold_number
    noisy = profiles[profile](max(grades, 2), level).sample(clean, generator(seed, *where, round(level * 1e6)))
    ranker = rankers[ranker_name]
    fresh = type(ranker)(**ranker.get_params()).fit(train.with_labels(noisy))
    score = fresh.predict(fold.test)
    values = [QueryScorer(m, fold.test.y, fold.test.bounds, topics=fold.test.topics)(score) for m in measures]
    same = same_grade_order(score, fold.test.y, fold.test.bounds, generator(seed, *where))
    pnoise = _pooled_pair_noise(clean, noisy, train.bounds)
    return (*unit, float(np.mean(clean != noisy)), pnoise, *values, same, pointwise_loss(fresh, fold.test))


def pointwise_loss(ranker: Ranker, test: Features) -> float | None:
    """Mean distance between predicted and true grade, divided by the largest possible; None for rankers of order only.

    PRank's own loss: it rises with dNoise even where the order of the documents stays (Niu et al. 2015, Fig. 3).
    """
    if not hasattr(ranker, "predict_grade"):
        return None
    return float(np.abs(ranker.predict_grade(test) - test.y).mean() / max(float(test.y.max()), 1.0))


def same_grade_order(
    score: NDArray[np.float64],
    y: NDArray[np.float64],
    bounds: NDArray[np.int64],
    rng: np.random.Generator,
) -> float:
    """Of pairs of one query with equal labels, in random orientation: the share predicted in order (ties are not).

    Near ½ when a ranker sees no order among documents of one label (Niu et al. 2015, Table 2).
    """
    query = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    first = rng.integers(0, len(y), 6 * PAIRS)
    second = bounds[query[first]] + (rng.random(6 * PAIRS) * np.diff(bounds)[query[first]]).astype(np.int64)
    good = np.flatnonzero((y[first] == y[second]) & (first != second))[:PAIRS]
    return float(np.mean(score[first[good]] > score[second[good]])) if len(good) else float("nan")


def _pooled_pair_noise(clean: NDArray[np.int64], noisy: NDArray[np.integer], bounds: NDArray[np.int64]) -> float:
    counts = [count_pairs(clean[a:b], noisy[a:b]) for a, b in zip(bounds[:-1], bounds[1:], strict=True)]  # noqa: RUF007
    ordered = sum(c.ordered for c in counts)
    return sum(c.inverse + 0.5 * c.new for c in counts) / ordered if ordered else float("nan")


def _as_folds(features: Any, folds: int, seed: int) -> dict[str, tuple[Fold, ...]]:
    given = {"data": features} if isinstance(features, Features) else dict(features)
    if not given:
        raise InputError("robustness got no features.")
    return {
        name: split_folds(data, folds, seed) if isinstance(data, Features) else tuple(data)
        for name, data in given.items()
    }


def _as_rankers(rankers: Any) -> dict[str, Ranker]:
    if isinstance(rankers, Mapping):
        return dict(rankers)
    out: dict[str, Ranker] = {}
    for ranker in [rankers] if isinstance(rankers, str | Ranker) else rankers:
        if isinstance(ranker, str) and ranker not in learning.RANKERS:
            raise InputError(f"there is no ranker {ranker!r}.", f"There are: {', '.join(learning.RANKERS)}.")
        made = getattr(learning, ranker)() if isinstance(ranker, str) else ranker
        name = type(made).__name__
        if name in out:
            raise InputError(f"two rankers are called {name}.", "Name them: {'first': …, 'second': …}.")
        out[name] = made
    return out


def _schema(measures: Sequence[str]) -> Values:
    return {
        "set": pl.String,
        "ranker": pl.String,
        "profile": pl.String,
        "level": pl.Float64,
        "repeat": pl.Int64,
        "fold": pl.Int64,
        "dnoise": pl.Float64,
        "pnoise": pl.Float64,
        **dict.fromkeys(measures, pl.Float64),
        "same_grade": pl.Float64,
        "loss": pl.Float64,
    }
