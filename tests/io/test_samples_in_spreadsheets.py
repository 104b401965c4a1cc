"""A planned sample goes to an expert's spreadsheet and comes back: as a workbook, with semicolons, renamed, cut."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from audited_study import study
from refusals import refused

import dissensus as ds
from dissensus.errors import FileError, InputError


@pytest.fixture(name="sent")
def _sent(tmp_path: Path) -> tuple[Path, dict[tuple[str, str], int]]:
    """A sample of 60 documents as a workbook, and what the expert thinks of every document."""
    runs, bronze, gold = study(topics=12)
    plan = ds.plan(runs, bronze, budget=60, measures="P@5")
    path, frame = plan.write(tmp_path / "to-audit.xlsx")
    assert frame.name == "to-audit.frame.parquet"
    return path, {(t, d): g for t, d, g in gold.to_frame().select("topic", "doc", "grade").iter_rows()}


def graded(path: Path, truth: dict[tuple[str, str], int]) -> None:
    """Fill the column grade in the workbook, as a person does: with numbers."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    names = [c.value for c in sheet[1]]
    for row in sheet.iter_rows(min_row=2):
        cells = dict(zip(names, row, strict=True))
        assert cells["topic"].data_type == cells["doc"].data_type == "s"
        cells["grade"].value = truth[cells["topic"].value, cells["doc"].value]
    book.save(path)


def test_a_workbook_comes_back_as_it_was_sent(sent, tmp_path):
    path, truth = sent
    graded(path, truth)
    audit = ds.read_audit(path, scale="0..1")
    assert len(audit) == 60
    assert audit.frame is not None
    assert audit.inclusion.sum() == pytest.approx(audit.frame.of(*audit.to_frame().select("topic", "doc")).sum())
    renamed = path.rename(tmp_path / "Kopie von to-audit (2).xlsx")
    assert ds.read_audit(renamed, scale="0..1").inclusion.tolist() == audit.inclusion.tolist()


def test_semicolons_are_read(sent, tmp_path):
    path, truth = sent
    graded(path, truth)
    whole = ds.read_audit(path, scale="0..1")
    book = openpyxl.load_workbook(path)
    rows = [["" if v is None else str(v) for v in row] for row in book.worksheets[0].iter_rows(values_only=True)]
    target = tmp_path / "to-audit.csv"
    target.write_text("\n".join(";".join(row) for row in rows) + "\n")
    again = ds.read_audit(target, scale="0..1")
    assert again.to_frame().equals(whole.to_frame())


def test_decimal_commas_between_semicolons_are_read_and_rounding_is_forgiven(sent, tmp_path):
    path, truth = sent
    graded(path, truth)
    whole = ds.read_audit(path, scale="0..1")
    rows = [list(row) for row in openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True)]
    at = rows[0].index("inclusion")
    for row in rows[1:]:
        row[at] = f"{row[at]:.8g}".replace(".", ",")  # as spreadsheets save what they show
    target = tmp_path / "to-audit.csv"
    target.write_text("\ufeff" + "\r\n".join(";".join(map(str, row)) for row in rows) + "\r\n", encoding="utf-8")
    again = ds.read_audit(target, scale="0..1")
    assert again.inclusion == pytest.approx(whole.inclusion, rel=1e-6)
    assert again.frame is not None
    target.write_text(target.read_text("utf-8").replace("0,", "0,1,", 1), encoding="utf-8")
    with refused(InputError, "not a number"):
        ds.read_audit(target, scale="0..1")


def test_missing_rows_are_refused_with_their_number(sent):
    path, truth = sent
    graded(path, truth)
    book = openpyxl.load_workbook(path)
    book.worksheets[0].delete_rows(20, 25)
    book.save(path)
    with refused(InputError, "35", "60", "25 rows are missing"):
        ds.read_audit(path, scale="0..1")


@pytest.mark.parametrize("changed", [1.5, 12345678901234567890.0])
def test_ids_that_a_spreadsheet_changed_are_refused(sent, changed):
    path, truth = sent
    graded(path, truth)
    book = openpyxl.load_workbook(path)
    names = [c.value for c in book.worksheets[0][1]]
    book.worksheets[0].cell(5, names.index("doc") + 1).value = changed
    book.save(path)
    with refused(FileError, "row 5", "spreadsheet"):
        ds.read_audit(path, scale="0..1")


def test_an_id_without_its_zeros_is_not_among_those_drawn(sent):
    path, truth = sent
    graded(path, truth)
    book = openpyxl.load_workbook(path)
    names = [c.value for c in book.worksheets[0][1]]
    book.worksheets[0].cell(5, names.index("doc") + 1).value = 7
    book.save(path)
    with refused(InputError, "row 5", "document 7", "could be drawn"):
        ds.read_audit(path, scale="0..1")


def test_a_damaged_workbook_is_refused(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"PK\x03\x04 nothing")
    with refused(FileError, "a.xlsx", "Excel"):
        ds.read_audit(path)
