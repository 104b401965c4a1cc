"""Where tests find things outside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"


def shared_data(name: str) -> Path:
    """A folder of real data beside the repository; the test is skipped, saying so, where it is absent."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"real data '{name}' not found beside the repository (../shared/data/{name})")
    return folder
