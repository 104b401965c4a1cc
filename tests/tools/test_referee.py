"""The referee finds a number again by the text of its row, and lets nothing change without a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import referee
from tools.referee import Case


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the numbers of one case, two of them seeded."""
    (tmp_path / "recorded").mkdir()
    (tmp_path / "expected").mkdir()
    (tmp_path / "names.toml").write_text(
        'keys = ["system", "measure"]\nfurther_keys = ["n"]\nleft_out = ["seconds"]\nmeasures = ["AP", "P@10"]\n'
        '[columns]\nold_name = "new_name"\n[tables]\n[values]\nbm25 = "BM25"\n'
    )
    monkeypatch.setattr(referee, "FOLDER", tmp_path)
    for function in (referee.names, referee.expected, referee.recorded):
        function.cache_clear()
    old = {"table": [{"system": "bm25", "AP": 0.25, "P@10": 0.5, "old_name": 3, "note": "x"}], "effect": 1 / 3}
    draws = [{**old, "drawn": [{"system": "bm25", "mean": 0.5 + 0.01 * s, "seconds": s}]} for s in (0, 1, -1, 2, -2, 0)]
    numbers = referee.taken(case(*draws))
    (tmp_path / "recorded" / "examples.jsonl").write_text(referee.written({"a case": numbers}))
    yield tmp_path
    for function in (referee.names, referee.expected, referee.recorded):
        function.cache_clear()


def case(*results: object) -> Case:
    return Case("examples", "a case", "verb", lambda seed, folder: results[seed % len(results)])


def texts(result: object) -> list[str]:
    return [str(change) for change in referee.changes(case(result))]


NEW = {
    "tables": {"scores": [
        {"system": "BM25", "measure": "AP", "score": 0.25, "more": 1},
        {"system": "BM25", "measure": "P@10", "score": 0.5, "more": 1},
        {"system": "dense", "measure": "AP", "score": 0.3, "more": 1},
    ]},
    "counts": [{"system": "BM25", "new_name": 3}],
    "facts": {"effect": 1 / 3 + 1e-14},
    "drawn": [{"system": "BM25", "mean": 0.54}],
}  # fmt: skip


def test_another_layout_and_other_names_are_the_same_numbers(recorded: Path) -> None:
    assert texts(NEW) == []


def test_a_changed_number_is_shown_old_and_new(recorded: Path) -> None:
    changed = json.loads(json.dumps(NEW))
    changed["tables"]["scores"][1]["score"] = 0.5 + 1e-9
    assert texts(changed) == ["examples/a case [table] score (measure=P@10, system=bm25): 0.5 → 0.500000001"]


def test_a_seeded_number_has_four_monte_carlo_errors(recorded: Path) -> None:
    changed = json.loads(json.dumps(NEW))
    changed["drawn"][0]["mean"] = 0.5 + 5 * 0.0141 * 2**0.5
    assert len(texts(changed)) == 1


def test_a_number_that_is_gone_is_a_change(recorded: Path) -> None:
    assert texts({**NEW, "counts": []}) == ["examples/a case [table] old_name (system=bm25): 3 → gone"]


def test_a_reason_excuses_what_it_names(recorded: Path) -> None:
    (recorded / "expected" / "why.toml").write_text('[[change]]\nverb = "verb"\ncolumn = "old*"\nreason = "because"\n')
    changes = referee.changes(case({**NEW, "counts": [], "facts": {"effect": 2}}))
    assert [(c.column, c.reason) for c in changes] == [("old_name", "because"), ("effect", None)]


def test_special_functions_may_round_otherwise() -> None:
    assert referee.agree("p_value", 0.5, 0.5 * (1 + 5e-11), 0.0)
    assert not referee.agree("score", 0.5, 0.5 * (1 + 5e-11), 0.0)
