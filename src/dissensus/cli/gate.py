"""`dissensus gate`: is the new version worse? Pass, fail or cannot tell, for continuous integration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from dissensus.cli.build import argument, option
from dissensus.cli.correct import read_knowledge
from dissensus.cli.inputs import options as opt
from dissensus.cli.parts.score_table_output import only_scores, read_tables
from dissensus.cli.terminal.files import write_text
from dissensus.cli.terminal.output import show
from dissensus.errors import InputError
from dissensus.inference.gate import gate
from dissensus.inference.gate_output import junit, markdown
from dissensus.tables.audit import Audit
from dissensus.windows.files import check_file

SUFFIXES = (".md", ".xml", ".json", ".csv", ".tsv", ".parquet", ".tex")


def command(
    base: Annotated[str, argument(metavar="BASE", help="The run in use; with --score-table a system's name.")],
    new: Annotated[str, argument(metavar="NEW", help="The run that would replace it.")],
    tolerance: Annotated[float, option("--tolerance", metavar="X")],
    judgments: Annotated[
        list[str] | None, option("--judgments", "-j", metavar="FILE…", help="Judgments; repeatable.")
    ] = None,
    audit: opt.AuditOption = None,
    score_table: Annotated[
        list[str] | None,
        option("--score-table", metavar="FILE", help="Per-topic scores, instead of runs and labels; repeatable."),
    ] = None,
    gold: opt.GoldOption = None,
    measures: opt.MeasuresOption = opt.ONE_MEASURE,
    gains: opt.GainsOption = None,
    must_improve: Annotated[bool, option("--must-improve")] = False,
    reading: opt.OneJudge = opt.OneJudge(),
    policies: opt.TiesFirst = opt.TiesFirst(),
    inference: opt.Inference = opt.Inference(),
    digits: opt.DigitsOption = 4,
    json: opt.JsonOption = False,
    output: Annotated[
        list[Path] | None,
        opt.output_file("Write as well: .md (a comment), .xml (JUnit), .json, .csv …"),
    ] = None,
) -> int:
    """Is the new run worse than the one in use by more than a tolerance? Exit 0 pass, 1 fail, 3 cannot tell.

    Exit status 2 means that the input was refused. With --audit the difference is corrected for the judge's errors;
    without one the labels are taken as true. Several measures: all must pass, Holm's adjustment decides.

    Examples:
        dissensus gate base.run new.run --judgments labels.qrels -m nDCG@10 --tolerance 0.01
        dissensus gate base.run new.run --judgments llm.qrels --audit gold.csv -m P@10 --tolerance 0.02 -o gate.md
        dissensus gate v1 v2 --score-table scores.csv -m nDCG@10 --tolerance 0.01 -o junit.xml
        dissensus gate v1 v2 --score-table llm.csv --score-table people.csv --gold people --tolerance 0.01
    """
    measures = opt.measured(measures, gains, score_table)
    for path in output or ():
        _check(path)
    if score_table:
        only_scores(judgments=judgments, audit=audit, merge=reading.merge)
        scores, wanted = read_tables(reading, score_table, measures, opt.ONE_MEASURE)
        if len(wanted) > 1 and measures == opt.ONE_MEASURE:
            raise InputError(
                f"the table holds {len(wanted)} measures: {', '.join(wanted[:12])}.", "Name what must not fall with -m."
            )
        measures = wanted
        result = gate(
            base, new, None, measures, tolerance=tolerance, scores=scores, gold=gold, assessor=reading.assessor,
            missing=reading.missing, must_improve=must_improve, level=inference.level, seed=inference.seed,
        )  # fmt: skip
    else:
        opt.refuse_gold(gold)
        if not judgments:
            raise InputError("there are no judgments.", "Give --judgments labels.qrels, or --score-table scores.csv.")
        bronze, notes = reading.of_one_judge(judgments, inference.seed)
        known = read_knowledge(audit, None, reading)
        one, other = reading.runs(base), reading.runs(new)
        reading.refuse_unused()
        chosen = policies.chosen()
        result = gate(
            one, other, bronze, measures, tolerance=tolerance,
            audit=known if isinstance(known, Audit) else None, must_improve=must_improve, level=inference.level,
            seed=inference.seed, **chosen.to_dict(),
        )  # fmt: skip
        if notes:
            result = replace(result, notes=(*notes, *result.notes))
    for path in output or ():
        suffix = path.suffix.lower()
        if suffix in (".md", ".xml"):
            write_text(path, markdown(result) if suffix == ".md" else junit(result))
        else:
            show(result, output=path, digits=digits)
    show(result, json=json, digits=digits)
    return result.exit_code


def _check(path: Path) -> None:
    check_file(path, "--output", SUFFIXES, "gate.md")
