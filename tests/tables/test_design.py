"""Audits keep the probabilities of all documents, or are refused with the command that rebuilds them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError, ReliabilityWarning
from dissensus.tables.design import EVERYTHING, Coverage, Frame, frame_path, matching

TABLE = pl.DataFrame({"topic": ["q", "q", "p"], "doc": ["x", "y", "z"], "inclusion": [0.5, 0.25, 1.0]})
GRADED = pl.DataFrame({"topic": ["q", "p"], "doc": ["x", "z"], "grade": [1, 0], "inclusion": [0.5, 1.0]})


def test_checksum_knows_content_and_not_order() -> None:
    frame = Frame(TABLE, "plan --seed 0")
    assert Frame(TABLE.reverse(), "plan --seed 0").design == frame.design
    changed = TABLE.with_columns(pl.col("inclusion") * 0.999)
    assert Frame(changed).checksum != frame.checksum
    assert matching(TABLE, frame.design, "f").command == "plan --seed 0"
    with refused(InputError, "--seed", 0, "RUNS", "LABELS", "--frame"):
        matching(changed, frame.design, "f")


def test_documents_outside_the_frame_had_no_chance() -> None:
    found = Frame(TABLE).of(pl.Series(["q", "q"]), pl.Series(["y", "other"]))
    assert found.tolist() == [0.25, 0.0]


def test_names_of_frames() -> None:
    assert frame_path(Path("a/b.csv")) == Path("a/b.frame.parquet")
    assert frame_path(Path("b.jsonl.gz")) == Path("b.frame.parquet")


def test_a_design_without_its_frame_is_refused(tmp_path: Path) -> None:
    design = Frame(TABLE, "plan -m P@10 --seed 0").design
    file = tmp_path / "audit.csv"
    GRADED.with_columns(design=pl.lit(design)).write_csv(file)
    with refused(InputError, "P@10", "--seed", 0, "RUNS", "LABELS", "--frame", "audit.frame.parquet"):
        ds.read_audit(file)
    TABLE.write_parquet(frame_path(file))
    audit = ds.read_audit(file)
    assert audit.frame is not None
    assert audit.frame.of(pl.Series(["q"]), pl.Series(["y"])).tolist() == [0.25]


def test_frame_and_sample_must_agree(tmp_path: Path) -> None:
    design = Frame(TABLE, "plan").design
    moved = GRADED.with_columns(inclusion=pl.Series([0.4, 1.0]), design=pl.lit(design))
    with refused(InputError, "0.4", "0.5"):
        ds.Audit.from_frame(moved, everyone=TABLE)
    two = pl.concat([GRADED[:1].with_columns(design=pl.lit("a #1")), GRADED[1:].with_columns(design=pl.lit("b #2"))])
    with refused(InputError, 2, 1):
        ds.Audit.from_frame(two, everyone=TABLE)


def test_ungraded_rows_lower_the_probabilities_of_all() -> None:
    table = GRADED.with_columns(grade=pl.Series([1, None]))
    with pytest.warns(ReliabilityWarning):
        audit = ds.Audit.from_frame(table, everyone=TABLE)
    assert audit.frame is not None
    assert audit.frame.of(pl.Series(["q"]), pl.Series(["y"])).tolist() == [0.125]


def test_files_of_the_first_version_stay_readable(tmp_path: Path) -> None:
    file = tmp_path / "old.csv"
    GRADED.with_columns(covers=pl.lit("difference of A and B; difference of C and D")).write_csv(file)
    audit = ds.read_audit(file)
    assert audit.frame is None
    assert audit.covers.pairs == (("A", "B"), ("C", "D"))
    assert not audit.covers.scores
    GRADED.with_columns(covers=pl.lit("differences")).write_csv(file)
    assert ds.read_audit(file).covers.every_pair


PAIR = Coverage.of_pairs(("A", "B"))


def test_what_is_covered() -> None:
    assert EVERYTHING.covers("A", "C")
    assert Coverage.differences().covers("A", "C")
    assert PAIR.covers("B", "A")
    assert not PAIR.covers("A", "C")


def test_two_samples_answer_what_either_could() -> None:
    assert PAIR.with_other(EVERYTHING) == EVERYTHING
    assert PAIR.with_other(Coverage.differences()) == Coverage.differences()
    assert PAIR.with_other(PAIR) == PAIR


@pytest.mark.parametrize("coverage", [EVERYTHING, Coverage.differences(), Coverage.of_pairs(("a; b", "c and d"))])
def test_columns_read_back(coverage: Coverage) -> None:
    columns = coverage.columns()
    pairs = [columns["pairs"]] if "pairs" in columns else []
    assert Coverage.from_columns([columns["covers"]], pairs, "file") == coverage


def test_other_words_are_refused() -> None:
    with refused(InputError, "everything"):
        Coverage.from_columns(["everything"], [], "file")
    with refused(InputError, "'A, B'"):
        Coverage.from_columns(["pairs"], ["A, B"], "file")
