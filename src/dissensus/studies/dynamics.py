"""Training for how users look: LambdaMART against nMCG-MART, by nDCG@10 and nMCG@10.

Thesis Table 5.5 in shape: fewer trees and as many as the validation data want, randomisation test on queries.
`--set dynamic=user.json` takes the user dynamic that `dissensus clicks` fitted; without it a user is assumed.
`--workspace DIR` keeps finished trainings there: stopped half-way, the same command goes on where it was. Trees,
leaves and learning rate are the thesis's; the size of the documented run is `--set documents=40000 --set folds=5`.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus import learning
from dissensus.arrays import Values
from dissensus.learning.rankers.nmcgmart import ASSUMED, NMCGMART
from dissensus.learning.scoring import QueryScorer
from dissensus.measures.user_models import UserModel, read_user_model
from dissensus.stats.randomization import sign_flip
from dissensus.studies.rankers.noise_sets import noise_sets
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.folds import Fold, digest
from dissensus.work.executor import run_units

if TYPE_CHECKING:
    pass

NDCG = "nDCG(dcg='exp-log2')@10"
RANKERS = ("LambdaMART", "NMCGMART")
#: Table 5.5 as printed: (LambdaMART, NMCGMART) by set, measure, and 100, 500 and "full" trees
TABLE_5_5 = {
    ("MSLR-WEB30K", "nDCG@10"): ((0.4564, 0.4598), (0.4759, 0.4778), (0.4793, 0.4808)),
    ("MSLR-WEB10K", "nDCG@10"): ((0.4479, 0.4499), (0.4637, 0.4646), (0.4634, 0.4648)),
    ("Istella-S", "nDCG@10"): ((0.7031, 0.7070), (0.7451, 0.7466), (0.7536, 0.7549)),
    ("MSLR-WEB30K", "nMCG@10"): ((0.4684, 0.4718), (0.4878, 0.4898), (0.4914, 0.4933)),
    ("MSLR-WEB10K", "nMCG@10"): ((0.4609, 0.4626), (0.4767, 0.4782), (0.4768, 0.4790)),
    ("Istella-S", "nMCG@10"): ((0.7551, 0.7595), (0.7970, 0.8000), (0.8059, 0.8090)),
}
SIZES = ("100", "500", "full")
MORE = {"MSLR-WEB30K": 3}  # it has WEB10K's shape and three times its queries; cut to one size they would be the same

SETTINGS: Values = {
    "sets": ("MSLR-WEB30K", "MSLR-WEB10K", "Istella-S"),
    "trees": (100, 500),
    "full": 1500,
    "leaves": 64,
    "learning_rate": 0.05,
    "dynamic": None,
    "documents": 6000,
    "folds": 3,
}


def run(request: Request) -> StudyOutcome:
    """Train both on every fold; `dynamic` is a user model file (`dissensus clicks`), else a user is assumed.

    Trees, leaves and learning rate are the thesis's. The table has set, trees, measure, both rankers' means,
    difference, p_value, stars.
    """
    asked, seed = request.settings, request.seed
    trees, full, dynamic = asked["trees"], asked["full"], asked["dynamic"]
    learning = {"leaves": asked["leaves"], "learning_rate": asked["learning_rate"], "seed": seed}
    curves = dict(ASSUMED) if dynamic is None else dict(read_user_model(dynamic).dynamics)
    for number in (*trees, full):  # what no ranker can be trained with is refused before any work is done
        NMCGMART(curves, trees=number, **learning).check_settings()
    parts: dict[str, tuple[Fold, ...]] = {}
    for name in asked["sets"]:
        documents = asked["documents"] * MORE.get(name, 1)
        parts |= noise_sets((name,), documents=documents, folds=asked["folds"], seed=seed)
    user = UserModel(dynamics=curves).to_json()
    settings = {**learning, "workers": 1, "trees": full}
    units = [(s, f, r) for s, fs in parts.items() for f in range(len(fs)) for r in RANKERS]
    shared = {"sets": parts, "settings": settings, "user": user, "trees": tuple(trees)}
    about = {**asked, "data": digest(parts), "dynamic": json.loads(user)["dynamic"], "seed": seed}
    found = run_units(
        train_and_score, units, shared=shared, executor=request.workers, progress="trainings", task="rankers",
        about=about,
    )  # fmt: skip
    results = dict(zip(units, found, strict=True))
    rows = []
    for name, fs in parts.items():
        for size in (*map(str, trees), "full"):
            for measure in ("nDCG@10", "nMCG@10"):
                one, two = (
                    np.concatenate([results[name, f, r][size][measure] for f in range(len(fs))]) for r in RANKERS
                )
                rows.append((name, size, measure, *_compared(one, two, seed)))
    columns = ["set", "trees", "measure", *RANKERS, "difference", "p_value", "stars", "queries"]
    kept = [int(results[u]["kept"]) for u in units]
    notes = (
        f"{len(units)} trainings of at most {full:,} trees, {asked['leaves']} leaves, "
        f"learning rate {asked['learning_rate']:g}; "
        f"'full' keeps the best round on validation data: {min(kept)}…{max(kept)} trees",
        "both learn from pairs with a document among the first 10 ranks, each stops by its own measure",
        "difference = NMCGMART − LambdaMART; randomisation test on queries, * p < 0.05, ** p < 0.01, not corrected",
        "user dynamics assumed, not fitted to clicks" if dynamic is None else f"user dynamics from {dynamic}",
    )
    table = pl.DataFrame(rows, orient="row", schema=columns)
    return StudyOutcome(
        {"table": table, "Table 5.5, differences": printed(table)},
        notes,
        figures={"difference": Figure("noise", "dynamics_chart", (table,))},
    )


def printed(table: pl.DataFrame) -> pl.DataFrame:
    """NMCGMART − LambdaMART, ours on generated data of the set's shape beside what was printed for the set."""
    rows = [
        (name, size, measure, difference, two - one)
        for name, size, measure, difference in table.select("set", "trees", "measure", "difference").iter_rows()
        if (name, measure) in TABLE_5_5 and size in SIZES
        for one, two in [TABLE_5_5[name, measure][SIZES.index(size)]]
    ]
    kinds = {"set": pl.String, "trees": pl.String, "measure": pl.String, "ours": pl.Float64, "printed": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def train_and_score(
    unit: tuple[str, int, str],
    *,
    sets: dict[str, tuple[Fold, ...]],
    settings: Values,
    user: str,
    trees: tuple[int, ...],
) -> dict[str, object]:
    """One ranker on one fold: {number of trees or "full": {measure: score per query}}, and the rounds kept."""
    set_name, number, ranker_name = unit
    fold = sets[set_name][number]
    curves = json.loads(user)["dynamic"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "user.json")  # the form in which the measure takes a user
        file.write_text(user)
        names = {"nDCG@10": NDCG, "nMCG@10": f"nMCG(dynamic={str(file)!r})@10"}
        if ranker_name == "LambdaMART":  # as deep as nMCG@10 looks: both learn from the same pairs
            more: Values = {"depth": 10, "measure": names["nDCG@10"]}
        else:
            more = {"dynamics": {n: tuple(c.values()) for n, c in curves.items()}, "measure": names["nMCG@10"]}
        ranker = getattr(learning, ranker_name)(**settings, **more, patience=100)
        ranker.fit(fold.train, validation=fold.validation)
        rankers = {str(n): type(ranker)(**{**ranker.get_params(), "trees": n}).fit(fold.train) for n in trees}
        scorers = {name: QueryScorer(m, fold.test.y, fold.test.bounds) for name, m in names.items()}
        scored: Values = {
            size: {name: scorer.per_query(one.predict(fold.test)) for name, scorer in scorers.items()}
            for size, one in {**rankers, "full": ranker}.items()
        }
    return {**scored, "kept": ranker.n_rounds_}


def _compared(one: NDArray[np.float64], two: NDArray[np.float64], seed: int) -> tuple[Any, ...]:
    known = ~(np.isnan(one) | np.isnan(two))
    difference = two[known] - one[known]
    p = float(sign_flip(difference, seed=seed).p_value)
    stars = "**" if p < 0.01 else "*" if p < 0.05 else ""
    return float(one[known].mean()), float(two[known].mean()), float(difference.mean()), p, stars, int(known.sum())
