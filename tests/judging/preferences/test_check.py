"""What is odd about preferences."""

from __future__ import annotations

import json

import numpy as np
import pytest
from preference_rows import simulated
from refusals import stated
from wording import phrase

from dissensus.cli import main
from dissensus.judging.preferences.check import check_preferences
from dissensus.judging.preferences.table import Preferences


def findings(rows):
    return {f.what: f for f in check_preferences(Preferences.from_rows(rows))}


def test_contradictions_are_counted_and_repeats_are_not_contradictions():
    rows = [("q", *pair, "ann", "a", "ab") for pair in ("xy", "yx", "xz")]
    found = findings([*rows, ("q", "x", "z", "ann", "a", "ba")])
    (one,) = [f for what, f in found.items() if phrase("preferences-check.different-answers") in what]
    assert (one.severity, one.count, one.examples) == ("warning", 1, ("q: x and y",))
    assert phrase("preferences-check.pairs-judged-once", 1, 2) in one.what
    assert any(phrase("preferences-check.always-same-answer") in what for what in findings([*rows[2:], *rows[2:]]))


def test_circles_are_those_of_a_slow_count():
    rng = np.random.default_rng(0)
    rows, wins = [], np.zeros((7, 7))
    for a in range(7):
        for b in range(a + 1, 7):
            first = rng.random() < 0.5
            wins[a, b], wins[b, a] = first, not first
            rows.append(("q", f"d{a}", f"d{b}", "ann", "a" if first else "b", "ab"))
    slow = sum(
        wins[a, b] and wins[b, c] and wins[c, a] for a in range(7) for b in range(7) for c in range(7) if a < min(b, c)
    )
    (what,) = [w for w in findings(rows) if "circle" in w]
    assert what.startswith(f"{int(slow)} of 35 triples")
    words = what.split(": ")[1].split(", ")
    for one in words:
        winner, loser = one.split(" over ")
        assert wins[int(winner[1]), int(loser[1])]


def test_a_liking_for_a_place_is_seen_and_chance_is_not():
    biased = check_preferences(simulated(1, 40, {"pat": (1.0, 1.5)}))
    assert any(phrase("preferences-check.shown-first-won") in f.what and f.severity == "warning" for f in biased)
    assert not any("shown" in f.what for f in check_preferences(simulated(2, 40, {"ann": (1.0, 0.0)})))
    same = [("q", f"d{i}", f"d{i + 1}", "ann", "same", "") for i in range(25)]
    assert stated(findings(same), 25, "same")


def test_documents_without_a_link_and_unknown_orders():
    found = findings([("q", "a", "b", "ann", "a", "ab"), ("q", "c", "d", "bob", "a", "")])
    assert any(phrase("preferences-check.topic-documents-no-chain", 1) in what for what in found)
    assert any(phrase("preferences-check.not-known-answers", 1, 2) in what for what in found)


def test_the_command_knows_the_file(tmp_path, capsys):
    path = tmp_path / "p.txt"
    path.write_text("q a b a\nq b a b\nq a b b\n")
    for arguments in (["check", str(path)], ["check", "-j", str(path)]):
        assert main([*arguments, "--json"]) == 0
        held = json.loads(capsys.readouterr().out)
        assert held["warning"] == 1
    (tmp_path / "a.run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    assert main(["check", str(tmp_path / "a.run"), "-j", str(path)]) == 0
    out = capsys.readouterr().out
    assert "Preferences(3 answers" in out
    assert "Runs(1 system" in out
    table = tmp_path / "p.csv"
    table.write_text("topic,doc_a,doc_b,answer\nq,x,y,a\nq,x,x,a\n")
    assert main(["check", "-j", str(table)]) == 2
    assert phrase("preferences-check.compares-document-itself", "p.csv:3", "x") in capsys.readouterr().out


@pytest.mark.parametrize("n", [1, 3])
def test_nothing_odd_is_nothing_said(n):
    rows = [("q", "a", "b", f"j{k}", "a", "ab") for k in range(n)]
    assert [f.severity for f in check_preferences(Preferences.from_rows(rows))] == ["note"] * (n == 1)
