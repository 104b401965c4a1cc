"""Is the conclusion right as often as it says, and what does following the recommendation cost? Audits of real labels.

With --runs and --judgments, `gold` names the assessor to believe. Every other assessor (or those in `judges`) is
audited `audits` times for each of `measures` and `labels`, as `design` says (planned, random). Each audit draws
`systems` runs afresh (with 0, it takes all of them). Every audit is concluded as `compare` does: best set and claims.
Every system has a chance to be the best, one to be within `negligible` of it, and an expected loss. These are held
against the truth. Next to them stands what the judge's own first and the corrected first would have cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from dissensus.inference.correction.result import Corrected
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.stats.correlation import kendall_tau
from dissensus.studies.audits.cells import audited
from dissensus.studies.audits.repetitions import GoldStandard, repeated
from dissensus.studies.study import Request, StudyOutcome

SETTINGS: dict[str, Any] = {
    "audits": 30, "gold": "gold", "judges": (), "measures": ("P(rel=2)@10", "nDCG@10"), "labels": (300, 600),
    "design": "planned", "target": "these_topics", "systems": 20, "negligible": 0.02,
}  # fmt: skip
BLOCK = 5
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0 + 1e-9)
SAME = 1e-12  # true scores of copies differ by rounding
NOTES = (
    "holds: share of audits whose best set contains the true best; singled: share whose best set is one system",
    'better_wrong: share of audits with a wrong "better" among all pairs; probably_right: of all such claims',
    "expected, realised: loss of the recommended system, by the model and in truth; ratio: of all systems' losses",
    "judge_first, corrected_first: true loss of the system that each ranks first; is_best: how often it is the best",
    "said, true: mean chance in a bin, and how often it came true, over all systems",
)
Row = dict[str, Any]


def run(request: Request) -> StudyOutcome:
    given = request.settings
    runs, judgments = request.collection()
    standard = GoldStandard(runs, judgments, given["gold"])
    measures = {str(m): m for m in measure_list(given["measures"])}
    keys = [(j, m, n) for j in standard.others(given["judges"]) for m in measures for n in given["labels"]]
    done = repeated(
        block, keys, given["audits"], BLOCK, seed=request.seed, executor=request.workers, progress="concluding",
        shared={"given": standard, "measures": measures, "settings": dict(given)},
    )  # fmt: skip
    rows = {key: [r for each in blocks for r in each] for key, blocks in done.items()}
    return StudyOutcome(
        tables={"claims": by_cell(rows, claims), "loss": by_cell(rows, losses), "chances": chances(rows)},
        notes=[*NOTES, f"truth is what {given['gold']} says; a refused audit is counted apart"],
    )


def block(
    unit: tuple[Any, ...],
    given: GoldStandard,
    measures: Mapping[str, Measure],
    settings: Mapping[str, Any],
    rng: np.random.Generator,
) -> list[Row]:
    """Some audits of one cell: what each concluded, beside the truth."""
    judge, name, labels, audits = unit
    asked = (labels, settings["design"], settings["target"])
    out = []
    for _ in range(audits):
        done = audited(given, judge, measures[name], asked, settings["systems"], rng)
        joined = done.design.joined
        made = Corrected(
            joined.systems, joined.topics, {done.result.name: done.result}, (), done.design,
            target=settings["target"], seed=done.seed, judge_name=judge,
        )  # fmt: skip
        out.append(concluded(made, done.truth, np.nanmean(done.plain, axis=1), settings["negligible"]))
    return out


def concluded(made: Corrected, truth: np.ndarray[Any, Any], alone: np.ndarray[Any, Any], negligible: float) -> Row:
    """What one audit concludes, and whether that is right."""
    found = made.conclude(negligible=negligible)
    estimate = next(iter(made.results.values())).estimate
    if estimate.why_not or found.decision is None:
        return {"refused": True}
    value = dict(zip(made.systems, truth.tolist(), strict=True))
    top = float(truth.max())
    lost = {s: top - v for s, v in value.items()}
    d = found.decision
    better = [p.claim for p in found.pairs if p.claim.kind == "better"]
    probable = [value[c.systems[0]] > value[c.others[0]] + SAME for c in found.probable_pairs]
    order = np.array([-found.order.index(s) for s in made.systems], np.float64)
    first, corrected = (made.systems[int(np.argmax(x))] for x in (alone, estimate.theta))
    return {
        "refused": False,
        "holds": any(lost[s] <= SAME for s in found.best),
        "best_set": len(found.best),
        "singled": len(found.best) == 1,
        "singled_right": len(found.best) == 1 and lost[found.best[0]] <= SAME,
        "better": len(better),
        "better_wrong": any(value[c.systems[0]] < value[c.others[0]] - SAME for c in better),
        "probably": len(probable),
        "probably_right": sum(probable),
        "tau": float(kendall_tau(order, truth)),
        "expected": d.of(d.recommended)[2],
        "realised": lost[d.recommended],
        "all_expected": float(np.mean(d.loss)),
        "all_realised": float(np.mean([lost[s] for s in d.systems])),
        "judge_first": lost[first],
        "corrected_first": lost[corrected],
        "recommended_is_best": lost[d.recommended] <= SAME,
        "judge_first_is_best": lost[first] <= SAME,
        "chances": [(b, w, lost[s] <= SAME, lost[s] <= negligible)
                    for s, b, w in zip(d.systems, d.best, d.within, strict=True)],
    }  # fmt: skip


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def by_cell(rows: Mapping[tuple[Any, ...], list[Row]], summary: Any) -> pl.DataFrame:
    """One row per judge, measure and number of labels, then one per measure over all of them."""
    out = [{"judge": j, "measure": m, "labels": n, **summary(each)} for (j, m, n), each in rows.items()]
    for name in dict.fromkeys(m for _, m, _ in rows):
        every = [r for (_, m, _), each in rows.items() if m == name for r in each]
        out.append({"judge": "all", "measure": name, "labels": 0, **summary(every)})
    return pl.DataFrame(out, infer_schema_length=None)


def claims(rows: Iterable[Row]) -> Row:
    """How often the best set and the claims are right."""
    every = list(rows)
    kept = [r for r in every if not r["refused"]]
    out: Row = {"audits": len(every), "refused": 1 - len(kept) / max(len(every), 1)}
    if not kept:
        return out
    singled, probably = sum(r["singled"] for r in kept), sum(r["probably"] for r in kept)
    return out | {
        "holds": _mean(kept, "holds"),
        "best_set": _mean(kept, "best_set"),
        "singled": _mean(kept, "singled"),
        "singled_right": sum(r["singled_right"] for r in kept) / singled if singled else math.nan,
        "better": _mean(kept, "better"),
        "better_wrong": _mean(kept, "better_wrong"),
        "probably": _mean(kept, "probably"),
        "probably_right": sum(r["probably_right"] for r in kept) / probably if probably else math.nan,
        "tau": _mean(kept, "tau"),
    }


def losses(rows: Iterable[Row]) -> Row:
    """What the recommendation costs, and what others would have cost."""
    kept = [r for r in rows if not r["refused"]]
    if not kept:
        return {}
    names = (
        "expected", "realised", "judge_first", "corrected_first", "recommended_is_best", "judge_first_is_best",
    )  # fmt: skip
    ratio = _mean(kept, "all_realised") / max(_mean(kept, "all_expected"), 1e-12)
    return {"audits": len(kept), **{name: _mean(kept, name) for name in names}, "ratio": ratio}


def chances(rows: Mapping[tuple[Any, ...], list[Row]]) -> pl.DataFrame:
    """How often chances of a size came true, by measure."""
    out = []
    for name in dict.fromkeys(m for _, m, _ in rows):
        each = [
            c for (_, m, _), found in rows.items() if m == name for r in found if not r["refused"] for c in r["chances"]
        ]
        table = np.array(each, np.float64).reshape(-1, 4)
        for kind, said, true in (("best", 0, 2), ("within", 1, 3)):
            for low, high in pairwise(BINS):
                inside = (table[:, said] >= low) & (table[:, said] < high)
                if inside.any():
                    number = int(inside.sum())
                    out.append({
                        "measure": name, "chance": kind, "low": low, "high": min(high, 1.0), "systems": number,
                        "said": float(table[inside, said].mean()), "true": float(table[inside, true].mean()),
                    })  # fmt: skip
    return pl.DataFrame(out)


def _mean(rows: Iterable[Row], name: str) -> float:
    return float(np.mean([r[name] for r in rows]))
