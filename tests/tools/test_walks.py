"""The count of files on a walk."""

from __future__ import annotations

import importlib.util

from paths import ROOT


def test_the_walk_of_evaluate() -> None:
    spec = importlib.util.spec_from_file_location("walks", ROOT / "tools" / "walks.py")
    assert spec is not None
    assert spec.loader is not None
    walks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(walks)
    files = walks.walk(walks.WALKS["evaluate"])
    assert "cli/evaluate.py" in files["executed"]
    assert set(files["executed"]) <= set(files["imported"])
    assert "io/damage/arrow.py" not in files["executed"]  # its classes are defined, no function is called
    assert not any(f.startswith(("studies", "report")) for f in files["executed"])  # not on the way of a user's number
