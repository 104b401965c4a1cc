"""What every test gets without asking: a place for temporary files that goes when the tests end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def temporary_files_go() -> Iterator[None]:
    """Examples in docstrings and drawn files, hundreds in a run, ask for folders that nobody deletes."""
    with tempfile.TemporaryDirectory(prefix="tests-", ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = folder
        yield
        tempfile.tempdir = None
