"""What the README shows is what the demo prints."""

from __future__ import annotations

from paths import ROOT

from dissensus.cli.demo import MEASURE, verdict
from dissensus.io.samples import generated_collection


def test_the_screen_in_the_readme_is_the_demos() -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8")
    assert verdict(generated_collection(), MEASURE, seed=0).strip() in shown


def test_make_demo_and_make_test_stand_at_the_top() -> None:
    top = (ROOT / "README.md").read_text(encoding="utf-8")[:600]
    assert "make demo" in top
    assert "make test" in top
