"""The end of the demo: a study that simulated experts judge until it is decided, and what the truth says to that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dissensus.data.samples import Sample

PAIR = ("splade", "llm-rewrite")
ERROR = 0.08  # of the simulated experts: one grade in twelve is the one beside the true one
EXPERTS = ("ann", "ben")


def play_study(
    folder: Path, sample: Sample, measure: str, seed: int, tell: Callable[[str], None], show: Callable[..., None]
) -> dict[str, Any]:
    """Make the study, play it to its end, close it; the commands are shown as a user would type them."""
    from dissensus.audit.simulate import play
    from dissensus.audit.store import Store
    from dissensus.audit.study import Study

    place = folder / "study.db"
    for old in folder.glob("study.db*"):
        old.unlink()
    tell(
        f"Last, an audit that stops when it is decided. Is {PAIR[0]} better than {PAIR[1]}, as experts see it? The "
        "order of documents is committed before the first label."
    )
    experts = [word for name in EXPERTS for word in ("--expert", name)]
    show(
        ["audit", "new", str(place), str(folder / "runs" / "*.run"), "--judgments", str(folder / "labels.csv"),
         "--assessor", "llm", "-m", measure, "--documents", str(folder / "documents.jsonl"), "--topic-texts",
         str(folder / "topics.tsv"), "--between", *PAIR, "--stop", "decided", *experts, "--seed", str(seed)]
    )  # fmt: skip
    tell(
        "`dissensus audit serve` would now print a link for each expert. Here two simulated experts judge: they know "
        f"the truth, and miss it by one grade in {round(1 / ERROR)} documents."
    )
    truth = {(t, d): str(g) for t, d, _, g in sample.truth.to_frame().iter_rows()}
    with Store.open(place) as store:
        study = Study.load(store)
        played = play(study, truth, error=ERROR, seed=seed)
        total = len(study.order)
    show(["audit", "status", str(place)])
    where = played.stopped_at
    tell(f"{stop_sentence(where, total)} Closing writes the audit, the corrected scores and the report.")
    show(["audit", "close", str(place), "--output", str(folder / "closed")])
    better = true_winner(sample, measure)
    tell(f"The truth, which the demo knows: {better}.")
    return {"documents": total, "stopped_at": where, "judgments": played.judgments, "truth": better}


def stop_sentence(where: int | None, total: int) -> str:
    if where is None or where == total:
        return f"All {total:,} documents had to be judged."
    return f"It stopped after {where:,} of {total:,} documents."


def true_winner(sample: Sample, measure: str) -> str:
    """Which of the two is better by the true grades, and by how much."""
    from dissensus.measures.evaluate import evaluate

    scores = evaluate(sample.runs, sample.truth, [measure])
    values = {s: float(scores[measure].sel(system=s).mean()) for s in PAIR}
    ahead = max(PAIR, key=values.__getitem__)
    gap = abs(values[PAIR[0]] - values[PAIR[1]])
    return f"{ahead} is better by {gap:.4f}" if gap else "both score the same"
