"""What the README shows is what the demo prints."""

from __future__ import annotations

import pytest
from paths import ROOT

from dissensus.cli.demo import MEASURE
from dissensus.cli.terminal.output import show
from dissensus.io.samples import generated_collection
from dissensus.studies.generated.judged_truth import truth_table


def test_the_screen_in_the_readme_is_the_demos(capsys: pytest.CaptureFixture[str]) -> None:
    show(truth_table(generated_collection(), MEASURE, seed=0))
    assert capsys.readouterr().out.strip() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_make_demo_and_make_test_stand_at_the_top() -> None:
    top = (ROOT / "README.md").read_text(encoding="utf-8")[:600]
    assert "make demo" in top
    assert "make test" in top
