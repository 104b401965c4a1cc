"""How users disagree about the top grade, and what grades are worth for it.

Figs. 1, 2, 3, 5 and Tables 1–4 of the user disagreement model, from judgments in which documents were judged by several
people (FILES, or --judgments). Given the released crowd labels of TREC 2010 Relevance Feedback (trec-rf10-data.txt), it
keeps documents with six labels or more, as the paper did, and sets Table 1's printed numbers beside ours. --runs add
Table 3 by depth; `groups` names a CSV topic,group; `labels=snippet,page` with `top` gives Table 4; `mutual=no` leaves
out Table 2, which takes longest. Without files a generated collection is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError
from dissensus.io.samples import generated_collection
from dissensus.judging.disagreement.api import Disagreement, Partners, disagreement
from dissensus.judging.disagreement.model import weight_of
from dissensus.studies.labels import rf10
from dissensus.studies.labels.dependencies import as_printed, dependencies
from dissensus.studies.labels.mutual import mutual_evaluation
from dissensus.studies.labels.same_user import histogram, same_user_again
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import JOINT
from dissensus.tables.topic_groups import read_groups
from dissensus.wording import counted
from dissensus.work.seeds import generator

MOST = 5  # labels of a document, in Fig. 1
USERS = ((1, 3), (2, 3), (2, 4), (2, 5))  # Table 1's M/N

SETTINGS: Values = {
    "top": None,
    "min_labels": 2,
    "repeats": "separate",
    "depths": (5, 10),
    "groups": None,
    "labels": None,
    "draws": 50,
    "mutual": True,
}


def run(request: Request) -> StudyOutcome:
    settings = dict(request.settings)
    columns, groups = settings.pop("labels"), settings.pop("groups")
    judgments, printed, notes = _read(request, settings, columns)
    if request.runs:
        runs: Runs | None = request.read_runs()
    elif request.files or request.judgments:
        runs = None
    else:
        runs = generated_collection(request.seed).runs
    study = disagreement_study(
        judgments,
        settings,
        runs=runs,
        groups=read_groups(groups) if groups else None,
        printed=printed,
        seed=request.seed,
    )
    tables = dict(study.frames)
    top = str(study.model.top)
    again = tables.pop("Figs. 2, 3", None)
    if again is not None:
        tables["Figs. 2, 3"] = histogram(again).select("who", "grade", "mean", "sd").unique(maintain_order=True)
    if columns:
        tables["Table 4"] = pair_table(judgments, settings["top"])

    figures = {
        "fig1": Figure("disagreement", "labels_chart", (tables["Fig. 1"], top)),
        "fig5": Figure("disagreement", "users_chart", (tables["Fig. 5"],)),
        "probability": Figure("disagreement", "probability_chart", (study.model.to_frame(), top)),
    }
    if again is not None:
        figures["figs2-3"] = Figure("disagreement", "again_chart", (histogram(again), top))
    if "Table 2" in tables:
        figures["table2"] = Figure("disagreement", "mutual_chart", (tables["Table 2"],))
    return StudyOutcome(tables=tables, notes=[*notes, *study.notes], facts={"p": study.model.p}, figures=figures)


def with_repeats(judgments: Judgments, seed: int, share: float = 1 / 3, same: float = 0.85) -> Judgments:
    """The judgments with a share of their labels given a second time, the `same` as before or the next grade."""
    frame = judgments.to_frame()
    rng = generator(seed, 77)
    again = frame.filter(pl.Series(rng.random(frame.height) < share))
    step = np.where(rng.random(again.height) < same, 0, rng.choice([-1, 1], again.height))
    grade = np.clip(
        again["grade"].to_numpy() + step, judgments.scale.low, judgments.scale.low + len(judgments.scale) - 1
    )
    twice = again.with_columns(pl.Series("grade", grade).cast(frame.schema["grade"]))
    return Judgments.from_frame(pl.concat([frame, twice]), scale=judgments.scale, repeated="keep")


def _read(request: Request, settings: Values, columns: str | None) -> tuple[Judgments, Any, list[str]]:
    """(judgments, printed numbers of Table 1 if they are known, notes); the paper's own data set their own settings."""
    files = [*request.files, *request.judgments]
    if not files:
        note = "generated collection, a third of its labels given twice: name a file of judgments for real ones"
        return with_repeats(generated_collection(request.seed).judgments, request.seed), None, [note]
    if columns:
        names = tuple(c.strip() for c in columns.split(","))
        if len(names) != 2:
            raise InputError(f"labels={columns} names {counted(len(names), 'column')}, and a pair has two.")
        return request.read_judgments(files, "first", names), None, []
    if len(files) == 1 and rf10.is_rf10(files[0]):
        settings["min_labels"] = max(settings["min_labels"], rf10.MIN_LABELS)
        note = f"TREC 2010 Relevance Feedback, documents with {settings['min_labels']} labels or more"
        return rf10.read_rf10(files[0]), rf10.TABLE_1, [note]
    return request.read_judgments(files, "keep"), None, []


@dataclass(frozen=True)
class DisagreementStudy:
    """The tables by name, and what was left out."""

    model: Disagreement
    frames: Mapping[str, pl.DataFrame]
    notes: tuple[str, ...]


def disagreement_study(
    judgments: Judgments,
    settings: Values,
    *,
    runs: Runs | None = None,
    groups: Mapping[Any, str] | None = None,
    printed: Mapping[tuple[int, int], tuple[float, float]] | None = None,
    seed: int = 0,
) -> DisagreementStudy:
    """All of the paper's tables that the judgments can give.

    `draws` is how often one label per document is picked to show the spread (50 in the paper); `printed` holds
    published weights {(M, N): (experimental, predicted)} of the grade below the top, set beside ours.
    """
    top, draws = settings["top"], settings["draws"]
    model = disagreement(judgments, top, min_labels=settings["min_labels"], repeats=settings["repeats"])
    most = int(model.table.others.max()) + 1
    frames: dict[str, pl.DataFrame] = {"Fig. 1": probability_by_labels(model, draws=draws, seed=seed)}
    notes: list[str] = list(model.notes)
    again = same_user_again(judgments, top, seed=seed)
    if again is None:
        notes.append("no assessor judged a document twice: Figs. 2 and 3 left out")
    else:
        frames["Figs. 2, 3"] = again
    frames["Fig. 5"] = weights_by_users(model, range(2, min(most, 8) + 1), draws=draws, seed=seed)
    frames["Table 1"] = weight_table(model, USERS, draws=draws, seed=seed, printed=printed)
    if settings["mutual"] and judgments.scale.ordered:
        _mutual(judgments, top, frames, notes, seed)
    try:
        frames["Table 3"] = dependencies(judgments, top, runs, settings["depths"], groups)
        frames["Table 3, printed (FedWeb12)"] = as_printed()
    except InputError as error:
        notes.append(f"Table 3 left out: {error.what}")
    frames["weights"] = model.weight_frame(1, 3)
    return DisagreementStudy(model, frames, tuple(notes))


def _mutual(judgments: Judgments, top: object, frames: dict[str, pl.DataFrame], notes: list[str], seed: int) -> None:
    try:
        result = mutual_evaluation(judgments, top, seed=seed)
    except InputError as error:
        notes.append(f"Table 2 left out: {error.what}")
        return
    frames["Table 2"] = result.to_frame()
    notes += [f"Table 2: {note}" for note in result.notes]


# ── Fig. 1, Fig. 5, Table 1: one label picked at random per document ──
def picked(table: Partners, size: int, need: int | None, rng: np.random.Generator) -> Floats:
    """By grade: pick one label per document and `size` of its partners; mean share of top labels, or, with `need`, of
    documents in which at least `need` of all said top. NaN for grades that no pick hit."""
    starts = np.flatnonzero(np.diff(table.item, prepend=-1))  # rows are sorted by document
    sizes = np.diff(np.append(starts, len(table)))
    first = starts + np.floor(rng.random(len(starts)) * sizes).astype(np.int64)
    chosen = first[table.others[first] >= size]
    top, others = table.tops[chosen], table.others[chosen]
    drawn = rng.hypergeometric(top, others - top, size) if size else np.zeros(len(chosen), np.int64)
    level = table.level[chosen]
    hit = drawn / max(size, 1) if need is None else (drawn + (level == table.top) >= need).astype(np.float64)
    k = len(table.scale)
    given = np.bincount(level, minlength=k)
    total = np.bincount(level, weights=hit, minlength=k)
    return np.asarray(np.divide(total, given, out=np.full(k, np.nan), where=given > 0))


def _spread(table: Partners, size: int, need: int | None, draws: int, seed: int, key: int) -> tuple[Floats, Floats]:
    """Mean and standard deviation over `draws` picks, by grade."""
    values = np.array([picked(table, size, need, generator(seed, key, d)) for d in range(draws)])
    known = np.isfinite(values)
    n = known.sum(axis=0)
    mean = np.divide(np.where(known, values, 0).sum(axis=0), n, out=np.full(len(n), np.nan), where=n > 0)
    square = np.where(known, (values - mean) ** 2, 0).sum(axis=0)
    return mean, np.sqrt(np.divide(square, n - 1, out=np.full(len(n), np.nan), where=n > 1))


def probability_by_labels(model: Disagreement, *, draws: int = 50, seed: int = 0) -> pl.DataFrame:
    """Fig. 1: grade, n, mean, sd, exact; p(top | grade) from n other labels of a document, picked at random."""
    rows = []
    p = model.p
    for n in range(1, min(MOST, int(model.table.others.max())) + 1):
        mean, sd = _spread(model.table, n, None, draws, seed, n)
        rows += [(str(key), n, mean[i], sd[i], p[key]) for i, key in enumerate(model.keys)]
    return pl.DataFrame(rows, schema=["grade", "n", "mean", "sd", "exact"], orient="row")


def weights_by_users(model: Disagreement, users: Sequence[int], *, draws: int = 50, seed: int = 0) -> pl.DataFrame:
    """Fig. 5: grade, users, counted with its sd, predicted with its interval, for "at least 1 of N users"."""
    rows = []
    p, interval = model.p, model.interval
    for n in users:
        mean, sd = _spread(model.table, n - 1, 1, draws, seed, 100 + n)
        exact = model.empirical(1, n)
        for i, key in enumerate(model.keys):
            if i == model.table.top:
                continue
            predicted = [weight_of(x, 1, n, is_top=False) for x in (p[key], *interval[key])]
            rows.append((str(key), n, exact[key][0], mean[i], sd[i], *predicted))
    names = ["grade", "users", "counted", "mean", "sd", "predicted", "low", "high"]
    return pl.DataFrame(rows, schema=names, orient="row")


def weight_table(
    model: Disagreement,
    users: Sequence[tuple[int, int]],
    *,
    draws: int = 50,
    seed: int = 0,
    printed: Mapping[tuple[int, int], tuple[float, float]] | None = None,
) -> pl.DataFrame:
    """Table 1: grade, M/N, counted with its sd, predicted; beside them what was printed, where it was."""
    rows: list[Values] = []
    below = model.table.top - 1
    for at_least, of in users:
        mean, sd = _spread(model.table, of - 1, at_least, draws, seed, 1000 + 20 * at_least + of)
        exact = model.empirical(at_least, of)
        for i, key in enumerate(model.keys):
            if i == model.table.top:
                continue
            row = {
                "grade": str(key),
                "users": f"{at_least}/{of}",
                "counted": exact[key][0],
                "mean": mean[i],
                "sd": sd[i],
                "predicted": weight_of(model.p[key], at_least, of, is_top=False),
            }
            if printed is not None:
                pair = printed.get((at_least, of)) if i == below else None
                row |= {"printed.counted": pair and pair[0], "printed.predicted": pair and pair[1]}
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


# ── Table 4: paired labels ──
def pair_table(
    judgments: Judgments, top: object = None, *, at_least: int = 1, of: int = 3, zero: str | Sequence[str] | None = ()
) -> pl.DataFrame:
    """Table 4: weights of label pairs, highest first, beside the weight of the second label alone.

    `top` is the pair that counts as top; its second part is the top of the second labels. Pairs with fewer than 50
    labels are marked.
    """
    pairs = disagreement(judgments, top)
    last = str(pairs.top).split(JOINT)[-1]
    alone = disagreement(judgments.facet(judgments.scale.facets[-1][0]), last)
    single = {str(k): w for k, w in alone.weights_as_they_are(at_least, of, zero=()).items()}
    frame = pairs.weight_frame(at_least, of, zero=zero).filter(pl.col("labels") > 0)
    parts = frame["grade"].str.splitn(JOINT, 2)
    return (
        frame.select(
            first=parts.struct[0],
            second=parts.struct[1],
            weight="weight",
            low="weight.low",
            high="weight.high",
            labels="labels",
            reliable="reliable",
        )
        .with_columns(pl.col("second").replace_strict(single, default=None).alias("second alone"))
        .sort("weight", descending=True, maintain_order=True)
    )
