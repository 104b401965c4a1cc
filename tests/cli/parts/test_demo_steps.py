"""The steps of the demo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dissensus as ds
from dissensus.cli.commands import exists
from dissensus.cli.parts.demo_steps import steps, verdict
from dissensus.data.samples import generated_collection


def test_every_step_calls_a_command_that_exists() -> None:
    assert all(exists(step.arguments[0]) for step in steps(Path("demo"), "P@10"))


def test_the_last_word_is_about_the_truth():
    sample = generated_collection(topics=6)
    told = json.loads(verdict(sample, "P(rel=2)@10", seed=0, json=True, study={"stopped_at": 3}))
    rows = told["tables"]["against the truth"]
    truth = ds.evaluate(sample.runs, sample.truth, ["P(rel=2)@10"])["P(rel=2)@10"].mean("topic").isel(assessor=0)
    for row in rows:
        assert row["truth"] == pytest.approx(float(truth.sel(system=row["system"])))
    assert told["study"] == {"stopped_at": 3}
