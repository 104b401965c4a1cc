"""Options that commands share: one wording, one default, commas that separate measures."""

from __future__ import annotations

from dataclasses import fields

import click
import polars as pl
import pytest
from refusals import refused, states
from study_files import runs, study_files  # noqa: F401 (a fixture)

from dissensus.cli.commands import load
from dissensus.cli.inputs.options import (
    ONE_MEASURE,
    TABLE_MEASURES,
    ChartOutput,
    OneJudge,
    Output,
    PolicyOptions,
    Reading,
    TiesFirst,
    _split,
)
from dissensus.errors import InputError, OutputError
from dissensus.measures.policies import DEFAULT_MEASURES, Policies
from dissensus.results import Table, Tables


def test_commas_separate_measures_but_not_their_parameters():
    assert _split(["nDCG@10,AP", "RBP(p=0.8, rel=2)"]) == ["nDCG@10", "AP", "RBP(p=0.8, rel=2)"]
    assert _split(None) == []


def test_defaults_are_those_of_the_library():
    assert list(DEFAULT_MEASURES) == TABLE_MEASURES
    assert len(ONE_MEASURE) == 1


@pytest.mark.parametrize("policy", ["ties", "topics", "unjudged", "empty"])
def test_commands_that_correct_and_compare_have_the_librarys_policies(policy):
    for name in ("compare", "correct", "plan"):
        (parameter,) = (p for p in load(name).params if p.name == policy)
        given = parameter.get_default(click.Context(load(name)))
        assert not isinstance(given, str) or given == getattr(Policies, policy), name


@pytest.mark.parametrize("name", ["evaluate", "merge", "clicks", "gate", "report"])
def test_every_output_file_has_the_same_flags(name):
    (parameter,) = (p for p in load(name).params if p.name == "output")
    assert (parameter.opts, parameter.metavar) == (["--output", "-o"], "FILE")


def test_one_assessor_or_all_of_them_merged(files):
    both = [str(files / "two.csv")]
    alone, notes = OneJudge(assessor="llm").of_one_judge(both, seed=0)
    assert (alone.assessors, notes) == (("llm",), [])
    merged, notes = OneJudge(merge="majority").of_one_judge(both, seed=0)
    assert len(merged.assessors) == 1
    assert states(notes[0], 2, "majority")
    with refused(InputError, "--merge", "--assessor"):
        OneJudge(assessor="llm", merge="majority").of_one_judge(both, seed=0)


def test_files_are_read_as_the_options_say(files, tmp_path):
    assert OneJudge().runs(*map(str, runs(files))).systems == ("A", "B", "C")
    twice = tmp_path / "twice.csv"
    twice.write_text("topic,doc,assessor,grade\nq1,d1,a,0\nq1,d1,a,1\n")
    assert len(Reading(repeated="keep", scale="0..3").judgments([str(twice)])) == 2
    with refused(InputError, "twice.csv:2", "q1", "d1", 0, 1):
        Reading().judgments([str(twice)])


def test_policies_are_the_librarys_in_either_order():
    assert PolicyOptions().chosen() == TiesFirst().chosen() == Policies()
    assert [f.name for f in fields(TiesFirst)] == ["ties", "topics", "unjudged", "empty"]
    with refused(InputError, 'ties="expected"', 'unjudged="bounds"'):
        PolicyOptions(ties="expected", unjudged="bounds").chosen()


def test_tables_go_where_the_options_say(tmp_path, capsys):
    table = Tables({"t": Table.of(pl.DataFrame({"x": [1.23456]}), rest="a number")}, "T")
    Output(digits=2).show(table)
    assert "1.23\n" in capsys.readouterr().out
    assert (Output().on_terminal, Output(json=True).on_terminal) == (True, False)
    written = Output(output=tmp_path / "t.csv")
    assert not written.on_terminal
    written.show(table)
    assert (tmp_path / "t.csv").read_text() == "x\n1.23456\n"


def test_files_that_cannot_be_written_are_refused_first(tmp_path):
    ChartOutput(plot=tmp_path / "a.svg", output=tmp_path / "a.csv").check()
    with refused(OutputError, "--output"):
        ChartOutput(output=tmp_path / "a.docx").check()
    with refused(OutputError, "--plot"):
        ChartOutput(plot=tmp_path / "a.docx").check()
