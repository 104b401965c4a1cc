"""Every study says what it does; settings are read as their defaults' types; figures name charts that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from paths import ROOT
from refusals import refused

from dissensus.errors import InputError
from dissensus.studies.study import STUDIES, load, settings


def test_every_experiment_says_what_it_does_and_what_may_be_set() -> None:
    for name in STUDIES:
        module = load(name)
        assert module.__doc__.strip().splitlines()[0].endswith(".")
        assert isinstance(module.SETTINGS, dict)
        assert callable(module.run)


def test_settings_are_read_as_their_defaults_type() -> None:
    defaults = {"n": 3, "x": 0.5, "on": True, "measures": ("AP",), "percents": (10,), "name": None}
    read = settings(
        defaults, ["n=7", "x=2", "on=no", "measures=P@10, nDCG(dcg='jk', base=10)", "percents=5,6", "name=a"]
    )
    assert read == {
        "n": 7,
        "x": 2.0,
        "on": False,
        "measures": ("P@10", "nDCG(dcg='jk', base=10)"),
        "percents": (5, 6),
        "name": "a",
    }
    with refused(InputError, "levels=abc", "0.1,0.2"):  # as one would type it
        settings({"levels": (0.1, 0.2)}, ["levels=abc"])
    with refused(InputError, 3, "--set"):
        settings(defaults, ["n=many"])


def test_every_figure_names_a_chart_that_exists() -> None:
    named = []
    for name in STUDIES:
        text = Path(ROOT, "src", "dissensus", "studies", f"{name}.py").read_text("utf-8")
        named += re.findall(r'Figure\("(\w+)", "(\w+)"', text)
    assert len(named) > 15
    for room, chart in named:
        assert callable(getattr(importlib.import_module(f"dissensus.reporting.charts.{room}"), chart))
