"""The house has one staircase: imports go down it, never up, and the front door opens at once."""

from __future__ import annotations

import ast
import graphlib
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from paths import ROOT

import dissensus
from dissensus.aliases import VERBS

SOURCE = ROOT / "src" / "dissensus"
# a room may import from itself and from rooms on lower floors
FLOORS = [
    {"wording", "vocabulary", "arrays", "docstrings"},
    {"errors"},
    {"aliases"},
    {"work"},
    {"windows"},
    {"results"},
    {"io", "tables", "engine"},
    {"stats"},
    {"measures"},
    {"judging"},
    {"inference", "users", "theory", "label_noise"},
    {"learning"},
    {"studies"},
    {"reporting"},
    {"audit", "interop"},
    {"cli"},
]
FLOOR = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
FILES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> list[tuple[int, str]]:
    """(line, room) of every import of dissensus in a file, those inside functions included."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            module = node.module or ""
            names = [f"{module}.{a.name}" for a in node.names] if module == "dissensus" else [module]
        for name in names:
            parts = name.split(".")
            if parts[0] == "dissensus" and len(parts) > 1:
                found.append((node.lineno, parts[1]))
    return found


@pytest.mark.parametrize(
    "path", [f for f in FILES if not room_of(f).startswith("__")], ids=lambda p: str(p.relative_to(SOURCE))
)
def test_imports_go_one_way(path: Path) -> None:
    here = room_of(path)
    assert here in FLOOR, f"{path} is in no room of the house"
    for line, room in imported_rooms(path):
        if room == here or room.startswith("__"):
            continue
        target = dissensus._HOME[room].split(".")[0] if room not in FLOOR and room in dissensus._HOME else room
        # a file, its table and its kernel know each other, and so do a result and its windows
        together = {here, target} <= {"io", "tables", "engine"} or {here, target} <= {
            "results",
            "windows",
            "vocabulary",
        }
        assert together or FLOOR[target] < FLOOR[here], (
            f"{path.relative_to(ROOT)}:{line}: {here} must not import {target}"
        )


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def imported_modules(path: Path, modules: set[str]) -> set[str]:
    """The modules of dissensus that a file imports, inside functions too; not those only for the type checker."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unread = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "dissensus":
            homes = [dissensus._HOME.get(alias.name, alias.name) for alias in node.names]
            found.update(f"dissensus.{home}" for home in homes)
        elif isinstance(node, ast.ImportFrom):
            # `from package import module` imports the module; `from module import name` its home
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in modules else node.module or "" for name in names)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return (found & modules) - {module_of(path), "dissensus"}


def test_no_modules_import_each_other_in_a_circle() -> None:
    modules = {module_of(path) for path in FILES}
    graph = {module_of(path): imported_modules(path, modules) for path in FILES}
    assert sum(map(len, graph.values())) > 1000, "the imports are found"
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_import_is_light() -> None:
    code = (
        "import sys, dissensus; heavy = {'numba', 'polars', 'xarray', 'scipy', 'altair', 'numpy', 'rich', 'click'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("name", dissensus.__all__)
def test_every_public_name_resolves(name: str) -> None:
    home = f"dissensus.{dissensus._HOME[name]}"
    assert getattr(dissensus, name) is getattr(importlib.import_module(home), VERBS.get(name, name))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        dissensus.nonsense  # noqa: B018


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_stay_readable(path: Path) -> None:
    assert path.name not in {"utils.py", "helpers.py", "common.py"}
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, "one file, one idea"
