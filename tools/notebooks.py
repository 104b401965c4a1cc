"""Notebooks of the documentation: run them, and show them as pages.

    python tools/notebooks.py      run docs/notebooks/*.ipynb in the repository's root and keep what they show

A notebook is committed with its outputs; a test runs it again and compares. `as_page` makes the page of the site.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "notebooks"


def executed(path: Path) -> dict[str, Any]:
    """The notebook with fresh outputs, without what differs from run to run."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    plain: dict[str, Any] = json.loads(nbformat.writes(notebook))
    plain["metadata"] = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for cell in plain["cells"]:
        cell["metadata"] = {}
        if cell["cell_type"] == "code":
            cell["outputs"] = [o for o in cell["outputs"] if o.get("name") != "stderr"]
    return plain


def as_page(path: Path) -> str:
    """The notebook as Markdown: code, and below it what it shows."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [shown for output in cell["outputs"] if (shown := _shown(output))]
    return "\n\n".join(parts) + f"\n\n[The notebook itself]({path.name}) runs in a clone of the repository.\n"


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "image/svg+xml" in data:
        picture = base64.b64encode("".join(data["image/svg+xml"]).encode()).decode()
        return f'<img alt="The chart of the cell above" src="data:image/svg+xml;base64,{picture}">'
    if "text/html" in data:
        text = "".join(data["text/html"])
        return "<div class='notebook-output'>" + "".join(line.strip() for line in text.splitlines()) + "</div>"
    text = "".join(output.get("text", data.get("text/plain", "")))
    return f"```text\n{text.rstrip()}\n```" if text.strip() else ""


if __name__ == "__main__":
    for one in [Path(p) for p in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        one.write_text(json.dumps(executed(one), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
