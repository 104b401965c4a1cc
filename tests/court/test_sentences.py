"""The court: every kind of sentence about systems has a rule, and is right as often as it claims. A short form.

`dissensus experiment court`, a part of `make evidence`, is the full size.
"""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl
import pytest
from prompt_judges import dl21_prompt_judges

import dissensus as ds
from dissensus.inference.comparison import claims
from dissensus.inference.comparison.claims import Claim
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.studies.audits.small_world import generated
from dissensus.studies.audits.trials import Row
from dissensus.studies.audits.verdicts import RULES, nothing
from dissensus.studies.court import SETTINGS, court_tables, trials

TRUTH = {"A": 0.5, "B": 0.4, "C": 0.1}


@cache
def generated_trials() -> list[Row]:
    """24 audits: two judges, two targets."""
    asked = SETTINGS | {"measures": ("P(rel=2)@10",), "labels": (120,), "audits": 6, "systems": 0,
                        "targets": ("these_topics", "population")}  # fmt: skip
    return trials(generated(0, topics=20, documents=30, systems=8), asked, seed=4)


def test_every_kind_of_sentence_has_a_rule() -> None:
    """A new kind of claim is refused here until it has a predicate: what would make it wrong?"""
    assert set(RULES) == set(get_args(claims.Kind))
    assert set(claims._SENTENCES) == set(RULES)
    promising = {kind for kind, rule in RULES.items() if rule.limit is not None}
    assert all(RULES[kind].right is not nothing for kind in promising)


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        (Claim("better", ("A",), ("B",)), True),
        (Claim("better", ("B",), ("A",)), False),
        (Claim("probably", ("C",), ("A",)), False),
        (Claim("best", ("A",), ("B", "C")), True),
        (Claim("best", ("B",), ("A", "C")), False),
        (Claim("few", ("B", "A"), ("C",)), True),
        (Claim("many", ("B", "C"), ("A",)), False),
        (Claim("no-winner", ("B", "A"), ("C",)), True),
        (Claim("identical", ("A", "B")), False),
        (Claim("equal", ("A",), ("A",)), True),
        (Claim("differ", ("A",), ("B",)), True),
        (Claim("within", ("A",), ("B",), values={"margin": 0.1}), True),
        (Claim("within", ("A",), ("C",), values={"margin": 0.1}), False),
        (Claim("refuted", ("B",), ("A",)), True),
        (Claim("refuted", ("A",), ("B",)), False),
        (Claim("confirmed", ("A",)), True),
        (Claim("confirmed", ("C",)), False),
        (Claim("above", ("A",), ("B",)), True),
        (Claim("below", ("A",), ("B",)), False),
        (Claim("take", ("B",), values={"negligible": 0.02}), False),
        (Claim("take", ("B",), values={"negligible": 0.1}), True),
        (Claim("undecided", ("A",), ("B",)), True),
    ],
)
def test_rules_tell_right_from_wrong(claim: Claim, right: bool) -> None:
    assert RULES[claim.kind].right(claim, TRUTH) is right


WORDS = re.compile(
    r"\b(better|worse|best|favou?rs?|favou?rites?|undecided|too generous|too strict|may replace|leaning|leans|refutes?|"
    r"confirms?|decided|ruled out|winner|identical|cannot tell)\b",
    re.IGNORECASE,
)
ROOMS = ("inference", "judging", "audit", "reporting", "cli")
NO_WINDOW = ("cli/commands.py", "cli/label.py", "cli/train.py", "cli/parts/audit_new.py")  # help texts and prompts


def sentences_of(file: Path) -> list[str]:
    """The texts in a file that have a verdict's word, docstrings aside."""
    tree = ast.parse(file.read_text("utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    notes = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    texts = [n.value for n in ast.walk(tree)
             if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in notes]  # fmt: skip
    return [t for t in texts if " " in t.strip() and WORDS.search(t)]


def test_sentences_that_are_no_claims_have_a_rule_or_a_reason() -> None:
    """A file that begins to word verdicts is refused here: let it show a claim, or say what holds it to the truth."""
    table = tomllib.loads((Path(__file__).parent / "other_sentences.toml").read_text("utf-8"))
    known = {*table["rule"], *table["repeats"]["files"], *table["facts"]["files"], "inference/comparison/claims.py"}
    source = Path(ds.__file__).parent
    found = {
        name
        for room in ROOMS
        for file in sorted((source / room).rglob("*.py"))
        if (name := file.relative_to(source).as_posix()) not in NO_WINDOW and sentences_of(file)
    }
    assert found - known == set()
    assert {name for name in known if not (source / name).is_file()} == set()


def test_generated_studies_are_judged_rightly() -> None:
    """Each limit is the promise plus what chance adds to it in so few audits."""
    rows = generated_trials()
    tables = court_tables(rows)
    n = len(rows)
    assert sum(r["refused"] for r in rows) < 0.2 * n
    said = {row["kind"]: row for row in tables["sentences"].iter_rows(named=True)}
    for kind in ("best", "few", "many", "no-winner"):
        assert said[kind]["wrong"] <= 0.05 * n + 2 * np.sqrt(0.05 * n)
    for kind in ("probably", "probably-ahead"):
        assert said[kind]["wrong"] <= 0.15 * said[kind]["said"] + 2
    assert said["better"]["said"] > 50  # it says something
    assert said["above"]["said"] + said["below"]["said"] > 5
    verdicts = tables["verdicts"]
    assert verdicts["covered"].mean() > 0.85  # type: ignore[operator]
    assert verdicts["better_wrong"].mean() * n <= 0.05 * n + 2 * np.sqrt(0.05 * n)  # type: ignore[operator]
    gate = tables["gate"]
    assert (gate["pairs"] * gate["passed"]).sum() / gate["pairs"].sum() < 0.06
    loss = tables["loss"]
    assert (loss["realised"] <= loss["judge_first"] + 0.005).all()


def test_chances_add_up_and_copies_of_the_best_share_the_truth() -> None:
    row = generated_trials()[0]
    chances = np.array(row["chances"])
    assert chances.shape == (8, 4)
    assert chances[:, 0].sum() == pytest.approx(1)
    assert (chances[:, 3] >= chances[:, 2]).all()  # the best is within any margin of itself
    assert row["expected"] >= 0
    assert row["realised"] >= 0


def test_dl21_is_judged_rightly() -> None:
    """Six audits of one of 53 judges against NIST: the best set holds the true best, and no pair is turned round."""
    runs, nist, judges = dl21_prompt_judges()
    parts = (x.to_frame().select("topic", "doc", "assessor", pl.col("grade").cast(pl.String))
             for x in (nist, judges.select(assessors=[judges.assessors[30]])))  # fmt: skip
    given = GoldStandard(runs, ds.Judgments.from_frame(pl.concat(list(parts)), scale="0..3"), nist.assessors[0])
    asked = SETTINGS | {"measures": ("P(rel=2)@10",), "labels": (300,), "audits": 6, "systems": 10}
    rows = trials(given, asked, seed=2)
    assert len(rows) == 6
    assert sum(r["holds"] for r in rows) >= 5
    assert sum(r["better_wrong"] for r in rows) <= 1
