"""Names that are imported on first use."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import dissensus.learning
from dissensus.work.on_use import on_use


def test_a_name_is_imported_once_and_kept(monkeypatch):
    package = ModuleType("package")
    monkeypatch.setitem(sys.modules, "package", package)
    from dissensus.wording import counted

    assert on_use("package", "counts", {"counts": "wording"}, "counted") is counted
    assert package.counts is counted
    with pytest.raises(AttributeError, match="module 'package' has no attribute 'other'"):
        on_use("package", "other", {})


@pytest.mark.parametrize("name", dissensus.learning.__all__)
def test_every_name_of_learning_resolves(name):
    assert getattr(dissensus.learning, name) is not None
