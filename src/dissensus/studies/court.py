"""Are conclusions right as often as they claim, and what does the recommendation cost? Audits where the truth is known.

With --runs and --judgments, `gold` names the assessor to believe. Every other assessor (or those in `judges`) is
audited `audits` times for each of `measures`, `labels` and `targets`, as `design` says (planned, random). Each audit
draws `systems` runs afresh (with 0, it takes all of them), and is concluded as `correct` does. Without files, a study
is generated.

For every kind of sentence a table shows how often it was said and how often it was wrong. Every system has a chance to
be the best, one to be within `negligible` of it, and an expected loss, which are held against the truth. Next to the
recommendation stand the judge's own first and the corrected first. The gate is held against systems that are worse by
exactly its tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.studies.audits.small_world import generated
from dissensus.studies.audits.trials import Row, trial
from dissensus.studies.audits.verdicts import RULES
from dissensus.studies.study import Request, StudyOutcome
from dissensus.work.executor import run_units
from dissensus.work.seeds import block_sizes

SETTINGS: Values = {
    "audits": 30, "gold": "gold", "judges": (), "measures": ("P(rel=2)@10", "nDCG@10"), "labels": (300, 600),
    "design": "planned", "targets": ("these_topics",), "systems": 20, "negligible": 0.02,
}  # fmt: skip
BLOCK = 5
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0 + 1e-9)
CELL = ("measure", "labels", "target")
NOTES = (
    "sentences: how often each kind was said, in how many audits, and how often it was wrong",
    "limit: the share of such sentences that may be wrong; a kind without one promises nothing by itself",
    "holds: share of audits whose best set contains the true best; one: share whose best set is one system",
    "covered: share of audits whose intervals of all pairs contain the true differences together",
    'better_wrong: share of audits with a wrong "better" among all pairs; '
    "wrong_first, wrong_second: the same for the first, or the second, of a pair",
    "expected, realised: loss of the recommended system, by the model and in truth; ratio: of all systems' losses",
    "judge_first, corrected_first: true loss of the system that each ranks first; right: share that is the best",
    "said, true: mean chance in a bin, and how often it came true, over all systems",
    "gate: pairs, and shares that pass, or fail, at a tolerance that is exactly the true loss",
)


def run(request: Request) -> StudyOutcome:
    asked = request.settings
    if request.runs or request.judgments:
        runs, judgments = request.collection()
        given = GoldStandard(runs, judgments, asked["gold"])
    else:
        given = generated(request.seed)
    rows = trials(given, asked, seed=request.seed, executor=request.workers)
    notes = [*NOTES, f"truth is what {given.gold} says; a refused audit is counted apart"]
    return StudyOutcome(tables=court_tables(rows), notes=notes)


def trials(given: GoldStandard, asked: Mapping[str, Any], *, seed: int = 0, executor: object = None) -> list[Row]:
    """One row per audit, of every judge, measure, number of labels and target."""
    measures = {str(m): m for m in measure_list(asked["measures"])}
    units = [
        ((judge, name, int(n), asked["design"], target), size)
        for size in block_sizes(asked["audits"], BLOCK)  # stopped half-way, every cell has some audits
        for target in asked["targets"]
        for name in measures
        for n in asked["labels"]
        for judge in given.others(tuple(asked["judges"]))
    ]
    shared = {"given": given, "measures": measures, "systems": asked["systems"], "negligible": asked["negligible"]}
    done = run_units(block, units, shared=shared, seed=seed, executor=executor, progress="trials")
    return [row for rows in done for row in rows]


def block(
    unit: tuple[Any, int],
    given: GoldStandard,
    measures: Mapping[str, Measure],
    systems: int,
    negligible: float,
    rng: np.random.Generator,
) -> list[Row]:
    """Some audits of one cell."""
    cell, audits = unit
    return [trial(given, tuple(cell), measures[cell[1]], systems, negligible, rng) for _ in range(audits)]


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def court_tables(rows: list[Row]) -> dict[str, pl.DataFrame]:
    """sentences, verdicts, loss, chances, gate."""
    frame = pl.DataFrame([{k: v for k, v in r.items() if k != "chances"} for r in rows], infer_schema_length=None)
    return {
        "sentences": sentence_table(frame),
        "verdicts": _means(frame, {
            "refused": "refused", "holds": "holds", "best_set": "size", "one": "single", "one_right": "single_right",
            "covered": "covered", "better_wrong": "better_wrong", "wrong_first": "wrong_first",
            "wrong_second": "wrong_second", "tau": "tau", "tau_judge": "tau_judge",
        }),
        "loss": loss_table(frame),
        "chances": chances_table(rows),
        "gate": gate_table(frame),
    }  # fmt: skip


def sentence_table(frame: pl.DataFrame) -> pl.DataFrame:
    """kind, what makes it right, how often it was said, in how many audits, how often it was wrong, what is allowed."""
    out = []
    for kind, rule in RULES.items():
        said, audits, wrong, bad = (_sum(frame, f"{what}|{kind}") for what in ("said", "audits", "wrong", "bad"))
        share = wrong / said if said else None
        out.append((kind, rule.says, said, audits, wrong, bad, share, rule.limit))
    columns = ["kind", "right if", "said", "audits", "wrong", "audits with a wrong one", "share wrong", "limit"]
    kinds = {"share wrong": pl.Float64, "limit": pl.Float64}
    return pl.DataFrame(out, schema=columns, schema_overrides=kinds, orient="row")


def _sum(frame: pl.DataFrame, column: str) -> int:
    return int(frame[column].sum() or 0) if column in frame.columns else 0


def _means(frame: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """The mean of each column by measure, number of labels and target."""
    have = {new: pl.col(old).mean() for new, old in columns.items() if old in frame.columns}
    return frame.group_by(CELL, maintain_order=True).agg(audits=pl.len(), **have)


def loss_table(frame: pl.DataFrame) -> pl.DataFrame:
    """What the recommendation costs, and what others would have cost."""
    names = ("expected", "realised", "judge_first", "corrected_first", "right", "judge_right")
    out = _means(frame, {n: n for n in (*names, "all_expected", "all_realised")})
    if "all_expected" not in out.columns:
        return out
    ratio = pl.col("all_realised") / pl.col("all_expected")
    return out.with_columns(ratio=ratio).drop("all_expected", "all_realised")


def chances_table(rows: list[Row]) -> pl.DataFrame:
    """How often chances of a size came true, by measure and target."""
    out = []
    for name, target in dict.fromkeys((r["measure"], r["target"]) for r in rows):
        mine = [r for r in rows if (r["measure"], r["target"]) == (name, target)]
        table = np.array([c for r in mine for c in r.get("chances", ())], np.float64).reshape(-1, 4)
        for kind, said, true in (("best", 0, 2), ("within", 1, 3)):
            for low, high in pairwise(BINS):
                inside = (table[:, said] >= low) & (table[:, said] < high)
                if inside.any():
                    out.append({
                        "measure": name, "target": target, "chance": kind, "low": low, "high": min(high, 1.0),
                        "systems": int(inside.sum()), "said": float(table[inside, said].mean()),
                        "true": float(table[inside, true].mean()),
                    })  # fmt: skip
    return pl.DataFrame(out)


def gate_table(frame: pl.DataFrame) -> pl.DataFrame:
    """How often the gate passes, or fails, a system that is worse by exactly its tolerance."""
    if "gate_n" not in frame.columns:
        return pl.DataFrame(schema=dict.fromkeys(("pairs", "passed", "failed"), pl.Float64))
    sums = {
        new: pl.col(old).sum() for new, old in (("pairs", "gate_n"), ("passed", "gate_pass"), ("failed", "gate_fail"))
    }
    share = {c: pl.when(pl.col("pairs") > 0).then(pl.col(c) / pl.col("pairs")) for c in ("passed", "failed")}
    return frame.group_by(CELL, maintain_order=True).agg(**sums).with_columns(**share)
