"""How files are read, said on the command line."""

from __future__ import annotations

import pytest
from refusals import refused
from shell import run

from dissensus.cli.commands import load
from dissensus.cli.inputs.reading import _numbers, _options, _run_with
from dissensus.data.readers.choices import CHOSEN
from dissensus.errors import InputError


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.txt").write_text("qid;docno;who;level\n1;a;x;1\n1;b;x;\n2;a;x;0\n")
    (tmp_path / "bm25.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 a 1 1 x\n")


def test_columns_separator_and_missing_rows_reach_the_readers():
    given = {"columns": "topic=qid,doc=docno", "separator": "tab", "missing": "skip", "threshold": "0.9,0.3"}
    chosen = _run_with(given, lambda **options: (CHOSEN.get(), options), {"seed": 1})
    assert chosen[1] == {"seed": 1}
    assert dict(chosen[0].columns) == {"topic": "qid", "doc": "docno"}
    assert (chosen[0].separator, chosen[0].missing, chosen[0].threshold) == ("\t", "skip", (0.3, 0.9))


def test_choices_end_with_the_command(capsys):
    before = CHOSEN.get()
    run(capsys, "evaluate", "bm25.run", "-j", "labels.txt", "--separator", ";")
    assert CHOSEN.get() is before


def test_commands_that_read_nothing_do_not_have_them():
    assert set(_options.__annotations__) - {"return"} <= {p.name for p in load("evaluate").params}
    assert "separator" not in {p.name for p in load("order").params}


def test_thresholds_are_sorted_numbers():
    assert _numbers("0.9,0.3") == (0.3, 0.9)
    with refused(InputError, "--threshold"):
        _numbers("half")
