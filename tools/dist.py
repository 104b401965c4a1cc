"""Build wheel and sdist into a folder: `python tools/dist.py dist` (what `make dist` does).

The sources are copied first, so that nothing is left behind in the checkout and nothing in it that is not part of the
package can get into the files.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("src", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")


def build(target: Path) -> list[Path]:
    """The wheel and the sdist."""
    from setuptools import build_meta

    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        here = Path.cwd()
        for part in PARTS:
            source, copy = ROOT / part, Path(temporary, part)
            if source.is_dir():
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "*.nb[ic]"))
            else:
                shutil.copy(source, copy)
        os.chdir(temporary)
        try:
            names = [build_meta.build_wheel(str(target)), build_meta.build_sdist(str(target))]
        finally:
            os.chdir(here)
    return [target / name for name in names]


if __name__ == "__main__":
    for file in build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist").resolve()):
        sys.stdout.write(f"{file}\n")
