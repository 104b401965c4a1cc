"""Notebooks on the site run, and show what they showed when they were committed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT

pytest.importorskip("nbclient")
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(notebook: dict[str, Any]) -> list[list[str]]:
    """What every code cell shows; of pictures only that there is one: letters depend on the fonts."""
    out = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            texts = [o.get("data", {}) for o in cell["outputs"]]
            out.append(
                ["picture" if "image/svg+xml" in d else "".join(d.get("text/plain", o.get("text", "")))
                 for d, o in zip(texts, cell["outputs"], strict=True)]
            )  # fmt: skip
    return out


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
@pytest.mark.filterwarnings("ignore")  # jupyter's own
def test_a_notebook_shows_what_it_showed(path: Path) -> None:
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert outputs(_tool().executed(path)) == outputs(kept)


def test_the_page_holds_code_tables_and_pictures() -> None:
    page = _tool().as_page(NOTEBOOKS[0])
    assert page.count("```python") > 5
    assert "data:image/svg+xml" in page
    assert "<table" in page
