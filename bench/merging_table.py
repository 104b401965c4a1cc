"""Ways of merging on every real crowd with gold, crowd-kit beside them in one run; and where EM is warned of.

    python -m bench.merging_table --json

Two tables: `accuracy` (a row per method, ours and crowd-kit's on the very same labels, a column per crowd) and `warned`
(a row per crowd, real and generated: the vote, EM, and what `merge` warns of with gold and without). Part `merging` of
`make evidence`. The crowds are read from ../shared/data as the tests read them. crowd-kit's slow models are left out on
large crowds: an empty cell was not run.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import crowd_sets

from dissensus.data.tables.judgments import Judgments
from dissensus.judges.merging.api import crowd_and_truth, crowdkit_posterior, merge
from dissensus.judges.merging.comparison import SLOW
from dissensus.judges.merging.methods import METHODS
from dissensus.judges.merging.voting import choose

SEED = 0
DOCUMENTS = 800  # of a generated crowd
COINS = 20  # seeds of the majority's tie coin


def real() -> dict[str, Judgments]:
    """Every crowd in ../shared/data that has gold."""
    sets = {name.upper(): crowd_sets.snow2008(name) for name in crowd_sets.SNOW}
    sets |= {"D_Product": crowd_sets.d_product(), "AdultContent2": crowd_sets.adultcontent2()}
    return sets | {"TREC RF10": crowd_sets.trec_rf10(), "LLMJudge": crowd_sets.llmjudge()}


# ── accuracy ──
def accuracy_table(sets: dict[str, Judgments]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for name, judgments in sets.items():
        for method, value in {**ours(judgments), **theirs(judgments)}.items():
            rows.setdefault(method, {"method": method})[name] = value
    return [{"method": m, **{s: row.get(s) for s in sets}} for m, row in rows.items()]


def ours(judgments: Judgments) -> dict[str, float | None]:
    table, truth = crowd_and_truth(judgments, "gold", "unjudged")
    assert truth is not None
    size = len(table)
    out: dict[str, float | None] = {"gold documents": int((truth >= 0).sum())}
    for method in METHODS:
        if (method == "kos" and table.n_levels != 2) or (method == "ordinal" and not table.scale.ordered):
            continue
        if method == "glad" and size > SLOW:
            continue
        seeds = range(COINS) if method == "majority" else [SEED]
        found = [merge(judgments, method, gold="gold", temper=False, seed=s).calibration for s in seeds]
        out[method] = float(np.mean([c.accuracy for c in found if c is not None]))
    return out


def theirs(judgments: Judgments) -> dict[str, float]:
    from crowdkit import aggregation

    table, truth = crowd_and_truth(judgments, "gold", "unjudged")
    assert truth is not None
    votes = table.first()
    size, k = len(votes), votes.n_levels
    peers: dict[str, tuple[Callable[[], Any], bool]] = {
        "crowd-kit MajorityVote": (aggregation.MajorityVote, True),
        "crowd-kit DawidSkene": (aggregation.DawidSkene, True),
        "crowd-kit OneCoinDawidSkene": (aggregation.OneCoinDawidSkene, size <= 30_000),
        "crowd-kit MACE": (lambda: aggregation.MACE(n_restarts=1, n_iter=20, random_state=SEED), size <= 30_000),
        "crowd-kit GLAD": (lambda: aggregation.GLAD(n_iter=20), size <= 10_000),
        "crowd-kit KOS": (lambda: aggregation.KOS(random_state=SEED), k == 2 and size <= 30_000),
    }
    out = {}
    for name, (make, wanted) in peers.items():
        if wanted:
            level, _ = choose(crowdkit_posterior(votes, make()), "coin", SEED)
            known = (truth >= 0) & (level >= 0)
            out[name] = float((level[known] == truth[known]).mean())
    return out


# ── warned ──
def warned_table(sets: dict[str, Judgments]) -> list[dict[str, Any]]:
    return [warned_row(name, judgments) for name, judgments in {**generated(), **sets}.items()]


def warned_row(name: str, judgments: Judgments) -> dict[str, Any]:
    checked = merge(judgments, "em-mv", gold="gold", seed=SEED)
    alone = merge(judgments.select(assessors=[a for a in judgments.assessors if a != "gold"]), "em-mv", seed=SEED)
    votes = [merge(judgments, "majority", gold="gold", seed=s).calibration for s in range(COINS)]
    trusted = merge(judgments, "majority", gold="gold", seed=SEED, suspects="drop").calibration
    raw = merge(judgments, "em-mv", gold="gold", seed=SEED, temper=False).calibration
    em = checked.calibration
    assert em is not None
    assert raw is not None
    assert trusted is not None
    vote = float(np.mean([c.accuracy for c in votes if c is not None]))
    noise = 2 * float(np.sqrt(vote * (1 - vote) / em.n))
    gain = em.accuracy - vote
    return {
        "crowd": name,
        "vote": vote,
        "em-mv": em.accuracy,
        "EM is": "better" if gain > noise else "worse" if gain < -noise else "within noise",
        "without suspects": trusted.accuracy,
        "ECE": raw.ece,
        "ECE tempered": em.ece,
        "warned without gold": ", ".join(d.kind for d in alone.doubts) or "–",
        "warned with gold": ", ".join(d.kind for d in checked.doubts) or "–",
    }


def generated() -> dict[str, Judgments]:
    """Crowds on documents of three grades: independent, dependent, adversarial, lazy, perfect, and thin ones."""
    rng = np.random.default_rng(11)
    n = DOCUMENTS
    truth = rng.integers(0, 3, n)

    def judge(accuracy: float) -> Any:
        return np.where(rng.random(n) < accuracy, truth, rng.integers(0, 3, n))

    def children(parent: Any, many: int) -> list[Any]:
        return [np.where(rng.random(n) < 0.8, parent, judge(0.5)) for _ in range(many)]

    one = judge(0.5)
    said = {
        "independent, 8": [judge(a) for a in rng.uniform(0.3, 0.9, 8)],
        "6 of 12 from one parent": children(judge(0.35), 6) + [judge(0.6) for _ in range(6)],
        "3 families of 5": [c for _ in range(3) for c in children(judge(0.35), 5)],
        "9 of one parent": children(judge(0.35), 9),
        "adversarial, 2 of 8": [judge(0.6) for _ in range(6)] + [2 - judge(0.7) for _ in range(2)],
        "adversarial, 5 of 8": [judge(0.6) for _ in range(3)] + [2 - judge(0.7) for _ in range(5)],
        "lazy, 4 of 8": [judge(0.6) for _ in range(4)] + [np.zeros(n, int)] * 4,
        "random, 5 of 8": [judge(0.6) for _ in range(3)] + [judge(0.0) for _ in range(5)],
        "perfect, 6": [truth] * 6,
        "6 copies of one": [one] * 6,
    }
    out = {name: _judgments(truth, votes, None) for name, votes in said.items()}
    eight = [judge(a) for a in rng.uniform(0.4, 0.9, 8)]
    return out | {"two labels each": _judgments(truth, eight, rng)}


def _judgments(truth: Any, votes: list[Any], thin: np.random.Generator | None) -> Judgments:
    """With `thin`, every document keeps the labels of two assessors drawn at random."""
    content: dict[str, dict[int, dict[str, int]]] = {"gold": {1: {f"d{i:03}": int(g) for i, g in enumerate(truth)}}}
    kept = [range(len(votes)) if thin is None else thin.choice(len(votes), 2, replace=False) for _ in truth]
    for k, said in enumerate(votes):
        content[f"w{k:02}"] = {1: {f"d{i:03}": int(g) for i, g in enumerate(said) if k in kept[i]}}
    return Judgments.from_dict(content, scale="0..2")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.merging_table", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the tables as JSON")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = real()
    tables = {"accuracy": accuracy_table(sets), "warned": warned_table(sets)}
    note = (
        f"crowd-kit on the same labels, each assessor's first; majority: mean over {COINS} coins; within noise: "
        "2 standard errors of the vote's accuracy"
    )
    if arguments.json:
        sys.stdout.write(json.dumps({"seed": SEED, "tables": tables, "footer": [note]}, ensure_ascii=False) + "\n")
        return
    for name, rows in tables.items():
        sys.stdout.write(f"{name}\n")
        for row in rows:
            sys.stdout.write(
                "  " + "  ".join(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()) + "\n"
            )


if __name__ == "__main__":
    main()
