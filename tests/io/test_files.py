"""Which files, what they are called, and what a user says about them: names, columns, maps, thresholds."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused
from small_files import file
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import FileError
from dissensus.io.files import (
    find_files,
    kind,
    looks_like_json,
    named_files,
    stem,
)


def test_files_once_and_by_name(tmp_path: Path) -> None:
    for name in ("b.run", "a.run", "note.md"):
        (tmp_path / name).write_text("x")
    (tmp_path / "link.run").symlink_to(tmp_path / "a.run")
    found = find_files([tmp_path / "*.run", [str(tmp_path / "b.run")]], "read_runs")
    assert [p.name for p in found] == ["a.run", "b.run"]


@pytest.mark.parametrize(("name", "value"), [("a.rum", "a.run"), ("*.csv", "*.csv"), ("no/x", "no/x")])
def test_what_is_not_there_says_what_is(tmp_path: Path, name: str, value: str) -> None:
    (tmp_path / "a.run").write_text("x")
    with refused(FileError, tmp_path, value):
        find_files([tmp_path / name], "read_runs")


def test_names_and_formats() -> None:
    assert [stem(Path(p)) for p in ("x.run.gz", "a.b.v2", ".run", "q.qrels")] == ["x", "a.b.v2", ".run", "q.qrels"]
    assert stem(Path("q.qrels"), qrels=True) == "q"
    assert [kind(Path(p)) for p in ("a.CSV.gz", "a.ndjson", "a.json", "a.parquet", "a.csv.txt")] == [
        "csv", "jsonl", "json", "parquet", "trec",
    ]  # fmt: skip


def test_json_is_known_by_its_name_or_its_first_byte(tmp_path) -> None:
    assert looks_like_json(file(tmp_path, "a.jsonl", "x"))
    assert looks_like_json(file(tmp_path, "labels", '\ufeff  {"a": 1}'))
    assert not looks_like_json(file(tmp_path, "a.run", "1 Q0 d 1 2 t"))


def test_a_topic_that_begins_with_a_bracket_is_not_json(tmp_path) -> None:
    assert not looks_like_json(file(tmp_path, "a.run", "[302 Q0 d 0 -1e-3 tag\r\n"))
    assert not looks_like_json(file(tmp_path, "a.qrels", "{a} 0 d 2\n"))
    assert looks_like_json(file(tmp_path, "b.qrels", '{"q1": {"d": 2, "e": 1}}\n'))
    assert looks_like_json(file(tmp_path, "c.qrels", '[{"topic": 1}]\n'))


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
        with refused(FileError, "a.csv", "x="):
            ds.read_judgments(f"x={path}")


def test_names_by_sign_by_mapping_and_by_file(tmp_path) -> None:
    one, two = file(tmp_path, "a=b.txt", "x"), file(tmp_path, "c.txt", "x")
    assert named_files([str(one)], "read") == [(one, None)]  # a file that exists is a file, whatever its name
    assert named_files([f"ann={two}", one], "read") == [(one, None), (two, "ann")]
    assert named_files([{"bob": two}, [one]], "read") == [(one, None), (two, "bob")]
    with refused(FileError, 2, "bob="):
        named_files([{"bob": tmp_path / "*.txt"}], "read")


def test_a_folder_is_every_file_in_it_without_hidden_ones(tmp_path):
    for name in ("b.run", "a.run", "more/c.run", ".hidden", "_SUCCESS", ".cache/d.run"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1 Q0 d 1 1.0 x\n")
    assert [p.name for p in find_files([tmp_path], "read_runs")] == ["a.run", "b.run", "c.run"]
    for name in ("a.run", "b.run", "more/c.run"):
        (tmp_path / name).unlink()
    with pytest.raises(FileError, match=phrase("files.only-hidden", "3 hidden files")):
        find_files([tmp_path], "read_runs")
