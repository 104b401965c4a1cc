"""People and LLMs asked which of two documents is better: on pairs, on the order of runs, and after an audit.

`dissensus experiment preferences people.txt llm=gpt4o.txt --runs "runs/*" --judgments qrels.txt` reads preferences, one
assessor a file or named in a column. Bradley–Terry strengths within each topic order the documents as each assessor
would; Compat scores every run by that order (Clarke, Vtyurina & Smucker 2021), beside Compat and nDCG@10 by the grades.
Without files the answers are generated: people who scatter, and an LLM that is sharper but prefers what it sees first.

A last table is always generated: five systems' answers compared by a judge with that position bias, where the new
system is mostly shown first; an expert answers a sample of the pairs. How far naive and rectified win rates are from
the truth, and how often their intervals hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import polars.selectors as cs
from scipy.special import expit

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError
from dissensus.judging.leaderboards import leaderboards
from dissensus.judging.preferences.api import PreferenceResult, preferences
from dissensus.judging.preferences.reading import read_preferences
from dissensus.judging.preferences.table import Preferences
from dissensus.judging.preferences.win_rates import rectified_win_rates, win_rates
from dissensus.measures.evaluate import evaluate
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.executor import run_units

if TYPE_CHECKING:
    import xarray as xr


#: of the generated answers: how sharply people and the LLM tell documents apart, and what the first place is worth
PEOPLE, LLM, FIRST = 1.0, 2.5, 0.8
#: strengths of the five systems, the new one first, and how often it is shown first
SYSTEMS, SHOWN_FIRST = (0.0, 0.2, 0.4, -0.3, -0.5), 0.8

SETTINGS: Values = {
    "p": 0.8, "replicates": 1000, "topics": 30, "documents": 12, "asked": 40, "trials": 200, "audited": 0.3,
}  # fmt: skip


def run(request: Request) -> StudyOutcome:
    s = request.settings
    runs: Runs | None
    grades: Judgments | None
    if request.files:
        given = [read_preferences(f) for f in request.files]
        runs, grades = _named(request)
    else:
        generated = generated_answers(s["topics"], s["documents"], s["asked"], np.random.default_rng(request.seed))
        given, runs, grades = generated[0], *generated[1:]
    both = joined(given)
    result = preferences(both, items="topic", seed=request.seed)
    alone = {name: preferences(both.by(name), items="topic", seed=request.seed) for name in both.assessors}
    tables = {"assessors": assessor_table(result, alone), "agreement": result.agreement}
    notes = list(dict.fromkeys(note for part in given for note in part.notes))
    notes.append("shrunken: groups of compared documents where one always won or always lost")
    figures = {}
    if runs is not None:
        scores = run_scores(runs, alone, grades, s["p"])
        boards = leaderboards(scores, "score", replicates=s["replicates"], seed=request.seed)
        tables["orders of runs"] = boards.table.select(~cs.starts_with("rbo", "top_k"))
        tables["runs"] = score_table(scores)
        notes.append(f"orders of runs: {boards.notes[0]}")
        if len(both.assessors) > 1:
            names = [f"Compat by {name}" for name in both.assessors[:2]]
            figures["runs"] = Figure("judges", "two_orders", (tables["runs"], *names))
    units = [request.seed + k for k in range(s["trials"])]
    drawn = run_units(one_audit, units, shared={"share": s["audited"]}, seed=request.seed, progress="audits")
    tables["rectified"] = pl.DataFrame(rectified_rows(drawn), orient="row", schema=[
        "system", "true", "naive", "rectified", "naive holds", "rectified holds",
    ])  # fmt: skip
    notes.append(
        f"rectified: generated; means over {s['trials']:,} audits of {s['audited']:.0%} of 600 pairs on 60 topics; "
        "holds: share of 95% intervals with the true win rate inside"
    )
    return StudyOutcome(tables=tables, notes=notes, figures=figures)


def _named(request: Request) -> tuple[Runs | None, Judgments | None]:
    if request.judgments and not request.runs:
        raise InputError("judgments order runs, and no runs are given.", 'Name them: --runs "runs/*"')
    runs = request.read_runs() if request.runs else None
    grades = request.read_judgments(request.judgments) if request.judgments else None
    if grades is not None and len(grades.assessors) > 1:
        raise InputError(
            f"the judgments are by {len(grades.assessors)} assessors; this experiment takes one set of grades.",
            "Name one file of one assessor.",
        )
    return runs, grades


def joined(given: Sequence[Preferences]) -> Preferences:
    """All answers in one table."""
    return Preferences.from_rows([row for part in given for row in part.to_frame().iter_rows()])


# ── tables ──
def assessor_table(result: PreferenceResult, alone: dict[str, PreferenceResult]) -> pl.DataFrame:
    """A row per assessor: answers, ties, the first place, discrimination, and groups with shrunken strengths."""
    table = result.position.join(result.judges, on="assessor")
    own = [alone[name] for name in table["assessor"]]
    return table.with_columns(
        pl.Series("topics", [r.strengths["topic"].n_unique() for r in own]),
        pl.Series("groups", [r.groups for r in own]),
        pl.Series("shrunken", [r.shrunken for r in own]),
    ).select(
        *("assessor", "answers", "topics", "same", "with_order", "first_preferred", "low", "high", "discrimination"),
        *("groups", "shrunken"),
    )


def run_scores(runs: Runs, alone: dict[str, PreferenceResult], grades: Judgments | None, p: float) -> xr.Dataset:
    """Scores of the runs under every order: one "assessor" for each assessor's preferences, and for the grades."""
    import xarray as xr

    compat = f"Compat(p={p:g})"
    ways = {f"Compat by {name}": (result.judgments(name), compat) for name, result in alone.items()}
    if grades is not None:
        label = grades.assessors[0]
        ways |= {f"Compat by {label}": (grades, compat), f"nDCG@10 by {label}": (grades, "nDCG@10")}
    parts = []
    for way, (labels, measure) in ways.items():
        values = evaluate(runs, labels, [measure])[measure]
        parts.append(values.rename("score").assign_coords(assessor=[way]))
    return xr.concat(parts, "assessor", join="outer").to_dataset()


def score_table(scores: xr.Dataset) -> pl.DataFrame:
    """Mean score of every run, a column for each order."""
    means = scores["score"].mean("topic").transpose("system", "assessor")
    columns = {str(a): means.values[:, k].tolist() for k, a in enumerate(means.coords["assessor"].values)}
    table = pl.DataFrame({"system": [str(s) for s in means.coords["system"].values], **columns})
    return table.sort(next(iter(columns)), descending=True)


def rectified_rows(drawn: list[Floats]) -> list[tuple[Any, ...]]:
    """From (system × true, naive, rectified, held by naive, held by rectified) of every audit to their means."""
    means = np.mean(drawn, axis=0)
    return [(f"s{i}" if i else "new", *map(float, row)) for i, row in enumerate(means)]


# ── generated answers ──
def generated_answers(
    topics: int, documents: int, asked: int, rng: np.random.Generator
) -> tuple[list[Preferences], Runs, Judgments]:
    """(the answers of people and of an LLM, eight runs, grades 0 … 3), all from one hidden quality of the documents."""
    rows: dict[str, list[tuple[Any, ...]]] = {"people": [], "llm": []}
    grades: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {f"run{k}": {} for k in range(8)}
    for t in range(topics):
        quality = rng.normal(0, 1.5, documents)
        names = [f"t{t}d{d}" for d in range(documents)]
        grades[str(t)] = dict(zip(names, np.digitize(quality, [-0.5, 0.8, 2.0]).tolist(), strict=True))
        for k, ranking in enumerate(runs.values()):
            noisy = quality + rng.normal(0, 0.4 * (k + 1), documents)
            ranking[str(t)] = dict(zip(names, noisy.tolist(), strict=True))
        for _ in range(asked):
            a, b = rng.choice(documents, 2, replace=False)
            for who, sharp, first in (("people", PEOPLE, 0.0), ("llm", LLM, FIRST)):
                shown = 1 if rng.random() < 0.5 else -1
                wins = rng.random() < expit(sharp * (quality[a] - quality[b]) + first * shown)
                answer = "same" if who == "llm" and abs(quality[a] - quality[b]) < 0.3 else "a" if wins else "b"
                rows[who].append((str(t), names[a], names[b], who, answer, "ab" if shown > 0 else "ba"))
    answers = [Preferences.from_rows(rows[who]) for who in rows]
    return answers, Runs.from_dict(runs), Judgments.from_dict({"grades": grades}, scale="0..3")


def one_audit(unit: int, share: float, rng: np.random.Generator) -> Floats:
    """System × (true, naive, rectified win rate, held by the naive and by the rectified interval) of one audit."""
    strength = np.array(SYSTEMS)
    n = len(strength)
    names = ["new", *(f"s{i}" for i in range(1, n))]
    judge, expert = [], []
    for t in range(60):
        for i in range(n):
            for j in range(i + 1, n):
                shown = 1 if rng.random() < (SHOWN_FIRST if i == 0 else 0.5) else -1
                order = "ab" if shown > 0 else "ba"
                gap = strength[i] - strength[j]
                says = "a" if rng.random() < expit(LLM * gap + FIRST * shown) else "b"
                judge.append((str(t), names[i], names[j], "llm", says, order))
                says = "a" if rng.random() < expit(gap) else "b"
                expert.append((str(t), names[i], names[j], "expert", says, order))
    drawn = np.flatnonzero(rng.random(len(judge)) < share)
    answered = Preferences.from_rows(judge)
    audit = Preferences.from_rows([expert[k] for k in drawn])
    naive = win_rates(answered)
    rectified = rectified_win_rates(answered, audit, np.full(len(drawn), share))
    others = expit(strength[:, None] - strength[None]) - 0.5 * np.eye(n)
    truth = others.sum(axis=1) / (n - 1)
    rows = []
    for i, name in enumerate(names):
        a, b = (table.filter(table["item"] == name).row(0, named=True) for table in (naive, rectified))
        held = [float(x["low"] <= truth[i] <= x["high"]) for x in (a, b)]
        rows.append((truth[i], a["win_rate"], b["win_rate"], *held))
    return np.array(rows)
