"""The steps of the demo, and its last word: what everybody said, beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.cli.commands import exists

if TYPE_CHECKING:
    from dissensus.data.samples import Sample


@dataclass(frozen=True)
class Step:
    """One command, and a line that says why one would run it."""

    why: str
    arguments: list[str]
    shown: str = "start"  # which end of a long output to show


def steps(folder: Path, measure: str) -> Iterator[Step]:
    """The tour through the commands that are there."""
    runs, labels, audit = str(folder / "runs" / "*.run"), str(folder / "labels.csv"), str(folder / "audit.csv")
    judged = [runs, "--judgments", labels]
    llm = ["--assessor", "llm"]
    tour = [
        Step("Look before you leap: is anything odd about the files?", ["check", *judged]),
        Step(
            "Score every system by every assessor. The LLM judge, last in the table, favours the two llm- systems.",
            ["evaluate", *judged, "-m", measure],
            "end",
        ),
        Step(
            "By its labels as they are, the LLM judge has winners. Keep an eye on llm-rewrite and splade.",
            ["compare", *judged, "-m", measure, *llm],
            "end",
        ),
        Step("How far do the judges agree, and does one of them look random?", ["agree", labels], "end"),
        Step(
            "Merge the assessors: EM learns who can be trusted, and finds out eve.",
            ["merge", labels, "--method", "em-mv", "--output", str(folder / "merged.csv")],
        ),
        Step("Or merge scores instead of labels: assessors unlike random ones weigh more.",
             ["aware", *judged, "-m", measure, "--replicates", "200"]),
        Step("What is a grade worth to users who disagree?", ["weights", labels]),
        Step("How well could a ranker do that is perfect for another judge?",
             ["ceiling", labels, "-m", measure, "--runs", runs]),
        Step(
            "The audit: experts looked at a quarter of the documents. Now the LLM judge's bias comes out.",
            ["correct", *judged, *llm, "--audit", audit, "-m", measure],
        ),
        Step(
            "The same comparison with the audit: look at llm-rewrite and splade again.",
            ["compare", *judged, *llm, "--audit", audit, "-m", measure],
            "end",
        ),
        Step("Which documents should the experts look at next?",
             ["plan", *judged, *llm, "--audit", audit, "-m", measure, "--budget", "200"]),
        Step(
            "All of it on one page, verdict first.",
            ["report", *judged, *llm, "--audit", audit, "--truth", str(folder / "truth.csv"), "-m", measure,
             "-m", "nDCG@10", "-m", "RBP(rel=2, p=0.8)", "-o", str(folder / "report.html")],
        ),
    ]  # fmt: skip
    for step in tour:
        if exists(step.arguments[0]):
            yield step


def verdict(sample: Sample, measure: str, *, seed: int, json: bool = False, study: dict[str, Any] | None = None) -> str:
    """The table system, naive, corrected, interval, truth; and two sentences."""
    from dissensus.cli.terminal.output import as_json, as_text
    from dissensus.studies.generated.judged_truth import against_truth, summary

    frame = against_truth(sample, measure, assessor="llm", seed=seed)
    if json:
        return as_json({"against the truth": frame}, footer=summary(frame), facts={"study": study} if study else None)
    return as_text({"against the truth": frame}, footer=summary(frame))
