"""`dissensus correct`, `compare` and `plan` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from audited_study import audit, study

from dissensus.cli import main


@pytest.fixture(scope="module", name="files")
def _files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    runs, bronze, gold = study(topics=20)
    for (system,), part in runs.to_frame().partition_by("system", as_dict=True).items():
        part.select("topic", "doc", "score").write_csv(folder / f"{system}.csv")
    bronze.to_frame().write_csv(folder / "llm.csv")
    gold.to_frame().write_csv(folder / "gold-all.csv")
    pl.concat([bronze.to_frame(), gold.to_frame()]).write_csv(folder / "two.csv")
    audit(gold, 0.5).to_frame().write_csv(folder / "gold.csv")
    (folder / "judge.json").write_text('{"counts": [[160, 40], [30, 170]]}')
    (folder / "strict.json").write_text('{"counts": [[190, 10], [60, 140]]}')
    return folder


def call(*words: object) -> int:
    return main([str(w) for w in words])


def runs(files: Path) -> list[Path]:
    return [files / f"{s}.csv" for s in "ABC"]


def test_correct(files, capsys):
    code = call(
        "correct", *runs(files), "-j", files / "llm.csv", "--audit", files / "gold.csv", "-m", "P@5", "-m", "AP"
    )
    out = capsys.readouterr().out
    assert code == 0
    assert "rectified: the audit lies among the scored documents" in out
    assert "imputation: AP is not linear" in out
    assert "method=auto → rectified, imputation" in out
    assert out.count("P@5 ") >= 3


def test_correct_by_matrix_to_json(files, capsys):
    code = call(
        "correct", *runs(files), "-j", files / "llm.csv", "--confusion", files / "judge.json", "-m", "P@5", "--json"
    )
    said = json.loads(capsys.readouterr().out)
    assert code == 0
    assert {r["method"] for r in said["tables"]["table"]} == {"confusion"}
    assert any("errs equally" in line for line in said["footer"])


def test_a_matrix_for_each_system(files, capsys):
    own = [
        w
        for s, f in (("A", "judge"), ("B", "judge"), ("C", "strict"))
        for w in ("--confusion", f"{s}={files / f}.json")
    ]
    words = [*runs(files), "-j", files / "llm.csv", "-m", "P@5", "--json"]
    assert call("correct", *words, *own) == 0
    said = json.loads(capsys.readouterr().out)
    rows = said["tables"]["table"]
    assert {r["method"] for r in rows} == {"confusion, separate"}
    assert any("2 calibrations (A, B | C)" in line for line in said["footer"])  # one file, one calibration
    for row, (low, d) in zip(rows, [(0.2, 0.65), (0.2, 0.65), (0.05, 0.65)], strict=True):
        assert row["corrected"] == pytest.approx((row["naive"] - low) / d)
    assert call("compare", *words, *own, "--judge", "separate") == 0
    apart = json.loads(capsys.readouterr().out)["tables"]["table"]
    assert call("compare", *words, "--confusion", files / "judge.json") == 0
    shared = json.loads(capsys.readouterr().out)["tables"]["table"]
    assert [r["a"] + r["b"] for r in apart] == ["AB", "AC", "BC"]
    assert apart[0]["se"] == pytest.approx(shared[0]["se"])
    assert apart[1]["se"] > shared[1]["se"]


def test_accuracies_per_system_from_an_audit(files, capsys):
    words = ["compare", *runs(files), "-j", files / "llm.csv", "--audit", files / "gold.csv", "-m", "P@5", "--json"]
    assert call(*words, "--method", "confusion", "--judge", "separate") == 0
    said = json.loads(capsys.readouterr().out)
    assert {r["method"] for r in said["tables"]["table"]} == {"confusion, separate"}
    assert any("accuracies are estimated per system" in line for line in said["footer"])
    assert call(*words, "--judge", "separate") == 0
    said = json.loads(capsys.readouterr().out)
    assert any("--judge separate changes nothing: rectified" in line for line in said["footer"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--confusion", "A={}/judge.json"], "there is no calibration for B, C; there are A"),
        (["--confusion", "{}/judge.json", "--confusion", "B={}/judge.json"], "names no system, but 2 matrices"),
        (["--confusion", "A={}/judge.json", "--confusion", "A={}/judge.json"], "gives A two matrices"),
        (["--confusion", "A=nowhere.json"], "nowhere.json cannot be read"),
        (["--judge", "shared"], "--judge shared has no effect here: nothing is known of the judge"),
    ],
)
def test_wrong_matrices_exit_with_2(files, capsys, words, message):
    assert call("compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5", *(w.format(files) for w in words)) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_merge_and_correct_in_one_command(files, capsys):
    code = call(
        "correct",
        *runs(files),
        "-j",
        files / "two.csv",
        "--merge",
        "majority",
        "--audit",
        files / "gold.csv",
        "-m",
        "P@5",
    )
    out = capsys.readouterr()
    assert code == 0, out.err
    assert "2 assessors merged by majority" in out.out


def test_compare_with_and_without_audit(files, capsys, tmp_path):
    words = ["compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5"]
    assert call(*words, "--audit", files / "gold.csv", "--difference", "0.05") == 0
    out = capsys.readouterr().out
    assert "both adjusted for 3 comparisons" in out
    assert out.startswith("P@5: ")  # the verdict first
    assert "Hausman z = " in out
    assert "below f* = " in out
    assert "errors on audited documents that count, of A alone" in out
    assert "family: 3 pairs × 1 measure = 3 comparisons, adjusted by max-t" in out
    assert "rank sets hold the true ranks of all systems together at 95 %" in out
    assert call(*words, "--correction", "none", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert sorted(r["system"] for r in said["ranks"]) == sorted(
        {s for r in said["tables"]["table"] for s in (r["a"], r["b"])}
    )
    assert all(1 <= r["low"] <= r["rank"] <= r["high"] <= 3 for r in said["ranks"])
    assert any(text.startswith("rank sets are not simultaneous") for text in said["footer"])
    assert call(*words, "--test", "tukey", "--output", tmp_path / "d.csv") == 0
    table = pl.read_csv(tmp_path / "d.csv")
    assert table.height == 3
    assert {"p_value", "verdict", "effect"} <= set(table.columns)
    assert call("compare", *runs(files), "-j", files / "two.csv", "-m", "P@5", "--anova") == 0
    assert "system*assessor" in capsys.readouterr().out


def test_compare_says_the_verdict_first_and_stays_short(tmp_path, capsys):
    """FINDINGS C3: 2,004 lines for 63 runs, the verdict last."""
    wide, labels, _ = study(topics=12, systems=tuple(f"s{i:02d}" for i in range(30)))
    wide.to_frame().write_csv(tmp_path / "runs.csv")
    labels.to_frame().write_csv(tmp_path / "llm.csv")
    words = ["compare", tmp_path / "runs.csv", "-j", tmp_path / "llm.csv", "-m", "P@5", "-m", "AP"]
    assert call(*words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("P@5: s")
    assert len(lines) <= 60  # two measures, a table of ranks each
    assert call(*words[:6]) == 0
    assert len(capsys.readouterr().out.splitlines()) <= 40
    assert call(*words, "--all") == 0
    assert len(capsys.readouterr().out.splitlines()) > 2 * 435
    assert call(*words[:6], "--baseline", "s00", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["tables"]["table"]) == 29
    assert {c["kind"] for c in said["claims"]} <= {"above", "below", "unclear", "identical"}
    assert call(*words[:6], "--baseline", "nobody") == 2


def test_bootstrap_in_the_commands(files, capsys):
    words = [*runs(files)[:2], "-j", files / "llm.csv", "--audit", files / "gold.csv", "-m", "P@5", "--json"]
    assert call("compare", *words) == 0
    t = json.loads(capsys.readouterr().out)["tables"]["table"][0]
    assert call("compare", *words, "--bootstrap") == 0
    drawn = json.loads(capsys.readouterr().out)["tables"]["table"][0]
    assert drawn["method"] == "rectified, bootstrap"
    assert (drawn["low"], drawn["high"]) == pytest.approx((t["low"], t["high"]), abs=0.05)
    assert drawn["low"] != t["low"]
    assert call("correct", *words) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["pairs"][0]["hausman_p"] is not None
    assert call("correct", *words, "--bootstrap") == 0
    resampled = json.loads(capsys.readouterr().out)["tables"]["table"]
    for one, other in zip(plain["tables"]["table"], resampled, strict=True):
        assert other["corrected"] == one["corrected"]
        assert (other["low"], other["high"]) == pytest.approx((one["low"], one["high"]), abs=0.08)
    assert call("compare", *words[:4], "-m", "P@5", "--bootstrap") == 2
    by_matrix = [*runs(files)[:2], "-j", files / "llm.csv", "--confusion", files / "judge.json", "-m", "P@5", "--json"]
    assert call("correct", *by_matrix, "--bootstrap") == 0


def test_welch_takes_every_run_on_its_own_topics(tmp_path, capsys):
    """FINDINGS B8: topics that a run lacks were scored 0."""
    some, labels, _ = study(topics=20)
    frame = some.to_frame().filter(pl.col("system") != "C")
    half = frame.filter((pl.col("system") == "A") == (pl.col("topic") < "q10"))
    half.write_csv(tmp_path / "runs.csv")
    labels.to_frame().write_csv(tmp_path / "llm.csv")
    words = ["compare", tmp_path / "runs.csv", "-j", tmp_path / "llm.csv", "-m", "P@5", "--test", "welch", "--json"]
    assert call(*words) == 0
    own = json.loads(capsys.readouterr().out)["tables"]["table"][0]
    assert call(*words, "--topics", "judged") == 0
    zero = json.loads(capsys.readouterr().out)["tables"]["table"][0]
    assert abs(own["difference"] - 2 * zero["difference"]) < 1e-9  # ten of twenty topics scored 0
    assert own["se"] != zero["se"]


def test_plan_writes_a_sample_that_comes_back(files, capsys, tmp_path):
    sample = tmp_path / "todo.csv"
    words = [*runs(files), "-j", files / "llm.csv"]
    assert call("plan", *words, "-m", "P@5", "--budget", "60", "--difference", "0.1", "--sample", sample) == 0
    out = capsys.readouterr().out
    assert "detectable" in out
    assert "voids its p-value" in out
    todo = pl.read_csv(sample, infer_schema=False)
    gold = pl.read_csv(files / "gold-all.csv", infer_schema=False).select("topic", "doc", "grade")
    todo.drop("grade").join(gold, on=["topic", "doc"]).write_csv(sample)
    assert call("correct", *words, "--audit", sample, "-m", "P@5", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["table"]
    assert all(r["corrected"] is not None for r in rows)
    assert call("plan", *words, "-m", "P@5", "--sample", sample) == 2  # grades would be lost
    assert "exists and holds grades" in capsys.readouterr().err


def test_a_lost_frame_is_refused_with_the_command_that_rebuilds_it(files, tmp_path, capsys):
    words = [*runs(files), "-j", files / "llm.csv"]
    sample, frame = tmp_path / "a.csv", tmp_path / "a.frame.parquet"
    assert call("plan", *words, "-m", "P@5", "--budget", "60", "--seed", "3", "--sample", sample) == 0
    gold = pl.read_csv(files / "gold-all.csv", infer_schema=False).select("topic", "doc", "grade")
    pl.read_csv(sample, infer_schema=False).drop("grade").join(gold, on=["topic", "doc"]).write_csv(sample)
    kept = frame.read_bytes()
    frame.unlink()
    capsys.readouterr()
    assert call("correct", *words, "--audit", sample, "-m", "P@5") == 2
    error = capsys.readouterr().err
    assert "plan -m P@5 --for scores --budget 60 --seed 3 RUNS -j LABELS --frame" in error
    again = ["-m", "P@5", "--for", "scores", "--budget", "60", "--seed", "3"]
    assert call("plan", *words, *again, "--frame", frame) == 0
    assert frame.read_bytes() == kept
    assert call("correct", *words, "--audit", sample, "-m", "P@5") == 0


def test_plan_speaks_in_flags(files, capsys):
    words = ["plan", *runs(files), "-j", files / "llm.csv", "-m", "P@5", "--budget", "20"]
    assert call(*words, "--for", "differences") == 0
    out = capsys.readouterr().out
    assert "this sample can compare systems but not score them" in out
    assert "Use --for scores to include them." in out
    assert "purpose=" not in out
    assert call(*words, "--scores") == 0
    assert "old spelling: write --for scores" in capsys.readouterr().err
    assert call(*words) == 0
    assert "cannot" not in capsys.readouterr().out.replace("cannot tell", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["correct"], "nothing is known of the judge"),
        (["correct", "--audit", "nowhere.csv"], "nowhere.csv is not a file"),
        (["plan", "-m", "AP", "--budget", "-3"], "the number of documents to audit must be above 0"),
        (["plan", "--budget", "0"], "--budget 0:"),
        (["plan", "--sample", "nowhere/to.csv"], "--sample nowhere/to.csv: the folder"),
        (["compare", "--test", "welch", "-m", "nonsense"], "nonsense"),
        (["compare", "--audit", "{}/gold.csv", "--test", "wilcoxon"], "--test wilcoxon has no effect here"),
        (["compare", "--test", "tukey", "--correction", "bh"], "--correction bh has no effect here"),
        (["compare", "--method", "confusion"], "--method confusion has no effect here"),
        (["compare", "--anova", "--audit", "{}/gold.csv"], "has no effect here: --anova takes all assessors"),
        (["compare", "--audit", "{}/gold.csv", "--difference", "-0.1"], "--difference -0.1: name the size"),
    ],
)
def test_refusals_exit_with_2(files, capsys, words, message):
    command, *rest = words
    assert call(command, *runs(files), "-j", files / "llm.csv", *(w.format(files) for w in rest)) == 2
    assert message in capsys.readouterr().err


def test_one_system_cannot_be_compared(files, capsys):
    given = ("-j", files / "llm.csv", "--audit", files / "gold.csv", "-m", "P@5")
    assert call("compare", files / "A.csv", *given) == 2
    assert "fewer than two systems to compare" in capsys.readouterr().err
    assert call("correct", files / "A.csv", *given) == 0


def test_a_difference_that_matters_is_answered_without_an_audit_too(files, capsys):
    assert call("compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5", "--difference", "0.001") == 0
    assert "a difference of 0.001 would need about" in capsys.readouterr().out


def test_analysis_of_variance_of_one_assessor_promises_no_row_about_assessors(files, capsys):
    assert call("compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5", "--anova") == 0
    assert "there is one assessor only" in capsys.readouterr().out
    assert call("compare", *runs(files), "-j", files / "two.csv", "-m", "P@5", "--anova") == 0
    assert "a large system*assessor row" in capsys.readouterr().out


@pytest.fixture(scope="module", name="eight")
def _eight(tmp_path_factory):
    from dissensus.data.samples import generated_collection

    folder = tmp_path_factory.mktemp("eight")
    generated_collection(0, topics=20).write(folder)
    return [*sorted((folder / "runs").glob("*")), "-j", folder / "labels.csv", "--assessor", "llm"], folder


def test_pooled_scores_and_differences_are_shown_or_not(eight, capsys):
    words, folder = eight
    asked = [*words, "--audit", folder / "audit.csv", "-m", "P(rel=2)@10", "--json"]
    assert call("correct", *asked) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["table"]
    assert all(r["pooled_low"] < r["pooled"] < r["pooled_high"] for r in rows)
    assert call("correct", *asked, "--no-pooled") == 0
    assert "pooled" not in json.loads(capsys.readouterr().out)["tables"]["table"][0]
    assert call("compare", *asked) == 0
    out = json.loads(capsys.readouterr().out)
    claims = {r["claim"] for r in out["tables"]["table"]}
    assert claims <= {"shown", "likely", "open"}
    assert len(out["likely"]) == sum(r["claim"] == "likely" for r in out["tables"]["table"])
    assert call("compare", *asked, "--no-pooled") == 0
    assert "claim" not in json.loads(capsys.readouterr().out)["tables"]["table"][0]
