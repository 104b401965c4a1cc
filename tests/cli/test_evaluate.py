"""`dissensus evaluate` from the shell: tables, JSON, files, errors."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from wording import phrase

from dissensus.cli import main

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 c 2\n"
RUN = "1 Q0 a 1 2.5 tag\n1 Q0 b 2 1.5 tag\n2 Q0 b 1 9 tag\n2 Q0 c 2 8 tag\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "ann.qrels").write_text(QRELS)
    (tmp_path / "good.run").write_text(RUN)
    (tmp_path / "half.run").write_text(RUN[: RUN.index("2 Q0")])
    return tmp_path


def call(*words: object) -> int:
    return main([str(w) for w in words])


def test_a_table_with_its_policies_below(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = call("evaluate", files / "*.run", "--judgments", files / "ann.qrels", "-m", "AP", "-m", "RBP(p=0.8)")
    out = capsys.readouterr().out
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["good", "0.7500", "0.1800"] in lines
    assert ["half", "0.5000", "0.1000"] in lines
    assert phrase("cli-evaluate.ties-trec-tied-documents", 0, 2, 1) in out
    assert phrase("cli-evaluate.missing-topics-scored-empty", 2) in out
    assert call("evaluate", files / "*.run", "-j", files / "ann.qrels", "-m", "AP", "--long") == 0
    assert "ann       good    0.7500       2\n" in capsys.readouterr().out


def test_several_judges_stand_beside_each_other_a_table_a_measure(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "bob.qrels").write_text("1 0 a 0\n1 0 b 1\n2 0 a 0\n2 0 c 0\n")
    words = ["evaluate", files / "*.run", "-j", files / "*.qrels", "-m", "AP,P@1", "--topics", "own"]
    assert call(*words) == 0
    out = capsys.readouterr().out
    heads = [phrase("cli-evaluate.mean-over-topics", name) for name in ("AP", "P@1")]
    assert [line for line in out.splitlines() if line in heads] == heads
    rows = [line.split() for line in out.splitlines()]
    assert ["system", "all", "judges", "ann", "bob"] in rows
    assert ["good", "0.6250", "0.7500", "0.5000"] in rows
    assert ["half", "0.7500", "1.0000", "0.5000"] in rows
    assert rows.index(["half", "0.7500", "1.0000", "0.5000"]) < rows.index(["good", "0.6250", "0.7500", "0.5000"])
    assert call(*words, "--explain") == 0
    assert "bob: P@1 using bob's labels" in capsys.readouterr().out


def test_json_is_json(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("evaluate", files / "good.run", "-j", files / "ann.qrels", "-m", "AP", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tables"]["scores"] == [{"assessor": "ann", "system": "good", "AP": 0.75, "topics": 2}]
    assert document["policies"]["ties"] == "trec"


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json", "tex"])
def test_files_hold_every_topic(files: Path, suffix: str) -> None:
    target = files / f"scores.{suffix}"
    assert call("evaluate", files / "good.run", "-j", files / "ann.qrels", "--per-topic", "-o", target) == 0
    if suffix == "csv":
        assert pl.read_csv(target)["AP"].to_list() == [1.0, 0.5]
    elif suffix == "parquet":
        assert pl.read_parquet(target)["AP"].to_list() == [1.0, 0.5]
    elif suffix == "json":
        assert [row["AP"] for row in json.loads(target.read_text())["tables"]["scores"]] == [1.0, 0.5]
    else:
        assert r"\toprule" in target.read_text()


def test_gains_from_a_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "weights.json").write_text('{"0": 0, "1": 0.5, "2": 1}')
    words = ["evaluate", files / "good.run", "-j", files / "ann.qrels", "-m", "nDCG@1", "-m", "AP", "--json"]
    assert call(*words, "--gains", files / "weights.json") == 0
    row = json.loads(capsys.readouterr().out)["tables"]["scores"][0]
    assert row["nDCG(gains={0: 0, 1: 0.5, 2: 1})@1"] == 0.5
    assert row["AP"] == 0.75


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "nDGC"], phrase("cli-evaluate.no-measure", "nDGC")),
        (["-m", "AP", "-o", "scores.xyz"], phrase("cli-evaluate.none-csv")),
        (["-m", "AP", "--gains", "none.json"], phrase("cli-evaluate.gains-cannot-read", "none.json")),
        (["-m", "AP", "--scale", "0..1"], phrase("cli-evaluate.not-grade-scale", "0…1")),
    ],
)
def test_errors_are_one_message_and_status_two(
    files: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("evaluate", files / "good.run", "-j", files / "ann.qrels", *words) == 2
    streams = capsys.readouterr()
    assert message in streams.err
    assert streams.out == ""
    assert "Traceback" not in streams.err


def test_by_agreement_splits_topics_and_scores_the_majority(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three judges are one in topic 1, agree on a third of the pairs in topic 2; topic 3 has one judge."""
    rows = ["topic,doc,assessor,grade"]
    rows += [f"1,{d},{who},{g}" for who in ("ann", "bob", "cyd") for d, g in (("a", 1), ("b", 0))]
    rows += ["2,a,ann,1", "2,a,bob,1", "2,a,cyd,0", "2,b,ann,0", "2,b,bob,0", "2,b,cyd,1", "3,a,ann,0", "3,b,ann,1"]
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    ranked = {"good.run": "ab", "bad.run": "ba"}
    for name, docs in ranked.items():
        lines = [f"{t} Q0 {d} {r} {9 - r} x\n" for t in "123" for r, d in enumerate(docs, start=1)]
        (tmp_path / name).write_text("".join(lines))
    words = ["evaluate", tmp_path / "*.run", "-j", tmp_path / "labels.csv", "-m", "P@1", "--by", "agreement"]
    assert call(*words, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert [(r["topic"], r["stratum"]) for r in said["tables"]["topics"]] == [
        ("1", "high"), ("2", "low"), ("3", "one judge only")
    ]  # fmt: skip
    assert said["tables"]["topics"][1]["agreement"] == pytest.approx(1 / 3)
    found = {(r["system"], r["stratum"]): (r["score"], r["topics"]) for r in said["tables"]["scores"]}
    assert {r["assessor"] for r in said["tables"]["scores"]} == {"majority"}
    assert found["good", "all"] == (pytest.approx(2 / 3), 3)
    assert found["good", "one judge only"] == (0, 1)
    assert found["bad", "high"] == (0, 1)
    assert {(r["reference"], r["other"]): r["tau_ap"] for r in said["tables"]["order"]} == {
        ("high", "low"): 1, ("high", "one judge only"): -1, ("low", "one judge only"): -1
    }  # fmt: skip
    assert call(*words, "--assessor", "cyd") == 0
    out = capsys.readouterr().out
    assert ["cyd", "P@1", "good", "0.5000", "1.0000", "0.0000"] in [line.split()[:6] for line in out.splitlines()]
    assert phrase("cli-evaluate.high-low-agreement-order") in out


def test_one_assessor_can_be_chosen_but_has_nobody_to_agree_with(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "bob.qrels").write_text(QRELS)
    words = ["evaluate", files / "good.run", "-j", files / "*.qrels", "-m", "AP", "--json"]
    assert call(*words, "--assessor", "bob") == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["scores"]
    assert [r["assessor"] for r in rows] == ["bob"]
    alone = ["evaluate", files / "good.run", "-j", files / "ann.qrels", "--by", "agreement"]
    assert call(*alone) == 2
    assert phrase("cli-evaluate.assessor-none-agree", "ann") in capsys.readouterr().err
    assert call(*words, "--by", "agreement", "--per-topic") == 2
    assert phrase("cli-evaluate.cannot-combined") in capsys.readouterr().err


def test_intents_lengths_and_trec_evals_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "web.qrels").write_text("1 1 a 1\n1 1 b 1\n1 2 a 1\n1 2 e 1\n1 3 c 1\n1 1 d 0\n")
    (tmp_path / "s.run").write_text("".join(f"1 Q0 {d} 1 {9 - r} t\n" for r, d in enumerate("bdauc")))
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps({"doc": d, "text": "x " * 9}) + "\n" for d in "abcdu"))
    files = ("evaluate", tmp_path / "s.run", "-j", tmp_path / "web.qrels", "--intent-column", "--json", "-m")

    def row(*words: object) -> dict[str, float]:
        assert call(*files, *words) == 0
        return json.loads(capsys.readouterr().out)["tables"]["scores"][0]

    assert row("alpha_nDCG@5")["alpha_nDCG@5"] == pytest.approx(0.690138, abs=6e-7)
    assert row("rbp")["RBP(p=0.8)"] == pytest.approx(0.2 * (1 + 0.8**2 + 0.8**4))
    assert row("rbp", "--trec-eval")["TrecRBP"] == pytest.approx(0.1 * (1 + 0.9**2 + 0.9**4))
    name = f"TBG(lengths={str(tmp_path / 'docs.jsonl')!r})"
    assert 0 < row("TBG", "--documents", tmp_path / "docs.jsonl")[name] < 3 * 0.4928
    assert call(*files, "TBG") == 2
    assert "--documents" in capsys.readouterr().err


def test_sums_and_geometric_means_are_named(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("evaluate", files / "good.run", "-j", files / "ann.qrels", "-m", "NumRet", "-m", "gm_map") == 0
    out = capsys.readouterr().out
    assert ["good", "4.0000", "0.7071"] in [line.split() for line in out.splitlines()]
    assert phrase("cli-evaluate.sums-over-topics-not", "NumRet") in out
    assert phrase("cli-evaluate.geometric-means-over-topics", "GMAP") in out


def test_gains_from_a_file_name_the_file_in_the_header_and_the_gains_in_files(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "g.json").write_text('{"0": 0, "1": 0.3333333333333333, "2": 1}')
    words = ["evaluate", files / "good.run", "-j", files / "ann.qrels", "-m", "nDCG@5", "-m", "AP"]
    assert call(*words, "--gains", files / "g.json") == 0
    out = capsys.readouterr().out
    assert phrase("cli-evaluate.gains-of", "nDCG@5", "g.json") in out
    assert "0.33333333" not in out
    assert call(*words, "--gains", files / "g.json", "--json") == 0
    assert "nDCG(gains={0: 0, 1: 0.3333333333333333, 2: 1})@5" in capsys.readouterr().out
