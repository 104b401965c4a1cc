"""Judges: EM beside crowd-kit on a million labels, agreement at that size, and AWARE's thirty estimators."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np

from bench.rows import Row, best_of
from bench.trec_shaped import write_collection
from dissensus.io.api import read_judgments, read_runs
from dissensus.tables.collection import join
from dissensus.tables.ids import IdColumn
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

ROUNDS = 20


def crowd(items: int = 200_000, assessors: int = 10_000, per_item: int = 5, grades: int = 5) -> Judgments:
    """About a million labels by assessors of very different skill."""
    rng = np.random.default_rng(0)
    share = np.array([0.5, 0.2, 0.15, 0.1, 0.05])[:grades]
    truth = rng.choice(grades, items, p=share / share.sum())
    item = np.repeat(np.arange(items), per_item)
    who = rng.integers(0, assessors, len(item))
    reads = rng.random(len(item)) < rng.uniform(0.3, 0.9, assessors)[who]
    grade = np.where(reads, truth[item], rng.integers(0, grades, len(item)))
    order = np.lexsort((who, item))
    item, who, grade = item[order], who[order], grade[order]
    first = np.r_[True, (item[1:] != item[:-1]) | (who[1:] != who[:-1])]
    item, who, grade = item[first], who[first], grade[first]
    return Judgments(
        topics=tuple(map(str, range(100))),
        assessors=tuple(f"w{k:05d}" for k in range(assessors)),
        scale=Scale.range(0, grades - 1),
        item_topic=(np.arange(items) * 100 // items).astype(np.int32),
        item_ids=IdColumn.from_strings([f"d{i:06d}" for i in range(items)]),
        item=item.astype(np.int32),
        assessor=who.astype(np.int32),
        grade=grade.astype(np.int8),
        repeat=np.zeros(len(item), np.int32),
    )


def run() -> list[Row]:
    judgments = crowd()
    return [
        *em_rows(judgments), million_row(judgments), *method_rows(crowd(6_000, 300, 5, 2)), agreement_row(judgments),
        aware_row(),
    ]  # fmt: skip


def em_rows(judgments: Judgments) -> list[Row]:
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    from dissensus.judging.label_table import labels
    from dissensus.judging.merging import em
    from dissensus.judging.merging.methods import choose

    table = labels(judgments)
    frame = pd.DataFrame({"task": table.item, "worker": table.assessor, "label": table.level.astype(np.int64)})
    theirs: list[object] = []

    def peer() -> None:  # tol=−∞: their loss may fall, which would end them early
        theirs.append(DawidSkene(n_iter=ROUNDS, tol=-np.inf).fit_predict(frame).sort_index().to_numpy())

    def ours(threads: int, rounds: int = ROUNDS) -> em.Fit:
        data = em.Sparse.of(table, table.assessor, table.n_assessors, np.zeros(table.n_items, np.int32))
        return em.fit(data, table.shares(), smoothing=0, tol=0, max_rounds=rounds, threads=threads)

    ours(1, 1)  # compiled, and out of the way
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        their_seconds = best_of(1, peer)
    one, two = best_of(5, lambda: ours(1)), best_of(5, lambda: ours(2))
    same = float((choose(ours(2).posterior, "lower")[0] == theirs[0]).mean())
    what = f"EM, {ROUNDS} rounds, {len(table):,} labels by {table.n_assessors:,} assessors"
    note = f"{same:.2%} of the labels equal"
    return [
        Row(f"{what}, one thread", one, "crowd-kit DawidSkene", their_seconds, 10, note),
        Row(f"{what}, two threads", two, "crowd-kit DawidSkene", their_seconds, 20, note),
    ]


def million_row(judgments: Judgments) -> Row:
    """`merge` as users call it on a million labels, conversion, warnings and confusions included, beside crowd-kit."""
    from crowdkit.aggregation import DawidSkene

    from dissensus.judging.label_table import labels
    from dissensus.judging.merging.api import crowdkit_posterior, merge

    settings = {"start": "shares", "smoothing": 0.0, "tol": 0.0, "max_rounds": ROUNDS, "temper": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        merge(judgments, "em-mv", **{**settings, "max_rounds": 1})
        ours = best_of(5, lambda: merge(judgments, "em-mv", **settings))
        theirs = best_of(1, lambda: crowdkit_posterior(labels(judgments), DawidSkene(n_iter=ROUNDS, tol=-np.inf)))
    what = f"merge(…, 'em-mv') whole, {ROUNDS} rounds, {len(judgments):,} labels, conversion included"
    return Row(what, ours, "crowd-kit DawidSkene", theirs, 20)


def method_rows(judgments: Judgments) -> list[Row]:
    """Every other way of merging beside crowd-kit's, 30,000 labels, conversion from and to judgments included."""
    import pandas as pd
    from crowdkit import aggregation

    from dissensus.judging.label_table import labels
    from dissensus.judging.merging.api import crowdkit_posterior, merge

    table = labels(judgments)
    peers = {
        "majority": aggregation.MajorityVote,
        "one-coin": aggregation.OneCoinDawidSkene,
        "mace": lambda: aggregation.MACE(n_restarts=1, n_iter=20),
        "glad": lambda: aggregation.GLAD(n_iter=20),
        "kos": lambda: aggregation.KOS(random_state=0),
    }
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in peers.items():
            merge(judgments, name, temper=False)  # compile
            ours = best_of(2, lambda name=name: merge(judgments, name, temper=False))
            theirs = best_of(1, lambda make=make: crowdkit_posterior(table, make()))
            rows.append(Row(f"{name}, {len(table):,} labels", ours, "crowd-kit", theirs, 5))
        frame = pd.DataFrame({"task": table.item, "worker": table.assessor, "label": table.level.astype(np.int64)})
        ours = best_of(2, lambda: merge(judgments, "wawa", temper=False))
        theirs = best_of(1, lambda: aggregation.Wawa().fit(frame))
        note = "its fit alone: crowd-kit's predict fails with scikit-learn 1.9"
        rows.append(Row(f"wawa, {len(table):,} labels", ours, "crowd-kit", theirs, 5, note))
    return rows


def agreement_row(judgments: Judgments) -> Row:
    from dissensus.judging.agreement.api import agreement

    seconds = best_of(3, lambda: agreement(judgments, replicates=199))
    return Row(f"agreement, every coefficient with its interval, {len(judgments):,} labels", seconds)


def aware_row() -> Row:
    """31 assessors × 129 systems × 10 topics, AP, 1,000 random judges of each class; promised under 30 s."""
    from dissensus.judging.aware.api import assess
    from dissensus.judging.aware.estimators import ESTIMATORS, Estimator
    from dissensus.measures.catalog import measure

    with tempfile.TemporaryDirectory() as folder:
        paths, qrels = write_collection(Path(folder), 129, 10, 1000, 1500, 100_000, 0.06)
        joined = join(read_runs(*paths), read_judgments(qrels))
        rng = np.random.default_rng(1)
        truth = (joined.labels[:, :1] > 0).astype(np.int8)
        reads = rng.random((len(truth), 31)) < np.linspace(0.2, 0.95, 31)
        labels = np.where(reads, truth, rng.random(reads.shape) < 0.3).astype(np.int8)
        crowd = joined.with_labels(labels, [f"a{k:02d}" for k in range(31)])
        assess(crowd, measure("AP"), replicates=2)

        def thirty() -> None:
            found = assess(crowd, measure("AP"), replicates=1000)
            for name in ESTIMATORS:
                found.merged(Estimator.named(name), quiet=True)

        seconds = best_of(1, thirty)
    return Row("AWARE, 30 estimators, 31 assessors × 129 systems × 10 topics × 3,000 random judges", seconds,
               note="promised: under 30 s")  # fmt: skip
