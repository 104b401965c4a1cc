"""The results of benchmarks by commit: kept in files, drawn on a page. Nothing is timed here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from paths import ROOT

from bench import kept
from bench.rows import Row

ROWS = [("evaluate", Row("AP | nDCG", 0.5, "pytrec_eval", 4.0, 6.0)), ("small", Row("report", 1.25))]


def test_results_are_kept_by_commit_and_benchmark(tmp_path: Path) -> None:
    first = kept.keep(ROWS, "Machine: AMD, 2 cores", "Versions: dissensus 0", tmp_path)
    again = kept.keep([("small", Row("report", 1.5))], "Machine: AMD, 2 cores", "Versions: dissensus 0", tmp_path)
    assert first == again
    (run,) = kept.history(tmp_path)
    assert run["machine"] == "AMD, 2 cores"
    assert [(r["bench"], r["ours_seconds"]) for r in run["rows"]] == [("evaluate", 0.5), ("small", 1.5)]
    commit, changed = kept.commit_of(ROOT)
    assert (run["commit"], run["changed"]) == (commit, changed)
    assert kept.commit_of(tmp_path) == ("unknown", False)


def test_the_page_has_each_row_and_draws_each_run(tmp_path: Path) -> None:
    file = kept.keep(ROWS, "Machine: AMD, 2 cores", "Versions: dissensus 0", tmp_path)
    older = json.loads(file.read_text()) | {"at": "2020-01-01T00:00:00+00:00", "commit": "aaaaaaaa", "name": "other"}
    (tmp_path / "older.json").write_text(json.dumps(older))
    text = kept.page(kept.history(tmp_path))
    assert text.index("aaaaaaaa") < text.index(f"`{json.loads(file.read_text())['commit']}`")
    line = next(line for line in text.splitlines() if line.startswith("| AP \\| nDCG"))
    assert "| 500 ms | pytrec_eval | 4 s | 8.0× |" in line
    assert (line.count("<circle"), line.count("<rect")) == (1, 1)  # one run on each machine
    assert line.replace("\\|", "").count("|") == 7
    assert "| commit |" not in kept.page([])


@pytest.mark.parametrize("file", sorted(kept.HISTORY.glob("*.json")), ids=lambda p: p.stem)
def test_what_is_kept_says_where_and_when(file: Path) -> None:
    run = json.loads(file.read_text("utf-8"))
    assert file.name.startswith(run["at"][:10] + "-" + run["commit"])
    assert run["machine"]
    assert all(row["ours_seconds"] > 0 for row in run["rows"])
    assert "/" not in run["name"]
