"""Every registered result draws its chart."""

from __future__ import annotations

import json
import warnings
from typing import Any

import polars as pl
import pytest
from paths import ROOT

import dissensus as ds
from dissensus.reporting.charts.of_results import draw
from dissensus.results import Result
from dissensus.studies.noise import pair_noise_by_scale
from dissensus.studies.study import Figure

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module", name="results")
def _results() -> dict[str, Result]:
    runs, judgments = ds.read_runs(str(EXAMPLES / "runs" / "*.gz")), ds.read_judgments(EXAMPLES / "labels.csv")
    audit = ds.read_audit(EXAMPLES / "audit.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corrected = ds.correct(runs, judgments, audit, ["P(rel=2)@10"], assessor="llm")
        return {
            "corrected": corrected,
            "differences": corrected.compare_all(),
            "difference": corrected.compare("crossenc", "bm25"),
            "agreement": ds.agreement(judgments, replicates=99),
            "confusion": ds.confusion(judgments, reference="ann", observed="llm"),
            "ceiling": ds.ceiling(judgments, None, "nDCG@10"),
            "disagreement": ds.disagreement(judgments),
        }


def spec(result: Any) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(result.plot().to_json())
    return out


def rows(drawing: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for table in drawing["datasets"].values() for row in table]


def test_corrected_scores_are_drawn_with_their_intervals(results: dict[str, Any]) -> None:
    drawn = rows(spec(results["corrected"]))
    crossenc = next(r for r in drawn if r["system"] == "crossenc" and r["kind"] == "corrected")
    expected = next(r for r in results["corrected"].table.to_dicts() if r["system"] == "crossenc")
    assert (crossenc["score"], crossenc["low"], crossenc["high"]) == (
        expected["corrected"], expected["low"], expected["high"],
    )  # fmt: skip
    assert {r["kind"] for r in drawn} == {"naive", "corrected", "pooled"}


def test_differences_are_drawn_by_their_verdicts(results: dict[str, Any]) -> None:
    drawn = [r for r in rows(spec(results["differences"])) if "pair" in r]
    told = {f"{d.a} − {d.b}": d.claim.kind == "better" for d in results["differences"].pairs}
    assert {r["pair"]: r["verdict"] == "better" for r in drawn} == told


@pytest.mark.parametrize("name", ["difference", "agreement", "confusion", "ceiling", "disagreement"])
def test_others_draw_their_table(name: str, results: dict[str, Any]) -> None:
    assert rows(spec(results[name]))


def test_scales_and_loss_are_drawn() -> None:
    scales = pair_noise_by_scale(["uniform"], [0.1, 0.2])
    chart = draw(Figure("noise", "scale_chart", (scales, "Fig. 11"))).to_dict()
    assert chart["facet"]["column"]["field"] == "set"
    loss = pl.DataFrame({"set": ["a"], "profile": ["uniform"], "dnoise": [0.1], "loss": [0.2]})
    assert draw(Figure("noise", "loss_chart", (loss,))).to_dict()["spec"]["encoding"]["y"]["field"] == "loss"
