"""A run and a qrels file of three lines, and both ways that small files are read."""

from __future__ import annotations

import pytest

from dissensus.io import files

GOOD = "301 Q0 FT-1 1 9.5 tag\n301 Q0 FT-2 2 9.0 tag\n302 Q0 FT-1 1 1.0 tag\n"
GRADES = "301 0 FT-1 1\n301 0 FT-2 0\n302 0 FT-1 2\n"


def file(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture(autouse=True, params=["kernel", "plain"])
def path_through(request, monkeypatch):
    """Small files go through the plain readers, large ones through the kernels: all tests take both ways."""
    monkeypatch.setattr(files, "SMALL", 0 if request.param == "kernel" else 1 << 30)
