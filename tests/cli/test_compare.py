"""`dissensus compare` from the shell."""

from __future__ import annotations

import json

import polars as pl
import pytest
from audited_study import study
from shell import call
from study_files import runs, study_files  # noqa: F401 (a fixture)
from wording import phrase


def test_accuracies_per_system_from_an_audit(files, capsys):
    words = ["compare", *runs(files), "-j", files / "llm.csv", "--audit", files / "gold.csv", "-m", "P@5", "--json"]
    assert call(*words, "--method", "confusion", "--judge", "separate") == 0
    said = json.loads(capsys.readouterr().out)
    assert {r["method"] for r in said["tables"]["pairs"]} == {"confusion, separate"}
    assert any(phrase("compare.accuracies-estimated-per-system") in line for line in said["notes"])
    assert call(*words, "--judge", "separate") == 0
    said = json.loads(capsys.readouterr().out)
    assert any(phrase("compare.judge-separate-changes-nothing") in line for line in said["notes"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--confusion", "A={}/judge.json"], phrase("compare.no-calibration", "C", "A")),
        (["--confusion", "{}/judge.json", "--confusion", "B={}/judge.json"], phrase("compare.names-no-system-but", 2)),
        (
            ["--confusion", "A={}/judge.json", "--confusion", "A={}/judge.json"],
            phrase("compare.gives-two-matrices", "A"),
        ),
        (["--confusion", "A=nowhere.json"], phrase("compare.cannot-read", "nowhere.json")),
        (["--judge", "shared"], phrase("compare.judge-shared-no-effect")),
    ],
)
def test_wrong_matrices_exit_with_2(files, capsys, words, message):
    assert call("compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5", *(w.format(files) for w in words)) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_compare_with_and_without_audit(files, capsys, tmp_path):
    words = ["compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5"]
    assert call(*words, "--audit", files / "gold.csv", "--difference", "0.05", "--explain") == 0
    out = capsys.readouterr().out
    assert phrase("compare.both-adjusted-comparisons", 3) in out
    assert out.startswith("P@5: ")  # the verdict first
    assert "Hausman z = " in out
    assert "below f* = " in out
    assert phrase("compare.errors-audited-documents-count", "A") in out
    assert phrase("compare.family-pairs-measure-comparisons", 3, 1, 3) in out
    assert phrase("compare.rank-sets-hold-true", 95) in out
    assert call(*words, "--correction", "none", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert sorted(r["system"] for r in said["tables"]["ranks"]) == sorted(
        {s for r in said["tables"]["pairs"] for s in (r["a"], r["b"])}
    )
    assert all(1 <= r["low"] <= r["rank"] <= r["high"] <= 3 for r in said["tables"]["ranks"])
    assert any(text.startswith(phrase("compare.rank-sets-not-simultaneous")) for text in said["notes"])
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
    assert lines[0].startswith(phrase("compare.labels-are-right"))
    assert len(lines) <= 60  # two measures, a table of ranks each
    assert call(*words[:6]) == 0
    assert len(capsys.readouterr().out.splitlines()) <= 40
    assert call(*words, "--all") == 0
    assert len(capsys.readouterr().out.splitlines()) > 2 * 435
    assert call(*words[:6], "--baseline", "s00", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["tables"]["pairs"]) == 29
    assert {c["kind"] for c in said["claims"]} <= {"above", "below", "unclear", "identical", "take", "keep"}
    assert call(*words[:6], "--baseline", "nobody") == 2


def test_bootstrap_in_the_commands(files, capsys):
    words = [*runs(files)[:2], "-j", files / "llm.csv", "--audit", files / "gold.csv", "-m", "P@5", "--json"]
    assert call("compare", *words) == 0
    t = json.loads(capsys.readouterr().out)["tables"]["pairs"][0]
    assert call("compare", *words, "--bootstrap") == 0
    drawn = json.loads(capsys.readouterr().out)["tables"]["pairs"][0]
    assert drawn["method"] == "rectified, bootstrap"
    assert (drawn["low"], drawn["high"]) == pytest.approx((t["low"], t["high"]), abs=0.05)
    assert drawn["low"] != t["low"]
    assert call("correct", *words) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["tables"]["diagnosis"][0]["hausman_p"] is not None
    assert call("correct", *words, "--bootstrap") == 0
    resampled = json.loads(capsys.readouterr().out)["tables"]["scores"]
    for one, other in zip(plain["tables"]["scores"], resampled, strict=True):
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
    own = json.loads(capsys.readouterr().out)["tables"]["pairs"][0]
    assert call(*words, "--topics", "judged") == 0
    zero = json.loads(capsys.readouterr().out)["tables"]["pairs"][0]
    assert abs(own["difference"] - 2 * zero["difference"]) < 1e-9  # ten of twenty topics scored 0
    assert own["se"] != zero["se"]


def test_one_system_cannot_be_compared(files, capsys):
    given = ("-j", files / "llm.csv", "--audit", files / "gold.csv", "-m", "P@5")
    assert call("compare", files / "A.csv", *given) == 2
    assert phrase("compare.fewer-two-systems-compare") in capsys.readouterr().err
    assert call("correct", files / "A.csv", *given) == 0


def test_a_difference_that_matters_is_answered_without_an_audit_too(files, capsys):
    assert call("compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5", "--difference", "0.001") == 0
    assert phrase("compare.difference-need-about", "0.001") in capsys.readouterr().out


def test_analysis_of_variance_of_one_assessor_promises_no_row_about_assessors(files, capsys):
    assert call("compare", *runs(files), "-j", files / "llm.csv", "-m", "P@5", "--anova") == 0
    assert phrase("compare.there-is-one-assessor") in capsys.readouterr().out
    assert call("compare", *runs(files), "-j", files / "two.csv", "-m", "P@5", "--anova") == 0
    assert phrase("compare.large-system-assessor-row") in capsys.readouterr().out


@pytest.fixture(scope="module", name="eight")
def _eight(tmp_path_factory):
    from dissensus.io.samples import generated_collection

    folder = tmp_path_factory.mktemp("eight")
    generated_collection(0, topics=20).write(folder)
    return [*sorted((folder / "runs").glob("*")), "-j", folder / "labels.csv", "--assessor", "llm"], folder


def test_pooled_scores_and_differences_are_shown_or_not(eight, capsys):
    words, folder = eight
    asked = [*words, "--audit", folder / "audit.csv", "-m", "P(rel=2)@10", "--json"]
    assert call("correct", *asked) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["scores"]
    assert all(r["pooled_low"] < r["pooled"] < r["pooled_high"] for r in rows)
    assert call("correct", *asked, "--no-pooled") == 0
    assert "pooled" not in json.loads(capsys.readouterr().out)["tables"]["scores"][0]
    assert call("compare", *asked) == 0
    out = json.loads(capsys.readouterr().out)
    claims = {r["claim"] for r in out["tables"]["pairs"]}
    assert claims <= {"better", "probably", "undecided"}
    assert len(out["probably"]) == sum(r["claim"] == "probably" for r in out["tables"]["pairs"])
    assert call("compare", *asked, "--no-pooled") == 0
    assert "claim" not in json.loads(capsys.readouterr().out)["tables"]["pairs"][0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--test", "welch", "-m", "nonsense"], "nonsense"),
        (["--audit", "{}/gold.csv", "--test", "wilcoxon"], "--test wilcoxon has no effect here"),
        (["--test", "tukey", "--correction", "bh"], "--correction bh has no effect here"),
        (["--method", "confusion"], "--method confusion has no effect here"),
        (["--anova", "--audit", "{}/gold.csv"], phrase("compare.no-effect-here-anova")),
        (["--audit", "{}/gold.csv", "--difference", "-0.1"], phrase("compare.difference-name-size", "-0.1")),
    ],
)
def test_refusals_exit_with_2(files, capsys, words, message):
    assert call("compare", *runs(files), "-j", files / "llm.csv", *(w.format(files) for w in words)) == 2
    assert message in capsys.readouterr().err
