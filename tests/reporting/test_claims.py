"""Every claim of the report, `compare` and `gate` is recomputed from the JSON beside it, over generated studies."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from audited_study import audit
from claim_checker import Pairs, false_likely, false_likely_heads, false_sentences
from gate_checker import false_lines
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.measures.catalog import measure_list
from dissensus.reporting.answer import answer_of
from dissensus.reporting.sections.answer import build, verdict
from dissensus.reporting.study import ReportedStudy

MEASURE = "P@5"


def generated(systems: int, topics: int, seed: int, *, twins: bool = False, gaps: bool = False) -> Any:
    """(runs, judge, gold): later systems are worse; `twins` share a ranking, `gaps` lack some topics."""
    rng = np.random.default_rng(seed)
    docs = [f"d{i:02d}" for i in range(14)]
    gold, judge, runs = {}, {}, {f"s{k:02d}": {} for k in range(systems)}
    for q in range(topics):
        topic = f"q{q:02d}"
        grade = rng.random(14) < np.linspace(0.8, 0.1, 14)
        gold[topic] = dict(zip(docs, grade.astype(int).tolist(), strict=True))
        wrong = rng.random(14) < 0.2
        judge[topic] = dict(zip(docs, (grade ^ wrong).astype(int).tolist(), strict=True))
        for k, s in enumerate(runs):
            if gaps and k % 3 == 1 and q % 4 == 0:
                continue
            order = np.argsort(np.arange(14) + rng.normal(0, 1 + 12 * k / max(systems, 2), 14))
            runs[s][topic] = {docs[d]: float(20 - r) for r, d in enumerate(order)}
    if twins and systems > 1:
        runs["s01"] = runs["s00"]
    make = ds.Judgments.from_dict
    return ds.Runs.from_dict(runs), make({"llm": judge}, scale="0..1"), make({"gold": gold}, scale="0..1")


def planned(runs: ds.Runs, judge: ds.Judgments, gold: ds.Judgments, purpose: str) -> ds.Audit:
    if purpose == "random":
        return audit(gold, 0.5)
    named = "purpose" in inspect.signature(ds.plan).parameters
    given: dict[str, Any] = {"purpose": purpose} if named else {"scores": purpose == "scores"}
    todo = ds.plan(runs, judge, None, 120, measures=MEASURE, seed=1, **given).sample
    truth = gold.to_frame().select("topic", "doc", "grade")
    return ds.Audit.from_frame(todo.drop("grade").join(truth, on=["topic", "doc"]), scale="0..1")


CASES = [
    (1, 12, None, {}), (2, 8, None, {}), (3, 4, None, {"twins": True}), (8, 20, None, {"gaps": True}),
    (60, 12, None, {}), (4, 20, "scores", {}), (5, 20, "differences", {"twins": True}), (8, 25, "differences", {}),
    (8, 15, "scores", {"gaps": True}), (60, 8, "scores", {}), (1, 12, "random", {}),
]  # fmt: skip


@pytest.mark.parametrize(("systems", "topics", "purpose", "options"), CASES)
def test_the_report_claims_what_its_numbers_show(systems, topics, purpose, options, capsys):
    runs, judge, gold = generated(systems, topics, systems + topics, **options)
    known = None if purpose is None else planned(runs, judge, gold, purpose)
    study = ReportedStudy(runs, judge, tuple(measure_list([MEASURE])), known)
    found = answer_of(study)
    said = json.loads(found.to_json())
    naive = {}
    if study.verdict is not None:
        naive = dict(zip(study.verdict.table["system"], study.verdict.table["naive"], strict=True))
    pairs = Pairs(said["tables"]["pairs"], naive)
    claims = [
        c for c in found.claims if c.where in ("", found.outcome.where)
    ]  # those for the other target have its pairs
    sentences = [str(c) for c in claims]
    blocks = build(study, found).blocks
    printed = [b.text for b in blocks if getattr(b, "kind", "") == "answer"]
    printed += [c.text for b in blocks for c in getattr(b, "cards", ())]  # what the audit says of the judge is there
    assert [s for s in verdict(found) if s not in printed] == []
    assert false_sentences(sentences, pairs) == []
    assert false_sentences([r["verdict"] for r in said["tables"]["pairs"]], pairs) == []
    assert [c["sentence"] for c in said["claims"]] == [str(c) for c in found.claims]
    assert said["outcome"]["headline"] == sentences[0]
    if purpose == "differences":
        assert not any("score" in s and phrase("report-claims.same-score-every-topic") not in s for s in sentences)
    for group in said["groups"]:
        assert len(group) > 1
    if pairs.systems:
        for r in said["tables"]["ranks"]:  # the sets hold what the verdicts leave open
            above = sum((x, r["system"]) in pairs.better for x in pairs.systems)
            below = sum((r["system"], x) in pairs.better for x in pairs.systems)
            assert (r["low"], r["high"]) == (1 + above, len(pairs.systems) - below)


@pytest.mark.parametrize(
    ("systems", "topics", "purpose", "more"),
    [(3, 8, None, []), (8, 20, "scores", []), (12, 15, "differences", ["--all"]), (8, 20, None, ["--baseline", "s03"])],
)
def test_compare_claims_what_its_numbers_show(systems, topics, purpose, more, tmp_path, capsys):
    runs, judge, gold = generated(systems, topics, systems, twins=systems == 8)
    runs.to_frame().write_csv(tmp_path / "runs.csv")
    judge.to_frame().write_csv(tmp_path / "llm.csv")
    words = ["compare", str(tmp_path / "runs.csv"), "-j", str(tmp_path / "llm.csv"), "-m", MEASURE, *more]
    if purpose is not None:
        planned(runs, judge, gold, purpose).to_frame().write_csv(tmp_path / "audit.csv")
        words += ["--audit", str(tmp_path / "audit.csv")]
    assert main([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    naive = {}
    if purpose is not None:
        means = ds.evaluate(runs, judge, [MEASURE])[MEASURE].mean("topic").isel(assessor=0)
        naive = dict(zip(means.coords["system"].values.tolist(), means.values.tolist(), strict=True))
    pairs = Pairs(said["tables"]["pairs"], naive)
    head = lines[: lines.index("")]
    assert head[0].startswith(f"{MEASURE}: ")
    own = [line.removeprefix(f"{MEASURE}: ") for line in head if "on these" not in line]
    assert false_sentences(own, pairs) == []
    verdicts = [r["verdict"] for r in said["tables"]["pairs"]]
    assert false_sentences([v.removeprefix(f"{MEASURE}: ") for v in verdicts], pairs) == []


ROWS = [
    {"a": a, "b": b, "difference": d, "low": low, "high": high, "p_value": p}
    for a, b, d, low, high, p in [
        ("x", "y", 0.2, 0.1, 0.3, 0.001), ("x", "z", 0.25, 0.15, 0.35, 0.001), ("y", "z", 0.05, -0.05, 0.15, 0.4),
        ("x", "t", 0.0, 0.0, 0.0, 1.0), ("t", "y", 0.2, 0.1, 0.3, 0.001), ("t", "z", 0.25, 0.15, 0.35, 0.001),
    ]
]  # fmt: skip
TRUE = [
    "x and t, which are identical, are the best of 4 for topics like these. They are better than all others (by 0.20 "
    "to 0.25).",
    "Identical, the same score on every topic: x and t.", "x is better than y by 0.200 [0.100, 0.300], p = 0.001",
    "The judge alone would rank y first. The experts refute that: x and t are better.",
]  # fmt: skip
PLANTED = [
    "x is the best of 4. It is better than all others (by 0.20 to 0.25).",
    "x and t, which are identical, are the best of 4. They are better than all others (by 0.10 to 0.25).",
    "x or y is the best. The other two are worse than at least one of them.",
    "One of x, y and t is the best. Ruled out: z.",
    "No winner yet: 3 of 4 could still be the best. Ruled out: z.",
    "Identical, the same score on every topic: y and z.",
    "The judge alone would rank y first. The experts confirm it.",
    "The judge alone would rank x first. The experts confirm it.",
    "The judge alone would rank y first. The experts leave it open.",
    "y is better than x by 0.200 [0.100, 0.300], p = 0.001",
    "x is better than y by 0.100 [0.010, 0.190], p = 0.001",
    "y is better than z by 0.050 [−0.050, 0.150], p = 0.032",
    "Undecided between x and y (+0.200 [0.100, 0.300], p = 0.001)",
    "bm25 has the highest score.",
]


def test_the_checker_knows_true_from_false():
    pairs = Pairs(ROWS, {"y": 0.5, "x": 0.4, "t": 0.4, "z": 0.1})
    assert false_sentences(TRUE, pairs) == []
    assert false_sentences(PLANTED, pairs) == PLANTED


def test_pairs_are_compared_in_frames_too():
    """The frame of a comparison says what its claims say."""
    runs, judge, _ = generated(6, 15, 3)
    result = ds.compare(ds.evaluate(runs, judge, [MEASURE]), MEASURE)
    shown = result.to_frame().filter(pl.col("significant"))
    assert shown.height == sum(d.claim.kind == "better" for d in result)


@pytest.mark.parametrize("more", [[], ["--must-improve"], ["-m", "P@3"]])
@pytest.mark.parametrize("new", ["s00", "s01", "s04", "s05"])
@pytest.mark.parametrize("purpose", [None, "scores"])
def test_the_gate_claims_what_its_numbers_show(new, more, purpose, tmp_path, capsys):
    runs, judge, gold = generated(6, 20, 9, twins=True)
    for system in ("s00", "s03", new):
        runs.select(systems=[system]).to_frame().write_csv(tmp_path / f"{system}.csv")
    judge.to_frame().write_csv(tmp_path / "llm.csv")
    files = [str(tmp_path / f"{s}.csv") for s in (("s03", "s00") if new == "s00" else ("s00", new))]
    words = ["gate", *files, "-j", str(tmp_path / "llm.csv"), "-m", MEASURE, "--tolerance", "0.05", *more]
    if purpose is not None:
        planned(runs, judge, gold, purpose).to_frame().write_csv(tmp_path / "audit.csv")
        words += ["--audit", str(tmp_path / "audit.csv")]
    status = main([*words, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert main(words) == status == {"pass": 0, "fail": 1, "cannot tell": 3}[document["decision"]]
    lines = capsys.readouterr().out.splitlines()[: 1 + len(document["tables"]["checks"])]
    assert false_lines(lines, document) == []
    assert lines[0] == document["headline"]


GATE = {
    "new": "n", "base": "b", "tolerance": 0.05, "must_improve": False, "level": 0.95,
    "tables": {"checks": [{"measure": "AP", "difference": -0.2, "se": 0.04, "low": -0.28, "high": -0.12,
                          "p_worse": 0.0004, "p_good": 1.0, "decision": "fail"}]},
}  # fmt: skip
GATE_TRUE = [
    "fail: n is worse than b by more than 0.05",
    "  AP: fail; new − base = -0.2000 [-0.2800, -0.1200] against the tolerance of 0.05 (one-sided p < 0.001)",
]
GATE_PLANTED = [
    "pass: n is not worse than b by more than 0.05",
    "fail: b is worse than n by more than 0.05",
    "fail: n is worse than b by more than 0.5",
    "cannot tell: the data do not show whether n is worse than b by more than 0.05",
    "pass: n is better than b",
    "  AP: pass; new − base = -0.2000 [-0.2800, -0.1200] against the tolerance of 0.05 (one-sided p < 0.001)",
    "  AP: fail; new − base = +0.2000 [-0.2800, -0.1200] against the tolerance of 0.05 (one-sided p < 0.001)",
    "  AP: fail; new − base = -0.2000 [-0.2800, -0.0200] against the tolerance of 0.05 (one-sided p < 0.001)",
    "  AP: fail; new − base = -0.2000 [-0.2800, -0.1200] against the tolerance of 0.05 (one-sided p = 0.020)",
    "  AP: fail; base and new have the same score on every topic",
    "  P@5: fail; new − base = -0.2000 [-0.2800, -0.1200] against the tolerance of 0.05 (one-sided p < 0.001)",
]


def test_the_checker_of_gates_knows_true_from_false():
    assert false_lines(GATE_TRUE, GATE) == []
    assert false_lines(GATE_PLANTED, GATE) == GATE_PLANTED


def test_what_is_called_likely_is_what_pooling_shows(tmp_path, capsys):
    for seed in (1, 2, 3):
        runs, judge, gold = generated(12, 20, seed)
        runs.to_frame().write_csv(tmp_path / "runs.csv")
        judge.to_frame().write_csv(tmp_path / "llm.csv")
        planned(runs, judge, gold, "scores").to_frame().write_csv(tmp_path / "audit.csv")
        words = ["compare", str(tmp_path / "runs.csv"), "-j", str(tmp_path / "llm.csv"), "-m", MEASURE]
        assert main([*words, "--audit", str(tmp_path / "audit.csv"), "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        rows, likely = said["tables"]["pairs"], [v.removeprefix(f"{MEASURE}: ") for v in said["probably"]]
        assert false_likely(likely, rows) == []
        named = [r for r in rows if r["claim"] == "probably"]
        assert len(named) == len(likely)
        assert all(r["pooled_low"] > 0 or r["pooled_high"] < 0 for r in named)
        assert main([*words, "--audit", str(tmp_path / "audit.csv")]) == 0
        head = [line for line in capsys.readouterr().out.splitlines() if phrase("report-claims.likely-model") in line]
        assert false_likely_heads(head, rows) == []
        if likely:
            x, _, rest = likely[0].partition(" is probably better than ")
            y, _, by = rest.partition(" by ")
            planted = [f"{y} is probably better than {x} by {by}", likely[0].replace(by.split()[0], "0.999", 1)]
            assert false_likely(planted, rows) == planted
