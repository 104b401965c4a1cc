"""Ways of merging on every real crowd with gold, crowd-kit beside them in one run; and where EM is warned of.

    python -m bench.merging_table --json

Three tables: `accuracy` (a row per method, ours and crowd-kit's on the very same labels, a column per crowd), `against`
(ours minus crowd-kit's, method by method, with its noise) and `warned` (a row per crowd, real and generated: the vote,
EM, and what `merge` warns of with gold and without). Part `merging` of `make evidence`. The crowds are read from
../shared/data as the tests read them. crowd-kit's slow models are left out on
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
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import crowd_sets

from dissensus.judging.label_table import crowd_and_truth
from dissensus.judging.merging.api import crowdkit_posterior, merge
from dissensus.judging.merging.comparison import SLOW
from dissensus.judging.merging.methods import METHODS, MethodSettings, choose, fit_method
from dissensus.tables.judgments import Judgments

SEED = 0
DOCUMENTS = 800  # of a generated crowd
COINS = 20  # seeds of the majority's tie coin
PAIRS = (
    ("majority", "crowd-kit MajorityVote"),
    ("em-anchored", "crowd-kit DawidSkene"),
    ("em-mv", "crowd-kit DawidSkene"),
    ("one-coin", "crowd-kit OneCoinDawidSkene"),
    ("mace", "crowd-kit MACE"),
    ("glad", "crowd-kit GLAD"),
    ("kos", "crowd-kit KOS"),
)


def real() -> dict[str, Judgments]:
    """Every crowd in ../shared/data that has gold."""
    sets = {name.upper(): crowd_sets.snow2008(name) for name in crowd_sets.SNOW}
    sets |= {"D_Product": crowd_sets.d_product(), "AdultContent2": crowd_sets.adultcontent2()}
    return sets | {"TREC RF10": crowd_sets.trec_rf10(), "LLMJudge": crowd_sets.llmjudge()}


# ── accuracy ──
Right = NDArray[np.bool_]  # of every document with gold


def accuracy_table(found: dict[str, dict[str, list[Right]]]) -> list[dict[str, Any]]:
    """Shares of documents that are right: a row per method, a column per crowd."""
    documents: dict[str, Any] = {"method": "gold documents"}
    rows: dict[str, dict[str, Any]] = {}
    for name, methods in found.items():
        for method, right in methods.items():
            rows.setdefault(method, {"method": method})[name] = float(np.mean(right))
            documents[name] = len(right[0])
    return [documents, *({"method": m, **{s: row.get(s) for s in found}} for m, row in rows.items())]


def against_table(found: dict[str, dict[str, list[Right]]]) -> list[dict[str, Any]]:
    """Ours minus crowd-kit's, method by method, ± two standard errors of the difference on the same documents."""
    rows = []
    for mine, peer in PAIRS:
        row: dict[str, Any] = {"ours": mine, "crowd-kit": peer.removeprefix("crowd-kit ")}
        for name, methods in found.items():
            row[name] = None
            if mine in methods and peer in methods:
                d = np.mean(methods[mine], axis=0) - methods[peer][0]
                row[name] = f"{d.mean():+.4f} ± {2 * d.std(ddof=1) / np.sqrt(len(d)):.4f}"
        rows.append(row)
    return rows


def right_by_method(judgments: Judgments) -> dict[str, list[Right]]:
    """Which documents every method gets right, ours and crowd-kit's; the vote once per coin."""
    table, truth = crowd_and_truth(judgments, "gold", "unjudged")
    assert truth is not None

    known = (truth >= 0) & (np.bincount(table.item, minlength=table.n_items) > 0)

    def right(posterior: Any, seed: int) -> Right:
        level, _ = choose(posterior, "coin", seed)
        return np.asarray(level[known] == truth[known])

    out: dict[str, list[Right]] = {}
    for method in METHODS:
        if (method == "kos" and table.n_levels != 2) or (method == "ordinal" and not table.scale.ordered):
            continue
        if method == "glad" and len(table) > SLOW:
            continue
        seeds = range(COINS) if method == "majority" else [SEED]
        out[method] = [right(fit_method(method, judgments, table, MethodSettings(seed=s)).posterior, s) for s in seeds]
    votes = table.first()
    for name, make in peers(len(votes), votes.n_levels).items():
        out[name] = [right(crowdkit_posterior(votes, make()), SEED)]
    return out


def peers(size: int, k: int) -> dict[str, Callable[[], Any]]:
    """crowd-kit's aggregators, without those that are too slow for so many labels or not made for k grades."""
    from crowdkit import aggregation

    every: dict[str, tuple[Callable[[], Any], bool]] = {
        "crowd-kit MajorityVote": (aggregation.MajorityVote, True),
        "crowd-kit DawidSkene": (aggregation.DawidSkene, True),
        "crowd-kit OneCoinDawidSkene": (aggregation.OneCoinDawidSkene, size <= 30_000),
        "crowd-kit MACE": (lambda: aggregation.MACE(n_restarts=1, n_iter=20, random_state=SEED), size <= 30_000),
        "crowd-kit GLAD": (lambda: aggregation.GLAD(n_iter=20), size <= 10_000),
        "crowd-kit KOS": (lambda: aggregation.KOS(random_state=SEED), k == 2 and size <= 30_000),
    }
    return {name: make for name, (make, wanted) in every.items() if wanted}


# ── warned ──
def warned_table(sets: dict[str, Judgments]) -> list[dict[str, Any]]:
    return [warned_row(name, judgments) for name, judgments in {**generated(), **sets}.items()]


def warned_row(name: str, judgments: Judgments) -> dict[str, Any]:
    checked = merge(judgments, "em-mv", gold="gold", seed=SEED)
    alone = merge(judgments.select(assessors=[a for a in judgments.assessors if a != "gold"]), "em-mv", seed=SEED)
    votes = [merge(judgments, "majority", gold="gold", seed=s).calibration for s in range(COINS)]
    trusted = merge(judgments, "majority", gold="gold", seed=SEED, suspects="drop").calibration
    raw = merge(judgments, "em-mv", gold="gold", seed=SEED, temper=False).calibration
    anchored = merge(judgments, "em-anchored", gold="gold", seed=SEED, temper=False).calibration
    em = checked.calibration
    assert anchored is not None
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
        "em-anchored": anchored.accuracy,
        "EM is": "better" if gain > noise else "worse" if gain < -noise else "within noise",
        "without suspects": trusted.accuracy,
        "ECE": raw.ece,
        "ECE tempered": em.ece,
        "warned without gold": ", ".join(d.kind for d in alone.doubts) or "–",
        "warned with gold": ", ".join(d.kind for d in checked.doubts) or "–",
    }


def generated() -> dict[str, Judgments]:
    """Crowds on documents of three grades: independent, dependent, adversarial, lazy, perfect, thin, leaning ones."""
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
    out |= {"two labels each": _judgments(truth, eight, rng)}
    return out | {f"{k} who lean, one continuum": _leaning(rng, k) for k in (6, 12, 24)}


def _leaning(rng: np.random.Generator, assessors: int) -> Judgments:
    """Assessors who see the same continuum with the same error, and cut it where they like: lenient and strict ones."""
    cuts = np.array([0.3, 1.2])
    quality = rng.normal(size=DOCUMENTS)
    seen = quality + 0.7 * rng.normal(size=DOCUMENTS)
    votes = [
        np.searchsorted(cuts + 0.7 * rng.normal(), seen + 0.4 * rng.normal(size=DOCUMENTS)) for _ in range(assessors)
    ]
    return _judgments(np.searchsorted(cuts, quality), votes, None)


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
    found = {name: right_by_method(judgments) for name, judgments in sets.items()}
    tables = {"accuracy": accuracy_table(found), "against": against_table(found), "warned": warned_table(sets)}
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
