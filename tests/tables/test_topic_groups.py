"""One reader for query classes and topic groups: tables with and without header, JSON, gzip, and what is refused."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from refusals import refused

from dissensus.errors import FileError, InputError
from dissensus.tables.topic_groups import read_groups

WANTED = {"301": "quick", "302": "slow"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.csv", "topic,class\n301,quick\n302,slow\n"),
        ("c.csv", "301,quick\n302,slow"),
        ("c.csv", "group,note,Query ID\r\nquick,x,301\r\nslow,y,302\r\n"),
        ("c.csv", '\ufefftopic,class\n\n"301", quick\n302,"slow"\n302,slow\n'),
        ("c.tsv", "qid\tclass\n301\tquick\n302\tslow\n"),
        ("c.txt", "301\tquick\n302\tslow\n"),
        ("c.json", '{"301": "quick", "302": "slow"}'),
    ],
)
def test_one_mapping_from_every_way_to_write_it(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, newline="")
    assert read_groups(tmp_path / name) == WANTED
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_groups(packed) == WANTED


def test_a_first_line_of_numbers_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("1,1\n2,10+\n")
    assert read_groups(tmp_path / "c.csv") == {"1": "1", "2": "10+"}
    (tmp_path / "c.json").write_text('{"1": 1, "2": "10+"}')
    assert read_groups(tmp_path / "c.json") == {"1": "1", "2": "10+"}


@pytest.mark.parametrize("mark", ["\v", "\f", "\x85", "\u2028", "\u2029"])
def test_a_line_ends_where_a_line_of_a_table_ends(tmp_path: Path, mark: str) -> None:
    (tmp_path / "c.txt").write_text(f"30{mark}1\tquick\n302\tslow\n", newline="")
    with refused(InputError, "c.txt"):  # the mark belongs to the id, which may not hold it
        read_groups(tmp_path / "c.txt")


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "c.csv"
    file.write_text("301,quick\n")
    assert read_groups(file)["301"] == "quick"
    file.write_text("301,swift\n")
    os.utime(file, ns=(1, 1))
    assert read_groups(file)["301"] == "swift"


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("c.csv", "topic,kind\n301,quick\n", ("c.csv", "class", "topic", "kind")),
        ("c.csv", "id,class\n301,quick\n", ("c.csv", "topic")),
        ("c.csv", "topic,class\n", ("c.csv",)),
        ("c.csv", "topic,class\n301,quick,1\n", ("c.csv:2", 3, 2)),
        ("c.csv", "301,quick,1\n", ("c.csv:1", 3, 2)),
        ("c.csv", "301\n", ("c.csv:1", 1, 2)),
        ("c.csv", "301,quick\n302,\n", ("c.csv:2",)),
        ("c.csv", "301,quick\n,slow\n", ("c.csv:2",)),
        ("c.csv", "301,quick\n301,slow\n", ("c.csv:2", 301, "quick", "slow")),
        ("c.csv", '301,"quick\n', ("c.csv:1",)),
        ("c.json", '{"301": "quick", "301": "slow"}', (301, "quick", "slow")),
        ("c.json", '{"301": null}', (301, "None")),
        ("c.json", '["301"]', ("c.json",)),
        ("c.json", "{", ("c.json:1",)),
        ("c.csv", "\n\n", ("c.csv",)),
    ],
)
def test_what_is_refused(tmp_path: Path, name: str, text: str, values: tuple[object, ...]) -> None:
    (tmp_path / name).write_text(text)
    with refused(FileError, *values):
        read_groups(tmp_path / name)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with refused(FileError, "none.csv", "topic", "class"):
        read_groups(tmp_path / "none.csv")


def test_a_file_written_again_within_a_clock_tick_is_read_again(tmp_path):
    path = tmp_path / "c.csv"
    for group in ("quick", "slowl"):  # of one size, and with one time
        path.write_text(f"topic,class\n301,{group}\n")
        os.utime(path, ns=(1, 1))
        assert read_groups(path) == {"301": group}
