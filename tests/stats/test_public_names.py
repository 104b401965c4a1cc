"""`dissensus.stats` is public: every name resolves, whatever was imported before it, and none is a module's."""

from __future__ import annotations

import importlib
from pkgutil import iter_modules

import pytest
from refusals import refused

import dissensus as ds
from dissensus import stats


@pytest.mark.parametrize("name", stats.__all__)
def test_every_name_resolves(name: str) -> None:
    for module in iter_modules(stats.__path__):
        importlib.import_module(f"dissensus.stats.{module.name}")
        assert module.name not in stats.__all__
    assert callable(getattr(stats, name))
    assert getattr(ds.stats, name) is getattr(stats, name)


def test_an_unknown_name() -> None:
    with refused(AttributeError, "nonsense"):
        stats.nonsense  # noqa: B018
