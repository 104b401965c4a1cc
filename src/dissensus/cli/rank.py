"""`dissensus rank`: rank the documents of a feature file with a trained ranker, as a run that `evaluate` reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import say
from dissensus.io.writers import write_judgments, write_runs
from dissensus.learning.training import rank
from dissensus.tables.features import read_features


def command(
    model: Annotated[Path, argument(metavar="MODEL", help="A ranker written by `dissensus train --model`.")],
    features: Annotated[Path, argument(metavar="FEATURES", help="LETOR / SVMlight file (also .gz).")],
    run: Annotated[
        Path | None, option("--run", metavar="FILE", help="Write the rankings: TREC, .csv, .jsonl, .parquet")
    ] = None,
    qrels: Annotated[
        Path | None, option("--qrels", metavar="FILE", help="Write the file's labels as judgments.")
    ] = None,
    system: Annotated[
        str | None,
        option("--system", metavar="NAME", help="The system's name; the model's file name without it."),
    ] = None,
    measures: Annotated[
        list[str] | None, option("--measures", "-m", metavar="NAME", help="Score the ranking; repeatable.")
    ] = None,
    queries: opt.QueriesOption = None,
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
) -> None:
    """Rank a feature file with a trained model.

    The rankings go into a run file, the labels (if wanted) into judgments; then `dissensus evaluate` compares this
    system with any other. Without --run the rankings are printed.

    Example:
        dissensus rank model.json test.txt --run lambdamart.run --qrels test.qrels
        dissensus evaluate lambdamart.run -j test.qrels
    """
    shown.check()
    result = rank(model, features, system=system, measures=measures or (), queries=queries)
    if run is not None:
        write_runs(result.runs, run)
        say("note", f"wrote {run}")
    if qrels is not None:
        write_judgments(read_features(features, queries=queries).judgments(), qrels)
        say("note", f"wrote {qrels}")
    shown.show(result)
