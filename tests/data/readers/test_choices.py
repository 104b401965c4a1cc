"""What a user says about files: columns, maps, thresholds."""

from __future__ import annotations

import pytest
from refusals import refused
from small_files import file
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.data.readers.choices import CHOSEN, Choices, choices, named_files, parse_columns, parse_map
from dissensus.errors import FileError, InputError


def test_a_call_wins_over_the_command() -> None:
    token = CHOSEN.set(Choices(columns={"topic": "qid"}, missing="skip", threshold=(0.5,)))
    try:
        assert choices() == Choices(columns={"topic": "qid"}, missing="skip", threshold=(0.5,))
        mixed = choices({"doc": "docno"}, threshold=(0.8, 0.3), map={"bin": {1: 2}})
        assert mixed == Choices({"doc": "docno"}, None, "skip", {"bin": {"1": "2"}}, (0.3, 0.8))
    finally:
        CHOSEN.reset(token)
    assert choices(threshold=1) == Choices(threshold=(1.0,))


@pytest.mark.parametrize("text", ["topic", "topic=", "=qid", "topic=a,topic=b"])
def test_columns_that_say_nothing(text: str) -> None:
    with pytest.raises(InputError):
        parse_columns(text)


@pytest.mark.parametrize("text", ["1=2", "bin:", "bin:1", ":1=2", "bin:1=2,3"])
def test_maps_that_say_nothing(text: str) -> None:
    with pytest.raises(InputError):
        parse_map([text])


def test_names_may_hold_colons_and_maps_add_up() -> None:
    assert parse_map(["a:b:1=2", "a:b:0=1"]) == {"a:b": {"1": "2", "0": "1"}}
    for wrong in ({"missing": "drop"}, {"columns": {"mood": "x"}}):
        with pytest.raises(InputError):
            Choices(**wrong)


class TestNames:
    def test_two_files_of_one_name_are_not_one_judge(self, tmp_path):
        for folder, grade in (("ja", 0), ("jb", 1)):
            (tmp_path / folder).mkdir()
            file(tmp_path / folder, "qrels.txt", f"1 0 d1 {grade}\n1 0 d2 1\n")
        both = [tmp_path / "ja" / "qrels.txt", tmp_path / "jb" / "qrels.txt"]
        with refused(FileError, "qrels"):
            ds.read_judgments(*both)
        named = ds.read_judgments(f"ann={both[0]}", f"bob={both[1]}")
        assert named.assessors == ("ann", "bob")
        assert ds.read_judgments({"ann": both[0], "bob": both[1]}).to_frame().equals(named.to_frame())

    def test_the_command_merges_named_files_only(self, tmp_path, capsys):
        for folder, grade in (("ja", 0), ("jb", 1)):
            (tmp_path / folder).mkdir()
            file(tmp_path / folder, "qrels.txt", f"1 0 d1 {grade}\n")
        both = [str(tmp_path / "ja" / "qrels.txt"), str(tmp_path / "jb" / "qrels.txt")]
        assert main(["merge", *both]) == 2
        assert phrase("naming.both-called", "qrels") in capsys.readouterr().err
        assert main(["merge", f"a={both[0]}", f"b={both[1]}"]) == 0

    def test_a_name_for_a_file_that_names_several(self, tmp_path):
        path = file(tmp_path, "a.csv", "topic,doc,assessor,grade\n1,d,ann,1\n1,d,bob,0\n")
        with refused(FileError, "a.csv", "x=", by="readers.api"):
            ds.read_judgments(f"x={path}")


def test_names_by_sign_by_mapping_and_by_file(tmp_path) -> None:
    one, two = file(tmp_path, "a=b.txt", "x"), file(tmp_path, "c.txt", "x")
    assert named_files([str(one)], "read") == [(one, None)]  # a file that exists is a file, whatever its name
    assert named_files([f"ann={two}", one], "read") == [(one, None), (two, "ann")]
    assert named_files([{"bob": two}, [one]], "read") == [(one, None), (two, "bob")]
    with refused(FileError, 2, "bob="):
        named_files([{"bob": tmp_path / "*.txt"}], "read")
