"""Every window shows any result: escaped, whole, with the meaning of its columns."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from paths import ROOT
from refusals import refused
from wording import phrase

from dissensus.cli import main
from dissensus.errors import InputError, OutputError
from dissensus.results import Result, Table, Tables
from dissensus.windows import json as json_window
from dissensus.windows import latex, markdown, notebook, terminal
from dissensus.windows.files import check_output, write
from dissensus.windows.terminal import LINES, Style, cut, display_width, text_table
from dissensus.windows.words import Cells, best_cells, shown

FRAME = pl.DataFrame({"system": ["bm25", "a_b"], "AP": [0.25, math.nan], "topics": [50, 49]})
PAPER = pl.DataFrame({"system": ["a_b", "c|d"], "AP": [0.25, 0.5], "ESL": [1.0, 2.0]})


def result(frame: pl.DataFrame, title: str = "", **more: object) -> Tables:
    return Tables({"scores": Table.of(frame, rest="mean of {name}")}, title, **more)  # type: ignore[arg-type]


def test_text_aligns_numbers_and_shows_the_notes() -> None:
    assert terminal.text(result(FRAME, "Scores", notes=["ties=trec"])) == (
        "Scores\n"
        "system      AP  topics\n"
        "──────  ──────  ──────\n"
        "bm25    0.2500      50\n"
        "a_b          –      49\n"
        "\n"
        "ties=trec\n"
    )


def test_json_is_valid_numbered_and_says_what_columns_mean() -> None:
    document = json.loads(result(FRAME, "Scores", notes=["n"], facts={"alpha": math.inf, "n": 3}).to_json())
    assert document["schema"] == json_window.SCHEMA
    assert document["tables"]["scores"][1] == {"system": "a_b", "AP": None, "topics": 49}
    assert document["columns"]["scores"]["AP"] == "mean of AP"
    assert document["notes"] == ["n"]
    assert document["alpha"] is None
    assert document["n"] == 3


def test_a_table_is_named_or_the_first() -> None:
    both = Tables({"a": Table.of(FRAME, rest="{name}"), "b": Table.of(FRAME.head(1), rest="{name}")})
    assert both.to_frame().height == 2
    assert both.to_frame("b").height == len(both.to_pandas("b")) == 1
    with refused(InputError, "there is no table 'c'"):
        both.to_frame("c")


def test_the_ends_of_an_interval_know_its_level() -> None:
    columns = Table.of(pl.DataFrame({"low": [0.1], "pooled_high": [0.2]}), level=0.9).columns
    assert columns["low"].title == "lower"
    assert columns["low"].meaning == "lower end of the 90% interval"
    assert columns["pooled_high"].meaning.startswith("upper end of the 90% interval of")


def test_names_from_data_are_shown_and_not_obeyed_in_every_window(tmp_path: Path) -> None:
    evil = pl.DataFrame({"system": ["\x1b]0;title\x07", "=cmd|x", "<b>|*$_"], "AP": [1.0, 2.0, 3.0]})
    shown_result = result(evil, "\x1b[2J")
    assert shown("a\x1b[31mred\n") == "a\\x1b[31mred\\n"
    assert "\x1b" not in terminal.text(result(evil))
    assert "<b>" not in notebook.page(shown_result)
    assert "\x1b" not in notebook.page(shown_result)
    assert r"\$\_" in latex.text(shown_result)
    assert r"&lt;b&gt;\|\*\$\_" in markdown.text(shown_result)
    write(shown_result, tmp_path / "x.csv")
    assert "'=cmd|x" in (tmp_path / "x.csv").read_text()


def test_an_empty_table_says_so() -> None:
    assert phrase("output.no-rows") in terminal.text(result(FRAME.head(0)))
    assert json.loads(result(FRAME.head(0)).to_json())["tables"]["scores"] == []


def rows(n: int) -> Table:
    return Table.of(pl.DataFrame({"n": range(n)}, schema={"n": pl.Int64}))


@pytest.mark.parametrize("heights", [[1000], [3, 1000], [500, 500, 500], [0, 1000]])
@pytest.mark.parametrize("remarks", [0, 1])
def test_a_screen_has_at_most_forty_lines(heights: list[int], remarks: int) -> None:
    text = terminal.text(Tables({f"t{i}": rows(h) for i, h in enumerate(heights)}, "T", ["r"] * remarks))
    assert len(text.splitlines()) <= LINES


def test_what_is_left_out_is_counted_and_small_tables_are_whole() -> None:
    both = {"large": rows(400), "small": rows(4), "one": rows(LINES)}
    kept = cut(both, 0)
    assert kept["small"].frame.height == 4
    left = 400 - kept["large"].frame.height
    assert f"… {left} more rows: " in terminal.text(Tables(both))
    alone = terminal.text(Tables({"one": rows(LINES - 7 + 1)}))
    assert "more row" not in alone  # the last row takes the line that would count it


@dataclass(frozen=True)
class TwoScreens(Result):
    """A result that shows people a part first."""

    @property
    def tables(self) -> dict[str, Table]:
        return {"a": rows(3), "b": rows(2)}

    @property
    def notes(self) -> list[str]:
        return ["one", "two", "three"]

    def screen(self, whole: bool = False) -> Result:
        return self if whole else Tables({"a": rows(1)}, notes=self.notes[:1])


def test_a_first_screen_counts_rows_tables_and_notes_that_it_leaves_out() -> None:
    first = terminal.text(TwoScreens())
    assert "… 2 more rows: .to_frame() has them all\n" in first
    assert "… 1 more table, b: " in first
    assert "… 2 more notes: .notes has them all\n" in first
    assert "two" not in first
    explained = terminal.text(TwoScreens(), Style(further=None, explain=True))
    assert "three\n\nn: number of observations\n" in explained
    everything = terminal.text(TwoScreens(), Style(more=None, further=None))
    assert "more" not in everything


def test_sentences_wrap_at_the_terminals_width_and_the_verdict_is_bold() -> None:
    said = Tables({"a": rows(1)}, claims=["A is better than B by far.", "Take A."], notes=["a note of many words here"])
    text = terminal.text(said, Style(bold="<b>", off="</b>", width=16))
    assert text.startswith("<b>A is better than</b>\n<b>B by far.</b>\nTake A.\n\n")
    assert "a note of many</b>\nwords here</b>\n" in text


def test_notes_are_never_cut() -> None:
    notes = [f"note {i}" for i in range(60)]
    text = terminal.text(Tables({"t": rows(100)}, "", notes))
    assert all(note in text for note in notes)


def test_a_wide_table_continues_below_with_its_key_repeated() -> None:
    frame = pl.DataFrame({"system": ["bm25"], **{f"nDCG@{k}": [k / 100] for k in range(10, 20)}})
    cells = Cells.of(Table.of(frame, rest="mean of {name}"))
    text = text_table(cells, Style(width=40))
    assert max(len(line) for line in text.splitlines()) <= 40
    assert text.count("system") == text.count("bm25") > 1
    assert all(f"nDCG@{k}" in text for k in range(10, 20))
    assert text_table(cells, Style()).count("system") == 1


def test_wide_letters_are_counted_as_two_cells() -> None:
    assert display_width("検索") == 4
    frame = pl.DataFrame({"s": ["検索", "ab"], "n": [1, 2]})
    lines = text_table(Cells.of(Table.of(frame)), Style()).splitlines()
    assert lines[2] == "検索  1"
    assert lines[3] == "ab    2"


# ── papers ──
def test_the_best_is_bold_in_the_direction_of_its_measure() -> None:
    table = Table.of(PAPER, rest="{name}", best={"AP": True, "ESL": False}, marks={"AP": ["†", "b"]})
    assert best_cells(table) == {(1, 1), (0, 2)}
    text = latex.text(Tables({"t": table}, "50 % & more"))
    assert r"a\_b & 0.2500\textsuperscript{\dag{}}" in text
    assert r"\textbf{0.5000}\textsuperscript{b}" in text
    assert r"\caption{50 \% \& more}" in text
    assert r"\begin{tabular}{lrr}" in text
    text = markdown.text(Tables({"t": table}, "T", ["a*b"]))
    assert r"| a\_b | 0.2500 † |" in text
    assert r"| c\|d | **0.5000** b |" in text
    assert r"a\*b" in text


def test_ties_are_all_bold_and_assessors_have_their_own_best() -> None:
    frame = pl.DataFrame({"assessor": ["x", "x", "y", "y"], "system": list("abab"), "AP": [0.2, 0.2, 0.1, 0.3]})
    assert best_cells(Table.of(frame, rest="{name}", best={"AP": True})) == {(0, 2), (1, 2), (3, 2)}


def test_papers_and_notebooks_say_what_a_column_means() -> None:
    one = Tables({"t": Table.of(pl.DataFrame({"system": ["A"], "low": [0.2]}), level=0.95)})
    assert r"lower: lower end of the 95\% interval." in latex.text(one)
    assert "lower: lower end of the 95% interval" in markdown.text(one)
    assert "title='lower end of the 95% interval'" in notebook.page(one)


@pytest.mark.parametrize(("name", "bold"), [("t.tex", r"\textbf{"), ("t.md", "**")])
def test_evaluate_writes_tables_for_papers(name: str, bold: str, tmp_path: Path) -> None:
    runs = sorted(map(str, (ROOT / "examples" / "runs").glob("*.gz")))
    labels = str(ROOT / "examples" / "labels.csv")
    assert main(["evaluate", *runs, "-j", labels, "--assessor", "llm", "-m", "P@10", "-o", str(tmp_path / name)]) == 0
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert bold in text
    assert (r"\textsuperscript{ab}" if name.endswith("tex") else " ab |") in text


# ── files ──
def test_csv_and_parquet_read_back(tmp_path: Path) -> None:
    write(result(FRAME), tmp_path / "scores.csv")
    write(result(FRAME), tmp_path / "scores.parquet")
    assert pl.read_csv(tmp_path / "scores.csv").equals(FRAME, null_equal=True)
    assert pl.read_parquet(tmp_path / "scores.parquet").equals(FRAME, null_equal=True)


def test_several_tables_become_several_csv_files_but_one_json(tmp_path: Path) -> None:
    both = Tables({"scores": Table.of(FRAME, rest="{name}"), "per topic": Table.of(FRAME.head(1), rest="{name}")})
    assert [p.name for p in write(both, tmp_path / "x.csv")] == ["x.csv", "x-per-topic.csv"]
    assert [p.name for p in write(both, tmp_path / "x.json")] == ["x.json"]
    assert set(json.loads((tmp_path / "x.json").read_text())["tables"]) == {"scores", "per topic"}


@pytest.mark.parametrize("name", ["scores.xlsx", "scores", "nowhere/scores.csv", "."])
def test_an_output_that_cannot_be_is_refused_before_the_work(tmp_path: Path, name: str) -> None:
    with refused(OutputError, "--output"):
        check_output(tmp_path / name)


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.DataFrame, "write_csv", fail)
    with pytest.raises(KeyboardInterrupt):
        write(result(FRAME), tmp_path / "scores.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    ["![x](http://evil.example/a.png)", "[l](javascript:alert(1))", r"\*a*", "http://evil.example", "www.evil.example",
     "# head", "- item", "1. item", "a|b", "<img src=x>", "~~gone~~", "$x$", "[ref][1]", "a@evil.example"],
)  # fmt: skip
def test_names_are_no_markdown(name: str) -> None:
    """0.2.0 let images and links of systems' names through; a reader of Markdown shows each name as it is."""
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("strikethrough")
    tokens = [inner for token in parser.parse(markdown.escaped(name)) for inner in (token, *(token.children or ()))]
    kinds = {token.type for token in tokens}
    assert kinds <= {"paragraph_open", "inline", "text", "text_special", "paragraph_close"}
    assert "".join(t.content for t in tokens if t.type in ("text", "text_special")) == name
    assert "http:/" not in markdown.escaped(name)  # readers of GitHub's kind make links of bare addresses
    assert "www." not in markdown.escaped(name)
