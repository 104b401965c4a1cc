"""The recipes of CONTRIBUTING.md do what they say: each is followed in a copy of the source, then tried."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECIPES = ("measure", "door", "estimator", "sentence")


def blocks(name: str) -> list[tuple[str, str]]:
    """(language, content) of the blocks of a recipe."""
    section = TEXT.partition(f"\n## Add a {name}\n")[2] or TEXT.partition(f"\n## Add an {name}\n")[2]
    return re.findall(r"^```(\w+)\n(.*?)^```$", section.partition("\n## ")[0], re.MULTILINE | re.DOTALL)


def changed(copy: Path, diff: str) -> None:
    """Each run of lines with − is found once in its file, and the lines with + take its place."""
    for part in re.split(r"^--- ", diff, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        file = copy / name
        text = file.read_text("utf-8")
        for old, new in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", rest, re.MULTILINE):
            was, now = ("\n".join(line[1:] for line in side.splitlines()) for side in (old, new))
            assert text.count(was) == 1, f"{name} has {text.count(was)} times: {was}"
            text = text.replace(was, now)
        file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works(name: str, tmp_path: Path) -> None:
    copy, here = tmp_path / "copy", tmp_path / "here"
    here.mkdir()
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    tried = ""
    for language, content in blocks(name):
        if language == "diff":
            changed(copy, content)
        elif found := re.match(r"# new file: (\S+)\n", content):
            assert not (copy / found[1]).exists()
            (copy / found[1]).write_text(content.removeprefix(found[0]), encoding="utf-8")
        else:
            tried = content
    assert "assert" in tried
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONWARNINGS": "error::DeprecationWarning"}
    done = subprocess.run([sys.executable, "-c", tried], cwd=here, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
