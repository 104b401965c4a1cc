"""What every result can do, and that every result does it."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from paths import ROOT
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.results import LINES, WIDTH, Result, Table
from dissensus.windows.json import plain
from dissensus.windows.notebook import NOTES, ROWS, html_table
from dissensus.windows.words import shown


@dataclass(frozen=True)
class Long(Result):
    n: int
    notes: tuple[str, ...] = ()
    hidden: object = field(default=None, repr=False)

    @property
    def tables(self) -> dict[str, Table]:
        rows = {"name": [f"<b>{i}</b>" for i in range(self.n)], "score": [i / 3 for i in range(self.n)]}
        return {"rows": Table.of(pl.DataFrame(rows), {"name": "a name"})}

    def __str__(self) -> str:
        return "\n".join(f"line {i} " + "x" * 500 for i in range(self.n))


def test_a_repr_is_short_however_large_the_result() -> None:
    text = repr(Long(1000))
    assert len(text.split("\n")) == LINES
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert phrase("results.more-lines", 989) in text


def test_a_repr_shows_all_of_a_small_result() -> None:
    assert [line[:7] for line in repr(Long(2)).split("\n")] == ["line 0 ", "line 1 "]


def test_html_is_escaped_cut_and_says_what_it_left_out() -> None:
    page = Long(ROWS + 5, notes=tuple(f"<i>note {i}" for i in range(NOTES + 2)))._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;0&lt;/b&gt;" in page
    assert f"&lt;b&gt;{ROWS}&lt;" not in page
    assert phrase("results.more-rows", 5) in page
    assert phrase("results.more-notes", 2) in page
    assert "0.3333" in page


def test_characters_that_drive_a_terminal_are_shown_not_obeyed() -> None:
    assert shown("a\x1b[31m\u202eb\x9b") == "a\\x1b[31m\\u202eb\\x9b"
    assert "\u202e" not in html_table("t", pl.DataFrame({"a": ["\u202eevil"]}))


def test_json_has_no_number_that_json_lacks() -> None:
    values = {"a": np.float64("nan"), "b": (np.inf, 1.5), "c": np.arange(2), "d": np.bool_(True), "e": None}
    assert plain(values) == {"a": None, "b": [None, 1.5], "c": [0, 1], "d": True, "e": None}
    document = json.loads(Long(1, hidden=object()).to_json())
    assert document["n"] == 1
    assert "hidden" not in document
    assert document["notes"] == []


def test_pandas_gets_the_same_table() -> None:
    frame = Long(3).to_pandas()
    assert list(frame["score"]) == Long(3).to_frame()["score"].to_list()


def test_a_result_without_a_chart_says_which_have_one() -> None:
    with refused(InputError, "Long"):
        Long(1).plot()


FILES = {"Confusion", "MarkovUser", "UserDynamic"}  # their JSON is a file that other verbs read


def test_no_result_has_a_window_of_its_own() -> None:
    strays = []
    for path in sorted((ROOT / "src" / "dissensus").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and "Result" in map(ast.unparse, node.bases):
                names = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
                own = names & {"to_frame", "to_pandas", "to_json", "_repr_html_"}
                strays += [
                    f"{node.name}.{name}" for name in own if (node.name, name) not in {(n, "to_json") for n in FILES}
                ]
    assert strays == []


def test_nouns_show_themselves_in_a_notebook() -> None:
    runs = ds.Runs.from_dict({"A<b>": {"q": {"d": 1.0}}})
    judgments = ds.Judgments.from_dict({"<b>ann": {"q": {"d": 1}}})
    assert "systems" in runs._repr_html_()
    assert "&lt;b&gt;ann" in judgments._repr_html_()
    assert "inclusion" in ds.Audit(judgments)._repr_html_()


def test_every_noun_has_a_form_for_notebooks() -> None:
    """Nouns of the public names, and every result of every room; none shows a wall of text."""
    import importlib
    import inspect
    import pkgutil

    import dissensus

    for module in pkgutil.walk_packages(dissensus.__path__, "dissensus."):
        if not module.name.startswith(("dissensus.interop", "dissensus.__main__")):
            importlib.import_module(module.name)
    nouns = [c for n in ds.__all__ if inspect.isclass(c := getattr(ds, n)) and not issubclass(c, Exception)]
    parts = {ds.Column, ds.Table, ds.Policies}  # of results, which show them
    assert [c.__name__ for c in nouns if not hasattr(c, "_repr_html_") and c not in parts] == []
    runs = ds.Runs.from_dict({"s": {"q": {"d": 1.0}}})
    judged = ds.Judgments.from_dict({"a": {"q": {"d": 1}}})
    prefs = ds.Preferences.from_rows([("q", "x", "y", "ann", "a")])
    for noun in (runs, judged, prefs, ds.Collection(runs, judged), ds.measure("nDCG@10"), ds.Scale.range(0, 3)):
        assert noun._repr_html_().startswith("<div class='dissensus'>")
        assert len(repr(noun)) < 400
