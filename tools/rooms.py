"""Draw the rooms of the house from its imports: docs/project/rooms of the site, made anew with each build.

    python tools/rooms.py            the page as Markdown
    python tools/rooms.py --svg      the drawing alone
    python tools/rooms.py --map      write the map of rooms into CONTRIBUTING.md

Rooms are the folders in src/dissensus; an arrow from A to B says that a file in A imports one in B. A room is drawn one
floor above the highest room that it imports, so every arrow goes down, or the drawing does not exist. Files, their
tables and their kernels know each other: arrows among these three are not drawn.
"""

from __future__ import annotations

import ast
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "dissensus"
WIDTH, BOX, TALL, GAP = 760, 112, 34, 58
BEGIN, END = "<!-- map: python tools/rooms.py --map -->", "<!-- end of map -->"
TOGETHER = {"io", "tables", "engine"}
ASKED = {"results": ("windows",)}  # a result asks its window to show it


def rooms() -> list[str]:
    """The rooms there are: folders, and errors."""
    folders = [p.name for p in SOURCE.iterdir() if p.is_dir() and any(p.rglob("*.py"))]
    single = [p.stem for p in SOURCE.glob("*.py") if not p.name.startswith("__")]
    return sorted(folders + single)


def imports(room: str, known: list[str]) -> dict[str, int]:
    """How many imports of each other room there are in a room, those inside functions included."""
    found: dict[str, int] = {}
    files = (SOURCE / room).rglob("*.py") if (SOURCE / room).is_dir() else [SOURCE / f"{room}.py"]
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"dissensus.{a.name}" for a in node.names] if node.module == "dissensus" else [node.module]
            for parts in (name.split(".") for name in names):
                if parts[0] != "dissensus" or len(parts) < 2 or {room, parts[1]} <= TOGETHER:
                    continue
                if parts[1] in ASKED.get(room, ()):
                    continue
                if parts[1] in known and parts[1] != room:
                    found[parts[1]] = found.get(parts[1], 0) + 1
    return found


def graph() -> dict[str, dict[str, int]]:
    """room → {imported room: number of imports}."""
    known = rooms()
    return {room: imports(room, known) for room in known}


def floors(edges: dict[str, dict[str, int]]) -> list[list[str]]:
    """Rooms by floor, the lowest first; a ValueError where rooms import each other in a circle."""
    level: dict[str, int] = {}
    left = dict(edges)
    while left:
        ready = [room for room, used in left.items() if all(u in level for u in used)]
        if not ready:
            raise ValueError(f"these rooms import each other in a circle: {', '.join(sorted(left))}")
        for room in ready:
            level[room] = 1 + max((level[u] for u in edges[room]), default=-1)
            del left[room]
    return [sorted(r for r in level if level[r] == n) for n in range(max(level.values()) + 1)]


def svg(edges: dict[str, dict[str, int]]) -> str:
    """The drawing: floors from top to bottom, a line per import, to the next floors in full and further down pale."""
    levels = floors(edges)
    height = len(levels) * (TALL + GAP) + 10
    place = {}
    for n, names in enumerate(levels):
        y = height - TALL - 6 - n * (TALL + GAP)
        step = WIDTH / len(names)
        place |= {name: (step * (i + 0.5), y) for i, name in enumerate(names)}
    floor = {name: n for n, names in enumerate(levels) for name in names}
    lines = []
    for room, used in edges.items():
        for other in used:
            (x1, y1), (x2, y2) = place[room], place[other]
            far = floor[room] - floor[other] > 1
            shade = "#b9c2ca" if far else "#5b6b7a"
            middle = (y1 + TALL + y2) / 2
            path = f"M{x1:.0f},{y1 + TALL:.0f} C{x1:.0f},{middle:.0f} {x2:.0f},{middle:.0f} {x2:.0f},{y2:.0f}"
            lines.append(
                (not far, f'<path d="{path}" fill="none" stroke="{shade}" stroke-width="{1 if far else 1.5}"/>')
            )
    boxes = [
        f'<rect x="{x - BOX / 2:.0f}" y="{y:.0f}" width="{BOX}" height="{TALL}" rx="5" fill="#eef3f8" '
        f'stroke="#5b6b7a"/>'
        f'<text x="{x:.0f}" y="{y + 22:.0f}" text-anchor="middle" font-size="14" fill="#1c2733">{escape(name)}</text>'
        for name, (x, y) in place.items()
    ]
    inside = "\n".join([*(text for _, text in sorted(lines)), *boxes])
    label = "The rooms of dissensus; every import goes down"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}" '
        f'font-family="sans-serif">\n<title>{label}</title>\n{inside}\n</svg>'
    )


def page() -> str:
    """The drawing and the same as a table."""
    edges = graph()
    users = {room: sorted(r for r, used in edges.items() if room in used) for room in edges}
    rows = []
    for names in reversed(floors(edges)):
        for room in names:
            used = ", ".join(sorted(edges[room])) or "–"
            rows.append(f"| `{room}` | {used} | {', '.join(users[room]) or '–'} |")
    return "\n".join(
        [
            "# The rooms",
            "",
            "Drawn from the imports in `src/dissensus` by `tools/rooms.py` while this site is built. Every line goes",
            "down; pale ones pass a floor.",
            "",
            svg(edges),
            "",
            "| room | imports | imported by |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def nearest(edges: dict[str, dict[str, int]], room: str) -> list[str]:
    """The rooms that a room imports and that none of its other rooms reaches, the highest first."""

    def reached(start: str) -> set[str]:
        return set(edges[start]).union(*map(reached, edges[start]))

    level = {name: n for n, names in enumerate(floors(edges)) for name in names}
    used = set(edges[room])
    below = set().union(*map(reached, used))
    return sorted(used - below, key=lambda r: (-level[r], r))


def text_map(edges: dict[str, dict[str, int]]) -> str:
    """Every room with the rooms right below it: what a file may import is reached along the arrows."""
    names = [room for rooms_ in reversed(floors(edges)) for room in rooms_]
    wide = max(map(len, names))
    return "\n".join(f"{room:<{wide}}  →  {', '.join(nearest(edges, room)) or '–'}" for room in names)


def with_map(text: str) -> str:
    """CONTRIBUTING.md with the map of now."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n```text\n{text_map(graph())}\n```\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--map" in sys.argv:
        contributing = ROOT / "CONTRIBUTING.md"
        contributing.write_text(with_map(contributing.read_text("utf-8")), encoding="utf-8")
    else:
        sys.stdout.write(svg(graph()) if "--svg" in sys.argv else page())
