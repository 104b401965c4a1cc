"""Markov Precision beside other measures, and what smaller pools do to them all.

Tables 5.2–5.4 and Figs. 5.5, 5.6 of the thesis on your collection: Kendall's τ of the eight models, plain and times
recall, and of nMCG@10 with AP, P@10, Rprec, bpref and RBP, a star where it is above 0.90 as in the thesis; mean scores
and rankings with pools cut to 90, 70, 50, 30, 10 % by Buckley & Voorhees's rule (per topic, relevant and non-relevant
documents in random order, the first so many percent of each kept, at least 1 relevant and 10 non-relevant). Needs
--runs and --judgments of one assessor (--assessor picks one); without any files, `systems` generated systems are used.
`dynamic` is the user model file of nMCG (`dissensus clicks`); without it a user is assumed. Table 5.2 as printed is
beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import InputError, Option, Text
from dissensus.measures.catalog import measure
from dissensus.measures.evaluate import Collection
from dissensus.measures.families.markov import MODELS, MP
from dissensus.measures.user_models import Dynamic, UserModel
from dissensus.stats.correlation import kendall_tau
from dissensus.stats.orders import order_interval
from dissensus.studies.generated.systems import generated_systems
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.scale import UNJUDGED

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs

REPLICATES = 500
OTHERS = ("AP", "P@10", "Rprec", "Bpref", "RBP(p=0.8)")
MARKOV = tuple(str(MP(model=model, rec=rec)) for model in MODELS for rec in (False, True))
PERCENTS = (90, 70, 50, 30, 10)
HIGH = 0.90  # rankings that correlate above this are called equivalent, and starred (Voorhees 2000)
NMCG = "nMCG@10"
#: Table 5.2 as printed: τ with AP of P@10, Rprec, bpref, RBP
TABLE_5_2 = {
    "TREC 7": (0.8018, 0.9261, 0.9275, 0.7886),
    "TREC 8": (0.8264, 0.9219, 0.9361, 0.8090),
    "TREC 10": (0.7551, 0.8730, 0.8896, 0.7401),
    "TREC 14": (0.7295, 0.9377, 0.8394, 0.7229),
}

# Table 5.4: three judged runs and the holding rates of their ten ranks, estimated from Yandex's logs
HOLDING = (
    ((1, 1, 1, 1, 0, 0, 0, 1, 0, 0), (0.2, 0.0357, 0.2, 0.04, 0.0056, 0.0005, 0.0035, 0.0017, 0.0034, 0.0024), 0.6603),
    (
        (1, 1, 1, 0, 1, 0, 0, 0, 1, 0),
        (0.0177, 0.0047, 0.0037, 0.0015, 0.0041, 0.0031, 0.0057, 0.0022, 0.0061, 0.0045),
        0.8710,
    ),
    (
        (1, 1, 0, 1, 1, 0, 0, 0, 0, 1),
        (0.0056, 0.0051, 0.0062, 0.0031, 0.0046, 0.0025, 0.005, 0.0022, 0.007, 0.005),
        0.8001,
    ),
)

SETTINGS: Values = {
    "rel": 1,
    "percents": PERCENTS,
    "samples": 10,
    "systems": 48,
    "dynamic": None,
}


def run(request: Request) -> StudyOutcome:
    notes: list[str] = []
    chosen = dict(request.settings)
    systems = chosen.pop("systems")
    if request.runs or request.judgments:
        runs, judgments = request.collection()
    else:
        made = generated_systems(systems, seed=request.seed)
        runs, judgments = made.runs, made.judgments
        notes.append(f"{systems} generated systems: name files with --runs and --judgments for real ones")
    study = markov_study(of_one_assessor(runs, judgments, request.assessor), seed=request.seed, **chosen)
    return StudyOutcome(
        tables=study.tables(),
        notes=[*notes, *study.notes],
        figures={
            "correlations": Figure("users", "correlation_chart", (study.correlations,)),
            "means": Figure("users", "pool_chart", (study.pools, "mean", "mean score over systems and topics")),
            "rankings": Figure("users", "pool_chart", (study.pools, "tau", "Kendall's τ with the full pool")),
        },
    )


@dataclass(frozen=True, eq=False)
class MarkovStudy:
    """`correlations`: measure, other, tau. `pools`: measure, percent, mean, tau, each with its sd over samples.

    `with_ap`: τ of every measure with AP and its interval over topics. `notes`: how it was done.
    """

    correlations: pl.DataFrame
    pools: pl.DataFrame
    with_ap: pl.DataFrame
    notes: tuple[str, ...]

    def tables(self) -> dict[str, pl.DataFrame]:
        """Wide tables for people: correlations and pools with one column per measure or percentage."""
        wide = self.correlations.pivot("other", index="measure", values="tau")
        taus = self.pools.pivot("percent", index="measure", values="tau")
        means = self.pools.pivot("percent", index="measure", values="mean")
        return {
            "correlations": wide,
            "correlations, starred": starred(wide),
            "with AP": self.with_ap,
            "Table 5.2": self.printed(),
            "pool_tau": taus,
            "pool_tau_sd": self.pools.pivot("percent", index="measure", values="tau_sd"),
            "pool_mean": means,
            "holding": holding_table(),
        }

    def printed(self) -> pl.DataFrame:
        """Table 5.2: τ with AP of the other measures, ours and as printed for four TREC collections."""
        ours = self.correlations.filter(pl.col("measure").str.starts_with("AP"))["tau"].to_list()[1:]
        rows = [("here", *ours), *((f"printed, {name}", *taus) for name, taus in TABLE_5_2.items())]
        return pl.DataFrame(rows, schema=["collection", "P@10", "Rprec", "Bpref", "RBP(p=0.8)"], orient="row")


def starred(wide: pl.DataFrame) -> pl.DataFrame:
    """Correlations as text, those above 0.90 with a star, as the thesis marks them."""

    def text(tau: float) -> str:
        return f"{tau:.4f}" + ("*" if tau > HIGH else "")

    names = wide.columns[1:]
    return wide.with_columns(pl.col(name).map_elements(text, return_dtype=pl.String) for name in names)


def markov_study(
    collection: Collection,
    *,
    rel: int = 1,
    percents: Sequence[int] = PERCENTS,
    samples: int = 10,
    dynamic: str | None = None,
    seed: int = 0,
) -> MarkovStudy:
    """All tables for one collection and one assessor's labels; `dynamic` is nMCG's user model, else one is assumed."""
    with TemporaryDirectory() as folder:
        user = dynamic or _assumed_user(Path(folder))
        return _study(collection, rel, percents, samples, user, dynamic is None, seed)


def _assumed_user(folder: Path) -> str:
    """An assumed user as a file, the form in which nMCG takes one: attention falls as 1/rank."""
    file = folder / "user.json"
    file.write_text(UserModel(dynamics={"all": Dynamic(0.9, 0.0, 0.1)}).to_json(), encoding="utf-8")
    return str(file)


def _study(
    collection: Collection,
    rel: int,
    percents: Sequence[int],
    samples: int,
    user: str,
    assumed: bool,
    seed: int,
) -> MarkovStudy:
    if len(collection.joined.systems) < 3:
        raise InputError(
            f"{len(collection.joined.systems)} systems have no ranking to correlate.", "Give three or more."
        )
    names = [_with_rel(name, rel) for name in (*OTHERS, *MARKOV)]
    names.append(f"nMCG(dynamic={user!r})@10")
    scores = collection.score(names)
    topics = np.stack([scores.values[name][0] for name in names])  # measure × system × topic
    full = np.stack([_nanmean(scores.values[name]) for name in names])
    labels, columns = reduced_pools(collection, percents, samples, rel, seed)
    reduced = _means(collection.with_labels(labels), names)
    used = int(np.count_nonzero(collection.joined.in_topic))
    names[-1] = NMCG
    whose = "an assumed user, attention 0.9/rank + 0.1" if assumed else f"the user of {user}"
    return MarkovStudy(
        correlations=_correlations(full, names),
        pools=_pools(full, reduced, names, columns),
        with_ap=with_first(topics, names, seed),
        notes=(
            f"{len(collection.joined.systems)} systems, {used} topics, relevant from grade {rel}; Kendall's τ_b",
            f"pools: Buckley & Voorhees's rule, {samples} random samples, seed {seed}; documents left out are unjudged",
            f"a star marks τ above {HIGH:.2f}; nMCG@10 is for {whose}",
        ),
    )


def reduced_pools(
    collection: Collection, percents: Sequence[int], samples: int, rel: int, seed: int
) -> tuple[NDArray[np.int8], list[int]]:
    """Label sets (documents × percents·samples) with part of the pool left, and the percentage of each column.

    Within a sample pools are nested: what is left at 10 % is also left at 30 %.
    """
    wrong = [p for p in percents if not 0 < p <= 100]
    if wrong or not percents or samples < 1:
        raise InputError(
            Text(
                Option("percents", list(percents)),
                ", ",
                Option("samples", samples),
                ": shares of the pool in (0, 100], one sample or more.",
            )
        )
    joined = collection.joined
    full = joined.labels[:, 0]
    out = np.full((len(full), len(percents) * samples), UNJUDGED, np.int8)
    for sample in range(samples):
        rng = np.random.default_rng(np.random.SeedSequence([seed, sample]))
        for t in range(len(joined.topics)):
            items = np.arange(joined.topic_bounds[t], joined.topic_bounds[t + 1])
            for kind, least in ((items[full[items] >= rel], 1), (items[(full[items] >= 0) & (full[items] < rel)], 10)):
                order = rng.permutation(kind)
                for p, percent in enumerate(percents):
                    kept = order[: max(least, round(len(order) * percent / 100))]
                    out[kept, sample * len(percents) + p] = full[kept]
    return out, [int(p) for _ in range(samples) for p in percents]


def holding_table() -> pl.DataFrame:
    """Table 5.4: discrete and continuous-time MP of three runs, and what was printed."""
    rows = [
        {
            "run": " ".join(map(str, run)),
            "discrete": MP().score(run),
            "continuous": MP(holding=rates).score(run),
            "printed": printed,
        }
        for run, rates, printed in HOLDING
    ]
    return pl.DataFrame(rows)


def of_one_assessor(runs: Runs, judgments: Judgments, assessor: str | None) -> Collection:
    if assessor is None and len(judgments.assessors) > 1:
        raise InputError(
            f"this experiment is about one set of labels, and there are {len(judgments.assessors)} assessors.",
            f"Choose one: {', '.join(judgments.assessors[:5])}.",
        )
    if assessor is not None:
        judgments = judgments.select(assessors=[assessor])
    return Collection(runs, judgments)


def _with_rel(name: str, rel: int) -> str:
    """The measure with another threshold of relevance."""
    m: Any = measure(name)
    return str(m if rel == 1 else replace(m, rel=rel))


def _means(collection: Collection, names: list[str]) -> NDArray[np.float64]:
    """Mean over topics, (measure, label set, system); topics without relevant documents left out."""
    scores = collection.score(names)
    return np.stack([_nanmean(scores.values[name]) for name in names])


def _nanmean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    total: NDArray[np.float64] = np.where(known, values, 0.0).sum(axis=2)
    return np.asarray(total / np.maximum(known.sum(axis=2), 1), np.float64)


def _correlations(full: NDArray[np.float64], names: list[str]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"measure": name, "other": other, "tau": float(kendall_tau(full[i, 0], full[j, 0], variant="b"))}
            for i, name in enumerate(names)
            for j, other in enumerate(names[: len(OTHERS)])
        ]
    )


def with_first(scores: NDArray[np.float64], names: list[str], seed: int) -> pl.DataFrame:
    """τ of every measure with the first, and its 95 % interval over topics."""
    known = np.isfinite(scores).all(axis=(0, 1))
    kept = scores[:, :, known]
    n = kept.shape[2]
    weight = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), REPLICATES) / max(n, 1)
    drawn = kept @ weight.T  # measure × system × replicate
    mean, rows = kept.mean(axis=2), []
    for i, name in enumerate(names):
        taus = [kendall_tau(drawn[0, :, r], drawn[i, :, r], variant="b") for r in range(REPLICATES)]
        tau = float(kendall_tau(mean[0], mean[i], variant="b"))
        _, low, high = order_interval(tau, np.mean(taus), np.std(taus, ddof=1))
        rows.append({"measure": name, "tau": tau, "low": float(low), "high": float(high), "topics": n})
    return pl.DataFrame(rows)


def _pools(
    full: NDArray[np.float64], reduced: NDArray[np.float64], names: list[str], columns: list[int]
) -> pl.DataFrame:
    percent = np.array(columns)
    rows = []
    for i, name in enumerate(names):
        rows.append(
            {
                "measure": name,
                "percent": 100,
                "mean": float(full[i, 0].mean()),
                "mean_sd": 0.0,
                "tau": 1.0,
                "tau_sd": 0.0,
            }
        )
        taus = np.array([kendall_tau(full[i, 0], sample, variant="b") for sample in reduced[i]])
        means = reduced[i].mean(axis=1)
        for p in dict.fromkeys(columns):
            here = percent == p
            many = here.sum() > 1
            rows.append(
                {
                    "measure": name,
                    "percent": p,
                    "mean": float(means[here].mean()),
                    "mean_sd": float(means[here].std(ddof=1)) if many else None,
                    "tau": float(taus[here].mean()),
                    "tau_sd": float(taus[here].std(ddof=1)) if many else None,
                }
            )
    return pl.DataFrame(rows, schema_overrides={"mean_sd": pl.Float64, "tau_sd": pl.Float64}).with_columns(
        pl.when(pl.col("measure").str.starts_with("MP")).then(pl.lit("MP")).otherwise(pl.lit("other")).alias("family")
    )
