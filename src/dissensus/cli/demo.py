"""`dissensus demo`: a guided tour on a generated collection whose truth is known."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

from dissensus.cli import main
from dissensus.cli.build import option
from dissensus.cli.inputs.options import JsonOption, SeedOption
from dissensus.cli.terminal.output import show as show_result
from dissensus.cli.terminal.output import style_of
from dissensus.errors import OutputError
from dissensus.io.samples import generated_collection
from dissensus.measures.evaluate import evaluate
from dissensus.studies.generated.judged_truth import truth_table

if TYPE_CHECKING:
    from dissensus.io.samples import Sample


MEASURE = "P(rel=2)@10"
LINES_SHOWN = 12
PAIR = ("splade", "llm-rewrite")  # of the study
ERROR = 0.08  # of the simulated experts: one grade in twelve is the one beside the true one
EXPERTS = ("ann", "ben")


def command(
    folder: Annotated[
        Path, option("--folder", metavar="FOLDER", help="Where the collection and the report are written.")
    ] = Path("demo"),
    topics: Annotated[int, option("--topics", metavar="N", help="How many topics to generate.", min=2)] = 50,
    json: JsonOption = False,
    seed: SeedOption = 0,
) -> None:
    """A guided tour: generate a collection whose truth is known, and see who is fooled.

    Eight systems, five crowd assessors, an LLM judge that prefers the systems that write like it, and an expert audit
    of a quarter of the documents. Every step is a command you can run on files of your own. At the end, simulated
    experts judge a study until it is decided.

    Example:
        dissensus demo --folder demo
    """

    refuse_strange(folder)
    start = time.monotonic()
    if json:
        with contextlib.redirect_stdout(io.StringIO()):
            sample = tour(folder, topics, seed)
            study = play_study(folder, sample, MEASURE, seed)
        show_result(truth_table(sample, MEASURE, seed, {"study": study}), json=True)
        return
    sample = tour(folder, topics, seed)
    tell("And against the truth, which the demo knows:")
    show_result(truth_table(sample, MEASURE, seed))
    play_study(folder, sample, MEASURE, seed)
    page = folder / "report.html"
    if page.exists():
        tell(f"Open the report in a browser: {page.resolve().as_uri()}")
    tell(f"Done in {time.monotonic() - start:.0f} s.")


def tour(folder: Path, topics: int, seed: int) -> Sample:
    """Write the collection and run every step on it, shown as it goes."""
    sample = generated_collection(seed=seed, topics=topics)
    written = sample.write(folder)
    tell(
        f"Wrote {len(written)} files to {folder}/: eight runs, labels.csv by five crowd assessors and an LLM judge, "
        "audit.csv by experts, the texts of topics and documents, and truth.csv, which you would not have in practice."
    )
    for number, step in enumerate(steps(folder, MEASURE), start=1):
        tell(f"{number}. {step.why}")
        show(step.arguments, step.shown)
    return sample


def refuse_strange(folder: Path) -> None:
    """Write only into a folder that is new, empty, or a demo's own."""
    if folder.is_file():
        raise OutputError(f"--folder {folder} is a file.", "Name a folder, which need not exist.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "truth.csv").exists():
        raise OutputError(
            f"--folder {folder} holds other files; the demo would write among them.", "Name a new folder."
        )


def tell(text: str) -> None:
    """A line of explanation, wrapped to the terminal."""
    style = style_of(sys.stdout)
    width = min(style.width or 100, 100)
    sys.stdout.write(f"\n{style.bold}{fill(text, width, break_on_hyphens=False, break_long_words=False)}{style.off}\n")
    sys.stdout.flush()


def excerpt(lines: list[str], part: str = "start") -> list[str]:
    """The beginning of an output, or its first line and its last `part`, a table; at most `LINES_SHOWN` lines.

    >>> excerpt(["A verdict.", *"abcdefgh", "", "system", "──────", "A", "", "a note"], "table")
    ['A verdict.', 'system', '──────', 'A', '… 11 more lines']
    """
    kept = (
        lines if part == "start" or len(lines) <= LINES_SHOWN else [*lines[:1], *last_table(lines)[: LINES_SHOWN - 2]]
    )
    if kept is lines and len(lines) > LINES_SHOWN:
        kept = lines[: LINES_SHOWN - 1]
    return kept if kept is lines else [*kept, f"… {len(lines) - len(kept)} more lines"]


def last_table(lines: list[str]) -> list[str]:
    """The header of the last table and what follows up to an empty line."""
    rules = [i for i, line in enumerate(lines) if line[:1] in ("─", "-") and set(line) <= set("─- ")]
    table = lines[rules[-1] - 1 :] if rules else []
    return table[: table.index("")] if "" in table else table


def show(arguments: list[str], part: str = "start") -> None:
    """Run a command as the user would, and show the beginning, or the table, of what it prints."""
    style = style_of(sys.stdout)
    sys.stdout.write(f"{style.dim}$ {shlex.join(['dissensus', *arguments])}{style.off}\n")
    sys.stdout.flush()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(arguments)
    sys.stdout.write("".join(f"  {line}".rstrip() + "\n" for line in excerpt(printed.getvalue().splitlines(), part)))
    if status:
        raise SystemExit(status)


@dataclass(frozen=True)
class DemoStep:
    """One command, and a line that says why one would run it."""

    why: str
    arguments: list[str]
    shown: str = "start"  # of a long output: its start, or its last table


def steps(folder: Path, measure: str) -> Iterator[DemoStep]:
    """The tour through the commands that are there."""
    runs, labels, audit = str(folder / "runs" / "*.run"), str(folder / "labels.csv"), str(folder / "audit.csv")
    judged = [runs, "--judgments", labels]
    llm = ["--assessor", "llm"]
    tour = [
        DemoStep("Look before you leap: is anything odd about the files?", ["check", *judged]),
        DemoStep(
            "Score every system by every assessor. The LLM judge, last in the table, favours the two llm- systems.",
            ["evaluate", *judged, "-m", measure],
            "table",
        ),
        DemoStep(
            "Uncorrected, the LLM judge has winners. Keep an eye on llm-rewrite and splade.",
            ["compare", *judged, "-m", measure, *llm],
            "table",
        ),
        DemoStep("How much do the judges agree, and does one of them look random?", ["agree", labels], "table"),
        DemoStep(
            "Merge the assessors: EM learns who can be trusted, and finds out eve.",
            ["merge", labels, "--method", "em-mv", "--output", str(folder / "merged.csv")],
        ),
        DemoStep("Or merge scores instead of labels: assessors unlike random ones weigh more.",
             ["aware", *judged, "-m", measure, "--replicates", "200"]),
        DemoStep("What is a grade worth to users who disagree?", ["weights", labels]),
        DemoStep("How well could a ranker do that is perfect for another judge?",
             ["ceiling", labels, "-m", measure, "--runs", runs]),
        DemoStep(
            "The audit: experts looked at a quarter of the documents. Now the LLM judge's bias comes out.",
            ["correct", *judged, *llm, "--audit", audit, "-m", measure],
            "table",
        ),
        DemoStep(
            "The same comparison with the audit: look at llm-rewrite and splade again.",
            ["compare", *judged, *llm, "--audit", audit, "-m", measure],
            "table",
        ),
        DemoStep("Which documents should the experts look at next?",
             ["plan", *judged, *llm, "--audit", audit, "-m", measure, "--budget", "200"]),
        DemoStep(
            "All of it on one page, verdict first.",
            ["report", *judged, *llm, "--audit", audit, "--truth", str(folder / "truth.csv"), "-m", measure,
             "-m", "nDCG@10", "-m", "RBP(rel=2, p=0.8)", "-o", str(folder / "report.html")],
        ),
    ]  # fmt: skip
    yield from tour


def play_study(folder: Path, sample: Sample, measure: str, seed: int) -> dict[str, object]:
    """Make the study, play it to its end, close it; the commands are shown as a user would type them."""
    from dissensus.audit.simulate import play
    from dissensus.audit.store import StudyStore
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
    with StudyStore.open(place) as store:
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
    scores = evaluate(sample.runs, sample.truth, [measure])
    values = {s: float(scores[measure].sel(system=s).mean()) for s in PAIR}
    ahead = max(PAIR, key=values.__getitem__)
    gap = abs(values[PAIR[0]] - values[PAIR[1]])
    return f"{ahead} is better by {gap:.4f}" if gap else "both score the same"
