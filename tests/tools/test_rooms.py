"""The drawing of the rooms: from the imports of now, every line downwards."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from paths import ROOT


@pytest.fixture(scope="module")
def rooms() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rooms", ROOT / "tools" / "rooms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_room_is_drawn_and_every_line_goes_down(rooms: ModuleType) -> None:
    edges = rooms.graph()
    level = {name: n for n, names in enumerate(rooms.floors(edges)) for name in names}
    assert {"errors", "work", "io", "tables", "measures", "judging", "inference", "studies", "reporting", "cli"} <= set(
        level
    )
    assert all(level[room] > level[other] for room, used in edges.items() for other in used)
    drawing = rooms.svg(edges)
    assert all(f">{name}</text>" in drawing for name in level)
    assert drawing.count("<path") == sum(len(used) for used in edges.values())


def test_a_circle_has_no_drawing(rooms: ModuleType) -> None:
    with pytest.raises(ValueError, match="in a circle: a, b"):
        rooms.floors({"a": {"b": 1}, "b": {"a": 1}})


def test_the_page_has_a_row_for_every_room(rooms: ModuleType) -> None:
    text = rooms.page()
    assert all(f"| `{room}` |" in text for room in rooms.rooms())


def test_contributing_shows_the_rooms_of_now(rooms: ModuleType) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert rooms.with_map(text) == text, "run: python tools/rooms.py --map"
    edges = {"a": {"b": 1, "c": 1}, "b": {"c": 1}, "c": {}}
    assert rooms.text_map(edges) == "a  →  b\nb  →  c\nc  →  –"
