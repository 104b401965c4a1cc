"""Does the winner depend on the prompt? The same systems under many judges, and what one audit does to their spread.

`dissensus experiment multiverse nist=qrels.txt --runs "runs/*" --judgments judges.csv` scores the runs by every judge.
A judge's name says what it is made of. `mistral-g12` is the LLM `mistral` under the prompt `g12`. The file is gold. The
study shows how near every judge's order is to it, and draws audits from it. Without a file there is neither.

Audits of each size are planned on the judge that the smallest panel begins with. Each audit corrects every judge. The
table shows the spread of the judges before and after, and under how many judges the right system has the highest score.
It counts the audits after which all judges agree on a winner, and those after which this winner is right.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.inference.multiverse.api import multiverse
from dissensus.inference.multiverse.audited import audited
from dissensus.inference.multiverse.result import Multiverse
from dissensus.inference.multiverse.tables import Universe
from dissensus.inference.planning.api import plan
from dissensus.judging.leaderboards import DECIMALS
from dissensus.measures.policies import Policies
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.executor import run_units

SETTINGS: Values = {
    "measures": ("nDCG@10", "P(rel=2)@10"), "audited": "P(rel=2)@10", "labels": (100, 300), "audits": 10,
    "replicates": 1000,
}  # fmt: skip
NEAREST = 8  # judges that are shown with their agreement with gold


def run(request: Request) -> StudyOutcome:
    s = request.settings
    if len(request.files) > 1:
        raise InputError("this experiment takes one file, that of gold.", "Name it: nist=qrels.txt")
    runs, judges = request.collection()
    gold = request.read_judgments(request.files) if request.files else None
    factors = {j: {"llm": j.rpartition("-")[0] or j, "prompt": j.rpartition("-")[2]} for j in judges.assessors}
    found = multiverse(runs, judges, s["measures"], factors, gold, replicates=s["replicates"], seed=request.seed)
    tables = {
        "conclusions": pl.DataFrame([_conclusions(u) for u in found.universes]),
        "winners": found.to_frame("winners"),
        "components": found.to_frame("components").select("measure", "source", "variance"),
        "panel": found.to_frame("panel"),
        "set aside": found.to_frame("groups").filter(pl.col("height").is_not_null()).drop("tau_b", "size"),
    }
    if gold is not None:
        tables["near gold"] = _near_gold(found)
    if gold is not None and s["audited"] in found.measures and s["audits"]:
        u = found.universe(s["audited"])
        shared = {"runs": runs, "judges": judges, "gold": gold, "universe": u}
        rows = []
        for labels in s["labels"]:
            units = [(labels, request.seed + k) for k in range(s["audits"])]
            drawn = run_units(one_audit, units, shared=shared, seed=request.seed, progress=f"audits of {labels}")
            rows.append({"measure": u.measure, "labels": labels, "audits": len(drawn), **_cell(drawn)})
        tables["audits"] = pl.DataFrame(rows)
    curve = found.to_frame("curve").filter(pl.col("measure") == found.measures[0])
    figures = {"curve": Figure("multiverse", "specification_curve", (curve,))}
    return StudyOutcome(tables=tables, notes=found.sentences(), figures=figures)


def _conclusions(u: Universe) -> Values:
    """What the judges of one measure conclude: winners, pairs decided alike, pairs that change their order."""
    c, n = u.claims, len(u.judges)
    up, down = (c.sign > 0).sum(axis=0), (c.sign < 0).sum(axis=0)
    sets = u.winner_sets()
    return {
        "measure": u.measure, "judges": n, "systems": len(u.systems),
        "winners alone": sum(len(s) == 1 for s, _ in sets), "judges that tie": sum(k for s, k in sets if len(s) > 1),
        "pairs": len(c.a), "decided alike by all": int((np.maximum(up, down) == n).sum()),
        "by nine in ten": int((np.maximum(up, down) >= 0.9 * n).sum()),
        "decided both ways": int(((up > 0) & (down > 0)).sum()),
        "change their order": int(((c.difference > 0).any(axis=0) & (c.difference < 0).any(axis=0)).sum()),
        "panel": len(u.panel[0]),
    }  # fmt: skip


def _near_gold(found: Multiverse) -> pl.DataFrame:
    """The judges nearest to gold, and the farthest one."""
    parts = []
    for measure in found.measures:
        own = found.to_frame("judges").filter(pl.col("measure") == measure)
        own = own.select("measure", "judge", "tau", "tau_corrected", "tau_low", "tau_high", "may_be_best")
        parts += [own.head(NEAREST), own.tail(1)] if own.height > NEAREST else [own]
    return pl.concat(parts)


def one_audit(
    unit: tuple[int, int], runs: Runs, judges: Judgments, gold: Judgments, universe: Universe, rng: np.random.Generator
) -> tuple[float, ...]:
    """(systems scored, spread before, after, judges that name the right winner before, after, all one, and right)."""
    labels, seed = unit
    judge = universe.judges[universe.panel[0][0]]
    sample = plan(
        runs, judges, budget=labels, measures=universe.measure, assessor=judge, purpose="scores", seed=seed
    ).sample
    assert sample is not None
    rows = sample.select("topic", "doc", "inclusion").join(gold.to_frame().drop("assessor"), on=["topic", "doc"])
    audit = Audit.from_frame(rows, scale=gold.scale)
    found = audited(runs, judges, audit, [universe], Policies(), seed)[universe.measure]
    assert universe.gold is not None
    means = dict(zip(universe.systems, universe.gold.mean(axis=1).round(DECIMALS).tolist(), strict=True))
    truth = max(found.systems, key=means.__getitem__)
    before, after = found.winners()
    sd = [float(np.sqrt((x**2).mean())) for x in found.sd]
    one = float(len(set(after)) == 1)
    n = len(universe.judges) / len(found.judges)  # judges that could not be corrected name nobody
    right = [sum(w == truth for w in x) * n for x in (before, after)]
    return len(found.systems), *sd, *right, one, one * float(after[0] == truth)


def _cell(drawn: list[tuple[float, ...]]) -> Values:
    systems, before, after, first, then, one, right = np.array(drawn).T
    return {
        "systems": float(systems.mean()), "sd before": float(before.mean()), "sd after": float(after.mean()),
        "judges right before": float(first.mean()), "judges right after": float(then.mean()),
        "audits where all judges agree": int(one.sum()), "and are right": int(right.sum()),
    }  # fmt: skip
